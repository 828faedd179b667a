"""Environments made of their parts: suite, memory, workspace, desk, session."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, get_args

from habitus.envs.actions import ActionSet
from habitus.envs.browser import BrowserWorkspace
from habitus.envs.env import PersonalizationEnv
from habitus.envs.history import SCHEMES, SEARCHING, HistoryDesk
from habitus.envs.qa import QuestionWorkspace
from habitus.envs.runtime import Runtime
from habitus.envs.session import Budget, EpisodeSession, Sink
from habitus.envs.world import build_world
from habitus.judges import RewardKind, scorer
from habitus.tasks.privileged import gold_hits, oracle_hits

from .errors import UnknownNameError, UserError
from .registry import build_memory, load_suite, load_tasks, task_truth
from .types import Header, HistoryScheme, Hit, Memory, Scorer, Suite, TaskBrief, TaskKind, Workspace, truth_hash

HistoryOf = Literal["own", "other"]

ACTIONS: dict[TaskKind, ActionSet] = {"web": ActionSet.web(), "qa": ActionSet.question()}
"""What each kind of task offers."""


@dataclass(frozen=True)
class EpisodePlan:
    """How the episodes of one cell are put together; an environment's source.

    Attributes:
        suite: The tasks with their users.
        tasks: The tasks to pick from.
        history: The scheme.
        history_of: Whose history: the user's `own`, or an `other` user's whose truth differs in every slot.
        memory: Built when first needed; None under schemes that never search.
        budget: What an episode may spend.
        reward: The reward's kind (SCORING).
        faults: Faults switched on in the local web.
        agent: Name for the trajectory.
        models: Role to model name, for the trajectory.
        prompts: Prompt name to version, for the trajectory.
        repeat: Number of the repeat.
    """

    suite: Suite
    tasks: Sequence[TaskBrief]
    history: HistoryScheme = "on_demand"
    history_of: HistoryOf = "own"
    memory: Memory | None = None
    budget: Budget = field(default_factory=Budget)
    reward: RewardKind = "outcome"
    faults: frozenset[str] = frozenset()
    agent: str = "caller"
    models: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 0

    def __post_init__(self) -> None:
        """Refuse a cell that would show the asker's own truth as another user's history."""
        check_cell(self.history, self.history_of)

    async def open(
        self, brief: TaskBrief, *, seed: int, runtime: Runtime, sink: Sink | None = None, episode: str = ""
    ) -> EpisodeSession:
        """Return a session that is not started yet.

        Args:
            brief: The task.
            seed: Seed of the episode.
            runtime: Owns the browser and the world; called on its loop.
            sink: Takes each trajectory line.
            episode: The episode's id; made of task, scheme and seed where empty.

        Raises:
            HabitusError: A part could not be had (no Chromium, no embedding model, another version of the data).
        """
        truth = task_truth(self.suite, brief)
        desk = self._desk(brief, seed=seed)
        header = Header(
            episode=episode or f"{brief.id}.{self.history}.{seed}",
            brief=brief,
            truth_hash=truth_hash(truth),
            agent=self.agent,
            models=dict(self.models),
            history=self.history,
            history_of=self.history_of,
            memory=desk.memory,
            web="local" if brief.kind == "web" else "none",
            max_steps=self.budget.max_steps,
            seed=seed,
            repeat=self.repeat,
            versions=_versions(),
            prompts=dict(self.prompts),
            started=datetime.now(UTC),
        )
        workspace = await self._workspace(brief, seed=seed, runtime=runtime)
        return EpisodeSession(
            header, workspace=workspace, desk=desk, actions=ACTIONS[brief.kind], budget=self.budget, sink=sink
        )

    def scorer(self, brief: TaskBrief) -> Scorer | None:
        """Return the reward of a task: of a question, the share of its aspects that the proxy judge finds covered."""
        return scorer(task_truth(self.suite, brief), self.reward)

    def _desk(self, brief: TaskBrief, *, seed: int) -> HistoryDesk:
        owner = brief.user if self.history_of == "own" else self.suite.other_user(brief.id, seed=seed)
        user = None if self.history == "none" else self.suite.user(owner)
        retriever = self.memory.over(user) if self.memory is not None and user is not None else None
        return HistoryDesk(
            self.history, brief=brief, retriever=retriever, user=user, max_queries=self.budget.max_queries,
            given=self._given(brief),
        )

    def _given(self, brief: TaskBrief) -> tuple[Hit, ...]:
        if self.history == "oracle":
            return oracle_hits(self.suite.truth(brief.id), self.suite.user(brief.user))
        return gold_hits(self.suite.truth(brief.id)) if self.history == "gold" else ()

    async def _workspace(self, brief: TaskBrief, *, seed: int, runtime: Runtime) -> Workspace:
        if brief.kind == "qa":
            return QuestionWorkspace()
        server = await runtime.world()
        episode = server.open(build_world(brief.world_seed or 0), seed=seed, faults=self.faults)
        try:
            pool = await runtime.browser()
        except BaseException:
            episode.close()
            raise
        return BrowserWorkspace(
            pool, headers=episode.headers, allowed_hosts=frozenset(episode.hosts), state=episode.state,
            on_close=episode.close,
        )


def make(
    task: TaskBrief | str,
    *,
    history: str = "on_demand",
    history_of: HistoryOf = "own",
    memory: str = "minilm",
    budget: Budget | None = None,
    reward: RewardKind = "outcome",
    runtime: Runtime | None = None,
    render_mode: str | None = None,
) -> PersonalizationEnv:
    """Make an environment for one task.

    Args:
        task: A brief of `load_tasks`, or `suite/task-id`.
        history: The history scheme; `habitus.envs.history.SCHEMES` tells them.
        history_of: The user's `own` history, or an `other` user's.
        memory: Registry name of the memory the desk searches.
        budget: What the episode may spend; by default 30 steps, 5 queries before execution.
        reward: `outcome`, `success` or `partial` (SCORING, reward).
        runtime: A shared runtime; by default the environment has one of its own.
        render_mode: `rgb_array`, `ansi` or `human`.

    Raises:
        UnknownNameError: An unknown task, scheme or memory.
    """
    brief, suite = _find(task)
    _check_reward(reward)
    plan = EpisodePlan(
        suite=suite, tasks=(brief,), history=checked_scheme(history), history_of=checked_owner(history_of),
        memory=memory_for(history, memory), budget=budget or Budget(), reward=reward,
    )
    return PersonalizationEnv(plan, runtime=runtime, render_mode=render_mode)


def make_env(
    suite: str,
    *,
    task: str | None = None,
    level: int | None = None,
    world_seed: int = 0,
    data: str | None = None,
    history: str = "on_demand",
    history_of: HistoryOf = "own",
    memory: str = "minilm",
    max_steps: int = 30,
    reward: RewardKind = "outcome",
    render_mode: str | None = None,
    runtime: Runtime | None = None,
) -> PersonalizationEnv:
    """Make an environment over a whole suite: what `gymnasium.make` calls. Everything but `runtime` is JSON.

    `reset(seed=...)` draws a task of the suite (of one `level`, or the one `task`, where named).

    Raises:
        UnknownNameError: An unknown suite, task, level, scheme or memory.
    """
    _check_reward(reward)
    path = Path(data) if data else None
    loaded = load_suite(suite, world_seed=world_seed, data=path)
    tasks = load_tasks(suite, level=level, world_seed=world_seed, data=path)
    if task is not None:
        tasks = [brief for brief in tasks if brief.id == task]
        if not tasks:
            raise UnknownNameError("task", task, [brief.id for brief in loaded.tasks()])
    plan = EpisodePlan(
        suite=loaded, tasks=tasks, history=checked_scheme(history), history_of=checked_owner(history_of),
        memory=memory_for(history, memory), budget=Budget(max_steps=max_steps), reward=reward,
    )
    return PersonalizationEnv(plan, runtime=runtime, render_mode=render_mode)


@dataclass(frozen=True)
class OpenPage:
    """One page of the open web with no task, no user and no reward: an environment's source."""

    url: str
    max_steps: int = 100

    @property
    def tasks(self) -> Sequence[TaskBrief]:
        """The one brief there is: the page."""
        return (TaskBrief(
            id="open-page", suite="browser", data_version="1", kind="web", query="", user="", start_url=self.url,
            as_of=datetime.now(UTC),
        ),)

    async def open(self, brief: TaskBrief, *, seed: int, runtime: Runtime) -> EpisodeSession:
        """Return a session on the page, its desk closed."""
        header = Header(
            episode=f"open-page.{seed}", brief=brief, truth_hash="", agent="caller", history="none", web="open",
            max_steps=self.max_steps, seed=seed, versions=_versions(), started=datetime.now(UTC),
        )
        workspace = BrowserWorkspace(await runtime.browser(local=False))
        return EpisodeSession(
            header, workspace=workspace, desk=HistoryDesk("none", brief=brief), actions=ACTIONS["web"],
            budget=Budget(max_steps=self.max_steps),
        )

    def scorer(self, brief: TaskBrief) -> Scorer | None:
        """There is nothing to reward."""
        return None


