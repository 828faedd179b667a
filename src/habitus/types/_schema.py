"""JSON Schema of every stored form, for readers in other languages."""

from __future__ import annotations

from ._base import SCHEMA_VERSION, Data, JsonObject
from ._score import Score
from ._task import QATruth, Record, TaskBrief, User, WebTruth
from ._trajectory import Final, Header, Step, Trajectory

STORED: tuple[type[Data], ...] = (Record, User, TaskBrief, WebTruth, QATruth, Header, Step, Final, Trajectory, Score)
"""The forms that are written to files."""


def json_schemas() -> dict[str, JsonObject]:
    """Return the JSON Schema of each stored form by its name, with the schema version as `$comment`."""
    return {
        form.__name__: {**form.model_json_schema(), "$comment": f"habitus schema version {SCHEMA_VERSION}"}
        for form in STORED
    }
