"""The agent with planner, retriever and generator (Persona2Web, section 4), whatever its parts are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..envs.actions import QueryHistory, Stop
from ..errors import ModelReplyError, UserError
from ..llm import ChatModel, calls_of
from ..types import Decision, ModelCall, Observation, TaskBrief
from .chat_parts import ChatGenerator, ChatPlanner
from .parts import Entry, Generator, Notes, Plan, Planner, Rationale, Turn, key_of
from .setup import AgentSetup

PROFILE_ID = "profile"
"""Id of the explicit profile where it is read as an entry."""


class PRGAgent:
    """Plans, asks the history where something is missing, reasons over the answer, acts.

    How the history may be asked is read from the observation alone. While `phase` is `ask`, all queries are planned
    first, asked one a step, and the task is filled in before anything else is done. Otherwise the planner may ask at
    any step while `queries_left` allows it. What a scheme shows unasked (entries, a profile) is reasoned over once.

    Args:
        planner: Decides what is missing and what to do.
        generator: Makes facts of the entries.
    """

    def __init__(self, planner: Planner, generator: Generator) -> None:
        self.planner = planner
        self.generator = generator
        self.notes = Notes("")
        self._queue: list[str] | None = None
        self._pending = ""
        self._begun = self._rewritten = False

    @property
    def prompts(self) -> dict[str, str]:
        """Name of each prompt its parts use to its version, for a trajectory's header."""
        parts = (self.planner, self.generator)
        return {name: version for part in parts for name, version in getattr(part, "prompts", {}).items()}

    def reset(self, brief: TaskBrief) -> None:
        """Forget the last episode."""
        self.notes = Notes(brief.query)
        self._queue, self._pending = None, ""
        self._begun = self._rewritten = False

    async def act(self, observation: Observation) -> Decision:
        """Return the next action with its reasoning and every model call that led to it.

        Raises:
            ModelError: A model could not be reached. A model that answers nothing usable raises nothing: where
                it is the planner's, the step is an invalid action.
        """
        if not self._begun:
            self.notes = Notes(observation["query"]) if not self.notes.query else self.notes
        calls: list[ModelCall] = []
        thoughts: list[str] = []
        await self._take_in(observation, calls, thoughts)
        if observation["phase"] == "ask":
            query = await self._next_foreseen(observation, calls, thoughts)
            if query:
                return self._decide(observation, QueryHistory(query=query), calls, thoughts)
        try:
            plan = await self._plan(observation, calls)
        except ModelReplyError as error:
            calls += calls_of(error)
            return self._decide(observation, "", calls, [*thoughts, f"The planner gave no usable reply: {error}"])
        thoughts += [plan.observation, plan.reasoning]
        action = QueryHistory(query=plan.history_query[:1000]) if plan.history_query else plan.action
        return self._decide(observation, action, calls, thoughts)

    async def _take_in(self, observation: Observation, calls: list[ModelCall], thoughts: list[str]) -> None:
        """Note what the last action led to and reason over the entries that came."""
        if self.notes.turns:
            self.notes.turns[-1].error = observation["error"]
        entries: list[Entry] = list(observation["history"])
        query, self._pending = self._pending, ""
        if not self._begun:
            self._begun = True
            query = self.notes.query if entries or observation["profile"] else ""
            if observation["profile"]:
                entries.append(_profile_entry(observation["profile"]))
        if not query:
            return
        self.notes.entries.update({key_of(entry): entry for entry in entries})
        self.notes.answers[query] = tuple(map(key_of, entries))
        rationale = await self._reason(query, entries, observation["history_note"] or observation["error"])
        calls += rationale.calls
        self.notes.rationales.append(rationale)
        thoughts.append(rationale.text)

    async def _reason(self, query: str, entries: Sequence[Entry], note: str) -> Rationale:
        if not entries:
            return Rationale(query=query, text=note or f"The history holds nothing on {query!r}.")
        try:
            return await self.generator.reason(query, entries, self.notes)
        except ModelReplyError as error:
            # The entries came all the same: the planner shall have them as they are.
            listed = "; ".join(entry["text"] for entry in entries[:5])
            return Rationale(query=query, text=f"Entries found: {listed}", calls=calls_of(error))

    async def _next_foreseen(
        self, observation: Observation, calls: list[ModelCall], thoughts: list[str]
    ) -> str:
        """Return the next query of the phase of asking, or nothing once it is done."""
        if self._queue is None:
            self._queue = []
            try:
                foresight = await self.planner.foresee(observation, self.notes, limit=observation["queries_left"])
                calls += foresight.calls
                thoughts.append(foresight.reasoning)
                self._queue = _distinct(foresight.queries)
            except ModelReplyError as error:
                calls += calls_of(error)
                thoughts.append(f"No queries could be planned: {error}")
        if self._queue and observation["queries_left"] > 0:
            return self._queue.pop(0)
        if self.notes.rationales and not self._rewritten:
            self._rewritten = True
            try:
                rewrite = await self.planner.rewrite(observation, self.notes)
                calls += rewrite.calls
                self.notes.task = rewrite.task.strip() or self.notes.query
                thoughts.append(f"The task reads now: {self.notes.task}")
            except ModelReplyError as error:
                calls += calls_of(error)
                thoughts.append(f"The task stays as it was asked: {error}")
        return ""

    async def _plan(self, observation: Observation, calls: list[ModelCall]) -> Plan:
        """Plan; a gap that cannot be filled, or was asked about before, is planned around once."""
        may_ask = observation["phase"] == "act" and observation["queries_left"] > 0
        plan = await self.planner.plan(observation, self.notes, may_ask=may_ask)
        calls += plan.calls
        if plan.history_query and (not may_ask or self.notes.asked(plan.history_query)):
            plan = await self.planner.plan(observation, self.notes, may_ask=False)
            calls += plan.calls
            plan = plan.model_copy(update={"history_query": ""})
        return plan

    def _decide(
        self, observation: Observation, action: Any, calls: Sequence[ModelCall], thoughts: Sequence[str]
    ) -> Decision:
        if isinstance(action, QueryHistory):
            self._pending = action.query
        if not isinstance(action, Stop):
            self.notes.turns.append(Turn(url=observation["url"], action=str(action)))
        return Decision(action=action, reasoning="\n".join(filter(None, thoughts)), calls=tuple(calls))


def prg(setup: AgentSetup) -> PRGAgent:
    """Build the agent whose parts are chat models.

    Raises:
        UserError: A part has no model.
    """
    return PRGAgent(ChatPlanner(_model(setup, "planner")), ChatGenerator(_model(setup, "generator")))


def _model(setup: AgentSetup, role: str) -> ChatModel:
    model = setup.model(role)
    if model is None:
        raise UserError(
            f"The agent prg has no chat model for its {role}: name one (--model NAME, with --base-url URL for a "
            "server of your own), or take the agent prg-reflex, which needs none."
        )
    return model


def _profile_entry(profile: str) -> Entry:
    return {"id": PROFILE_ID, "kind": "profile", "text": profile, "time": "", "website": "", "score": ""}


def _distinct(queries: Sequence[str]) -> list[str]:
    seen: dict[str, str] = {}
    for query in queries:
        if query.strip():
            seen.setdefault(" ".join(query.casefold().split()), query.strip()[:1000])
    return list(seen.values())
