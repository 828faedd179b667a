"""The agents without a model in a real Chromium on the local web, judged by its state."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from habitus.agents import AgentSetup
from habitus.envs.runtime import Runtime
from habitus.judges import StateJudge
from habitus.making import EpisodePlan, memory_for
from habitus.registry import build_agent, load_suite
from habitus.types import Score, Trajectory

SUITE = load_suite("persona2web")


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    made = Runtime()
    yield made
    made.close()


def run(
    runtime: Runtime, task: str, agent: str, *, history: str = "on_demand", of: str = "own",
    faults: tuple[str, ...] = (),
) -> tuple[Trajectory, Score]:
    brief = next(brief for brief in SUITE.tasks() if brief.id == task)
    truth = SUITE.truth(task)
    plan = EpisodePlan(
        suite=SUITE, tasks=[brief], history=history, history_of=of,  # type: ignore[arg-type]
        memory=memory_for(history, "bm25"), faults=frozenset(faults),
    )
    policy = build_agent(agent, AgentSetup(truth=truth if agent == "oracle" else None))

    async def episode() -> tuple[Trajectory, Score]:
        session = await plan.open(brief, seed=0, runtime=runtime)
        try:
            policy.reset(brief)  # type: ignore[union-attr]
            observation = await session.start()
            while not session.ended:
                decision = policy.act(observation)  # type: ignore[union-attr]
                observation = await session.act(await decision if hasattr(decision, "__await__") else decision)
        finally:
            await session.close()
        return session.trajectory, await StateJudge().judge(session.trajectory, truth)

    return runtime.run(episode())


def value(score: Score, metric: str) -> float | None:
    return score.metrics[metric].value


@pytest.mark.parametrize("task", ["p2w-u1-c-L2", "p2w-u3-b-L2", "p2w-u6-a-L1"])
def test_the_oracle_succeeds_with_retrieval_counted(runtime: Runtime, task: str) -> None:
    _, score = run(runtime, task, "oracle")
    assert value(score, "success") == 1.0


@pytest.mark.parametrize("history", ["on_demand", "pre_execution"])
def test_with_the_persons_own_history_the_reflex_agent_does_what_they_want(runtime: Runtime, history: str) -> None:
    trajectory, score = run(runtime, "p2w-u1-c-L2", "prg-reflex", history=history)
    assert value(score, "outcome_success") == 1.0
    assert 8 <= len(trajectory.steps) <= 20


def test_without_history_it_does_the_errand_but_not_the_persons_way(runtime: Runtime) -> None:
    trajectory, score = run(runtime, "p2w-u1-c-L2", "prg-reflex", history="none")
    assert value(score, "intent") == 1.0
    assert value(score, "outcome_success") == 0.0
    assert not trajectory.memory_events


def test_with_another_persons_history_it_goes_another_way(runtime: Runtime) -> None:
    _, score = run(runtime, "p2w-u1-c-L2", "prg-reflex", of="other")
    assert value(score, "outcome_success") == 0.0


def test_what_the_query_states_needs_no_history(runtime: Runtime) -> None:
    _, score = run(runtime, "p2w-u3-b-L0", "prg-reflex", history="none")
    assert value(score, "outcome_success") == 1.0


def test_a_banner_is_agreed_to_and_sold_out_things_end_the_errand(runtime: Runtime) -> None:
    trajectory, score = run(runtime, "p2w-u3-b-L0", "prg-reflex", history="none", faults=("consent", "out_of_stock"))
    assert trajectory.final is not None
    assert trajectory.final.stop == "stopped"
    assert value(score, "intent") == 0.5
