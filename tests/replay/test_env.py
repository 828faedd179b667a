import asyncio
import math
from pathlib import Path
from typing import Any

import pytest
import small_suite
from small_suite import asks, crashes

import habitus
from habitus.errors import EpisodeFileError, ResetNeededError, UnknownNameError
from habitus.replay import ReplayDivergenceError, replay
from habitus.runs import RunConfig, rollout, run
from habitus.types import Trajectory


@pytest.fixture(scope="module")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "run"
    config = RunConfig(suite="small_suite:suite", agent="small_suite:asks", memory="bm25", judge="aspect-proxy")
    run(config.model_copy(update={"limit": 1}), out=path)
    return path


@pytest.fixture
def episode(run_directory: Path) -> Path:
    (path,) = (run_directory / "episodes").iterdir()
    return path


def test_the_same_actions_bring_the_same_observations(episode: Path) -> None:
    env = replay(episode)
    recorded = env.recorded
    observation, info = env.reset()
    assert info["task"] == recorded.header.brief.id
    for step in recorded.steps:
        assert env.observation_space.contains(observation)
        assert {**observation, "history": list(observation["history"])} == step.observation
        observation, reward, terminated, truncated, info = env.step(step.action_text)
    assert (terminated, truncated, info["stop"], info["reward_valid"]) == (True, False, "stopped", False)
    assert math.isnan(float(reward))
    assert env.trajectory == recorded
    with pytest.raises(ResetNeededError):
        env.step("stop()")


def test_an_action_is_the_same_in_every_form(episode: Path) -> None:
    env = replay(episode)
    env.reset()
    env.step({"function": {"name": "query_history", "arguments": '{"query": "club for a love my"}'}})
    assert len(env.trajectory.steps) == 1


@pytest.mark.parametrize("other", ['query_history("shoes")', "stop()", "no action at all", 7])
def test_another_action_names_step_expected_and_found(episode: Path, other: Any) -> None:
    env = replay(episode)
    env.reset()
    with pytest.raises(ReplayDivergenceError, match="Step 0") as caught:
        env.step(other)
    assert caught.value.expected == 'query_history("club for a love my")'
    assert caught.value.got == str(other)


def test_a_rollout_of_the_same_agent_gives_the_recording(episode: Path) -> None:
    env = replay(episode)
    assert asyncio.run(rollout(env, asks)) == env.recorded
    broken = asyncio.run(rollout(env, crashes))
    assert broken.final is not None
    assert broken.final.error is not None
    assert broken.final.error.boundary == "agent"


def test_a_driver_goes_through_a_recording(episode: Path) -> None:
    class Drives:
        async def drive(self, session: Any) -> None:
            observation = session.observation
            while not session.ended:
                observation = await session.act(asks(observation))

    env = replay(episode)
    assert asyncio.run(rollout(env, Drives())) == env.recorded


def test_an_episode_cut_off_ends_where_the_recording_does(episode: Path) -> None:
    recorded = replay(episode).recorded
    env = replay(Trajectory(header=recorded.header, steps=recorded.steps))
    env.reset()
    observation, _, terminated, truncated, info = env.step(recorded.steps[0].action_text)
    assert observation["history"]
    assert (terminated, truncated, info["stop"]) == (False, True, "cut_off")


def test_another_task_a_gap_and_no_episode_are_errors(episode: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="ada-club-0"):
        replay(episode).reset(options={"task": "ada-gift-1"})
    lines = episode.read_bytes().splitlines(keepends=True)
    gap = tmp_path / "gap.jsonl"
    gap.write_bytes(b"".join([lines[0], b"{}\n", *lines[2:]]))
    with pytest.raises(EpisodeFileError, match=r"gap\.jsonl:2"):
        replay(gap)
    with pytest.raises(EpisodeFileError):
        replay(tmp_path / "none.jsonl")
    with pytest.raises(EpisodeFileError, match="no observation"):
        replay(Trajectory(header=replay(episode).recorded.header))


def test_the_name_habitus_replay_can_be_called_however_it_was_met(episode: Path) -> None:
    import importlib

    importlib.import_module("habitus.replay.env")
    assert habitus.replay(episode).recorded == habitus.replay(str(episode)).recorded


@pytest.mark.parametrize("length", [100, 3000, 70_000])
def test_a_refused_action_is_found_again_however_much_of_it_was_stored(tmp_path: Path, length: int) -> None:
    config = RunConfig(suite="small_suite:suite", agent="small_suite:says", history=("none",), limit=1)
    said = "no action " * (length // 10)
    small_suite.says = lambda observation: said  # type: ignore[attr-defined]
    run(config, out=tmp_path)
    (path,) = (tmp_path / "episodes").iterdir()
    env = replay(path)
    env.reset()
    with pytest.raises(ReplayDivergenceError):
        env.step(said[:-1][:1999])
    assert env.step(said)[0]["error"].startswith("invalid_action")
