"""The episode session: the one way to act, ask the history, spend the budget and record.

`Env.step` is a thin face on it, and a driver agent is handed the same object: whatever the policy, each action is
counted, each question answered by the desk, each step written down as it happens.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import EpisodeError, MemoryFailure, ResetNeededError
from ..types import (
    Data,
    Decision,
    Failure,
    Final,
    Header,
    JsonObject,
    MemoryEvent,
    ModelCall,
    Step,
    StopReason,
    TaskBrief,
    Trajectory,
    View,
    Workspace,
)
from .actions import ActionBase, ActionSet, InvalidActionError, QueryHistory, Stop
from .history import HistoryDesk
from .observation import Observation, hit_fields

Sink = Callable[[Data], None]
"""Takes each line of the trajectory as it is complete: header, steps, final."""


@dataclass(frozen=True)
class Budget:
    """What an episode may spend.

    Attributes:
        max_steps: Calls of `step`, accepted or refused (SCORING: 30).
        max_queries: History queries before execution, under `pre_execution` (SCORING: 5).
        max_invalid: Invalid actions in a row that end the episode.
    """

    max_steps: int = 30
    max_queries: int = 5
    max_invalid: int = 5


class EpisodeSession:
    """One episode, from `start` to its end.

    Args:
        header: The trajectory's first line, which names task, agent and scheme.
        workspace: Where the task is done.
        desk: The history desk.
        actions: What is offered.
        budget: What may be spent.
        sink: Takes each trajectory line; None keeps it in memory alone.
    """

    def __init__(
        self,
        header: Header,
        *,
        workspace: Workspace,
        desk: HistoryDesk,
        actions: ActionSet,
        budget: Budget | None = None,
        sink: Sink | None = None,
    ) -> None:
        self.header = header
        self.actions = actions
        self.budget = budget or Budget()
        self._desk = desk
        self._workspace = workspace
        self.final: Final | None = None
        self._sink = sink
        self._steps: list[Step] = []
        self._invalid = 0
        self._started = self._shown_at = time.perf_counter()
        self._observation: Observation | None = None
        self._view = View(text="")
        self._acting = asyncio.Lock()

    @property
    def brief(self) -> TaskBrief:
        """The task, as far as it may be seen."""
        return self.header.brief

    @property
    def ended(self) -> bool:
        """Whether the episode is over."""
        return self.final is not None

    @property
    def observation(self) -> Observation:
        """The last observation.

        Raises:
            ResetNeededError: The session was not started.
        """
        if self._observation is None:
            raise ResetNeededError("Start the session first: call reset().")
        return self._observation

    @property
    def trajectory(self) -> Trajectory:
        """The episode so far."""
        return Trajectory(header=self.header, steps=tuple(self._steps), final=self.final)

    async def start(self) -> Observation:
        """Open the workspace and return the first observation.

        Raises:
            EpisodeError: The workspace could not be opened; the failure is recorded as the episode's end.
        """
        self._emit(self.header)
        try:
            self._view = await self._workspace.open(self.brief, seed=self.header.seed)
        except EpisodeError as error:
            await self._end("error", error=error.failure())
            raise
        self._show(shown=MemoryEvent(query="", hits=self._desk.shown(), scheme=self._desk.scheme))
        return self.observation

    async def act(self, raw: object) -> Observation:
        """Carry out one action and return what it led to.

        Nothing an agent sends raises: what is no action is an observation that says what was wrong. An
        infrastructure failure ends the episode and is recorded in `final`.

        Args:
            raw: An action in any form, or a `Decision` around one.

        Raises:
            ResetNeededError: The episode has not begun or is over.
        """
        async with self._acting:  # an interrupted step may still be letting go
            return await self._act(raw)

    async def _act(self, raw: object) -> Observation:
        if self.ended:
            raise ResetNeededError("The episode is over: call reset().")
        seen, begun = self.observation, time.perf_counter()
        decision = raw if isinstance(raw, Decision) else Decision(action=raw)
        action: ActionBase | None = None
        event: MemoryEvent | None = None
        failure: Failure | None = None
        try:
            action = self.actions.parse(decision.action)
            event = await self._carry_out(action)
            self._invalid = 0
        except InvalidActionError as error:
            failure = error.failure()
            self._invalid += 1
            self._view = self._view.model_copy(update={"error": f"invalid_action: {error}", "notices": ()})
        except MemoryFailure as error:
            failure = error.failure()
            self._view = self._view.model_copy(update={"error": f"memory: {error}", "notices": ()})
        except EpisodeError as error:
            failure = error.failure()
        step = Step(
            index=len(self._steps),
            observation=_stored(seen),
            action=action.model_dump(mode="json") if action else None,
            action_text=_text(action or decision.action),
            reasoning=decision.reasoning,
            memory=event,
            calls=decision.calls,
            error=failure,
            agent_s=begun - self._shown_at,
            env_s=time.perf_counter() - begun,
        )
        self._steps.append(step)
        self._emit(step)
        self._show(shown=event)
        stop = self._stop_reason(action, failure)
        if stop:
            await self._end(stop, answer=action.answer if isinstance(action, Stop) else "", error=failure)
        return self.observation

    async def query_history(self, query: str, **decision: Any) -> Observation:
        """Ask the history: the action, spelt as a method for drivers."""
        return await self.act(Decision(action=QueryHistory(query=query), **decision))

    async def screenshot(self) -> bytes | None:
        """Return a PNG of what is seen, or None where there is no picture of it."""
        return await self._workspace.screenshot()

    async def abort(self, failure: Failure, *, calls: tuple[ModelCall, ...] = ()) -> None:
        """End the episode from outside: the agent raised, a deadline passed, a browser died.

        Args:
            failure: What happened.
            calls: Model calls that were spent over it.
        """
        if not self.ended:
            await self._end("error", error=failure, calls=calls)

    async def close(self) -> None:
        """End what is still running and let the workspace go. May be called twice."""
        try:
            if not self.ended and self._observation is not None:
                await self._end("closed")
        finally:
            await self._workspace.close()

    async def _carry_out(self, action: ActionBase) -> MemoryEvent | None:
        if isinstance(action, QueryHistory):
            event = await self._desk.ask(action.query)
            self._view = self._view.model_copy(update={"error": "", "notices": ()})
            return event
        self._desk.begin_execution()
        if isinstance(action, Stop):
            self._view = self._view.model_copy(update={"error": "", "notices": ()})
        else:
            self._view = await self._workspace.act(action)
        return None

    def _stop_reason(self, action: ActionBase | None, failure: Failure | None) -> StopReason | None:
        if failure and failure.infrastructure:
            return "error"
        if isinstance(action, Stop) or self._view.ended:
            return "stopped"
        if self._invalid >= self.budget.max_invalid:
            return "max_invalid"
        return "max_steps" if len(self._steps) >= self.budget.max_steps else None

    async def _end(
        self, stop: StopReason, *, answer: str = "", error: Failure | None = None, calls: tuple[ModelCall, ...] = ()
    ) -> None:
        state = None
        if error is None or not error.infrastructure:
            try:
                state = await self._workspace.state()
            except EpisodeError as lost:
                stop, error = "error", lost.failure()
        self.final = Final(
            stop=stop, answer=answer, observation=_stored(self._observation or {}), state=state, error=error,
            calls=calls, duration_s=time.perf_counter() - self._started,
        )
        self._emit(self.final)

    def _emit(self, line: Data) -> None:
        if self._sink:
            self._sink(line)

    def _show(self, *, shown: MemoryEvent | None) -> None:
        steps_left = self.budget.max_steps - len(self._steps)
        queries_left = self._desk.queries_left
        view = self._view
        self._observation = Observation(
            query=self.brief.query,
            phase=self._desk.phase,
            page=view.text,
            url=view.url,
            title=view.title,
            tabs="\n".join(view.tabs),
            history=tuple(hit_fields(hit) for hit in shown.hits) if shown else (),
            history_note=_note(shown),
            profile=self._desk.profile,
            error=view.error,
            notice="\n".join(view.notices),
            today=self.brief.as_of.date().isoformat(),
            steps_left=steps_left,
            queries_left=steps_left if queries_left is None else min(queries_left, steps_left),
        )
        self._shown_at = time.perf_counter()


def _text(action: object) -> str:
    """Return what arrived as text; it is the agent's, so even asking for its text may fail."""
    try:
        return str(action)[:50_000]
    except Exception:  # noqa: BLE001 - foreign code: that it has no text is what is recorded
        return f"<{type(action).__name__} without a text>"


def _stored(observation: Mapping[str, Any]) -> JsonObject:
    """Return an observation as it reads back from JSON: a trajectory in memory equals the stored one."""
    return {field: list(value) if isinstance(value, tuple) else value for field, value in observation.items()}


def _note(event: MemoryEvent | None) -> str:
    if event is None or event.hits:
        return ""
    if event.refused:
        return event.refused
    return f"Nothing in the history matches {event.query!r}." if event.query else ""
