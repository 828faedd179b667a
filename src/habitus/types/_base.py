"""The base of everything that is stored: frozen, strict about unknown fields, plain JSON."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1
"""Version of the stored forms (trajectory, score, summary). A reader refuses a higher one."""

JsonObject = dict[str, Any]
"""A JSON object: what actions, observations and reports become when stored."""


class Data(BaseModel):
    """A value: immutable, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")
