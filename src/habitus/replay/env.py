"""A stored episode as an environment: the same observations for the same actions, without a browser."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import Any, SupportsFloat

import gymnasium

from habitus.envs.actions import InvalidActionError, parse_action
from habitus.envs.observation import OBSERVATION_SPACE, Observation, UnicodeText

from ..errors import EpisodeFileError, HabitusError, ResetNeededError, UnknownNameError
from ..runs.episode_file import read_episode
from ..types import Decision, Failure, Final, JsonObject, ModelCall, Step, TaskBrief, Trajectory

_CUT_CHARS = 2000
"""A text shorter than this was stored whole."""


class ReplayDivergenceError(HabitusError):
    """An action that the recording does not have at this step: what it would have led to is not known.

    Attributes:
        step: Index of the step, from 0.
        expected: The recorded action's text.
        got: The action that came instead.
    """

    def __init__(self, step: int, expected: str, got: str) -> None:
        self.step, self.expected, self.got = step, expected, got
        super().__init__(
            f"Step {step} of the recording is {expected}, found {got}: a replay knows no other way. "
            "Run the task live to try another."
        )


class ReplaySession:
    """A recorded episode, gone through again; what a rollout and a driver act through.

    Args:
        recorded: The episode.
    """

    def __init__(self, recorded: Trajectory) -> None:
        self.recorded = recorded
        self._position = 0
        self._end: Final | None = None

    @property
    def brief(self) -> TaskBrief:
        """The task."""
        return self.recorded.header.brief

    @property
    def ended(self) -> bool:
        """Whether the recording is at its end."""
        return self._end is not None or self._position >= len(self._passable)

    @property
    def trajectory(self) -> Trajectory:
        """The episode so far; the whole recording at its end."""
        steps = self.recorded.steps[: self._position]
        recorded_end = self.recorded.final if self.ended else None
        return Trajectory(header=self.recorded.header, steps=steps, final=self._end or recorded_end)

    @property
    def observation(self) -> Observation:
        """What is seen now, equal to what was seen then."""
        if self._position < len(self.recorded.steps):
            return restored(self.recorded.steps[self._position].observation)
        return restored(self.recorded.final.observation if self.recorded.final else {})

    async def act(self, raw: object) -> Observation:
        """Go one step on.

        Raises:
            ReplayDivergenceError: The recording has another action here.
            ResetNeededError: The recording is at its end.
        """
        return self.advance(raw)

    async def abort(self, failure: Failure, *, calls: tuple[ModelCall, ...] = ()) -> None:
        """End here: the agent raised, after it had spent these model calls."""
        self._end = Final(stop="error", error=failure, calls=calls)

    def advance(self, raw: object) -> Observation:
        """`act`, for a plain loop."""
        if self.ended:
            raise ResetNeededError("The recording is at its end: call reset().")
        step = self._passable[self._position]
        action = raw.action if isinstance(raw, Decision) else raw
        if not _same(step, action):
            raise ReplayDivergenceError(step.index, step.action_text, str(action)[:_CUT_CHARS])
        self._position += 1
        return self.observation

    @property
    def _passable(self) -> tuple[Step, ...]:
        """Steps whose outcome was recorded: of an episode cut off, the last one's was not."""
        return self.recorded.steps if self.recorded.final else self.recorded.steps[:-1]


class ReplayEnv(gymnasium.Env[Observation, str]):
    """An environment that plays a stored episode back.

    Any other action than the recorded one raises. The reward is 0 before the end and NaN there, with
    `info["reward_valid"]` False: a recording is judged by a judge, not rewarded.

    Args:
        episode: A trajectory, or the path of a stored one.

    Raises:
        EpisodeFileError: The file cannot be read as an episode, or steps are missing in it.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's form
    observation_space: gymnasium.Space[Any] = OBSERVATION_SPACE
    action_space = UnicodeText(max_length=60_000)

    def __init__(self, episode: str | PathLike[str] | Trajectory, *, render_mode: str | None = None) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnknownNameError("render mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self.recorded = episode if isinstance(episode, Trajectory) else _read_whole(Path(episode))
        if not self.recorded.steps and not (self.recorded.final and self.recorded.final.observation):
            raise EpisodeFileError(f"Episode {self.recorded.header.episode} has no observation to replay.")
        self._session: ReplaySession | None = None

    @property
    def session(self) -> ReplaySession:
        """The episode that is played back.

        Raises:
            ResetNeededError: `reset` was not called yet.
        """
        if self._session is None:
            raise ResetNeededError("No episode yet: call reset().")
        return self._session

    @property
    def trajectory(self) -> Trajectory:
        """The episode so far."""
        return self.session.trajectory

    def reset(self, *, seed: int | None = None, options: JsonObject | None = None) -> tuple[Observation, JsonObject]:
        """Go back to the first observation.

        Args:
            seed: Changes nothing: the recording has its own.
            options: `task`: only the recorded one.

        Raises:
            UnknownNameError: Another task was named.
        """
        super().reset(seed=seed)
        task = (options or {}).get("task")
        recorded = self.recorded.header.brief.id
        if task is not None and task != recorded:
            raise UnknownNameError("task in this recording", str(task), [recorded])
        self._session = ReplaySession(self.recorded)
        return self._session.observation, self._info()

    def step(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, JsonObject]:
        """Go one step on.

        Raises:
            ReplayDivergenceError: The recording has another action here.
            ResetNeededError: The recording is at its end, or was not begun.
        """
        session = self.session
        observation = session.advance(action)
        final = self.recorded.final
        terminated = session.ended and final is not None and final.stop == "stopped"
        info = self._info()
        if session.ended:
            info["stop"] = final.stop if final else "cut_off"
        return observation, math.nan if session.ended else 0.0, terminated, session.ended and not terminated, info

    async def areset(
        self, *, seed: int | None = None, options: JsonObject | None = None
    ) -> tuple[Observation, JsonObject]:
        """`reset`, as the live environment has it."""
        return self.reset(seed=seed, options=options)

    async def astep(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, JsonObject]:
        """`step`, as the live environment has it."""
        return self.step(action)

    def render(self) -> Any:
        """Return the text of what is seen."""
        return str(self.session.observation) if self.render_mode == "ansi" else None

    def _info(self) -> JsonObject:
        return {"task": self.recorded.header.brief.id, "reward_valid": not self.session.ended}


def replay(episode: str | PathLike[str] | Trajectory) -> ReplayEnv:
    """Return a stored episode as an environment without a browser.

    Args:
        episode: A trajectory, or the path of a stored one.

    Raises:
        EpisodeFileError: The file cannot be read as an episode, or steps are missing in it.
    """
    return ReplayEnv(episode)


def restored(stored: JsonObject) -> Observation:
    """Return a stored observation as it was seen: JSON has no tuples."""
    return Observation({**stored, "history": tuple(stored["history"])} if "history" in stored else stored)


def _same(step: Step, raw: object) -> bool:
    if step.action is None:  # it was refused: what arrived, as far as it is stored, is all there is to compare
        text, stored = str(raw), step.action_text
        return text.startswith(stored) if len(stored) >= _CUT_CHARS else text == stored
    try:
        return parse_action(raw).model_dump(mode="json") == step.action
    except InvalidActionError:
        return False


def _read_whole(path: Path) -> Trajectory:
    trajectory, problems = read_episode(path)
    if problems:
        raise EpisodeFileError(f"{problems[0]}. A step is missing, so the episode cannot be replayed.")
    return trajectory
