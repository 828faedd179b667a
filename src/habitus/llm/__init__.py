"""Chat models behind one protocol: any OpenAI-compatible endpoint, structured replies, retries, cost."""

from ..errors import ContextOverflowError, MissingKeyError, ModelError, ModelReplyError
from ._budget import Budget
from ._cache import ResponseCache
from ._chat import ChatModel, Reply
from ._errors import BudgetSpentError, EndpointError, PromptTooLongError, UnusableReplyError, calls_of
from ._json import parse_json
from ._local import LocalServer
from ._spec import ModelSpec, Prices, shown_url

__all__ = [
    "Budget",
    "BudgetSpentError",
    "ChatModel",
    "ContextOverflowError",
    "EndpointError",
    "LocalServer",
    "MissingKeyError",
    "ModelError",
    "ModelReplyError",
    "ModelSpec",
    "Prices",
    "PromptTooLongError",
    "Reply",
    "ResponseCache",
    "UnusableReplyError",
    "calls_of",
    "parse_json",
    "shown_url",
]
