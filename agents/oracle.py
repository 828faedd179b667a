"""The agent that knows the truth: proves that a web task can be solved through the actions everybody has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..envs.actions import QueryHistory
from ..errors import UserError
from ..types import Decision, Observation, Slot, TaskBrief, WebTruth
from .navigate import Group, Navigator
from .setup import AgentSetup
from .words import contains, tokens

ENOUGH = 2
"""Entries that must be seen for a slot to count as retrieved (SCORING, retrieval)."""


class TruthErrand:
    """A truth as an errand (see `habitus.agents.navigate`): what its conditions name is wanted, nothing else is.

    Args:
        truth: The truth of a web task.
    """

    def __init__(self, truth: WebTruth) -> None:
        preferences = [c for slot in truth.slots if slot.kind == "preference" for c in slot.conditions]
        conditions = [*truth.outcome.wishes, *preferences]
        values = [value for c in conditions if c.op in ("eq", "in", "has")
                  for value in (c.value if isinstance(c.value, tuple) else (c.value,))]
        self._wanted = [tokens(str(value)) for value in values]
        products = [str(c.value) for c in truth.outcome.wishes if c.attribute == "product"]
        self.hosts = [str(c.value) for slot in truth.slots if slot.kind == "website" for c in slot.conditions]
        self.places = [str(c.value) for slot in truth.slots if slot.kind == "location" for c in slot.conditions]
        self.searches = products or [str(values[0])]
        self.shops: list[str] = []

    def prefers(self, group: Group) -> list[float]:
        """Return 1 for what a condition names, word for word."""
        return [float(tokens(label) in self._wanted) for label in group.labels]

    def narrows(self, groups: Sequence[Group]) -> list[tuple[int, int]]:
        """Return whatever a condition names."""
        return [(place, number) for place, group in enumerate(groups)
                for number, score in enumerate(self.prefers(group)) if score]

    def fits(self, text: str) -> float:
        """Return how many of the named values stand in a description."""
        found = tokens(text)
        return float(sum(contains(found, value) for value in self._wanted))


class OracleAgent:
    """Asks the history for every open slot, so that retrieval counts, then does the task.

    Args:
        truth: The truth of the task.
    """

    def __init__(self, truth: WebTruth) -> None:
        self._truth = truth
        self._errand = TruthErrand(truth)
        self.reset(None)

    def reset(self, brief: TaskBrief | None) -> None:
        """Start anew; the truth is that of the task the agent was built for."""
        self._navigator = Navigator()
        self._seen: set[str] = set()
        self._asked: set[str] = set()

    def act(self, observation: Observation) -> Decision:
        """Return the next query for a slot not retrieved yet, else the next action on the page."""
        self._seen.update(entry["id"] for entry in observation["history"])
        if observation["queries_left"] > 0:
            for slot in self._truth.slots:
                query = self._open_query(slot)
                if query:
                    self._asked.add(query)
                    return Decision(action=QueryHistory(query=query), reasoning=f"Retrieve: {slot.key}.")
        step = self._navigator.step(observation, self._errand)
        return Decision(action=step.action, reasoning=step.why)

    def _open_query(self, slot: Slot) -> str:
        """Return a query that is still worth asking for a slot, or nothing."""
        enough = min(ENOUGH, len(slot.evidence)) or 1
        if slot.given or len(self._seen & set(slot.evidence)) >= enough:
            return ""
        return next((query for query in self._wordings(slot) if query not in self._asked), "")

    def _wordings(self, slot: Slot) -> Iterator[str]:
        product = self._errand.searches[0]
        yield f"{product} {slot.value}" if slot.kind == "preference" else f"{slot.key} {slot.value}"
        yield f"{slot.key} {slot.value}"
        yield slot.value


def oracle(setup: AgentSetup) -> OracleAgent:
    """Build the oracle of one web task.

    Raises:
        UserError: The setup holds no truth of a web task.
    """
    if not isinstance(setup.truth, WebTruth):
        raise UserError("The oracle needs the truth of a web task: run it on a suite of web tasks alone.")
    return OracleAgent(setup.truth)
