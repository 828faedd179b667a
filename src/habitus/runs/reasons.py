"""Why a run came to less than it might: how many episodes fell short, and what the first of each kind said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..types import Failure, Score

if TYPE_CHECKING:
    from .summary import StoredEpisode

_SHOWN_CHARS = 200
"""So much of a message a line shows."""


def reasons(episodes: Sequence[StoredEpisode], scores: Mapping[str, Mapping[str, Score]]) -> list[str]:
    """Return a line for each kind of trouble there was.

    Args:
        episodes: All that are stored.
        scores: Judge to episode id to score.
    """
    lines = []
    failed = [episode for episode in episodes if not episode.done]
    if failed:
        first = next((episode.error for episode in failed if episode.error), None)
        lines.append(f"{_count(failed)} failed, first: {_told(first) if first else 'cut off'}")
    ended = [episode for episode in episodes if episode.done and (episode.error or episode.stop == "max_invalid")]
    if ended:
        error = ended[0].error or ended[0].last
        what = _told(error) if error else "too many invalid actions"
        lines.append(f"{_count(ended)} ended by the agent's own failure, first: {what}")
    finished = {episode.header.episode for episode in episodes if episode.done}
    for judge, found in scores.items():
        unusable = [
            [metric.note or metric.verdict for metric in score.metrics.values() if metric.verdict != "scored"]
            for episode, score in found.items() if episode in finished
        ]
        notes = [texts[0] for texts in unusable if texts]
        if notes:
            lines.append(f"{_count(notes)} without a usable verdict of {judge}, first: {_line(notes[0])}")
    return lines


def _count(items: Sequence[object]) -> str:
    return f"{len(items)} episode{'' if len(items) == 1 else 's'}"


def _told(failure: Failure) -> str:
    return f"{failure.boundary}: {_line(failure.message)}"


def _line(message: str) -> str:
    """Return a message, of whatever origin, as one line that a terminal can show."""
    text = " ".join("".join(c if c.isprintable() else " " for c in message).split())
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."
