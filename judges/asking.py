"""Asking a model for one judgement: what comes back is a reply that fits, or a verdict that says why there is none."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import BaseModel

from ..errors import ContextOverflowError, EpisodeError, ModelReplyError
from ..llm import ChatModel, calls_of
from ..types import Metric, ModelCall, VerdictKind

T = TypeVar("T", bound=BaseModel)
_PROMPTS = Path(__file__).parent / "prompts"


@dataclass(frozen=True)
class Judgement(Generic[T]):
    """What came of asking.

    Attributes:
        reply: The reply, or None where there is no usable one.
        verdict: `scored`, `invalid` (no usable reply after retries) or `error` (the model could not be asked).
        note: Why there is no reply.
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
    text, version = _prompt(template, values)
    try:
        reply = await model.ask([{"role": "user", "content": text}], role="judge", schema=schema, prompt=version)
    except EpisodeError as error:
        unusable = isinstance(error, ModelReplyError) and not isinstance(error, ContextOverflowError)
        return Judgement(None, "invalid" if unusable else "error", str(error), calls_of(error))
    return Judgement(reply.value, "scored", "", reply.calls)


def _prompt(template: str, values: dict[str, Any]) -> tuple[str, str]:
    """Return the rendered prompt, and its name with a version that changes with the template's text."""
    name = f"{template}.j2"
    version = hashlib.sha256((_PROMPTS / name).read_bytes()).hexdigest()[:8]
    return _environment().get_template(name).render(values), f"judges/{template}@{version}"


@cache
def _environment() -> Environment:
    # Plain text for a model: HTML escapes would only blur it. Untrusted text is brought to single lines before.
    return Environment(loader=FileSystemLoader(_PROMPTS), undefined=StrictUndefined, autoescape=False,  # noqa: S701
                       trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False)
