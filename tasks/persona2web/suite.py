"""The suite `persona2web` on the local web: six people, eighteen query sets in three levels, truth apart."""

from __future__ import annotations

import functools
import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ...envs.world.catalog import build_world
from ...envs.world.model import World
from ...errors import UnknownNameError
from ...types import TaskBrief, User, WebTruth
from .changes import changes
from .diary import Diary
from .errands import errands
from .others import opposites
from .personas import cast
from .profile import profile_text
from .queries import ask
from .truths import LEVELS, NAME, brief_and_truth

_T = TypeVar("_T")


class LocalPersona2Web:
    """The local population of one world seed; see `suite`."""

    name = NAME

    def __init__(self, world: World) -> None:
        self.world = world
        self.people = cast(world)
        self.errands = errands(world, self.people)
        self.changes = changes(world, self.errands, self.people)
        diaries = {persona.id: Diary(world, persona, self.changes[persona.id]).write() for persona in self.people}
        self._users = {
            persona.id: User(
                id=persona.id,
                records=tuple(entry.record(number) for number, entry in enumerate(diaries[persona.id], start=1)),
                profile=profile_text(world, persona),
            )
            for persona in self.people
        }
        drafts: list[tuple[TaskBrief, WebTruth]] = []
        for errand in self.errands:
            rng = random.Random(f"query/{world.seed}/{errand.persona.id}/{errand.letter}")  # noqa: S311 - a seeded draw
            asked = ask(errand.topic, errand.habit, errand.persona, errand.wishes, rng)
            entries = diaries[errand.persona.id]
            drafts += [brief_and_truth(world, errand, asked, entries, level=level) for level in LEVELS]
        self._version = f"local-1-w{world.seed}-{_digest(drafts, self._users)}"
        stamp = {"data_version": self._version}
        self._briefs = {brief.id: brief.model_copy(update=stamp) for brief, _ in drafts}
        self._truths = {truth.task_id: truth.model_copy(update=stamp) for _, truth in drafts}

    @property
    def data_version(self) -> str:
        """World seed and content hash: changes whenever a task, a user or a truth does."""
        return self._version

    def tasks(self) -> Sequence[TaskBrief]:
        """All briefs, by user, set and level."""
        return tuple(self._briefs.values())

    def truth(self, task_id: str) -> WebTruth:
        """Return the truth of one task.

        Raises:
            UnknownNameError: There is no such task.
        """
        return _named("task", self._truths, task_id)

    def user(self, user_id: str) -> User:
        """Return a user with all records.

        Raises:
            UnknownNameError: There is no such user.
        """
        return _named("user", self._users, user_id)

    def other_user(self, task_id: str, *, seed: int) -> str:
        """Return the user whose history is put in the asker's place.

        For one seed and one set letter this is a derangement: nobody keeps their own, no two get the same, and
        what the other would want in this very task differs in site, both preferences and location.

        Raises:
            UnknownNameError: There is no such task.
        """
        asker = _named("task", self._briefs, task_id).user
        letter = task_id.split("-")[2]
        asked = [errand for errand in self.errands if errand.letter == letter]
        rng = random.Random(f"other/{self.world.seed}/{seed}/{letter}")  # noqa: S311 - a seeded draw
        return opposites(asked, self.people, rng)[asker]


@functools.lru_cache(maxsize=8)
def suite(*, world_seed: int = 0) -> LocalPersona2Web:
    """Return the local population: a pure function of the world seed.

    Args:
        world_seed: Seed of the local web; another one changes names, places, things, habits and wording.

    Raises:
        TaskError: The catalogue of that seed cannot serve six people with unlike habits.
    """
    return LocalPersona2Web(build_world(world_seed))


def _named(what: str, things: Mapping[str, _T], name: str) -> _T:
    if name not in things:
        raise UnknownNameError(what, name, things)
    return things[name]


def _digest(drafts: Iterable[tuple[TaskBrief, WebTruth]], users: Mapping[str, User]) -> str:
    """Return eight hex digits over all that is asked, known and expected."""
    digest = hashlib.sha256()
    for part in (*(value for draft in drafts for value in draft), *users.values()):
        digest.update(part.model_dump_json().encode())
    return digest.hexdigest()[:8]
