"""A server's answer, read with care: servers differ, and any field may be missing or of another type."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ..types import JsonObject, Usage
from ._json import split_thinking


@dataclass(frozen=True)
class Completion:
    """What a chat completion said.

    Attributes:
        text: The answer; the arguments of the first tool call where there is no text.
        reasoning: Thinking, from a field of its own or a `<think>` block; never an answer.
        refusal: Why the model refused, or empty.
        cut_off: Whether the reply ended at the token bound.
        usage: Tokens, unpriced; zero where the server tells none.
    """

    text: str
    reasoning: str = ""
    refusal: str = ""
    cut_off: bool = False
    usage: Usage = field(default_factory=Usage)
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None


def read_completion(body: Any) -> Completion:
    """Read the JSON body of a chat completion.

    An empty list of choices gives an empty text: the caller decides what that means.
    """
    body = _object(body)
    choice = _object(_first(body.get("choices")))
    message = _object(choice.get("message"))
    thought, text = split_thinking(_content(message.get("content")))
    if not text:
        text = _arguments(message)
    finish = choice.get("finish_reason")
    filtered = "stopped by the server's content filter" if finish == "content_filter" and not text else ""
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    return Completion(
        text=clean(text),
        reasoning=clean("\n".join(part for part in (reasoning, thought) if part)),
        refusal=clean(_text(message.get("refusal"))) or filtered,
        cut_off=finish == "length",
        usage=_usage(_object(body.get("usage"))),
        token_ids=_token_ids(choice.get("token_ids")),
        logprobs=_logprobs(_object(choice.get("logprobs")).get("content")),
    )


def clean(value: Any) -> Any:
    """Replace lone surrogates throughout a JSON value: pages and models send them, UTF-8 has none."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    return value


def _content(content: Any) -> str:
    if isinstance(content, list):  # parts, as some servers answer
        return "".join(_text(_object(part).get("text")) for part in content)
    return _text(content)


def _arguments(message: JsonObject) -> str:
    function = _object(_object(_first(message.get("tool_calls"))).get("function"))
    arguments = function.get("arguments")
    return json.dumps(arguments) if isinstance(arguments, dict) else _text(arguments)


def _usage(found: JsonObject) -> Usage:
    prompt = _count(found.get("prompt_tokens"))
    cached = _count(_object(found.get("prompt_tokens_details")).get("cached_tokens"))
    return Usage(
        calls=1,
        prompt_tokens=prompt,
        cached_tokens=min(cached, prompt),
        completion_tokens=_count(found.get("completion_tokens")),
    )


def _token_ids(found: Any) -> tuple[int, ...] | None:
    return tuple(found) if isinstance(found, list) and all(type(item) is int for item in found) else None


def _logprobs(found: Any) -> tuple[float, ...] | None:
    if not isinstance(found, list):
        return None
    values = [_object(item).get("logprob") for item in found]
    numbers = tuple(float(value) for value in values if isinstance(value, int | float))
    return numbers if len(numbers) == len(values) else None


def _object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int:
    return value if type(value) is int and value >= 0 else 0
