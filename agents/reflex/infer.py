"""What recurs in a history and is recent: the value of a habit, the usual website, the place, without a model."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from ..parts import Entry, key_of
from ..words import SHOP_WORDS, Tokens, contains, content, tokens
from .request import POSTCODE

HALF_LIFE_DAYS = 120.0
"""Age at which an entry counts half."""
KIND_WEIGHT = {"purchase": 1.0, "booking": 1.0, "review": 0.8}
"""What was done counts more than what was looked at; any other kind weighs `LOOKED_AT`."""
LOOKED_AT = 0.4
GIFT_WEIGHT = 0.1
ENOUGH = 2
"""Entries that make a habit."""
FACT, PROFILE = "fact", "profile"
"""Kinds of what is stated outright, not done: a fact that a memory derived, a sentence of the explicit profile."""
_GIFT = re.compile(r"\b(?:gifts?|present|birthday|wedding|anniversary|on behalf)\b", re.IGNORECASE)
_HOST = re.compile(r"\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:to|in|at|near|around|from|of)\s+((?:[A-Z][\w'-]+)(?:\s+[A-Z][\w'-]+){0,2})")


@dataclass(frozen=True)
class Weighed:
    """An entry with its words and how much it counts, in (0, 1]."""

    entry: Entry
    words: Tokens
    weight: float


class Evidence:
    """Entries that bear on one question about one kind of thing.

    Args:
        weighed: The entries.
        noun: The thing; its own words tell nothing of it.
    """

    def __init__(self, weighed: Sequence[Weighed], *, noun: Tokens) -> None:
        self.weighed = tuple(weighed)
        self.noun = noun
        self._total = sum(w.weight for w in self.weighed)

    def shares(self, options: Sequence[str]) -> list[float]:
        """Return how much of the evidence names each of several alternatives, in [0, 1].

        Where one alternative is part of another (`large`, `extra large`), an entry speaks for the longer alone.
        One that a single thing was done or looked at for is no habit and has none.
        """
        wanted = [tokens(option) for option in options]
        sums, counts = [0.0] * len(options), [0] * len(options)
        for weighed in self.weighed:
            for place in named(wanted, weighed.words):
                sums[place] += weighed.weight
                counts[place] += ENOUGH if weighed.entry["kind"] in (FACT, PROFILE) else 1
        return [
            value / self._total if count >= ENOUGH and self._total and not set(words) <= set(self.noun) else 0.0
            for value, count, words in zip(sums, counts, wanted, strict=True)
        ]

    def support(self, option: str) -> tuple[str, ...]:
        """Return the ids of the entries that name an option."""
        wanted = tokens(option)
        return tuple(w.entry["id"] for w in self.weighed if contains(w.words, wanted))

    def about(self, topic: Tokens) -> Evidence:
        """Return what is said close to the words of a topic, where a good part of the entries have them."""
        part = [
            Weighed(w.entry, close, w.weight) for w in self.weighed if (close := _close(w.words, topic))
        ]
        stated = any(w.entry["kind"] in (FACT, PROFILE) for w in part)
        told = sum(w.weight for w in part) >= self._total / 3
        return Evidence(part, noun=self.noun) if stated or (told and len(part) > ENOUGH) else self

    def recurring(
        self, rest: Sequence[Weighed] = (), *, without: Tokens = (), count: int = 4
    ) -> list[tuple[str, float]]:
        """Return words, number-unit pairs and pairs of words that recur, with their shares, the strongest first.

        Args:
            rest: Entries about other things: what stands there as often says nothing of this one.
            without: Words that say nothing here, such as the topic's own.
            count: At most so many.
        """
        empty = set(without) | set(self.noun)
        rest_total = sum(w.weight for w in rest)
        found: list[tuple[str, float]] = []
        for term in sorted({term for w in self.weighed for term in _terms(w.words) if not empty & set(term.split())}):
            share = self.shares([term])[0]
            elsewhere = sum(w.weight for w in rest if contains(w.words, tuple(term.split())))
            if share >= 0.2 and share > 1.5 * (elsewhere / rest_total if rest_total else 0.0):
                found.append((term, share))
        kept: list[tuple[str, float]] = []
        for term, share in sorted(found, key=lambda pair: (-pair[1], -len(pair[0]), pair[0])):
            words = tuple(term.split())
            others = [tuple(other.split()) for other, _ in kept]
            if not any(contains(other, words) or contains(words, other) for other in others):
                kept.append((term, share))
        return kept[:count]


class Habits:
    """What a history tells about one kind of thing.

    Args:
        entries: Everything it showed so far.
        noun: The thing asked for, e.g. `("milk",)`; entries that name it bear on it, and so does what is stated as
            a fact.
        today: The date of asking, ISO.
    """

    def __init__(self, entries: Iterable[Entry], *, noun: Tokens, today: str) -> None:
        self.noun = noun
        self.all = [Weighed(entry, _words(entry["text"]), weight(entry, today)) for entry in entries]
        bearing = [w for w in self.all if w.entry["kind"] == FACT or (noun and set(noun) <= set(w.words))]
        self.bearing = Evidence(bearing, noun=noun)
        self.rest = [w for w in self.all if w not in bearing]

    def among(self, keys: Collection[str]) -> Evidence:
        """Return what bears on the thing among some entries; all that does, where none of them do."""
        part = [w for w in self.bearing.weighed if key_of(w.entry) in keys]
        return Evidence(part, noun=self.noun) if part else self.bearing

    def websites(self, topic: Tokens = ()) -> list[tuple[str, float]]:
        """Return hosts, the usual one first: where such things were taken, or what is stated of such a topic."""
        bearing = self.bearing.weighed
        done = [w for w in bearing if w.entry["website"] and _kind(w.entry) > LOOKED_AT]
        votes = [(w.entry["website"], w.weight) for w in done or bearing]
        about = set(topic) | set(self.noun)
        for weighed in self.all:
            if weighed.entry["kind"] in (FACT, PROFILE):
                overlap = len(about & set(weighed.words))
                votes += [(host.casefold(), float(overlap)) for host in _HOST.findall(weighed.entry["text"]) if overlap]
        return ranked(votes)

    def shops(self, topic: Tokens) -> list[str]:
        """Return names of shops that are stated as facts, where no host is."""
        facts = [w.entry["text"].partition(":") for w in self.all if w.entry["kind"] == FACT]
        return [
            value.strip() for about, _, value in facts
            if set(tokens(about)) & SHOP_WORDS and (not topic or set(topic) & set(tokens(about)))
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
    return _kind(entry) * gift * math.exp2(-_age_days(entry["time"], today) / HALF_LIFE_DAYS)


def ranked(votes: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Add votes up and return names with their share in [0, 1], the strongest first, ties in alphabetical order."""
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


def _close(words: Tokens, topic: Tokens) -> Tokens:
    """Return the words around the first word of a topic: up to two before it, as in `twin room`, three after it."""
    place = next((place for place, word in enumerate(words) if word in topic), -1)
    return words[max(0, place - 2) : place + 4] if place >= 0 else ()


def _words(text: str) -> Tokens:
    return tokens(POSTCODE.sub(" ", text))


def _terms(words: Tokens) -> set[str]:
    meaning = {word for word in content(words) if not word.isdigit()}
    pairs = {f"{a} {b}" for a, b in itertools.pairwise(words) if {a, b} & meaning and {a, b} <= set(content(words))}
    return meaning | pairs
