import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from small_suite import asks, crashes, no_endpoint, suite

from habitus.envs.env import PersonalizationEnv
from habitus.envs.runtime import Runtime
from habitus.envs.session import EpisodeSession
from habitus.errors import MissingKeyError, UnknownNameError
from habitus.making import EpisodePlan
from habitus.memory import bm25
from habitus.runs import rollout
from habitus.types import TaskBrief, Trajectory


@pytest.fixture(scope="module")
def env() -> Iterator[PersonalizationEnv]:
    small = suite()
    with Runtime() as runtime:
        env = PersonalizationEnv(EpisodePlan(suite=small, tasks=small.tasks(), memory=bm25()), runtime=runtime)
        yield env
        env.close()


def play(env: PersonalizationEnv, agent: Any, **options: Any) -> Trajectory:
    return asyncio.run(rollout(env, agent, task="ada-club-0", **options))


class WithReset:
    def __init__(self) -> None:
        self.brief: TaskBrief | None = None

    def reset(self, brief: TaskBrief) -> None:
        self.brief = brief

    async def act(self, observation: dict[str, Any]) -> Any:
        await asyncio.sleep(0)
        return asks(observation)


class Drives:
    async def drive(self, session: EpisodeSession) -> None:
        await session.query_history("bicycle")


class DrivesOff:
    async def drive(self, session: EpisodeSession) -> None:
        raise RuntimeError("off the road")


def test_a_plain_function_plays_an_episode(env: PersonalizationEnv) -> None:
    trajectory = play(env, asks, seed=3)
    assert trajectory.final is not None
    assert trajectory.final.stop == "stopped"
    assert "gravel bicycle" in trajectory.final.answer
    assert trajectory.steps[0].reasoning == "I do not know them yet."


def test_an_async_agent_is_told_the_task_and_acts_alike(env: PersonalizationEnv) -> None:
    agent = WithReset()
    trajectory = play(env, agent)
    assert agent.brief is not None
    assert agent.brief.id == "ada-club-0"
    assert [step.action_text for step in trajectory.steps] == [step.action_text for step in play(env, asks).steps]


def test_a_driver_that_returns_has_stopped(env: PersonalizationEnv) -> None:
    trajectory = play(env, Drives())
    assert [step.action_text for step in trajectory.steps][-1] == "stop()"
    assert trajectory.final is not None
    assert trajectory.final.stop == "stopped"


@pytest.mark.parametrize(("agent", "boundary", "infrastructure"), [
    (crashes, "agent", False), (DrivesOff(), "agent", False), (no_endpoint, "model", True),
])
def test_what_an_agent_breaks_is_recorded_and_not_raised(
    env: PersonalizationEnv, agent: Any, boundary: str, infrastructure: bool
) -> None:
    final = play(env, agent).final
    assert final is not None
    assert final.error is not None
    assert (final.error.boundary, final.error.infrastructure) == (boundary, infrastructure)


def test_a_users_mistake_is_raised(env: PersonalizationEnv) -> None:
    def keyless(observation: object) -> str:
        raise MissingKeyError("no key")

    with pytest.raises(MissingKeyError):
        play(env, keyless)
    with pytest.raises(UnknownNameError, match="ada-club-0"):
        asyncio.run(rollout(env, asks, task="ada-club"))


def test_a_slow_agent_does_not_hold_up_its_neighbours(env: PersonalizationEnv) -> None:
    import threading

    small, meeting = suite(), threading.Barrier(2, timeout=10)

    def waits(observation: dict[str, Any]) -> str:
        meeting.wait()  # passes only when both episodes act at the same time
        return "stop()"

    async def both() -> list[Trajectory]:
        envs = [PersonalizationEnv(EpisodePlan(suite=small, tasks=small.tasks(), history="none"), runtime=env.runtime)
                for _ in range(2)]
        found = await asyncio.gather(*(rollout(one, waits) for one in envs))
        for one in envs:
            await one.aclose()
        return found

    assert [t.final.stop for t in asyncio.run(both()) if t.final] == ["stopped", "stopped"]
