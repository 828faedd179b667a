"""What users plug in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ._base import Data
from ._score import Score
from ._task import Hit, QATruth, TaskBrief, User, WebTruth
from ._trajectory import ModelCall, Trajectory
from ._world import WorldState

if TYPE_CHECKING:
    from habitus.envs.session import EpisodeSession


class Decision(Data):
    """An action with what led to it. An agent may return it in place of the bare action."""

    action: Any
    """An action model, its text, or an OpenAI tool call."""
    reasoning: str = ""
    calls: tuple[ModelCall, ...] = ()


Observation = dict[str, Any]
"""An element of the environment's observation space; see `habitus.envs.observation`."""


@runtime_checkable
class Agent(Protocol):
    """Anything that acts on an observation. A plain function of one argument will do, too.

    `act` may be async. `reset(brief)` is optional and called before the first observation.
    """

    def act(self, observation: Observation) -> Any | Awaitable[Any]:
        """Return an action, its text, a tool call, or a `Decision`."""


@runtime_checkable
class Driver(Protocol):
    """An agent with a loop of its own. It acts through the same session as every other."""

    async def drive(self, session: EpisodeSession) -> None:
        """Work on the task until done; return when the agent is."""


class Retriever(Protocol):
    """A memory over one user's records. It knows no schemes and no budget."""

    @property
    def fingerprint(self) -> str:
        """What the answers depend on: model, index, k, threshold."""

    def search(self, query: str, *, as_of: datetime | None = None) -> list[Hit]:
        """Return the nearest records not later than `as_of`, in falling order of score.

        Raises:
            MemoryFailure: The search itself failed, which is not an empty answer.
        """


class Memory(Protocol):
    """Builds a retriever over a user's records; shared by all episodes of a run."""

    def over(self, user: User) -> Retriever:
        """Return a retriever; indexing happens at its first search."""


class View(Data):
    """What a workspace shows after an action."""

    text: str
    url: str = ""
    title: str = ""
    tabs: tuple[str, ...] = ()
    """One line a tab, the active one marked `*`; empty where there is one tab."""
    error: str = ""
    """Why the action had no or another effect; empty where it went well."""
    notices: tuple[str, ...] = ()
    """What happened beside it: a dialog, a download, a blocked request."""
    ended: bool = False
    """The workspace itself ends the episode."""


class Workspace(Protocol):
    """Where a task is done: a browser, a question. An action's failure is a view, never an exception.

    An infrastructure failure is raised as a `HabitusError` with a boundary.
    """

    async def open(self, brief: TaskBrief, *, seed: int) -> View:
        """Start afresh and return the first view."""

    async def act(self, action: Any) -> View:
        """Carry out an action of `habitus.envs.actions` that is not the desk's or the session's."""

    async def state(self) -> WorldState | None:
        """Return the state of the world behind, or None where there is none."""

    async def screenshot(self) -> bytes | None:
        """Return a PNG of what is seen, or None."""

    async def close(self) -> None:
        """Let everything go. May be called twice."""


Scorer = Callable[[Trajectory], float]
"""Reward in [0, 1] of a finished trajectory, closed over its truth; calls no model."""


class Judge(Protocol):
    """Scores a trajectory by its truth."""

    @property
    def name(self) -> str:
        """The name in tables; a proxy says so in it."""

    async def judge(self, trajectory: Trajectory, truth: WebTruth | QATruth) -> Score:
        """Return a verdict for each metric. A failing model is a verdict, not an exception."""


class Suite(Protocol):
    """A named set of tasks with their users; the truth is asked for by name alone."""

    @property
    def name(self) -> str:
        """The registry name."""

    @property
    def data_version(self) -> str:
        """Changes whenever a task, a user or a truth does."""

    def tasks(self) -> Sequence[TaskBrief]:
        """All briefs, in a fixed order."""

    def truth(self, task_id: str) -> WebTruth | QATruth:
        """The truth of one task."""

    def user(self, user_id: str) -> User:
        """A user with all records."""

    def other_user(self, task_id: str, *, seed: int) -> str:
        """A user whose truth differs in every slot of the task (SCORING, another user's history)."""

