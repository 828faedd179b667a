"""Who the people are: homes, usual sites and habits, cast so that everyone has an opposite in every topic."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ...envs.world.model import Domain, Place, World
from ...errors import TaskError
from .topics import DOMAINS, TRAITS, Habit, Topic, candidates, habits

AS_OF = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
"""The moment of asking in every task."""
START = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)
"""The histories begin a year earlier."""

USERS = 6
_ATTEMPTS = 200

_FIRST = (
    "Amara", "Bela", "Chidi", "Dagny", "Eamon", "Farah", "Goran", "Hana", "Ines", "Jonas", "Kaito", "Leila", "Mateo",
    "Nadia", "Oskar", "Priya", "Quentin", "Rosa", "Soren", "Tala", "Ulla", "Viktor", "Wanda", "Yusuf", "Zofia",
)
_LAST = (
    "Adeyemi", "Bakker", "Castellan", "Dvorak", "Eriksen", "Fontaine", "Gallagher", "Haddad", "Iwasaki", "Jankowski",
    "Kowal", "Lindgren", "Moreau", "Nakamura", "Okafor", "Petrov", "Quispe", "Rossetti", "Sandoval", "Tanaka",
)


@dataclass(frozen=True)
class Persona:
    """A person as the generator knows them; only the profile scheme ever shows it."""

    id: str
    name: str
    home: Place
    sites: Mapping[Domain, str]
    """Domain to the host of the usual site."""
    habits: Mapping[Topic, Habit]
    friends: tuple[str, ...]
    old_home: Place | None = None
    """Where a person who moved lived before."""
    moved: datetime | None = None

    def home_at(self, time: datetime) -> Place:
        """Return where the person lives at a moment."""
        return self.old_home if self.old_home and self.moved and time < self.moved else self.home


@dataclass
class _Casting:
    """One attempt: homes and sites are drawn, then topics are taken while all six can have habits in them."""

    world: World
    rng: random.Random
    homes: list[Place]
    sides: dict[Domain, list[int]]
    taken: list[dict[Topic, Habit]] = field(default_factory=lambda: [{} for _ in range(USERS)])

    def add(self, topic: Topic) -> bool:
        """Give every user a habit in the topic such that users of rival sites share nothing; False where none fit."""
        sides = self.sides[topic.domain]
        options: list[list[Habit]] = []
        for user in range(USERS):
            site = self.world.rivals(topic.domain)[sides[user]]
            found = [h for h in habits(topic, site, self.homes[user]) if self._fits(user, topic, h)]
            self.rng.shuffle(found)
            options.append(found)
        dealt = _deal(options, sides)
        if dealt is None:
            return False
        for user, habit in enumerate(dealt):
            self.taken[user][topic] = habit
        return True

    def _fits(self, user: int, topic: Topic, habit: Habit) -> bool:
        """Keep a person consistent: one clothes size of a kind, one room, one place to sit."""
        return topic.domain == "groceries" or all(
            held.choice == habit.choice
            for known, held in self.taken[user].items()
            if known.domain == topic.domain and _scale(known, held) == _scale(topic, habit)
        )


def _scale(topic: Topic, habit: Habit) -> str:
    """Name what a choice is measured on: `eu` and `waist` are numbers apart, worded sizes are one scale."""
    first, *rest = habit.choice.split()
    return first if topic.domain == "apparel" and rest and rest[-1].isdigit() else ""


def _deal(options: Sequence[Sequence[Habit]], sides: Sequence[int]) -> list[Habit] | None:
    """Deal one habit a user by backtracking: unlike across sides, rare values first."""
    dealt: list[Habit] = []

    def clash(user: int, habit: Habit) -> bool:
        return any(
            sides[other] != sides[user] and (held.trait == habit.trait or held.choice == habit.choice)
            for other, held in enumerate(dealt)
        )

    def place(user: int) -> bool:
        if user == len(options):
            return True
        traits, choices = Counter(h.trait for h in dealt), Counter(h.choice for h in dealt)
        for habit in sorted(options[user], key=lambda h: (traits[h.trait], choices[h.choice])):
            if not clash(user, habit):
                dealt.append(habit)
                if place(user + 1):
                    return True
                dealt.pop()
        return False

    return dealt if place(0) else None


def cast(world: World) -> tuple[Persona, ...]:
    """Draw the people of a world.

    Three and three share a site in each domain, the split differs between domains, and user `n + 3` is the
    opposite of user `n` in all of them. In each topic users of rival sites differ in both values.

    Raises:
        TaskError: The catalogue is too poor to serve six people with unlike habits.
    """
    rng = random.Random(f"people/{world.seed}")  # noqa: S311 - a seeded draw, nothing secret
    for _ in range(_ATTEMPTS):
        casting = _Casting(world, rng, rng.sample(world.places, USERS), _sides(rng))
        if _fill(casting):
            return _people(casting)
    raise TaskError(
        f"The catalogue of world seed {world.seed} cannot serve six people with unlike habits: after {_ATTEMPTS} draws "
        "some domain lacks a topic. Every site needs several values of each trait on both rivals, in every town."
    )


def _sides(rng: random.Random) -> dict[Domain, list[int]]:
    """Draw which rival each user goes to; the first three differ from their opposites, not all alike."""
    sides: dict[Domain, list[int]] = {}
    for domain in DOMAINS:
        half = rng.choice([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
        sides[domain] = [*half, *(1 - side for side in half)]
    return sides


def _fill(casting: _Casting) -> bool:
    """Take one topic for each trait of each domain, no product of goods twice; False where that fails."""
    for domain in DOMAINS:
        open_traits, products = set(TRAITS[domain]), set[str]()
        for topic in candidates(casting.world, domain, casting.rng):
            goods = domain in ("groceries", "apparel")
            if topic.trait not in open_traits or (goods and topic.product in products):
                continue
            if casting.add(topic):
                open_traits.discard(topic.trait)
                products.add(topic.product)
        if open_traits:
            return False
    return True


def _people(casting: _Casting) -> tuple[Persona, ...]:
    rng, world = casting.rng, casting.world
    names = rng.sample(_FIRST, USERS * 4)
    surnames = rng.sample(_LAST, USERS)
    mover = rng.randrange(USERS)
    elsewhere = [place for place in world.places if place not in casting.homes] or [
        place for place in world.places if place != casting.homes[mover]
    ]
    people: list[Persona] = []
    for user in range(USERS):
        moves = user == mover
        people.append(
            Persona(
                id=f"u{user + 1}",
                name=f"{names[user]} {surnames[user]}",
                home=casting.homes[user],
                sites={domain: world.rivals(domain)[casting.sides[domain][user]].host for domain in DOMAINS},
                habits=casting.taken[user],
                friends=tuple(names[USERS + 3 * user : USERS + 3 * user + 3]),
                old_home=rng.choice(elsewhere) if moves else None,
                moved=datetime(2025, rng.choice((7, 8, 9)), rng.randint(3, 27), tzinfo=UTC) if moves else None,
            )
        )
    return tuple(people)
