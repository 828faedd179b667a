"""One episode of an agent in an environment. What the agent breaks ends its episode as data, never as an exception."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from habitus.envs.actions import Stop

from ..errors import AgentError, EpisodeError, UserError
from ..types import Agent, Driver, Failure, ModelCall, Observation, TaskBrief, Trajectory

Policy = Agent | Driver | Callable[[Observation], Any]
"""What acts: an object with `act`, one with `drive`, or a plain function of an observation."""


class Episode(Protocol):
    """What a rollout needs of a session, live or replayed."""

    @property
    def brief(self) -> TaskBrief:
        """The task, as far as it may be seen."""

    @property
    def ended(self) -> bool:
        """Whether the episode is over."""

    @property
    def trajectory(self) -> Trajectory:
        """The episode so far."""

    async def act(self, raw: object) -> Observation:
        """Carry out one action."""

    async def abort(self, failure: Failure, *, calls: tuple[ModelCall, ...] = ()) -> None:
        """End the episode from outside."""


@dataclass(frozen=True)
class _Failed:
    """What an agent's work came to when it raised: the failure, and the model calls it had spent."""

    failure: Failure
    calls: tuple[ModelCall, ...] = ()


class RolloutEnv(Protocol):
    """An environment of ours, live or replayed."""

    @property
    def session(self) -> Episode:
        """The running episode."""

    async def areset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Start an episode."""

    async def astep(self, action: Any) -> tuple[Any, Any, bool, bool, Any]:
        """Act."""


async def rollout(env: RolloutEnv, agent: Policy, *, task: str | None = None, seed: int | None = None) -> Trajectory:
    """Run one episode from reset to its end.

    A synchronous `act` runs in a thread, so that a slow one does not hold up the browsers of other episodes. An
    exception of the agent ends the episode with a `Failure` at the boundary it belongs to.

    Args:
        env: An environment of `habitus.make` or `habitus.replay`.
        agent: An object with `act(observation)`, one with `drive(session)`, or a function; sync or async.
        task: Id of the task; None lets the environment draw one.
        seed: Seed of the draw and the episode.

    Returns:
        The trajectory; `final.stop` is `error` where the episode did not end of itself.

    Raises:
        UserError: Bad input: an unknown task, no Chromium, no key.
        EpisodeError: The environment could not be opened.
    """
    observation, _ = await env.areset(seed=seed, options=None if task is None else {"task": task})
    session = env.session
    if isinstance(agent, Driver):
        return await _ended(session, await _attempt(_drive(env, agent)))
    act = agent.act if isinstance(agent, Agent) else agent
    reset = getattr(agent, "reset", None)
    answer = await _attempt(_call(reset, session.brief)) if callable(reset) else None
    while not isinstance(answer, _Failed) and not session.ended:
        answer = await _attempt(_call(act, observation))
        if not isinstance(answer, _Failed):
            observation, *_ = await env.astep(answer)
    return await _ended(session, answer)


async def _ended(session: Episode, answer: object) -> Trajectory:
    if isinstance(answer, _Failed):
        await session.abort(answer.failure, calls=answer.calls)
    return session.trajectory


async def _drive(env: RolloutEnv, agent: Driver) -> None:
    session: Any = env.session
    runtime = getattr(env, "runtime", None)  # a replayed episode has none, and no loop to keep to

    async def work() -> None:
        await agent.drive(session)
        if not session.ended:  # a driver that returns is done
            await session.act(Stop())

    await (work() if runtime is None else runtime.call(work()))


async def _call(function: Callable[..., Any], argument: object) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(argument)
    result = await asyncio.to_thread(function, argument)
    return await result if inspect.isawaitable(result) else result


async def _attempt(work: Awaitable[Any]) -> Any:
    """Return what the agent's work gives, or what it failed with."""
    try:
        return await work
    except UserError:
        raise
    except EpisodeError as error:
        return _Failed(error.failure(), tuple(getattr(error, "calls", ())))
    except Exception as error:  # noqa: BLE001 - the agent is foreign code: this is its boundary, and it is recorded
        return _Failed(AgentError(f"{type(error).__name__}: {error}").failure())
