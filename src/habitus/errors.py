"""One root, one class per boundary: each failure belongs to one boundary and is recorded there once.

A `UserError` is a mistake in what was asked for: the command line prints its message and leaves with status 2.
Everything else under `HabitusError` is a failure of a part; inside an episode it becomes a
`habitus.types.Failure`, and `infrastructure` says whether the episode is to be retried and reported
apart from the score.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar

from .types import Boundary, Failure

_SHOWN_NAMES = 12
"""So many names an error lists, lest it fill the screen."""


class HabitusError(Exception):
    """The root. Its message says what was found, what was expected and what to do."""


class UserError(HabitusError):
    """Bad input: an unknown name, a missing key, a directory of another run."""


class UnknownNameError(UserError):
    """A name that nothing is registered under.

    Attributes:
        what: The kind of thing, e.g. `suite`.
        name: What was asked for.
        known: What exists.
    """

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.what, self.name, self.known = what, name, sorted(known)
        near = difflib.get_close_matches(name, self.known, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        shown = self.known[:_SHOWN_NAMES]
        more = f" and {len(self.known) - len(shown)} more" if len(self.known) > len(shown) else ""
        super().__init__(f"Unknown {what} {name!r}.{hint} There is: {', '.join(shown) or 'none'}{more}.")


class MissingDependencyError(UserError):
    """An extra that is not installed; the message names it."""


class BrowserNotFoundError(UserError):
    """No Chromium on this machine; the message says how to get one."""


class MissingKeyError(UserError):
    """No API key, or no endpoint, for a model that needs one."""


class RunDirectoryError(UserError):
    """A run directory that cannot be used as asked: another run's, another version's, locked."""


class EpisodeFileError(UserError):
    """A stored episode that cannot be read; names the file and the line."""


class EpisodeError(HabitusError):
    """A failure inside an episode, at one boundary."""

    boundary: ClassVar[Boundary] = "task"
    infrastructure: ClassVar[bool] = False

    def failure(self) -> Failure:
        """Return the failure as data."""
        return Failure(boundary=self.boundary, message=str(self), infrastructure=self.infrastructure)


class AgentError(EpisodeError):
    """The agent raised, or never came back."""

    boundary = "agent"


class ModelError(EpisodeError):
    """A model could not be asked, or gave no usable reply after its retries."""

    boundary = "model"
    infrastructure = True


class ModelReplyError(ModelError):
    """The model was reached and answered nothing usable: the agent's failure, not the endpoint's."""

    infrastructure = False


class ContextOverflowError(ModelReplyError):
    """The prompt is longer than the model's window."""


class BrowserError(EpisodeError):
    """The browser died, or did not answer within its deadline."""

    boundary = "browser"
    infrastructure = True


class SiteError(EpisodeError):
    """A site could not be reached at all."""

    boundary = "site"
    infrastructure = True


class MemoryFailure(EpisodeError):  # noqa: N818 - MemoryError is Python's own
    """The search itself failed; an empty answer is no failure."""

    boundary = "memory"
    infrastructure = True


class IndexMismatchError(MemoryFailure):
    """A stored index was built with another embedding model."""


class TaskError(EpisodeError):
    """A task's own data is broken."""


class ResetNeededError(HabitusError):
    """`step` was called before `reset`, or after the end of the episode."""
