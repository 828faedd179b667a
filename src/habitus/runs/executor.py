"""The local executor: many episodes side by side on the runtime's loop, each one's failure its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from habitus.envs.env import PersonalizationEnv
from habitus.envs.runtime import Runtime
from habitus.envs.session import EpisodeSession

from ..errors import EpisodeError, HabitusError
from ..making import EpisodePlan
from ..types import Failure, Judge, Memory, Metric, Score, Scorer, Suite, TaskBrief, Trajectory
from .episode_file import EpisodeWriter, read_episode
from .progress import Progress
from .rollout import Policy, rollout
from .spec import EpisodeSpec
from .store import RunStore, done

AgentFactory = Callable[[EpisodeSpec], Policy]
"""Gives the agent of one episode."""


@dataclass
class Executor:
    """Runs what is not finished yet, and judges each episode when it ends.

    Attributes:
        store: Where episodes and scores go, and what is already there.
        suite: The tasks, their users and their truth.
        agent: Gives the agent of an episode.
        memory: What the desk searches, shared by all episodes; None where no scheme does.
        judge: Scores each episode; None leaves that to `habitus judge`.
        runtime: Owns loop, world and browser.
        progress: Told of everything that ends.
        concurrency: Episodes at a time.
        judgements: Judgements at a time; apart from episodes, so that a slow judge holds no browser.
    """

    store: RunStore
    suite: Suite
    agent: AgentFactory
    memory: Memory | None
    judge: Judge | None
    runtime: Runtime
    progress: Progress
    concurrency: int = 2
    judgements: int = 4
    _briefs: dict[str, TaskBrief] = field(init=False)
    _unopened: list[str] = field(default_factory=list, init=False)
    _slots: asyncio.Semaphore = field(init=False)
    _judge_slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._briefs = {brief.id: brief for brief in self.suite.tasks()}

    async def run(self, specs: Sequence[EpisodeSpec]) -> None:
        """Run the episodes; on the runtime's loop.

        Raises:
            UserError: Bad input, or a disk that is full; everything complete is stored.
            HabitusError: Some episodes could not even be opened; all others are done and stored.
        """
        self._slots = asyncio.Semaphore(self.concurrency)
        self._judge_slots = asyncio.Semaphore(self.judgements)
        stored = {spec.key for spec in specs if self.store.finished(spec.key)}
        scores = self.store.scores(self.judge.name) if self.judge else {}
        self.progress.begin(len(specs), len(stored))
        for key in stored & scores.keys():
            self.progress.score(scores[key])
        unscored = [spec for spec in specs if spec.key in stored and not _settled(scores.get(spec.key))]
        work = [self._rescore(spec) for spec in unscored] if self.judge else []
        work += [self._episode(spec) for spec in specs if spec.key not in stored]
        await together(work)
        if self._unopened:
            raise HabitusError(
                f"{len(self._unopened)} of {len(specs)} episodes could not be opened, first {self._unopened[0]} "
                "The others are stored; the same command tries these again."
            )

    async def _episode(self, spec: EpisodeSpec) -> None:
        async with self._slots:
            try:
                trajectory = await self._attempt(spec)
                if not done(trajectory.final):
                    trajectory = await self._attempt(spec)
            except EpisodeError as error:
                self._unopened.append(f"task {spec.task}: {error}")
                return
            self.progress.episode(trajectory)
        if done(trajectory.final):
            await self._score(trajectory)

    async def _attempt(self, spec: EpisodeSpec) -> Trajectory:
        brief = self._briefs[spec.task]
        writer = self.store.writer(spec.key)
        agent = self.agent(spec)
        source = _OneEpisode(self._plan(spec, brief, agent), spec.key, writer)
        env = PersonalizationEnv(source, runtime=self.runtime)
        try:
            return await rollout(env, agent, task=brief.id, seed=spec.seed)
        except EpisodeError:
            if source.session is None or source.session.final is None:
                raise
            return source.session.trajectory  # the workspace could not be opened, and the session has it down
        finally:
            try:
                await env.aclose()
            finally:
                writer.close()

    def _plan(self, spec: EpisodeSpec, brief: TaskBrief, agent: Policy) -> EpisodePlan:
        return EpisodePlan(
            suite=self.suite, tasks=(brief,), history=spec.history, history_of=spec.history_of,
            memory=self.memory if spec.history in ("on_demand", "pre_execution") else None, budget=spec.budget,
            agent=spec.agent, models=spec.models, prompts=getattr(agent, "prompts", {}), repeat=spec.repeat,
        )

    async def _rescore(self, spec: EpisodeSpec) -> None:
        trajectory, _ = read_episode(self.store.episode_path(spec.key))
        await self._score(trajectory)

    async def _score(self, trajectory: Trajectory) -> None:
        if self.judge is None:
            return
        async with self._judge_slots:
            score = await judged(self.judge, trajectory, self.suite)
        self.store.add_score(score)
        self.progress.score(score)


@dataclass
class _OneEpisode:
    """The source of an environment for a single stored episode; remembers the session it opened."""

    plan: EpisodePlan
    key: str
    writer: EpisodeWriter
    session: EpisodeSession | None = None

    @property
    def tasks(self) -> Sequence[TaskBrief]:
        return self.plan.tasks

    async def open(self, brief: TaskBrief, *, seed: int, runtime: Runtime) -> EpisodeSession:
        self.session = await self.plan.open(brief, seed=seed, runtime=runtime, sink=self.writer, episode=self.key)
        return self.session

    def scorer(self, brief: TaskBrief) -> Scorer | None:
        return None


class Stopper:
    """Runs a coroutine on a runtime's loop so that Ctrl-C in the calling thread ends it in good order."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._left = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Block until the work is done; on KeyboardInterrupt cancel it, wait until it has let go, and raise."""
        try:
            self._runtime.run(self._watched(work))
        except KeyboardInterrupt:
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)
                self._left.wait(timeout=20)
            raise

    async def _watched(self, work: Coroutine[Any, Any, None]) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        try:
            await work
        finally:
            self._left.set()


async def together(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Await all; where one raises, or this is cancelled, cancel the others, wait for them and raise the first."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in work]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def judged(judge: Judge, trajectory: Trajectory, suite: Suite) -> Score:
    """Join an episode to its truth and have it scored; a judge that raises is a verdict `error`."""
    header = trajectory.header
    try:
        return await judge.judge(trajectory, suite.truth(header.brief.id))
    except Exception as error:  # noqa: BLE001 - a judge may be foreign code: this is its boundary, and it is recorded
        failure = Failure(boundary="judge", message=f"{type(error).__name__}: {error}", infrastructure=True)
        return Score(
            judge=judge.name, episode=header.episode, task_id=header.brief.id, data_version=header.brief.data_version,
            metrics={"judged": Metric(verdict="error", note=failure.message)},
        )


def _settled(score: Score | None) -> bool:
    """Whether a stored score is one to keep: a judge that could not be asked is asked again."""
    return score is not None and all(metric.verdict != "error" for metric in score.metrics.values())
