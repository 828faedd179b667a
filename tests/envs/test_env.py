"""The environment: Gymnasium's contract on every id, sync and async faces, seeds, isolation, render modes."""

from __future__ import annotations

import asyncio
import hashlib
import json
import pickle
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import habitus
from habitus.envs.runtime import Runtime
from habitus.errors import ResetNeededError, UnknownNameError
from habitus.making import make_env

IDS = sorted(spec for spec in gymnasium.registry if spec.startswith("habitus/"))


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    """One browser for all tests of this file."""
    with Runtime() as shared:
        yield shared


def web(runtime: Runtime, **options: Any) -> habitus.PersonalizationEnv:
    """An environment over the errands at level 2."""
    return make_env("persona2web", level=2, runtime=runtime, **{"memory": "bm25", **options})


def digest(observation: Any) -> str:
    """A hash of a whole observation."""
    return hashlib.sha256(json.dumps(observation, sort_keys=True).encode()).hexdigest()


def ref(observation: Any, role: str) -> str:
    """The first ref of a role on the page."""
    for line in observation["page"].splitlines():
        found = line.strip()
        if found.startswith("[") and found.split("] ", 1)[1].startswith(role):
            return found[1:found.index("]")]
    raise AssertionError(f"no {role} on the page:\n{observation['page']}")


@pytest.mark.parametrize("env_id", IDS)
def test_every_id_passes_the_checker(env_id: str) -> None:
    env = gymnasium.make(env_id)
    try:
        check_env(env.unwrapped, skip_render_check=True)
    finally:
        env.close()


@pytest.mark.parametrize("env_id", IDS)
def test_every_spec_serialises(env_id: str) -> None:
    spec = gymnasium.spec(env_id)
    assert gymnasium.envs.registration.EnvSpec.from_json(spec.to_json()).id == env_id


def test_one_seed_gives_observations_that_hash_equal(runtime: Runtime) -> None:
    hashes = []
    for _ in range(2):
        env = web(runtime)
        seen = [env.reset(seed=7)[0]]
        seen.append(env.step('query_history("usual order")')[0])
        seen.append(env.step(f'fill({ref(seen[-1], "textbox")}, "milk", submit=True)')[0])
        hashes.append([digest(observation) for observation in seen])
        env.close()
    assert hashes[0] == hashes[1]


def test_reset_without_a_seed_goes_on_from_the_environments_own_generator(runtime: Runtime) -> None:
    before = np.random.get_state()[1].tolist()
    tasks = []
    for _ in range(2):
        env = web(runtime, history="none")
        env.reset(seed=3)
        tasks.append([env.reset()[1]["task"] for _ in range(3)])
        env.close()
    assert tasks[0] == tasks[1]
    assert np.random.get_state()[1].tolist() == before


def test_what_is_written_in_one_episode_is_unreadable_in_the_next_and_in_its_neighbour(runtime: Runtime) -> None:
    first, neighbour = web(runtime, history="none"), web(runtime, history="none")
    written = first.reset(seed=1)[0]
    neighbour.reset(seed=1)
    filled = first.step(f'fill({ref(written, "textbox")}, "zanzibar", submit=True)')[0]
    assert "zanzibar" in filled["page"]
    first.step("back()")
    for observation in (neighbour.step("wait(0.1)")[0], first.reset(seed=1)[0]):
        assert "zanzibar" not in observation["page"]
    first.close()
    neighbour.close()


def test_an_invalid_action_is_an_observation_that_says_what_was_wrong(runtime: Runtime) -> None:
    env = web(runtime, history="none")
    env.reset(seed=1)
    for raw in ("clik(e1)", "click(e99999)", 7, {"name": "fill"}, None):
        observation, reward, terminated, truncated, _ = env.step(raw)
        assert observation["error"]
        assert (reward, terminated) == (0.0, False)
        assert env.observation_space.contains(observation)
        if truncated:
            break
    env.close()


def test_the_budget_truncates_and_stopping_terminates(runtime: Runtime) -> None:
    env = web(runtime, history="none", max_steps=2)
    env.reset(seed=1)
    assert env.step("wait(0.1)")[2:4] == (False, False)
    *_, terminated, truncated, info = env.step("wait(0.1)")
    assert (terminated, truncated, info["stop"]) == (False, True, "max_steps")
    with pytest.raises(ResetNeededError):
        env.step("wait(0.1)")
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step("stop()")
    assert (reward, terminated, truncated, info["stop"]) == (0.0, True, False, "stopped")
    env.close()


def test_the_async_face_is_the_same_environment(runtime: Runtime) -> None:
    async def episode() -> list[Any]:
        env = web(runtime, history="none")
        observation, _ = await env.areset(seed=5)
        result = await env.astep("stop()")
        await env.aclose()
        return [digest(observation), result[2]]

    env = web(runtime, history="none")
    sync = digest(env.reset(seed=5)[0])
    env.close()
    assert asyncio.run(episode()) == [sync, True]


def test_the_sync_face_works_inside_a_running_loop(runtime: Runtime) -> None:
    async def notebook() -> str:
        env = web(runtime, history="none")
        try:
            return str(env.reset(seed=5)[0]["query"])
        finally:
            env.close()

    assert asyncio.run(notebook())


def test_render_gives_a_picture_and_a_text(runtime: Runtime) -> None:
    env = web(runtime, history="none", render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.dtype == np.uint8
    assert picture.shape == (720, 1280, 3)
    assert picture.std() > 0
    env.render_mode = "ansi"
    assert env.render().startswith("query: ")
    env.close()


def test_a_task_is_picked_by_name_and_an_unknown_one_names_the_near_one(runtime: Runtime) -> None:
    env = web(runtime, history="none")
    wanted = env.tasks[4].id
    assert env.reset(options={"task": wanted})[1]["task"] == wanted
    with pytest.raises(UnknownNameError, match=wanted):
        env.reset(options={"task": wanted + "x"})
    env.close()


def test_a_live_environment_refuses_pickling_and_says_what_to_do(runtime: Runtime) -> None:
    env = web(runtime, history="none")
    with pytest.raises(TypeError, match="pickle its spec"):
        pickle.dumps(env)


def test_a_vector_environment_steps_its_episodes_on_one_runtime() -> None:
    envs = gymnasium.make_vec(
        "habitus/Persona2Web-v0", num_envs=2, vectorization_mode="vector_entry_point", history="none", level=2)
    try:
        observations, _ = envs.reset(seed=1)
        assert len(observations) == 2
        _, rewards, terminated, truncated, _ = envs.step(["stop()", "wait(0.1)"])
        assert rewards.shape == (2,)
        assert terminated.tolist() == [True, False]
        assert truncated.tolist() == [False, False]
        _, _, terminated, _, _ = envs.step(["wait(0.1)", "stop()"])
        assert terminated.tolist() == [False, True]
    finally:
        envs.close()
