"""The history desk: schemes, the moment of asking, the count of queries; over a real BM25 memory."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from habitus.envs.history import PRIVILEGED, SCHEMES, HistoryDesk
from habitus.errors import MemoryFailure
from habitus.memory import bm25
from habitus.types import Hit, MemoryEvent, Record, TaskBrief, User

NOW = datetime(2026, 3, 1, tzinfo=UTC)
USER = User(
    id="u1",
    profile="Drinks oat milk.",
    records=(
        Record(id="r1", kind="purchase", text="oat milk", time=NOW - timedelta(days=9)),
        Record(id="r2", kind="purchase", text="rye bread", time=NOW - timedelta(days=3)),
        Record(id="r3", kind="purchase", text="soya milk", time=NOW + timedelta(days=1)),
    ),
)
BRIEF = TaskBrief(id="t", suite="s", data_version="1", kind="web", query="Buy my milk", user="u1", as_of=NOW)


def desk(scheme: str, *, given: tuple[Hit, ...] = ()) -> HistoryDesk:
    """A desk over the user's history."""
    return HistoryDesk(scheme, brief=BRIEF, retriever=bm25().over(USER), user=USER, given=given)  # type: ignore[arg-type]


def ask(at: HistoryDesk, query: str) -> MemoryEvent:
    """Ask and wait."""
    return asyncio.run(at.ask(query))


def test_on_demand_answers_at_any_step_and_nothing_later_than_the_moment_of_asking() -> None:
    at = desk("on_demand")
    at.begin_execution()
    assert [hit.sources for hit in ask(at, "milk").hits] == [("r1",)]
    assert at.queries_left is None


def test_pre_execution_allows_five_queries_and_closes_at_the_first_other_action() -> None:
    at = desk("pre_execution")
    assert at.phase == "ask"
    for left in (4, 3, 2, 1, 0):
        assert not ask(at, "milk").refused
        assert at.queries_left == left
    assert "spent" in ask(at, "milk").refused
    at = desk("pre_execution")
    at.begin_execution()
    assert at.phase == "act"
    assert at.queries_left == 0
    assert "closed" in ask(at, "milk").refused


@pytest.mark.parametrize("scheme", [s for s in SCHEMES if s not in ("on_demand", "pre_execution")])
def test_every_other_scheme_refuses_queries(scheme: str) -> None:
    event = ask(desk(scheme), "milk")
    assert event.refused
    assert event.hits == ()


def test_only_its_own_scheme_shows_the_profile() -> None:
    assert {scheme: bool(desk(scheme).profile) for scheme in SCHEMES} == {s: s == "profile" for s in SCHEMES}


def test_full_shows_all_that_was_before_the_moment_of_asking_and_is_privileged() -> None:
    assert [hit.sources[0] for hit in desk("full").shown()] == ["r1", "r2"]
    assert {"full", "oracle", "gold"} == PRIVILEGED


def test_oracle_and_gold_show_what_they_are_given() -> None:
    given = (Hit(text="oat milk", score=1.0, sources=("r1",)),)
    assert desk("oracle", given=given).shown() == given
    assert desk("gold", given=given).shown() == given
    assert desk("on_demand", given=given).shown() == ()


@pytest.mark.parametrize(("answer", "says"), [
    (None, "NoneType"), (["oat milk"], "str"), ([Hit(text="x", score=1.0, sources=("r9",))], "r9"),
])
def test_a_memory_that_answers_nonsense_is_a_failure(answer: object, says: str) -> None:
    class Odd:
        fingerprint = "odd"

        def search(self, query: str, *, as_of: datetime | None = None) -> object:
            return answer

    at = HistoryDesk("on_demand", brief=BRIEF, retriever=Odd(), user=USER)  # type: ignore[arg-type]
    with pytest.raises(MemoryFailure, match=says):
        ask(at, "milk")


def test_a_memory_that_ignores_the_moment_of_asking_is_held_to_it() -> None:
    class Timeless:
        fingerprint = "timeless"

        def search(self, query: str, *, as_of: datetime | None = None) -> list[Hit]:
            return [Hit(text=r.text, score=1.0, sources=(r.id,), record=r) for r in USER.records]

    event = ask(HistoryDesk("on_demand", brief=BRIEF, retriever=Timeless(), user=USER), "milk")
    assert [hit.sources for hit in event.hits] == [("r1",), ("r2",)]


def test_a_memory_that_breaks_is_a_failure_and_not_an_empty_answer() -> None:
    class Broken:
        fingerprint = "broken"

        def search(self, query: str, *, as_of: datetime | None = None) -> list[Hit]:
            raise OSError("disk gone")

    at = HistoryDesk("on_demand", brief=BRIEF, retriever=Broken(), user=USER)
    with pytest.raises(MemoryFailure, match="disk gone"):
        ask(at, "milk")
