"""What the people of the population may have habits in, and which habits a site can serve."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from ...envs.world.model import Domain, Item, Place, Site, World
from ...envs.world.search import find_items
from ...types import AttributeValue

DOMAINS: tuple[Domain, ...] = ("groceries", "apparel", "hotels", "restaurants")

TRAITS: dict[Domain, tuple[str, ...]] = {
    "groceries": ("variety", "label", "brand"),
    "apparel": ("fit", "colour", "material"),
    "hotels": ("facility", "board"),
    "restaurants": ("cuisine", "diet"),
}
"""Attributes of a thing that a habit may be about; each domain has one topic for each."""

LISTS = frozenset({"label", "facility", "diet"})
"""Traits of which a thing has several."""

CHOICES: dict[Domain, str] = {"groceries": "size", "apparel": "size", "hotels": "room", "restaurants": "seating"}
"""The variant that a habit may be about. Its first option is what a careless buyer gets."""


@dataclass(frozen=True)
class Topic:
    """A product with the two things people differ in."""

    domain: Domain
    product: str
    trait: str
    """Attribute of the thing itself."""

    @property
    def choice(self) -> str:
        """Key of the variant."""
        return CHOICES[self.domain]


@dataclass(frozen=True)
class Habit:
    """What one person takes, in one topic, at the usual site."""

    trait: str
    choice: str


def words_of(value: AttributeValue | None) -> tuple[str, ...]:
    """Return the words an attribute holds; none for numbers and absent ones."""
    if isinstance(value, tuple):
        return value
    return (value,) if isinstance(value, str) else ()


def options_of(item: Item, key: str) -> tuple[str, ...]:
    """Return the options of a variant; none where the thing has no such variant."""
    return next((variant.options for variant in item.variants if variant.key == key), ())


def things(site: Site, product: str, *, city: str = "") -> list[Item]:
    """Return the things of one product, in one city unless none is named."""
    return [
        item
        for item in site.items
        if item.product == product and (not city or item.attributes.get("city") == city.lower())
    ]


def serving(site: Site, topic: Topic, habit: Habit, *, city: str = "") -> list[Item]:
    """Return the things on a site that satisfy a habit."""
    return [
        item
        for item in things(site, topic.product, city=city)
        if habit.trait in words_of(item.attributes.get(topic.trait)) and habit.choice in options_of(item, topic.choice)
    ]


def careless_traits(site: Site, topic: Topic, home: Place) -> set[str]:
    """Return the traits of what comes first on a site, at home, when one searches the product and no more."""
    first = find_items(site, topic.product, {}, location=home)[:1]
    return {word for item in first for word in words_of(item.attributes.get(topic.trait))}


def habits(topic: Topic, site: Site, home: Place) -> list[Habit]:
    """Return the habits that a site can serve and that no careless buyer hits on, in catalogue order."""
    careless = careless_traits(site, topic, home)
    return list(
        dict.fromkeys(
            Habit(trait, choice)
            for item in things(site, topic.product, city=home.city if topic.domain == "restaurants" else "")
            for trait in words_of(item.attributes.get(topic.trait))
            if trait not in careless
            for choice in options_of(item, topic.choice)[1:]
        )
    )


def candidates(world: World, domain: Domain, rng: random.Random) -> Iterator[Topic]:
    """Yield the topics of a domain in seeded order: products that both rivals have, with a trait and a choice."""
    one, other = world.rivals(domain)
    found = {
        (item.product, trait)
        for item in one.items
        for trait in TRAITS[domain]
        if trait in item.attributes and options_of(item, CHOICES[domain]) and things(other, item.product)
    }
    pairs = sorted(found)
    rng.shuffle(pairs)
    return (Topic(domain, product, trait) for product, trait in pairs)
