"""Habits that changed within the year: until some weeks before the asking the person took another value."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...envs.world.model import World
from .entries import Entry, Fact
from .errands import Errand
from .personas import AS_OF, Persona
from .topics import Habit, Topic, habits, options_of, serving, things, words_of

CHANGED = 9
"""Query sets of the eighteen that are about a habit that changed."""
_MOST = 2
"""Changes of one person: everyone keeps to something."""
_AGE_DAYS = (70, 98)
"""How long before the asking a habit changed: 10 to 14 weeks."""


@dataclass(frozen=True)
class Change:
    """One value of a habit gave way to another on a day and never came back."""

    topic: Topic
    old: Habit
    new: Habit
    on: datetime

    def denies(self, entry: Entry) -> bool:
        """Whether an entry shows the value that belongs to the other side of the day."""
        now, then = (self.old, self.new) if entry.time < self.on else (self.new, self.old)
        return not entry.facts.isdisjoint(self._facts(then) - self._facts(now))

    def _facts(self, habit: Habit) -> set[Fact]:
        return {(self.topic.product, self.topic.trait, habit.trait),
                (self.topic.product, self.topic.choice, habit.choice)}  # fmt: skip


def changes(world: World, errands: Sequence[Errand], people: Sequence[Persona]) -> Mapping[str, Sequence[Change]]:
    """Draw which query sets are about a habit that changed: `CHANGED` of them, at most two a person.

    Returns:
        User id to changes, for each user; fewer in all where the sites offer too few values that nobody opposed wants.
    """
    rng = random.Random(f"changes/{world.seed}")  # noqa: S311 - a seeded draw, nothing secret
    drawn: dict[str, list[Change]] = {persona.id: [] for persona in people}
    for errand in rng.sample(errands, len(errands)):
        persona, topic = errand.persona, errand.topic
        olds = _olds(world, errand, people, rng)
        if olds and len(drawn[persona.id]) < _MOST and sum(map(len, drawn.values())) < CHANGED:
            # What a careless buyer takes is an old habit only where nothing else can have been one.
            telling = _telling(world, persona, topic)
            old = next((old for old in olds if old in telling), olds[0])
            on = AS_OF - timedelta(days=rng.randint(*_AGE_DAYS))
            drawn[persona.id].append(Change(topic, old, persona.habits[topic], on))
    return drawn


def _telling(world: World, persona: Persona, topic: Topic) -> list[Habit]:
    site = next(site for site in world.rivals(topic.domain) if site.host == persona.sites[topic.domain])
    return habits(topic, site, persona.home)


def _olds(world: World, errand: Errand, people: Sequence[Persona], rng: random.Random) -> list[Habit]:
    """Return, shuffled, what the habit may have been: one value off, on both rivals, and nobody's at the other site.

    Clothes are bought too seldom for a change to show in weeks. A room or a seat is the same in all topics of its
    domain, so only a pack may have been another one.
    """
    persona, topic, habit = errand.persona, errand.topic, errand.habit
    if topic.domain == "apparel":
        return []
    rivals = world.rivals(topic.domain)
    theirs = [p.habits[topic] for p in people if p.sites[topic.domain] != persona.sites[topic.domain]]
    everything = [item for site in rivals for item in things(site, topic.product)]
    traits = {word for item in everything for word in words_of(item.attributes.get(topic.trait))}
    packs = {option for item in everything for option in options_of(item, topic.choice)}
    olds = [Habit(trait, habit.choice) for trait in sorted(traits - {habit.trait, *(h.trait for h in theirs)})]
    if topic.domain == "groceries":
        olds += [Habit(habit.trait, pack) for pack in sorted(packs - {habit.choice, *(h.choice for h in theirs)})]
    homes = [home.city for home in (persona.home, persona.old_home) if home]
    cities = homes if topic.domain == "restaurants" else [""]
    served = [old for old in olds if all(serving(site, topic, old, city=city) for site in rivals for city in cities)]
    return rng.sample(served, len(served))
