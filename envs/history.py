"""The history desk: the one way to the user's history, for every agent alike.

The history belongs to the environment. The desk owns the scheme, the moment of asking and the count of queries;
it is given a retriever, which knows none of them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from ..errors import MemoryFailure
from ..types import HistoryScheme, Hit, MemoryEvent, Retriever, TaskBrief, User

SCHEMES: tuple[HistoryScheme, ...] = ("none", "on_demand", "pre_execution", "profile", "full", "oracle", "gold")
"""All schemes: `none` refuses; `on_demand` allows a query at any step; `pre_execution` opens with a phase of queries
and then closes; `profile` shows the explicit profile; `full` the whole history, `oracle` the entries that bear the
truth out, `gold` the facts themselves."""

SEARCHING: frozenset[HistoryScheme] = frozenset({"on_demand", "pre_execution"})
"""Schemes under which the history is searched, and a memory is therefore needed."""

PRIVILEGED: frozenset[HistoryScheme] = frozenset({"full", "oracle", "gold"})
"""Schemes that show more than an agent could find; every table marks them."""


SEARCH_LIMIT_S = 600.0
"""Longest search; the first one of a user indexes the whole history."""


class HistoryDesk:
    """Answers queries under one scheme, for one episode.

    Args:
        scheme: How the history may be reached.
        brief: The task; its `as_of` bounds what is offered.
        retriever: The memory over the user's records; None where no query is ever searched.
        user: The user whose history this is; None where there is none.
        max_queries: Queries allowed before execution, under `pre_execution` alone (SCORING: 5).
        given: What `oracle` and `gold` show, prepared by the runner from the truth.
    """

    def __init__(
        self,
        scheme: HistoryScheme,
        *,
        brief: TaskBrief,
        retriever: Retriever | None = None,
        user: User | None = None,
        max_queries: int = 5,
        given: Sequence[Hit] = (),
    ) -> None:
        self.scheme = scheme
        self._as_of = brief.as_of
        self._retriever = retriever
        self._user = user
        self._given = tuple(given)
        self._max_queries = max_queries
        self._asked = 0
        self._open = scheme in SEARCHING

    @property
    def phase(self) -> str:
        """`ask` while a pre-execution agent may only query, else `act`."""
        return "ask" if self.scheme == "pre_execution" and self._open else "act"

    @property
    def queries_left(self) -> int | None:
        """Queries still allowed; None where only the step budget bounds them."""
        if not self._open:
            return 0
        return self._max_queries - self._asked if self.scheme == "pre_execution" else None

    @property
    def memory(self) -> str:
        """Fingerprint of the memory behind the desk, or empty."""
        return self._retriever.fingerprint if self._retriever and self._open else ""

    @property
    def profile(self) -> str:
        """The explicit profile, under its scheme alone."""
        return self._user.profile if self.scheme == "profile" and self._user else ""

    def shown(self) -> tuple[Hit, ...]:
        """Return the hits that the scheme puts in view unasked, at the start."""
        if self.scheme in ("oracle", "gold"):
            return self._given
        if self.scheme == "full" and self._user:
            offered = (r for r in self._user.records if r.time is None or r.time <= self._as_of)
            return tuple(Hit(text=r.text, score=0.0, sources=(r.id,), record=r) for r in offered)
        return ()

    def begin_execution(self) -> None:
        """Close the phase of asking: under `pre_execution` the first other action does."""
        if self.scheme == "pre_execution":
            self._open = False

    async def ask(self, query: str) -> MemoryEvent:
        """Search the history, off the event loop.

        Returns:
            The event; where nothing was searched, `refused` says why.

        Raises:
            MemoryFailure: The search failed, which is not an empty answer.
        """
        refused = self._refusal()
        if refused or self._retriever is None:
            return MemoryEvent(query=query, scheme=self.scheme, refused=refused or "This user has no history.")
        self._asked += 1
        started = time.perf_counter()
        try:
            async with asyncio.timeout(SEARCH_LIMIT_S):
                hits = await asyncio.to_thread(self._retriever.search, query, as_of=self._as_of)
            return MemoryEvent(
                query=query, hits=self._offered(hits), scheme=self.scheme, memory=self._retriever.fingerprint,
                latency_s=time.perf_counter() - started,
            )
        except MemoryFailure:
            raise
        except TimeoutError:
            raise MemoryFailure(f"The memory did not answer {query!r} within {SEARCH_LIMIT_S:g} s.") from None
        except Exception as error:  # the memory is the user's plug-in: this is its boundary
            raise MemoryFailure(f"The memory failed on {query!r}: {type(error).__name__}: {error}") from error

    def _offered(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return the hits that rest on records not later than the moment of asking, whatever the memory thinks."""
        if self._user is None:
            return tuple(hits)
        times = {record.id: record.time for record in self._user.records}
        strange = {source for hit in hits for source in hit.sources} - times.keys()
        if strange:
            raise MemoryFailure(f"The memory answered with records the user does not have: {sorted(strange)[:5]}.")
        return tuple(
            hit for hit in hits if all((at := times[source]) is None or at <= self._as_of for source in hit.sources)
        )

    def _refusal(self) -> str:
        if self.scheme == "pre_execution" and not self._open:
            return "The history closed when execution began."
        if self.scheme == "pre_execution" and self._asked >= self._max_queries:
            return f"All {self._max_queries} queries before execution are spent; act now."
        if not self._open:
            return f"The history cannot be queried under the scheme {self.scheme!r}."
        return ""
