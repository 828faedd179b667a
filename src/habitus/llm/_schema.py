"""A pydantic schema as servers take it: strict where it can be, in words where they take none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from ..types import JsonObject
from ._spec import StructuredMode


def response_format(schema: type[BaseModel], mode: StructuredMode) -> JsonObject | None:
    """Return the `response_format` of a request, or None where words alone hold the reply to the schema."""
    if mode == "prompt":
        return None
    if mode == "json_object":
        return {"type": "json_object"}
    if mode == "json_object_schema":
        return {"type": "json_object", "schema": strict_schema(schema.model_json_schema())[0]}
    form, strict = strict_schema(schema.model_json_schema())
    return {"type": "json_schema", "json_schema": {"name": schema.__name__[:64], "schema": form, "strict": strict}}


def strict_schema(schema: JsonObject) -> tuple[JsonObject, bool]:
    """Rewrite a schema to the strict subset: every property required, no other allowed, no defaults.

    Returns:
        The schema, and whether it is in the subset; a mapping of free keys is not.
    """
    strict = True

    def walk(node: Any) -> Any:
        nonlocal strict
        if isinstance(node, list):
            return [walk(item) for item in node]
        if not isinstance(node, dict):
            return node
        out = {("anyOf" if key == "oneOf" else key): value for key, value in node.items()
               if key not in ("default", "discriminator")}
        named = {key: {name: walk(value) for name, value in out[key].items()}
                 for key in ("properties", "$defs") if isinstance(out.get(key), dict)}
        out = {key: named[key] if key in named else walk(value) for key, value in out.items()}
        if "properties" in named:
            out["additionalProperties"] = False
            out["required"] = list(named["properties"])
        elif out.get("type") == "object":
            strict = False
        return out

    return walk(schema), strict


def with_schema(messages: Sequence[JsonObject], schema: type[BaseModel]) -> list[JsonObject]:
    """Tell the schema in words, at the end of the last message of the user: every chat template takes that."""
    form = json.dumps(schema.model_json_schema())
    told = f"\n\nAnswer with one JSON object and nothing else. Its JSON Schema:\n{form}"
    out = [dict(message) for message in messages]
    last = next((message for message in reversed(out) if message.get("role") == "user"), None)
    if last is None:
        out.append({"role": "user", "content": told.strip()})
    elif isinstance(last.get("content"), list):
        last["content"] = [*last["content"], {"type": "text", "text": told.strip()}]
    else:
        last["content"] = f"{last.get('content') or ''}{told}"
    return out
