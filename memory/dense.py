"""Dense retrieval: FAISS over unit vectors, key `type: object`, value the whole entry (Persona2Web, appendix C.2)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MemoryFailure
from ..types import Hit, Record, User
from ._records import TOP_K, PerUser, best
from .embedders import Embedder, require
from .vectors import VectorStore

THRESHOLDS: dict[str, float] = {"all-MiniLM-L6-v2": 0.25, "stella": 0.5}
"""Cosine above which an entry is offered, by a part of the model's name; docs/decisions/0001-minilm-threshold.md."""

_DEFAULT_THRESHOLD = 0.3


class Dense:
    """A memory by meaning. A user is embedded at the first search; vectors are kept on disk by text and model.

    Args:
        embedder: Turns texts into vectors.
        threshold: Hits have a greater cosine, in [-1, 1]; by model where None.
        top_k: At most this many hits, at least 1.
        store: Where vectors are kept; the user's cache folder where None.

    Raises:
        MissingDependencyError: FAISS is not installed.
        ValueError: `top_k` or `threshold` is out of its range.
    """

    def __init__(
        self, embedder: Embedder, *, threshold: float | None = None, top_k: int = TOP_K,
        store: VectorStore | None = None,
    ) -> None:
        require("faiss", "faiss-cpu")
        if top_k < 1:
            raise ValueError(f"top_k must be at least 1, found {top_k}.")
        self.embedder = embedder
        self.top_k = top_k
        self._given_threshold = threshold
        if threshold is not None and not -1.0 <= threshold <= 1.0:
            raise ValueError(f"threshold is a cosine in [-1, 1], found {threshold}.")
        self._store = store
        self._lock = threading.Lock()
        self._per_user = PerUser(lambda records: DenseRetriever(self, records))

    def over(self, user: User) -> DenseRetriever:
        """Return a retriever over a user's records, the same one for the same records.

        Raises:
            TaskError: Two different records have one id.
        """
        return self._per_user.over(user)

    @property
    def threshold(self) -> float:
        """The cosine that a hit exceeds."""
        if self._given_threshold is not None:
            return self._given_threshold
        model = self.embedder.fingerprint.lower()
        return next((value for name, value in THRESHOLDS.items() if name.lower() in model), _DEFAULT_THRESHOLD)

    @property
    def fingerprint(self) -> str:
        """Model, index, k and threshold."""
        return f"dense:{self.embedder.fingerprint};flat-ip;k={self.top_k};above={self.threshold:g}"

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the texts' unit vectors, shape (texts, dimension), float32, from disk where they are kept.

        Raises:
            MemoryFailure: The model failed.
            IndexMismatchError: The store was written by another model.
        """
        with self._lock:
            if self._store is None:
                self._store = VectorStore(self.embedder.fingerprint)
            store = self._store
        known = store.get(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            made = dict(zip(missing, self.embedder.encode(missing), strict=True))
            store.put(made)
            known.update(made)
        if len({vector.shape for vector in known.values()}) > 1:
            raise MemoryFailure(f"{store.path} holds vectors of several sizes; delete it to build them again.")
        return np.stack([known[text] for text in texts])


class DenseRetriever:
    """Searches one user's records by meaning; several threads may search at once.

    Args:
        memory: The memory it belongs to.
        records: Entries with distinct ids.
    """

    def __init__(self, memory: Dense, records: tuple[Record, ...]) -> None:
        self._memory = memory
        self._records = records
        self._index: Any = None
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """What the answers depend on: model, index, k and threshold."""
        return self._memory.fingerprint

    def search(self, query: str, *, as_of: datetime | None = None) -> list[Hit]:
        """Return the nearest entries not later than `as_of`, ties by entry order; a blank query finds none.

        Raises:
            MemoryFailure: The model or its stored vectors failed.
            ValueError: `as_of` has no time zone.
        """
        if not self._records or not query.strip():
            return []
        with self._lock:
            if self._index is None:
                self._index = self._build()
        asked = self._memory.vectors([query])
        if asked.shape[1] != self._index.d:
            raise MemoryFailure(f"The query's vector has {asked.shape[1]} dimensions, the index {self._index.d}.")
        # All entries are scored, since `as_of` leaves some out only afterwards; a history is small.
        found, positions = self._index.search(asked, len(self._records))
        scores = np.full(len(self._records), -np.inf, dtype=np.float32)
        scores[positions[0]] = found[0]
        return best(self._records, scores.tolist(), as_of=as_of, above=self._memory.threshold, top_k=self._memory.top_k)

    def _build(self) -> Any:
        import faiss

        vectors = self._memory.vectors([record.key for record in self._records])
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(np.ascontiguousarray(vectors, dtype=np.float32))
        return index
