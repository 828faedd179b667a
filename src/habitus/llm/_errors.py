"""The errors of asking a chat model, each with the calls that were spent on it."""

from __future__ import annotations

from typing import ClassVar

from ..errors import ContextOverflowError, EpisodeError, ModelError, ModelReplyError
from ..types import Boundary, ModelCall


class EndpointError(ModelError):
    """The endpoint could not be reached, refused the request, or kept failing.

    Attributes:
        calls: What was spent, failed calls with their `error`.
    """

    def __init__(self, message: str, calls: tuple[ModelCall, ...] = ()) -> None:
        super().__init__(message)
        self.calls = calls


class UnusableReplyError(ModelReplyError):
    """The model answered, and nothing usable: empty, cut off, refused, or against the schema.

    Attributes:
        calls: What was spent, failed calls with their `error`.
    """

    def __init__(self, message: str, calls: tuple[ModelCall, ...] = ()) -> None:
        super().__init__(message)
        self.calls = calls


class PromptTooLongError(ContextOverflowError):
    """The prompt does not fit the model's window; shorten it, the same prompt is not to be sent again.

    Attributes:
        calls: What was spent, failed calls with their `error`.
    """

    def __init__(self, message: str, calls: tuple[ModelCall, ...] = ()) -> None:
        super().__init__(message)
        self.calls = calls


class BudgetSpentError(EpisodeError):
    """The budget for model calls is used up; nothing was sent."""

    boundary: ClassVar[Boundary] = "budget"


def calls_of(error: BaseException) -> tuple[ModelCall, ...]:
    """Return the model calls an error carries; none where it carries none."""
    calls = getattr(error, "calls", ())
    return calls if isinstance(calls, tuple) else ()
