"""Planner and generator without a model: rules over words, recurrence and the page."""

from __future__ import annotations

from collections.abc import Sequence

from ..navigate import Navigator
from ..parts import Entry, Fact, Foresight, Notes, Plan, Rationale, Rewrite
from ..words import CONTAINERS
from ...types import Observation
from .infer import PROFILE
from .request import Need, Request, read_request
from .wants import Wants

HOME_QUERY = "delivered to home address"


class ReflexPlanner:
    """Asks for each vague phrase, for the website and, once a page wants it, for the place; then walks the pages."""

    def __init__(self) -> None:
        self._notes: Notes | None = None
        self._navigator = Navigator()

    async def plan(self, observation: Observation, notes: Notes, *, may_ask: bool) -> Plan:
        """Return the next query where one is open and may be asked, else the next action on the page."""
        if notes is not self._notes:
            self._notes, self._navigator = notes, Navigator()
        request = read_request(notes.query)
        if may_ask:
            for query, why in queries(request, place=self._navigator.wants_place(observation)):
                if not notes.asked(query):
                    return Plan(reasoning=why, history_query=query)
        wants = Wants(request, _sentences(notes.entries.values()), today=observation["today"])
        step = self._navigator.step(observation, wants)
        return Plan(reasoning=step.why, action=step.action)

    async def foresee(self, observation: Observation, notes: Notes, *, limit: int) -> Foresight:
        """Return every query at once, the place among them: nobody knows yet whether a page will want it."""
        found = queries(read_request(notes.query), place=True)[:limit]
        return Foresight(queries=tuple(query for query, _ in found), reasoning=" ".join(why for _, why in found))

    async def rewrite(self, observation: Observation, notes: Notes) -> Rewrite:
        """Return the task with the facts behind it."""
        facts = dict.fromkeys(f"{fact.about}: {fact.value}" for fact in notes.facts)
        return Rewrite(task=f"{notes.query} ({'; '.join(facts)})" if facts else notes.query)


class ReflexGenerator:
    """Tells what recurs in the entries, with the entries that bear it out."""

    async def reason(self, query: str, entries: Sequence[Entry], notes: Notes) -> Rationale:
        """Return website, place and what recurs about the thing asked for, as facts."""
        request = read_request(notes.query)
        today = max((entry["time"] for entry in entries), default="")
        wants = Wants(request, _sentences(entries), today=today)
        facts = [
            Fact(about=" ".join(wants.noun), value=term, entries=wants.habits.support(term)) for term, _ in wants.recurring
        ]
        if wants.habits.websites():
            host, share = wants.habits.websites()[0]
            bearing = [w.entry["id"] for w in wants.habits.bearing if w.entry["website"] == host]
            facts.append(Fact(about="website", value=host, entries=tuple(bearing)))
        if wants.places:
            place = wants.places[0]
            facts.append(Fact(about="place", value=place, entries=tuple(e["id"] for e in entries if place in e["text"])))
        told = "; ".join(f"{fact.about}: {fact.value} ({len(fact.entries)} entries)" for fact in facts)
        return Rationale(query=query, text=f"Asked for {query!r}, what recurs is {told or 'nothing'}.", facts=tuple(facts))


def queries(request: Request, *, place: bool) -> list[tuple[str, str]]:
    """Return what to ask the history with the reason, the most needed first.

    Args:
        request: What was asked.
        place: Whether to ask where the person is, too.
    """
    noun = " ".join(request.nouns[0])
    asked: dict[str, str] = {}
    for need in request.needs:
        if need.kind == "preference":
            asked.setdefault(_about(need, noun), f"The request leaves {need.phrase!r} open.")
    if not request.host and not request.shops:
        asked.setdefault(f"{noun} order", "Where such a thing is usually got is open.")
    if place and not request.postcode:
        asked.setdefault(HOME_QUERY, "Where the person is is open.")
    return list(asked.items())


def _about(need: Need, noun: str) -> str:
    topic = [word for word in need.topic if word not in noun.split() and word not in CONTAINERS]
    return " ".join([noun, *topic])


def _sentences(entries: Sequence[Entry] | object) -> list[Entry]:
    """Read each sentence of a profile as an entry of its own."""
    found: list[Entry] = []
    for entry in entries:  # type: ignore[attr-defined]
        lines = entry["text"].splitlines() if entry["kind"] == PROFILE else [entry["text"]]
        found += [{**entry, "text": line} for line in lines]
    return found
