"""Whether an episode can be judged at all."""

from __future__ import annotations

from ..types import JsonObject, Metric, ModelCall, QATruth, Score, Trajectory, WebTruth
from .points import steps_metric


def obstacle(trajectory: Trajectory, truth: WebTruth | QATruth) -> str:
    """Return why an episode cannot be judged, or an empty text.

    What an infrastructure failure ended is reported apart from the score, never as 0; a truth of another task or of
    another version of the data says nothing about the episode.
    """
    brief, final = trajectory.header.brief, trajectory.final
    if (truth.task_id, truth.data_version) != (brief.id, brief.data_version):
        return (
            f"The truth is of task {truth.task_id!r} (data {truth.data_version!r}), the episode of {brief.id!r} "
            f"(data {brief.data_version!r}); judge it with the data it was run on."
        )
    if final is None:
        return "The episode was cut off: it has no final line."
    if final.error is not None and final.infrastructure:
        return f"An infrastructure failure ended the episode ({final.error.boundary}: {final.error.message})."
    return ""


def score(
    judge: str,
    trajectory: Trajectory,
    metrics: dict[str, Metric],
    *,
    calls: tuple[ModelCall, ...] = (),
    details: JsonObject | None = None,
) -> Score:
    """Return the score of an episode; the steps it took stand beside every judge's metrics."""
    header = trajectory.header
    return Score(
        judge=judge,
        episode=header.episode,
        task_id=header.brief.id,
        data_version=header.brief.data_version,
        metrics={**metrics, "steps": steps_metric(trajectory)},
        calls=calls,
        details=details or {},
    )
