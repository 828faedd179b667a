"""Planner and generator without a model: rules over words, recurrence and the page."""

from __future__ import annotations

from collections.abc import Sequence

from ...types import Observation
from ..navigate import Navigator
from ..parts import Entry, Fact, Foresight, Notes, Plan, Rationale, Rewrite
from .request import read_request
from .wants import Question, Wants, questions


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
            for question in questions(request):
                due = question.need.kind != "location" or self._navigator.wants_place(observation)
                if due and not notes.asked(question.query):
                    return Plan(reasoning=_why(question), history_query=question.query)
        step = self._navigator.step(observation, Wants(request, notes, today=observation["today"]))
        return Plan(reasoning=step.why, action=step.action)

    async def foresee(self, observation: Observation, notes: Notes, *, limit: int) -> Foresight:
        """Return every query at once, the place among them: nobody knows yet whether a page will want it."""
        found = questions(read_request(notes.query))[:limit]
        return Foresight(queries=tuple(q.query for q in found), reasoning=" ".join(map(_why, found)))

    async def rewrite(self, observation: Observation, notes: Notes) -> Rewrite:
        """Return the task with the facts behind it."""
        facts = dict.fromkeys(f"{fact.about}: {fact.value}" for fact in notes.facts)
        return Rewrite(task=f"{notes.query} ({'; '.join(facts)})" if facts else notes.query)


class ReflexGenerator:
    """Tells what recurs in the entries, with the entries that bear it out."""

    async def reason(self, query: str, entries: Sequence[Entry], notes: Notes) -> Rationale:
        """Return, as facts, what recurs for each need the query stands for; for all needs, where it stands for none."""
        request = read_request(notes.query)
        wants = Wants(request, notes, today=max((entry["time"] for entry in entries), default=""))
        asked = questions(request)
        facts = [
            fact
            for question in [q for q in asked if q.query == query] or asked
            for fact in _facts(question, wants)
        ]
        told = "; ".join(f"{fact.about}: {fact.value} ({len(fact.entries)} entries)" for fact in facts)
        text = f"Of {len(entries)} entries on {query!r}, what recurs is: {told or 'nothing'}."
        return Rationale(query=query, text=text, facts=tuple(facts))


def _facts(question: Question, wants: Wants) -> list[Fact]:
    kind, habits = question.need.kind, wants.habits
    if kind == "website":
        return [
            Fact(about="website", value=host, entries=tuple(
                w.entry["id"] for w in habits.bearing.weighed if w.entry["website"] == host))
            for host, _ in habits.websites(question.need.topic)[:1]
        ]
    if kind == "location":
        return [
            Fact(about="place", value=place, entries=tuple(
                w.entry["id"] for w in habits.all if place in w.entry["text"]))
            for place in wants.places[:1]
        ]
    evidence = wants.evidence[question.need]
    return [
        Fact(about=question.query, value=term, entries=evidence.support(term))
        for term, _ in evidence.recurring(habits.rest, without=question.need.topic, count=2)
    ]


def _why(question: Question) -> str:
    return f"The request leaves {question.need.phrase!r} open."
