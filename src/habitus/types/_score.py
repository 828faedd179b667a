"""What a judge says of an episode."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from ._base import SCHEMA_VERSION, Data, JsonObject
from ._trajectory import ModelCall

VerdictKind = Literal["scored", "invalid", "error"]
"""`scored`; `invalid`: no usable reply after retries; `error`: the judge could not be asked."""


class Metric(Data):
    """One metric of one episode."""

    verdict: VerdictKind = "scored"
    raw: float | None = None
    """Points, in [0, maximum]."""
    maximum: float | None = None
    value: float | None = None
    """raw / maximum, in [0, 1]; None where nothing counts or the verdict is not `scored`."""
    steps: tuple[int, ...] = ()
    """Steps that bear the verdict out."""
    records: tuple[str, ...] = ()
    """History records that bear it out."""
    note: str = ""

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        if self.value is not None and not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a metric's value lies in [0, 1], found {self.value}")
        if self.verdict != "scored" and self.value is not None:
            raise ValueError(f"a metric with verdict {self.verdict!r} has no value")
        return self


class Score(Data):
    """All metrics of one episode by one judge."""

    schema_version: int = SCHEMA_VERSION
    judge: str
    episode: str
    task_id: str
    data_version: str
    metrics: dict[str, Metric]
    calls: tuple[ModelCall, ...] = ()
    details: JsonObject = Field(default_factory=dict)
    """What the viewer may show beside the metrics, e.g. each slot's points."""
