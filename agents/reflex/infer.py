"""What recurs in a history and is recent: the value of a habit, the usual website, the place, without a model."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from ..parts import Entry
from ..words import SHOP_WORDS, Tokens, contains, content, tokens
from .request import POSTCODE

HALF_LIFE_DAYS = 120.0
"""Age at which an entry counts half."""
KIND_WEIGHT = {"purchase": 1.0, "booking": 1.0, "review": 0.8}
"""What was done counts more than what was looked at; any other kind weighs `LOOKED_AT`."""
LOOKED_AT = 0.4
GIFT_WEIGHT = 0.1
FACT, PROFILE = "fact", "profile"
"""Kinds of what is stated outright, not done: a fact that a memory derived, a sentence of the explicit profile."""
_GIFT = re.compile(r"\b(?:gifts?|present|birthday|wedding|anniversary|wrapped|on behalf|hamper)\b", re.IGNORECASE)
_HOST = re.compile(r"\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?:to|in|at|near|around|from|of)\s+((?:[A-Z][\w'’-]+)(?:\s+[A-Z][\w'’-]+){0,2})"  # noqa: RUF001
)


@dataclass(frozen=True)
class Weighed:
    """An entry with its words and how much it counts, in (0, 1]."""

    entry: Entry
    words: Tokens
    weight: float


class Habits:
    """What a set of entries tells about one kind of thing.

    Args:
        entries: Everything the history showed so far.
        noun: The thing asked for, e.g. `("milk",)`; entries that name it bear on it, and so does what is stated as
            a fact.
        today: The date of asking, ISO.
    """

    def __init__(self, entries: Iterable[Entry], *, noun: Tokens, today: str) -> None:
        self.noun = noun
        self.all = [Weighed(entry, tokens(entry["text"]), weight(entry, today)) for entry in entries]
        self.bearing = [w for w in self.all if w.entry["kind"] == FACT or (noun and set(noun) <= set(w.words))]
        self._total = sum(w.weight for w in self.bearing)

    def shares(self, options: Sequence[str]) -> list[float]:
        """Return how much of what bears on the thing names each of several alternatives, in [0, 1].

        Where one alternative is part of another (`large`, `extra large`), an entry speaks for the longer alone.
        """
        wanted = [tokens(option) for option in options]
        sums = [0.0] * len(options)
        for weighed in self.bearing:
            for place in named(wanted, weighed.words):
                sums[place] += weighed.weight
        return [
            value / self._total if self._total and not set(words) <= set(self.noun) else 0.0
            for value, words in zip(sums, wanted, strict=True)
        ]

    def support(self, option: str) -> tuple[str, ...]:
        """Return the ids of the entries that name an option."""
        wanted = tokens(option)
        return tuple(w.entry["id"] for w in self.bearing if contains(w.words, wanted))

    def recurring(self, *, least: float = 0.2, count: int = 8) -> list[tuple[str, float]]:
        """Return words, number-unit pairs and pairs of words that recur, with their shares, the strongest first.

        What stands in the entries about other things just as often says nothing of this one and is left out.
        """
        rest = [w for w in self.all if w not in self.bearing]
        rest_total = sum(w.weight for w in rest)
        terms = sorted({term for w in self.bearing for term in _terms(w.words)})
        found: list[tuple[str, float]] = []
        for term in terms:
            words = tuple(term.split())
            share = self.shares([term])[0]
            elsewhere = sum(w.weight for w in rest if contains(w.words, words)) / rest_total if rest_total else 0.0
            if share >= least and len(self.support(term)) >= 2 and share > 1.5 * elsewhere:
                found.append((term, share))
        kept: list[tuple[str, float]] = []
        for term, share in sorted(found, key=lambda pair: (-pair[1], -len(pair[0]), pair[0])):
            if not any(contains(tuple(other.split()), tuple(term.split())) for other, _ in kept):
                kept.append((term, share))
        return kept[:count]

    def websites(self, topic: Tokens = ()) -> list[tuple[str, float]]:
        """Return hosts, the usual one first: where such things were taken, or what is stated of such a topic."""
        done = [w for w in self.bearing if w.entry["website"] and _kind(w.entry) > LOOKED_AT]
        votes = [(w.entry["website"], w.weight) for w in done or self.bearing]
        about = set(topic) | set(self.noun)
        for weighed in self.all:
            if weighed.entry["kind"] in (FACT, PROFILE) and about & set(weighed.words):
                votes += [(host.casefold(), len(about & set(weighed.words))) for host in _HOST.findall(weighed.entry["text"])]
        return ranked(votes)

    def shops(self, topic: Tokens) -> list[str]:
        """Return names of shops that are stated as facts, where no host is."""
        return [
            weighed.entry["text"].partition(":")[2].strip() for weighed in self.all
            if weighed.entry["kind"] == FACT and set(topic) & set(tokens(weighed.entry["text"].partition(":")[0]))
            and set(tokens(weighed.entry["text"].partition(":")[0])) & SHOP_WORDS
        ]

    def places(self) -> list[tuple[str, float]]:
        """Return postcodes, then names of places, each with what is recent and recurs first."""
        codes = ranked((code, w.weight) for w in self.all for code in set(POSTCODE.findall(w.entry["text"])))
        names = ranked((name, w.weight) for w in self.all for name in set(_PLACE.findall(w.entry["text"])))
        return codes + names


def named(options: Sequence[Tokens], text: Tokens) -> list[int]:
    """Return which alternatives a text names, without those that are part of a longer one it names."""
    found = [place for place, option in enumerate(options) if contains(text, option)]
    return [
        place for place in found
        if not any(other != place and contains(options[other], options[place]) and options[other] != options[place]
                   for other in found)
    ]


def weight(entry: Entry, today: str) -> float:
    """Return how much an entry counts: recent above old, done above looked at, one's own above a gift."""
    if entry["kind"] in (FACT, PROFILE):
        return 1.0
    gift = GIFT_WEIGHT if _GIFT.search(entry["text"]) else 1.0
    return _kind(entry) * gift * 0.5 ** (_age_days(entry["time"], today) / HALF_LIFE_DAYS)


def ranked(votes: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Add votes up and return names with their share in [0, 1], the strongest first, ties by name."""
    sums: dict[str, float] = defaultdict(float)
    for name, value in votes:
        if name:
            sums[name] += value
    total = sum(sums.values())
    return sorted(((name, value / total) for name, value in sums.items()), key=lambda pair: (-pair[1], pair[0]))


def _kind(entry: Entry) -> float:
    return next((value for name, value in KIND_WEIGHT.items() if name in entry["kind"]), LOOKED_AT)


def _age_days(time: str, today: str) -> float:
    try:
        return max(0.0, float((date.fromisoformat(today[:10]) - date.fromisoformat(time[:10])).days))
    except ValueError:
        return HALF_LIFE_DAYS  # undated, as facts and profiles are: neither new nor old


def _terms(words: Tokens) -> set[str]:
    meaning = set(content(words))
    pairs = {f"{a} {b}" for a, b in itertools.pairwise(words) if a in meaning and b in meaning}
    return meaning | pairs
