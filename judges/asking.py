"""Asking a model for one judgement: what comes back is a reply that fits, or a verdict that says why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from ..errors import ContextOverflowError, EpisodeError, ModelReplyError
from ..llm import ChatModel, calls_of
from ..llm._prompts import Prompts
from ..types import Metric, ModelCall, VerdictKind

T = TypeVar("T", bound=BaseModel)
_PROMPTS = Prompts(Path(__file__).parent / "prompts")


@dataclass(frozen=True)
class Judgement(Generic[T]):
    """What came of asking.

    Attributes:
        reply: The reply, or None where there is no usable one.
        verdict: `scored`, `invalid` (no usable reply after retries) or `error` (the model could not be asked).
        note: Why there is no reply, in words of our own.
        calls: The model calls, made in vain or not.
    """

    reply: T | None
    verdict: VerdictKind
    note: str
    calls: tuple[ModelCall, ...]

    def unscored(self) -> Metric:
        """Return a metric that carries the verdict and no value."""
        return Metric(verdict=self.verdict, note=self.note)


async def judgement(model: ChatModel, template: str, schema: type[T], **values: Any) -> Judgement[T]:
    """Ask a model to fill a schema.

    Args:
        model: The model that judges.
        template: Name of the prompt in `prompts/`, without its ending.
        schema: The form of the reply; what lies outside it is never a reply.
        **values: What the prompt's template needs.
    """
    text, version = _PROMPTS.render(template, **values), f"judges/{_PROMPTS.version(template)}"
    try:
        reply = await model.ask([{"role": "user", "content": text}], role="judge", schema=schema, prompt=version)
    except EpisodeError as error:
        return Judgement(None, *_unanswered(error), calls_of(error))
    return Judgement(reply.value, "scored", "", reply.calls)


def _unanswered(error: EpisodeError) -> tuple[VerdictKind, str]:
    """Return verdict and note. The error's words may quote the prompt, and so the truth: they stay in the calls."""
    if isinstance(error, ContextOverflowError):
        return "error", "the transcript is longer than the judging model's window"
    if isinstance(error, ModelReplyError):
        return "invalid", "the judging model gave no usable reply; what it said is in the calls of the score"
    return "error", f"the judging model could not be asked ({error.boundary}); the calls of the score say why"