def make_browser(
    url: str = "about:blank",
    *,
    max_steps: int = 100,
    render_mode: str | None = None,
    runtime: Runtime | None = None,
) -> PersonalizationEnv:
    """Make an environment on any URL, with no task: what `gymnasium.make("habitus/Browser-v0", url=...)` calls."""
    return PersonalizationEnv(OpenPage(url, max_steps), runtime=runtime, render_mode=render_mode)


def checked_scheme(name: str) -> HistoryScheme:
    """Return a history scheme by name.

    Raises:
        UnknownNameError: There is no such scheme.
    """
    for scheme in SCHEMES:
        if scheme == name:
            return scheme
    raise UnknownNameError("history scheme", name, SCHEMES)


def checked_owner(name: str) -> HistoryOf:
    """Return whose history, by name.

    Raises:
        UnknownNameError: It is neither `own` nor `other`.
    """
    for owner in get_args(HistoryOf):
        if owner == name:
            return owner  # type: ignore[no-any-return]
    raise UnknownNameError("history owner", name, get_args(HistoryOf))


def check_cell(history: HistoryScheme, history_of: HistoryOf) -> None:
    """See that scheme and owner go together.

    Raises:
        UserError: `oracle` and `gold` are made of the task's own truth: there is no other user's.
    """
    if history_of == "other" and history in ("oracle", "gold"):
        raise UserError(f"Scheme {history!r} shows what bears out the task's own truth: another user's there is not.")


def memory_for(history: str, name: str) -> Memory | None:
    """Build the memory a scheme searches; None for one that never does."""
    return build_memory(name) if history in SEARCHING else None


def _check_reward(name: str) -> None:
    if name not in get_args(RewardKind):
        raise UnknownNameError("reward", name, get_args(RewardKind))


def _find(task: TaskBrief | str) -> tuple[TaskBrief, Suite]:
    if isinstance(task, TaskBrief):
        return task, load_suite(task.suite, world_seed=task.world_seed or 0)
    name, slash, task_id = str(task).partition("/")
    if not slash:
        raise UserError(f"A task is named SUITE/TASK; found {task!r}. `habitus tasks list SUITE` shows all.")
    suite = load_suite(name)
    for brief in suite.tasks():
        if brief.id == task_id:
            return brief, suite
    raise UnknownNameError("task", task_id, [brief.id for brief in suite.tasks()])


def _versions() -> dict[str, Any]:
    return {"habitus": version("habitus"), "python": platform.python_version()}
