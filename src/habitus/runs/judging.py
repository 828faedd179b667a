"""Judging a stored run again: no browser, no agent, only trajectories joined to their truth."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

from ..types import Trajectory
from .evaluate import RunResult, at_least_one
from .progress import Progress, Silent
from .sources import ModelSource, make_judge
from .store import RunStore, done
from .summary import summarize


def judge_run(
    path: Path,
    judge: str,
    *,
    model: str | None = None,
    base_url: str | None = None,
    concurrency: int = 4,
    progress: Progress | None = None,
) -> RunResult:
    """Score every finished episode of a stored run by a judge; its earlier scores give way.

    A judge with a model has the model in its name: the verdicts of two models stand side by side.

    Args:
        path: The run's directory.
        judge: Registry name.
        model: Chat model of the judge; `local` starts a small one on this machine.
        base_url: OpenAI-compatible endpoint of the model.
        concurrency: Judgements at a time.
        progress: Told of every score.

    Raises:
        UserError: There is no such run or judge, no key, or the suite's data is of another version than the run's.
    """
    from habitus.envs.runtime import Runtime

    from ..registry import load_suite, task_truth
    from .executor import judged, together

    at_least_one(concurrency)
    store = RunStore.load(path)
    config = store.manifest.config
    watch = progress or Silent()
    with ExitStack() as stack:
        models = ModelSource(stack)
        made = make_judge(judge, models, model, base_url)
        runtime = stack.enter_context(Runtime())
        models.open(runtime)
        stack.enter_context(store.lock())
        suite = load_suite(config.suite, world_seed=config.world_seed, data=Path(config.data) if config.data else None)
        slots = asyncio.Semaphore(concurrency)

        async def one(trajectory: Trajectory) -> None:
            async with slots:
                score = await judged(made, trajectory, suite)
            store.add_score(score)
            watch.episode(trajectory)
            watch.score(score)

        episodes = [trajectory for trajectory in store.episodes() if done(trajectory.final)]
        for trajectory in episodes:
            task_truth(suite, trajectory.header.brief)  # other data than the run's is told before the first verdict
        watch.begin(len(episodes), 0)
        try:
            runtime.run(together([one(trajectory) for trajectory in episodes]))
        finally:
            summary = summarize(store)
    return RunResult(store, summary, judge=made.name)
