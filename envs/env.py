"""PersonalizationEnv: Gymnasium's face on an episode session, with an async twin of each call."""

from __future__ import annotations

import asyncio
import io
import math
from collections.abc import Sequence
from typing import Any, Protocol, SupportsFloat

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ..errors import ResetNeededError, UnknownNameError
from ..types import JsonObject, Scorer, TaskBrief, Trajectory
from .observation import OBSERVATION_SPACE, Observation, UnicodeText
from .runtime import Runtime
from .session import EpisodeSession


class EpisodeSource(Protocol):
    """Where an environment gets its episodes: tasks, and a session for one of them."""

    @property
    def tasks(self) -> Sequence[TaskBrief]:
        """The tasks `reset` picks from."""

    async def open(self, brief: TaskBrief, *, seed: int, runtime: Runtime) -> EpisodeSession:
        """Return a session that is not started yet; called on the runtime's loop."""

    def scorer(self, brief: TaskBrief) -> Scorer | None:
        """The reward of a finished episode, closed over the truth; None gives reward 0 at its end."""


class PersonalizationEnv(gymnasium.Env[Observation, str]):
    """An environment whose query is ambiguous and whose answer lies in the user's history.

    `reset(seed, options)` picks a task (`options={"task": id}` names it), `step(action)` takes an action in any form.
    The reward is 0 before the end and then the scorer's, in [0, 1]; it is NaN with `info["reward_valid"]` False where
    an infrastructure failure ended the episode. `areset`, `astep` and `aclose` are the same for asyncio.

    Args:
        source: Where the episodes come from.
        runtime: A shared runtime; by default the environment has one of its own and closes it.
        render_mode: `rgb_array` (H, W, 3 uint8), `ansi` (text) or `human` (a visible browser).
    """

    metadata = {"render_modes": ["rgb_array", "ansi", "human"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's form
    observation_space: gymnasium.Space[Any] = OBSERVATION_SPACE
    action_space = UnicodeText(max_length=60_000)

    def __init__(
        self,
        source: EpisodeSource,
        *,
        runtime: Runtime | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnknownNameError("render mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self._source = source
        self._owns_runtime = runtime is None
        self.runtime = runtime or Runtime(headless=render_mode != "human")
        self._session: EpisodeSession | None = None

    @property
    def session(self) -> EpisodeSession:
        """The running episode.

        Raises:
            ResetNeededError: There is none yet.
        """
        if self._session is None:
            raise ResetNeededError("No episode yet: call reset().")
        return self._session

    @property
    def trajectory(self) -> Trajectory:
        """The episode so far, as it is recorded."""
        return self.session.trajectory

    @property
    def tasks(self) -> Sequence[TaskBrief]:
        """The tasks `reset` picks from."""
        return self._source.tasks

    def reset(self, *, seed: int | None = None, options: JsonObject | None = None) -> tuple[Observation, JsonObject]:
        """Start an episode.

        Args:
            seed: Seeds the choice of the task and the episode; None goes on from the environment's own generator.
            options: `task`: the id of the task to do.

        Returns:
            The first observation and `info`.

        Raises:
            UnknownNameError: There is no such task.
            EpisodeError: The workspace could not be opened.
        """
        return self.runtime.run(self._reset(seed, options))

    def step(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, JsonObject]:
        """Act. Whatever is no action becomes an observation that says what was wrong.

        Returns:
            observation, reward, terminated (the agent stopped), truncated (a budget ran out or an infrastructure
            failure), info.

        Raises:
            ResetNeededError: The episode has not begun or is over.
        """
        return self.runtime.run(self._step(action))

    def render(self) -> Any:
        """Return a picture (H, W, 3 uint8) or the text of what is seen, by `render_mode`."""
        if self.render_mode == "ansi":
            return str(self.session.observation)
        if self.render_mode == "rgb_array":
            png = self.runtime.run(self.session.screenshot())
            return text_image(str(self.session.observation)) if png is None else png_pixels(png)
        return None

    def close(self) -> None:
        """Close the episode and, where it is the environment's own, the runtime. May be called twice."""
        session, self._session = self._session, None
        try:
            if session is not None:
                self.runtime.run(session.close())
        finally:
            if self._owns_runtime:
                self.runtime.close()

    async def areset(
        self, *, seed: int | None = None, options: JsonObject | None = None
    ) -> tuple[Observation, JsonObject]:
        """`reset`, awaited from any loop."""
        return await self.runtime.call(self._reset(seed, options))

    async def astep(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, JsonObject]:
        """`step`, awaited from any loop."""
        return await self.runtime.call(self._step(action))

    async def aclose(self) -> None:
        """`close`, awaited from any loop."""
        session, self._session = self._session, None
        try:
            if session is not None:
                await self.runtime.call(session.close())
        finally:
            if self._owns_runtime:
                await asyncio.to_thread(self.runtime.close)

    def __getstate__(self) -> object:
        raise TypeError("A live environment holds a browser and cannot be pickled; pickle its spec and make it again.")

    async def _reset(self, seed: int | None, options: JsonObject | None) -> tuple[Observation, JsonObject]:
        super().reset(seed=seed)
        brief = self._pick((options or {}).get("task"))
        if self._session is not None:
            previous, self._session = self._session, None
            await previous.close()
        session = await self._source.open(brief, seed=int(self.np_random.integers(2**31)), runtime=self.runtime)
        try:
            observation = await session.start()
        except BaseException:  # cancelled too: a browser context must not outlive its episode
            await session.close()
            raise
        self._session = session
        return observation, self._info()

    async def _step(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, JsonObject]:
        session = self.session
        observation = await session.act(action)
        final = session.final
        reward = 0.0
        info = self._info()
        if final is not None:
            info["stop"] = final.stop
            if final.error is not None:
                info["failure"] = final.error.model_dump()
            scorer = self._source.scorer(session.brief)
            if final.infrastructure:
                reward = math.nan
            elif scorer is not None:
                reward = scorer(session.trajectory)
            info["reward_valid"] = not math.isnan(reward)
        terminated = final is not None and final.stop == "stopped"
        return observation, reward, terminated, final is not None and not terminated, info

    def _pick(self, task: str | None) -> TaskBrief:
        tasks = self._source.tasks
        if task is None:
            return tasks[int(self.np_random.integers(len(tasks)))]
        for brief in tasks:
            if brief.id == task:
                return brief
        raise UnknownNameError("task", task, [brief.id for brief in tasks])

    def _info(self) -> JsonObject:
        return {"task": self.session.brief.id, "reward_valid": True}


def png_pixels(png: bytes) -> NDArray[np.uint8]:
    """Return the pixels of a PNG, shape (H, W, 3), uint8."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)


def text_image(text: str, *, width: int = 960, height: int = 540) -> NDArray[np.uint8]:
    """Return text drawn on white, shape (height, width, 3), uint8: the picture of a workspace that has no page."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(image).multiline_text((12, 12), "\n".join(_wrap(text, 150)[:38]), fill="black")
    return np.asarray(image, dtype=np.uint8)


def _wrap(text: str, columns: int) -> list[str]:
    return [line[i:i + columns] for line in text.splitlines() for i in range(0, max(len(line), 1), columns)]
