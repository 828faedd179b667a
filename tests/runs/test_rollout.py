import asyncio
import subprocess
import sys
import threading
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


class Hangs:
    def act(self, observation: dict[str, Any]) -> Any:
        threading.Event().wait()


class HangsAwaiting:
    async def act(self, observation: dict[str, Any]) -> Any:
        await asyncio.Event().wait()


class HangsInReset(WithReset):
    def reset(self, brief: TaskBrief) -> None:
        threading.Event().wait()


class HangsWhileDriving:
    async def drive(self, session: EpisodeSession) -> None:
        await session.query_history("bicycle")
        await asyncio.Event().wait()


@pytest.mark.parametrize("agent", [Hangs(), HangsAwaiting(), HangsInReset(), HangsWhileDriving()])
def test_an_agent_that_hangs_ends_its_episode_and_the_failure_is_its_own(
    env: PersonalizationEnv, agent: Any
) -> None:
    trajectory = play(env, agent, agent_timeout_s=0.2)
    assert len(trajectory.steps) == isinstance(agent, HangsWhileDriving)
    assert trajectory.final is not None
    assert trajectory.final.error is not None
    assert (trajectory.final.error.boundary, trajectory.final.error.infrastructure) == ("agent", False)
    assert "within 0.2 s" in trajectory.final.error.message


class Leaves:
    def __init__(self, how: BaseException) -> None:
        self.how = how

    def act(self, observation: dict[str, Any]) -> Any:
        raise self.how


class LeavesAwaiting(Leaves):
    async def act(self, observation: dict[str, Any]) -> Any:
        raise self.how


@pytest.mark.parametrize("kind", [Leaves, LeavesAwaiting])
@pytest.mark.parametrize("how", [SystemExit(3), asyncio.CancelledError(), StopIteration()])
def test_an_agent_that_leaves_the_program_ends_its_own_episode_alone(
    env: PersonalizationEnv, kind: type[Leaves], how: BaseException
) -> None:
    final = env.runtime.run(rollout(env, kind(how), task="ada-club-0")).final
    assert final is not None
    assert final.error is not None
    assert (final.error.boundary, final.error.infrastructure) == ("agent", False)


def test_a_driver_may_take_longer_than_the_limit_as_long_as_it_acts(env: PersonalizationEnv) -> None:
    class Slowly:
        async def drive(self, session: EpisodeSession) -> None:
            for _ in range(6):
                await asyncio.sleep(0.1)
                await session.query_history("bicycle")

    trajectory = play(env, Slowly(), agent_timeout_s=0.3)
    assert trajectory.final is not None
    assert (trajectory.final.stop, len(trajectory.steps)) == ("stopped", 7)


def test_a_hanging_agent_does_not_hold_up_the_programs_end() -> None:
    program = (
        "import asyncio, threading\n"
        "from habitus.runs.rollout import in_thread\n"
        "async def main():\n"
        "    hangs = asyncio.ensure_future(in_thread(lambda _: threading.Event().wait(), 0))\n"
        "    await asyncio.wait({hangs}, timeout=0.1)\n"
        "asyncio.run(main())\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)
