"""An entry of a history in the making: the paper's four fields, and what it gives away."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ...envs.world.model import Item
from ...types import Record
from .topics import Habit, Topic, words_of

Fact = tuple[str, str, str]
"""Subject (a product, or `home`), key and value that an entry gives away about its person."""

SEARCH, VISIT, PURCHASE, BOOKING, REVIEW = "web search", "web visit", "purchase", "booking", "review and rating"
KINDS = (SEARCH, VISIT, PURCHASE, BOOKING, REVIEW)
"""The five types of Persona2Web, section 3.1."""


@dataclass(frozen=True)
class Entry:
    """What was done when and where, and the facts that its text shows."""

    time: datetime
    kind: str
    text: str
    host: str
    facts: frozenset[Fact] = frozenset()
    mine: bool = True
    """Done for oneself and at home, not as a gift or a one-off."""

    def record(self, number: int) -> Record:
        """Return the entry as the history desk knows it; facts stay behind."""
        return Record(
            id=record_id(number), kind=self.kind, text=self.text, time=self.time, meta={"website": self.host}
        )


def record_id(number: int) -> str:
    """Return the id of the entry of that place in a history, counted from 1."""
    return f"e{number:04d}"


@dataclass(frozen=True)
class Take:
    """A thing as a person took it or looked at it: described by one trait, in one variant."""

    topic: Topic
    habit: Habit
    item: Item


def fields_of(template: str) -> frozenset[str]:
    """Return the field names of a template."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(template) if name)


def thing_words(product: str, key: str, value: str) -> str:
    """Name a thing by one trait as people do: `oat milk`, `restaurant with vegan options`."""
    if key == "brand":
        return f"{' '.join(w if w == 'and' else w.capitalize() for w in value.split())} {product}"
    if key == "diet" and (" " in value or "-" in value):
        return f"{product} with {value}"
    if key == "cuisine":
        return f"{value.capitalize()} {product}"
    return f"{value} {product}"


def render(template: str, values: Mapping[str, str]) -> str:
    """Fill a template; the first letter of a sentence-like entry is a capital."""
    text = template.format(**values)
    return text[0].upper() + text[1:]


def shown(take: Take, template: str, text: str) -> frozenset[Fact]:
    """Return what a rendered template gives away about a thing: its fields, and the words of its title."""
    fields, item = fields_of(template), take.item
    facts: set[Fact] = set()
    if fields & {"thing", "named", "trait", "said"}:
        facts.add((item.product, take.topic.trait, take.habit.trait))
    if "choice" in fields:
        facts.add((item.product, take.topic.choice, take.habit.choice))
    if fields & {"title", "named"} and item.product in text.lower():
        title = f" {item.title.lower().replace(',', ' ')} "
        facts.update(
            (item.product, key, word)
            for key in ("variety", "fit", "colour", "brand", "cuisine")
            for word in words_of(item.attributes.get(key))
            if f" {word} " in title
        )
    return frozenset(facts)


def pick(rng: random.Random, chances: Mapping[str, float]) -> list[str]:
    """Return the names whose chance came up, in the order given."""
    return [name for name, chance in chances.items() if rng.random() < chance]
