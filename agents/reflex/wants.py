"""What a request and the habits behind it amount to, for somebody who walks the pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..parts import Entry
from ..words import Tokens, contains, tokens
from .infer import Habits, named
from .request import Request

STATED = 2.0
"""How much an alternative is wanted that the request names outright; a habit's share is at most 1."""


class Wants:
    """An errand (see `habitus.agents.navigate`) made from words and recurrence.

    Args:
        request: What was asked.
        entries: Every entry of the history seen.
        today: The date of asking, ISO.
    """

    def __init__(self, request: Request, entries: Sequence[Entry], *, today: str) -> None:
        self.request = request
        self.noun = _noun(request, entries)
        self.habits = Habits(entries, noun=self.noun, today=today)

    @cached_property
    def hosts(self) -> list[str]:
        """The address stated, else the usual websites for such a thing."""
        if self.request.host:
            return [self.request.host]
        return [] if self.request.shops else [host for host, _ in self.habits.websites(self._shop_topic)]

    @cached_property
    def shops(self) -> list[str]:
        """Names that may be a website's: stated, or given as a fact."""
        return [*self.request.shops, *self.habits.shops(self._shop_topic)]

    @cached_property
    def places(self) -> list[str]:
        """The postcode stated, else those of the history."""
        stated = [self.request.postcode] if self.request.postcode else []
        return stated or [place for place, _ in self.habits.places()][:4]

    @cached_property
    def searches(self) -> list[str]:
        """The thing with what is said of it, then the thing alone."""
        noun = " ".join(self.noun)
        rest = [word for word in self.request.keywords if word not in self.noun][:4]
        return list(dict.fromkeys([" ".join([*rest, noun]), noun, self.noun[-1]]))

    def prefers(self, labels: Sequence[str]) -> list[float]:
        """Return `STATED` for what the request names, else the share of the history that names it."""
        wanted = [tokens(label) for label in labels]
        spoken = {place for piece in self.request.stated for place in named(wanted, piece)}
        spoken = {place for place in spoken if not set(wanted[place]) <= set(self.noun)}
        if spoken:
            return [STATED if place in spoken else 0.0 for place in range(len(labels))]
        return self.habits.shares(labels)

    def fits(self, text: str) -> float:
        """Return the sum of what recurs and of what was stated in a description."""
        found = tokens(text)
        terms = {word: STATED for word in self.request.keywords} | dict(self.recurring)
        return sum(value for term, value in terms.items() if contains(found, tuple(term.split())))

    @cached_property
    def recurring(self) -> list[tuple[str, float]]:
        """What recurs about such a thing."""
        return self.habits.recurring()

    @property
    def _shop_topic(self) -> Tokens:
        return next((need.topic for need in self.request.needs if need.kind == "website"), ())


def _noun(request: Request, entries: Sequence[Entry]) -> Tokens:
    """Return which of the nouns is the thing asked for: the first that the history speaks of, a pair before its head."""
    texts = [set(tokens(entry["text"])) for entry in entries]
    counts = {noun: sum(set(noun) <= text for text in texts) for noun in request.nouns[:4]}
    for noun in request.nouns[:4]:
        if len(noun) == 2 and counts[noun] >= 2 and counts[noun] >= 0.6 * max(1, counts.get(noun[-1:], 0)):
            return noun
        if len(noun) == 1 and counts[noun] >= 2:
            return noun
    return request.nouns[0]
