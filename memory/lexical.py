"""Lexical retrieval: BM25 over `type: object`. It needs no model."""

from __future__ import annotations

import re
import threading
import unicodedata
from datetime import datetime
from typing import Any

from ..types import Hit, Record, User
from ._records import TOP_K, PerUser, best


class Lexical:
    """A memory by words, scored by BM25 (Lucene's form, k1 1.5, b 0.75).

    Args:
        top_k: At most this many hits, at least 1.

    Raises:
        ValueError: `top_k` is less than 1.
    """

    def __init__(self, *, top_k: int = TOP_K) -> None:
        if top_k < 1:
            raise ValueError(f"top_k must be at least 1, found {top_k}.")
        self.top_k = top_k
        self._per_user = PerUser(lambda records: LexicalRetriever(records, top_k=self.top_k))

    def over(self, user: User) -> LexicalRetriever:
        """Return a retriever over a user's records, the same one for the same records.

        Raises:
            TaskError: Two different records have one id.
        """
        return self._per_user.over(user)


class LexicalRetriever:
    """Searches one user's records by words; several threads may search at once.

    Args:
        records: Entries with distinct ids.
        top_k: At most this many hits.
    """

    def __init__(self, records: tuple[Record, ...], *, top_k: int) -> None:
        self._records = records
        self._top_k = top_k
        self._index: Any = None
        self._words: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """What the answers depend on: the scoring, k and threshold."""
        return f"bm25:lucene,k1=1.5,b=0.75;k={self._top_k};above=0"

    def search(self, query: str, *, as_of: datetime | None = None) -> list[Hit]:
        """Return the entries that share words with the query and are not later than `as_of`, ties by entry order.

        Raises:
            ValueError: `as_of` has no time zone.
        """
        with self._lock:
            if self._index is None:
                self._build()
        asked = [word for word in words(query) if word in self._words]
        if not asked:
            return []
        scores = self._index.get_scores(asked)
        return best(self._records, scores.tolist(), as_of=as_of, above=0.0, top_k=self._top_k)

    def _build(self) -> None:
        import bm25s

        texts = [words(record.key) for record in self._records]
        self._words = frozenset(word for text in texts for word in text)
        self._index = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
        if self._words:
            self._index.index(texts, show_progress=False)


def words(text: str) -> list[str]:
    """Split a text into words, without regard to case or form (full width, ligatures)."""
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
