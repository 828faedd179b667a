"""One episode of an agent in an environment. What the agent breaks ends its episode as data, never as an exception."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from habitus.envs.actions import Stop

from ..errors import AgentError, EpisodeError, UserError
from ..types import Agent, Driver, Failure, ModelCall, Observation, TaskBrief, Trajectory

Policy = Agent | Driver | Callable[[Observation], Any]
"""What acts: an object with `act`, one with `drive`, or a plain function of an observation."""

AGENT_TIMEOUT_S = 600.0
"""How long an agent may be silent, by default: a slow model with its retries is well within."""
_LET_GO_S = 5.0

T = TypeVar("T")


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


async def rollout(
    env: RolloutEnv,
    agent: Policy,
    *,
    task: str | None = None,
    seed: int | None = None,
    agent_timeout_s: float = AGENT_TIMEOUT_S,
) -> Trajectory:
    """Run one episode from reset to its end.

    A synchronous `act` runs in a thread, so that a slow one does not hold up the browsers of other episodes. An
    exception of the agent ends the episode with a `Failure` at the boundary it belongs to, and so does its silence.

    Args:
        env: An environment of `habitus.make` or `habitus.replay`.
        agent: An object with `act(observation)`, one with `drive(session)`, or a function; sync or async.
        task: Id of the task; None lets the environment draw one.
        seed: Seed of the draw and the episode.
        agent_timeout_s: Seconds an agent may take to act, to reset, or, driving, to its next action. One that blocks
            the event loop itself cannot be interrupted; a synchronous one is left behind in its thread.

    Returns:
        The trajectory; `final.stop` is `error` where the episode did not end of itself.

    Raises:
        UserError: Bad input: an unknown task, no Chromium, no key.
        EpisodeError: The environment could not be opened.
    """
    observation, _ = await env.areset(seed=seed, options=None if task is None else {"task": task})
    session = env.session

    async def attempt(work: Coroutine[Any, Any, Any]) -> Any:
        return await _attempt(session, work, agent_timeout_s)

    if isinstance(agent, Driver):
        return await _ended(session, await attempt(_drive(env, agent)))
    act = agent.act if isinstance(agent, Agent) else agent
    reset = getattr(agent, "reset", None)
    answer = await attempt(_call(reset, session.brief)) if callable(reset) else None
    while not isinstance(answer, _Failed) and not session.ended:
        answer = await attempt(_call(act, observation))
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
    result = await in_thread(function, argument)
    return await result if inspect.isawaitable(result) else result


async def in_thread(function: Callable[..., T], argument: object) -> T:
    """Call a function in a thread of its own, which neither fills a pool nor holds up the program's end if it hangs."""
    loop, answer = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

    def settle(result: Any, error: Exception | None) -> None:
        if answer.done():  # nobody waits any longer
            return
        if error is None:
            answer.set_result(result)
        else:
            answer.set_exception(error)

    def call() -> None:
        result: T | None = None
        error: Exception | None = None
        try:
            result = function(argument)
        except StopIteration as stop:  # no future can hold one
            error = RuntimeError(f"StopIteration: {stop}")
        except Exception as raised:  # noqa: BLE001 - it is raised where the call is awaited
            error = raised
        except BaseException as raised:  # noqa: BLE001 - sys.exit() and the like would end the loop of all episodes
            error = RuntimeError(f"{type(raised).__name__}: {raised}")
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any longer
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=call, name="habitus-agent", daemon=True).start()
    found: T = await answer
    return found


async def _attempt(session: Episode, work: Coroutine[Any, Any, Any], timeout_s: float) -> Any:
    """Return what the agent's work gives, or what it failed with."""
    try:
        return await _heard(session, work, timeout_s)
    except UserError:
        raise
    except EpisodeError as error:
        return _Failed(error.failure(), tuple(getattr(error, "calls", ())))
    except Exception as error:  # noqa: BLE001 - the agent is foreign code: this is its boundary, and it is recorded
        return _Failed(AgentError(f"{type(error).__name__}: {error}").failure())


async def _heard(session: Episode, work: Coroutine[Any, Any, Any], timeout_s: float) -> Any:
    """Await the agent's work as long as it ends, or takes a step, within the time."""
    task = asyncio.ensure_future(_kept_in(work))
    try:
        steps = -1
        while not task.done() and steps < (steps := len(session.trajectory.steps)):
            await asyncio.wait({task}, timeout=timeout_s)
        if task.cancelled():
            raise AgentError("The agent cancelled its own work.")
        if task.done():
            return task.result()
        raise AgentError(f"The agent did not act within {timeout_s:g} s.")
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_LET_GO_S)


async def _kept_in(work: Coroutine[Any, Any, T]) -> T:
    try:
        return await work
    except SystemExit as error:  # it would end the loop of all episodes
        raise AgentError(f"SystemExit: {error}") from None
