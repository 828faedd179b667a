"""From a model's text to a validated value: thinking set apart, the first complete JSON object taken."""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import ModelReplyError
from ..types import JsonObject

T = TypeVar("T", bound=BaseModel)

MAX_CHARS = 1_000_000
"""Longer replies are not searched for JSON."""
_MAX_TRIES = 500
"""Braces tried; each failed try costs a walk through the text, and prose holds few."""

_OPEN, _CLOSE = "<think>", "</think>"


class CutOffError(ModelReplyError):
    """The text ends within its JSON object."""


def parse_json(text: str, schema: type[T]) -> T:
    """Read the first complete JSON object in a reply and validate it strictly.

    The object may stand alone, in a code fence, after a `<think>` block or amid prose. Validation is strict: the text
    `"3"` is no number and `"false"` no boolean.

    Raises:
        ModelReplyError: There is no object, it is cut off, or it is against the schema; says where and why.
    """
    found = first_object(split_thinking(text)[1])
    try:
        return schema.model_validate_json(json.dumps(found), strict=True)
    except ValidationError as error:
        raise ModelReplyError(f"The JSON does not fit: {_explain(error)}") from None


def split_thinking(text: str) -> tuple[str, str]:
    """Set a leading `<think>` block apart.

    A block that is never closed is all thinking. Some chat templates put the opening tag into the prompt, so that a
    reply may hold the closing one alone.

    Returns:
        The thinking, and the answer.
    """
    body = text.strip()
    if body.startswith(_OPEN):
        thinking, _, answer = body[len(_OPEN):].partition(_CLOSE)
        return thinking.strip(), answer.strip()
    if _CLOSE in body and not body.startswith(("{", "```")):
        thinking, _, answer = body.partition(_CLOSE)
        return thinking.strip(), answer.strip()
    return "", body


def first_object(text: str) -> JsonObject:
    """Return the first complete JSON object in a text.

    Raises:
        CutOffError: The text ends within an object.
        ModelReplyError: There is none, or it is too long or too deep to read.
    """
    if len(text) > MAX_CHARS:
        raise ModelReplyError(f"The reply has {len(text)} characters; at most {MAX_CHARS} are read.")
    start, tries = text.find("{"), 0
    while start >= 0 and tries < _MAX_TRIES:
        tries += 1
        try:
            found, _ = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
                raise CutOffError(f"The JSON object is cut off after {len(text)} characters.") from None
            # What comes before the fault belongs to the broken object; a search there would take a part for the whole.
            start = text.find("{", max(error.pos, start + 1))
        except RecursionError:
            raise ModelReplyError("The JSON is nested too deeply.") from None
        except ValueError as error:
            raise ModelReplyError(f"The JSON holds a number that is none: {error}") from None
        else:
            if isinstance(found, dict):
                return found
            break
    raise ModelReplyError(f"Expected a JSON object and found none in: {text[:200]!r}")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _explain(error: ValidationError) -> str:
    faults: list[Any] = error.errors(include_url=False, include_context=False)
    lines = [f"{'.'.join(map(str, fault['loc'])) or 'the object'}: {fault['msg']}" for fault in faults[:8]]
    return "; ".join(lines) + (f"; and {len(faults) - 8} more" if len(faults) > 8 else "")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)
