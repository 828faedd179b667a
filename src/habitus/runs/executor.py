"""The local executor: many episodes side by side on the runtime's loop, each one's failure its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from habitus.envs.env import PersonalizationEnv
from habitus.envs.history import SEARCHING
from habitus.envs.runtime import Runtime
from habitus.envs.session import EpisodeSession

from ..errors import AgentError, EpisodeError, HabitusError, MemoryFailure, TaskError, UserError
from ..making import EpisodePlan
from ..types import (
    Data,
    Failure,
    Final,
    Header,
    Judge,
    Memory,
    Metric,
    ModelCall,
    Retriever,
    Score,
    Scorer,
    Suite,
    TaskBrief,
    Trajectory,
    User,
)
from .episode_file import EpisodeWriter, Problem, read_episode
from .progress import Progress
from .rollout import AGENT_TIMEOUT_S, Policy, in_thread, rollout
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
        agent_timeout_s: Seconds an agent may be silent.
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
    agent_timeout_s: float = AGENT_TIMEOUT_S
    _briefs: dict[str, TaskBrief] = field(init=False)
    _slots: asyncio.Semaphore = field(init=False)
    _judge_slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._briefs = {brief.id: brief for brief in self.suite.tasks()}

    async def run(self, specs: Sequence[EpisodeSpec]) -> None:
        """Run the episodes; on the runtime's loop.

        Raises:
            UserError: Bad input, or a disk that is full; everything complete is stored.
        """
        self._slots = asyncio.Semaphore(self.concurrency)
        self._judge_slots = asyncio.Semaphore(self.judgements)
        problems: list[Problem] = []
        stored = {spec.key for spec in specs if self.store.finished(spec.key, problems)}
        scores = self.store.scores(self.judge.name) if self.judge else {}
        self.progress.begin(len(specs), len(stored))
        for problem in problems:
            self.progress.broken(problem)
        for key in stored & scores.keys():
            self.progress.score(scores[key])
        unscored = [spec for spec in specs if spec.key in stored and not _settled(scores.get(spec.key))]
        work = [self._rescore(spec) for spec in unscored] if self.judge else []
        work += [self._episode(spec) for spec in specs if spec.key not in stored]
        await together(work)

    async def _episode(self, spec: EpisodeSpec) -> None:
        async with self._slots:
            trajectory = await self._attempt(spec)
            if not done(trajectory.final):
                trajectory = await self._attempt(spec)
            self.progress.episode(trajectory)
        if done(trajectory.final):
            await self._score(trajectory)

    async def _attempt(self, spec: EpisodeSpec) -> Trajectory:
        brief = self._briefs[spec.task]
        agent, prompts = await self._agent(spec)
        spent = self.store.spent(spec.key)  # read before the writer puts a fresh file in its place
        sink = _Sink(self.store.writer(spec.key), spent)
        source = _OneEpisode(self._plan(spec, brief, prompts), spec.key, sink)
        env = PersonalizationEnv(source, runtime=self.runtime)
        try:
            return await rollout(env, agent, task=brief.id, seed=spec.seed, agent_timeout_s=self.agent_timeout_s)
        except EpisodeError as error:
            if source.session is not None and source.session.final is not None:
                return source.session.trajectory  # the workspace could not be opened, and the session has it down
            return _unopened(spec, brief, error, sink)
        finally:
            try:
                await env.aclose()
            finally:
                sink.writer.close()

    async def _agent(self, spec: EpisodeSpec) -> tuple[Policy, dict[str, str]]:
        """Return the agent of an episode and its prompts' versions; one that cannot be made fails when it is to act."""
        try:
            async with asyncio.timeout(self.agent_timeout_s):
                return await in_thread(self._made, spec)
        except UserError:
            raise
        except EpisodeError as error:
            failed = error
        except TimeoutError:
            failed = AgentError(f"The agent was not made within {self.agent_timeout_s:g} s.")
        except Exception as error:  # noqa: BLE001 - the agent is foreign code: this is its boundary, and it is recorded
            failed = AgentError(f"The agent could not be made: {type(error).__name__}: {error}")

        def fails(_: object) -> None:
            raise failed

        return fails, {}

    def _made(self, spec: EpisodeSpec) -> tuple[Policy, dict[str, str]]:
        agent = self.agent(spec)
        prompts = getattr(agent, "prompts", None)  # of foreign code: it may be anything
        fits = isinstance(prompts, Mapping) and all(isinstance(part, str) for pair in prompts.items() for part in pair)
        return agent, dict(prompts) if fits and prompts else {}

    def _plan(self, spec: EpisodeSpec, brief: TaskBrief, prompts: Mapping[str, str]) -> EpisodePlan:
        searched = self.memory if spec.history in SEARCHING else None
        return EpisodePlan(
            suite=self.suite, tasks=(brief,), history=spec.history, history_of=spec.history_of,
            memory=_Guarded(searched) if searched else None, budget=spec.budget, agent=spec.agent, models=spec.models,
            prompts=prompts, repeat=spec.repeat,
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
    sink: Callable[[Data], None]
    session: EpisodeSession | None = None

    @property
    def tasks(self) -> Sequence[TaskBrief]:
        return self.plan.tasks

    async def open(self, brief: TaskBrief, *, seed: int, runtime: Runtime) -> EpisodeSession:
        try:
            self.session = await self.plan.open(brief, seed=seed, runtime=runtime, sink=self.sink, episode=self.key)
        except HabitusError:
            raise
        except Exception as error:  # the suite may be foreign code: this is its boundary, and it is recorded
            raise TaskError(f"The episode could not be put together: {type(error).__name__}: {error}") from error
        return self.session

    def scorer(self, brief: TaskBrief) -> Scorer | None:
        return None


@dataclass
class _Sink:
    """Stores an episode's lines. What earlier attempts had spent on models is not lost: it goes with the last line."""

    writer: EpisodeWriter
    spent: tuple[ModelCall, ...]

    def __call__(self, line: Data) -> None:
        if isinstance(line, Final) and self.spent:
            line = line.model_copy(update={"calls": (*self.spent, *line.calls)})
        self.writer(line)


@dataclass(frozen=True)
class _Guarded:
    """A memory whose exceptions are failures of the memory."""

    memory: Memory

    def over(self, user: User) -> Retriever:
        try:
            return self.memory.over(user)
        except HabitusError:
            raise
        except Exception as error:  # the memory is the user's plug-in: this is its boundary, and it is recorded
            raise MemoryFailure(f"The memory failed over user {user.id!r}: {type(error).__name__}: {error}") from error


def _unopened(spec: EpisodeSpec, brief: TaskBrief, error: EpisodeError, sink: _Sink) -> Trajectory:
    """Record an episode that never began: whatever the reason, it is retried and reported apart from the score."""
    header = Header(
        episode=spec.key, brief=brief, truth_hash="", agent=spec.agent, models=spec.models, history=spec.history,
        history_of=spec.history_of, web="local" if brief.kind == "web" else "none", max_steps=spec.max_steps,
        seed=spec.seed, repeat=spec.repeat, started=datetime.now(UTC),
    )
    failure = error.failure().model_copy(update={"infrastructure": True})
    final = Final(stop="error", error=failure)
    sink(header)
    sink(final)
    return Trajectory(header=header, final=final)


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
