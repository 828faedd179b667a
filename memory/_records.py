"""What every memory does with a user's records: check them, hash them, offer none from the future."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Generic, TypeVar

from ..errors import TaskError
from ..types import Hit, Record, User

TOP_K = 20
"""Entries offered at most (Persona2Web, appendix C.2)."""

R = TypeVar("R")


class PerUser(Generic[R]):
    """Retrievers by content: the same records give the same retriever, changed records a new one.

    Args:
        build: Makes a retriever over records.
    """

    def __init__(self, build: Callable[[tuple[Record, ...]], R]) -> None:
        self._build = build
        self._known: dict[str, R] = {}
        self._lock = threading.Lock()

    def over(self, user: User) -> R:
        """Return the retriever over a user's records.

        Raises:
            TaskError: Two different records have one id.
        """
        records = distinct(user)
        digest = hashlib.sha256()
        for record in records:
            digest.update(record.model_dump_json().encode())
        with self._lock:
            key = digest.hexdigest()
            if key not in self._known:
                self._known[key] = self._build(records)
            return self._known[key]


def distinct(user: User) -> tuple[Record, ...]:
    """Return the records, an exact repeat left out; the same text at another time is another event.

    Raises:
        TaskError: Two different records have one id.
    """
    known: dict[str, Record] = {}
    for record in user.records:
        if known.setdefault(record.id, record) != record:
            raise TaskError(
                f"User {user.id!r} has two different records with the id {record.id!r}; ids must be unique.")
    return tuple(known.values())


def best(
    records: Sequence[Record], scores: Sequence[float], *, as_of: datetime | None, above: float, top_k: int
) -> list[Hit]:
    """Return the best hits, in falling order of score, ties by entry order.

    Args:
        records: All entries, in entry order.
        scores: One for each entry.
        as_of: Later entries are never offered; entries without a time always are.
        above: Scores must be greater.
        top_k: At most this many.

    Raises:
        ValueError: `as_of` has no time zone.
    """
    if as_of is not None and as_of.tzinfo is None:
        raise ValueError(f"as_of needs a time zone, found {as_of.isoformat()}.")
    # Rounded, since equal texts may differ in the last bits by where they stand in the index.
    found = [
        (round(float(score), 6), position) for position, score in enumerate(scores)
        if score > above and _offered(records[position], as_of)
    ]
    found.sort(key=lambda pair: (-pair[0], pair[1]))
    return [
        Hit(text=records[position].text, score=score, sources=(records[position].id,), record=records[position])
        for score, position in found[:top_k]
    ]


def _offered(record: Record, as_of: datetime | None) -> bool:
    return as_of is None or record.time is None or record.time <= as_of
