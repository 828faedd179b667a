"""The parts of an agent that plans, retrieves and generates: what passes between them, and what each must offer.

The parts are those of Persona2Web, section 4.1. The retriever has no protocol here: it is the client of the
environment's history desk, and asking it is an action like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..types import Data, ModelCall, Observation

Entry = dict[str, str]
"""A history entry as the observation shows it: `id`, `kind`, `text`, `time`, `website`, `score`."""


class Fact(Data):
    """One thing the history tells of the user."""

    about: str
    """What it is about, e.g. `size`."""
    value: str
    entries: tuple[str, ...] = ()
    """Ids of the entries that bear it out; empty where it was stated outright."""


class Rationale(Data):
    """What the generator makes of the entries one query brought."""

    query: str
    text: str
    facts: tuple[Fact, ...] = ()
    calls: tuple[ModelCall, ...] = ()


class Plan(Data):
    """The planner's next step: a gap in what is known of the user, or an action."""

    observation: str = ""
    """What the planner makes of the page."""
    reasoning: str = ""
    history_query: str = ""
    """What to ask the history; empty where nothing is missing."""
    action: Any = ""
    calls: tuple[ModelCall, ...] = ()


class Foresight(Data):
    """Before execution: everything the planner expects to need from the history."""

    queries: tuple[str, ...] = ()
    reasoning: str = ""
    calls: tuple[ModelCall, ...] = ()


class Rewrite(Data):
    """The task with its vague words replaced by what the history told."""

    task: str
    calls: tuple[ModelCall, ...] = ()


@dataclass
class Turn:
    """An action already taken and what came of it."""

    url: str
    """Where it was taken."""
    action: str
    error: str = ""
    """Why it failed; empty where it went well."""


@dataclass
class Notes:
    """The working notes of one episode: what later planning builds on.

    Attributes:
        query: The task as the user asked it.
        task: The task as it is carried out: the query, or its rewriting before execution.
        rationales: What the generator found, in the order of asking.
        entries: Every history entry seen, by `key_of`.
        answers: Query to the keys of the entries it brought.
        turns: Every action taken; a query to the history is one.
    """

    query: str
    task: str = ""
    rationales: list[Rationale] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    answers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.task = self.task or self.query

    @property
    def facts(self) -> list[Fact]:
        """Every fact found so far."""
        return [fact for rationale in self.rationales for fact in rationale.facts]

    def asked(self, query: str) -> bool:
        """Whether the history was asked this already, but for case and spacing."""
        return _plain(query) in {_plain(rationale.query) for rationale in self.rationales}


def key_of(entry: Entry) -> str:
    """Return what tells an entry from others: facts drawn from one record share its id."""
    return f"{entry['id']} {entry['text']}"


class Planner(Protocol):
    """Interprets the observation; decides whether the history is needed, and what to do."""

    async def plan(self, observation: Observation, notes: Notes, *, may_ask: bool) -> Plan:
        """Return the next step.

        Args:
            observation: What is seen now.
            notes: What was found and done before.
            may_ask: Whether the history would answer; where not, the plan must hold an action.

        Raises:
            ModelReplyError: The planner's own model gave nothing usable.
            ModelError: It could not be reached.
        """

    async def foresee(self, observation: Observation, notes: Notes, *, limit: int) -> Foresight:
        """Return what to ask before execution, at most `limit` queries. Raises as `plan` does."""

    async def rewrite(self, observation: Observation, notes: Notes) -> Rewrite:
        """Return the task filled in with what was found. Raises as `plan` does."""


class Generator(Protocol):
    """Reasons over retrieved entries and resolves what the query left open."""

    async def reason(self, query: str, entries: Sequence[Entry], notes: Notes) -> Rationale:
        """Return the rationale for one query; facts name the entries that bear them out.

        Raises:
            ModelReplyError: The generator's own model gave nothing usable.
            ModelError: It could not be reached.
        """


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
