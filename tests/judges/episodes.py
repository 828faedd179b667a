"""A small builder of web episodes for the tests of judges: everything right by default, one thing changed at a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from habitus.types import (
    Chosen,
    Condition,
    Final,
    Header,
    Hit,
    MemoryEvent,
    Metric,
    Outcome,
    Record,
    ResultsView,
    Slot,
    Step,
    TaskBrief,
    Trajectory,
    WebTruth,
    WorldState,
)

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
HOST, RIVAL = "fresh.test", "corner.test"
CANARY = "CANARY-5e1f"

WEBSITE = Slot(kind="website", key="grocery website", value=HOST, phrase="the usual shop",
               conditions=(Condition(attribute="host", op="eq", value=HOST),), evidence=("w1", "w2", "w3"))
MILK = Slot(kind="preference", key="kind of milk", value="oat", phrase="my kind of milk",
            conditions=(Condition(attribute="base", op="eq", value="oat"),), evidence=("m1", "m2"))
SIZE = Slot(kind="preference", key="pack size", value="1 litre", phrase="the size I take",
            conditions=(Condition(attribute="size", op="eq", value="1 litre"),), evidence=("s1",))
PLACE = Slot(kind="location", key="delivery address", value="Millbrook",
             conditions=(Condition(attribute="city", op="eq", value="Millbrook"),), evidence=("l1", "l2"))
SLOTS = (WEBSITE, MILK, SIZE, PLACE)


def truth(slots: Sequence[Slot] = SLOTS, **fields: Any) -> WebTruth:
    wishes = (Condition(attribute="product", op="eq", value="milk"),)
    values: dict[str, Any] = {"outcome": Outcome(act="basket", wishes=wishes), "task_id": "t1", "data_version": "v1"}
    return WebTruth(slots=tuple(slots), canary=CANARY, **{**values, **fields})


def thing(step: int = 1, host: str = HOST, act: str = "basket", **fields: Any) -> Chosen:
    attributes = {"product": "milk", "base": "oat", "size": "1 litre", **fields.pop("attributes", {})}
    values = {"location": {"city": "Millbrook"}, "item_id": "i1", "title": "A thing", **fields}
    return Chosen(step=step, host=host, act=act, attributes=attributes, **values)


def state(*held: Chosen, last_host: str = HOST, **fields: Any) -> WorldState:
    return WorldState(held=held, last_host=last_host, **fields)


def results(query: str = "", host: str = HOST, **filters: tuple[str, ...]) -> dict[str, ResultsView]:
    return {host: ResultsView(query=query, filters=filters)}


def hit(record_id: str, text: str = "an entry", website: str = "") -> Hit:
    meta = {"website": website} if website else {}
    return Hit(text=text, score=0.9, sources=(record_id,),
               record=Record(id=record_id, kind="purchase", text=text, meta=meta))


def ask(query: str, *hits: Hit, refused: str = "", scheme: Any = "on_demand") -> MemoryEvent:
    return MemoryEvent(query=query, hits=hits, refused=refused, scheme=scheme)


ALL_ASKED = (ask("usual grocery shop", hit("w1"), hit("w2")), ask("milk", hit("m1"), hit("m2"), hit("s1"), hit("x9")),
             ask("home address", hit("l1"), hit("l2")))
"""Queries that draw enough of every slot's entries, and one entry that bears on nothing."""


def episode(
    end: WorldState | None = None,
    events: Sequence[MemoryEvent] = ALL_ASKED,
    *,
    steps: Sequence[Step] = (),
    final: Final | str | None = "",
    task: str = "t1",
    **header: Any,
) -> Trajectory:
    """Return an episode: the queries first, then one click, then the given end (by default the right thing held)."""
    brief = TaskBrief(id=task, suite="s", data_version="v1", kind="web", query="Order my milk from the usual shop.",
                      user="u1", as_of=NOON)
    queries = [
        Step(index=i, observation={}, action={"name": "query_history", "query": event.query},
             action_text=f"query_history({event.query!r})", memory=event)
        for i, event in enumerate(events)
    ]
    page = {"url": f"http://{HOST}/item", "title": "Oat milk", "page": '[e12] button "Add to basket"\n[e1] link "Home"'}
    click = Step(index=len(queries), observation=page, action={"name": "click", "ref": "e12"},
                 action_text='click("e12")', reasoning="It is the oat one.")
    values: dict[str, Any] = {"history": "on_demand", "max_steps": 30, **header}
    ended = Final(stop="stopped", state=end or state(thing())) if final == "" else final
    return Trajectory(
        header=Header(episode="e1", brief=brief, truth_hash="0" * 64, agent="a", seed=0, started=NOON, **values),
        steps=tuple(steps) or (*queries, click),
        final=ended if isinstance(ended, Final) else None,
    )


def values(metrics: dict[str, Metric]) -> dict[str, float | None]:
    return {name: metric.value for name, metric in metrics.items() if name != "steps"}
