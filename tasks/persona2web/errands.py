"""Which topic each of a person's three query sets is about, and the wishes that every level states outright."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ...envs.world.model import Domain, World
from ...envs.world.search import find_items
from ...types import Condition
from .personas import Persona
from .topics import Habit, Topic, options_of, serving, things, words_of

LETTERS = ("a", "b", "c")

_LEFT_OUT: tuple[Domain, ...] = ("groceries", "apparel", "hotels", "hotels", "restaurants", "restaurants")
"""The domain that each of the six people has no query set in: 5, 5, 4 and 4 sets a domain."""


@dataclass(frozen=True)
class Errand:
    """One query set before it is worded."""

    persona: Persona
    letter: str
    topic: Topic
    wishes: dict[str, str]
    """Attribute to value, beside the product."""

    @property
    def habit(self) -> Habit:
        """The values that the query leaves out at level 2."""
        return self.persona.habits[self.topic]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The wishes as predicates, the product first."""
        stated = {"product": self.topic.product, **self.wishes}
        return tuple(Condition(attribute=key, op="eq", value=value) for key, value in stated.items())


def errands(world: World, people: Sequence[Persona]) -> tuple[Errand, ...]:
    """Deal topics to query sets: three domains a person, the topics of a domain in turn.

    Returns:
        Three errands a person, by person and letter.
    """
    rng = random.Random(f"errands/{world.seed}")  # noqa: S311 - a seeded draw, nothing secret
    left_out = rng.sample(_LEFT_OUT, len(_LEFT_OUT))
    turns: dict[Domain, int] = {}
    dealt: list[Errand] = []
    for persona, domain_left_out in zip(people, left_out, strict=True):
        domains = [domain for domain in persona.sites if domain != domain_left_out]
        for letter, domain in zip(LETTERS, rng.sample(domains, len(domains)), strict=True):
            topics = [topic for topic in persona.habits if topic.domain == domain]
            turn = turns[domain] = turns.get(domain, -1) + 1
            topic = topics[turn % len(topics)]
            dealt.append(Errand(persona, letter, topic, _wishes(world, persona, topic, rng)))
    return tuple(dealt)


def _wishes(world: World, persona: Persona, topic: Topic, rng: random.Random) -> dict[str, str]:
    """Draw what the query states beside the product; the usual site can grant it together with the habit."""
    site = next(site for site in world.sites if site.host == persona.sites[topic.domain])
    habit = persona.habits[topic]
    if topic.domain == "hotels":
        cities = sorted({str(item.attributes["city"]) for item in serving(site, topic, habit)})
        # A city whose first hotel happens to suit would reward an agent that takes whatever comes first.
        telling = [city for city in cities if not _first_suits(world, topic, habit, city)]
        city = rng.choice(telling or cities)
        arrivals = options_of(serving(site, topic, habit, city=city)[0], "arrival")
        return {"city": city, "arrival": rng.choice(arrivals[1:])}
    if topic.domain == "restaurants":
        item = things(site, topic.product, city=persona.home.city)[0]
        return {"party": rng.choice(options_of(item, "party")[1:]), "time": rng.choice(options_of(item, "time")[1:])}
    return {}


def _first_suits(world: World, topic: Topic, habit: Habit, city: str) -> bool:
    return any(
        habit.trait in words_of(item.attributes.get(topic.trait))
        for site in world.rivals(topic.domain)
        for query, filters in ((f"{topic.product} {city}", {}), (topic.product, {"city": (city,)}))
        for item in find_items(site, query, filters)[:1]
    )
