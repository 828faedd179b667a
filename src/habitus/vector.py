"""A vector environment that gathers its episodes on one runtime: one browser, one loop, N contexts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from habitus.envs.env import PersonalizationEnv
from habitus.envs.observation import Observation
from habitus.envs.runtime import Runtime

from .errors import UserError
from .making import make_env
from .types import JsonObject


class PersonalizationVectorEnv(VectorEnv[Any, Any, NDArray[np.float64]]):
    """N environments stepped together. A finished one stays where it is until it is reset.

    Observations are a tuple of N observations, actions a sequence of N actions; the action of a finished environment
    is ignored. `reset(options={"reset_mask": mask})` resets the environments where `mask`, shape (N,), is True.

    Args:
        envs: The environments, all on one runtime.
        runtime: That runtime; closed with the vector environment.
    """

    metadata = {"autoreset_mode": AutoresetMode.DISABLED}  # noqa: RUF012 - Gymnasium's form

    def __init__(self, envs: Sequence[PersonalizationEnv], runtime: Runtime) -> None:
        self.envs = tuple(envs)
        self.num_envs = len(self.envs)
        self.runtime = runtime
        self.single_observation_space = PersonalizationEnv.observation_space
        self.single_action_space = PersonalizationEnv.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._observations: list[Observation | None] = [None] * self.num_envs
        self._done = np.ones(self.num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: JsonObject | None = None
    ) -> tuple[tuple[Observation | None, ...], JsonObject]:
        """Start episodes, in all environments or in those of `options["reset_mask"]`.

        Args:
            seed: One seed, from which the i-th environment takes seed + i, or one an environment.
            options: `reset_mask`: bool array of shape (N,); `task`: passed on.
        """
        rest = dict(options or {})
        mask = np.asarray(rest.pop("reset_mask", np.ones(self.num_envs, dtype=np.bool_)), dtype=np.bool_)
        seeds = list(range(seed, seed + self.num_envs)) if isinstance(seed, int) else seed or [None] * self.num_envs
        chosen = [int(i) for i in np.flatnonzero(mask)]

        async def gather() -> list[tuple[Observation, JsonObject]]:
            return await asyncio.gather(*(self.envs[i].areset(seed=seeds[i], options=rest) for i in chosen))

        infos: JsonObject = {}
        for i, (observation, info) in zip(chosen, self.runtime.run(gather()), strict=True):
            self._observations[i] = observation
            self._done[i] = False
            infos = self._add_info(infos, info, i)
        return tuple(self._observations), infos

    def step(self, actions: Sequence[Any]) -> tuple[Any, NDArray[np.float64], NDArray[Any], NDArray[Any], JsonObject]:
        """Step every environment that has not finished.

        Returns:
            observations, rewards (N,) float64, terminated (N,), truncated (N,), infos.

        Raises:
            UserError: There are not as many actions as environments.
        """
        if len(actions) != self.num_envs:
            raise UserError(f"{self.num_envs} environments take {self.num_envs} actions, found {len(actions)}.")
        running = [int(i) for i in np.flatnonzero(~self._done)]
        rewards = np.zeros(self.num_envs)
        terminated = np.zeros(self.num_envs, dtype=np.bool_)
        truncated = np.zeros(self.num_envs, dtype=np.bool_)

        async def gather() -> list[Any]:
            return await asyncio.gather(*(self.envs[i].astep(actions[i]) for i in running))

        infos: JsonObject = {}
        for i, result in zip(running, self.runtime.run(gather()), strict=True):
            self._observations[i], rewards[i], terminated[i], truncated[i], info = result
            infos = self._add_info(infos, info, i)
        self._done |= terminated | truncated
        return tuple(self._observations), rewards, terminated, truncated, infos

    def close_extras(self, **_: Any) -> None:
        """Close every environment and the runtime."""
        for env in self.envs:
            env.close()
        self.runtime.close()


def make_vector(num_envs: int, *, runtime: Runtime | None = None, **kwargs: Any) -> PersonalizationVectorEnv:
    """Make a vector environment: what `gymnasium.make_vec` calls with `vector_entry_point`."""
    runtime = runtime or Runtime()
    return PersonalizationVectorEnv([make_env(runtime=runtime, **kwargs) for _ in range(num_envs)], runtime)
