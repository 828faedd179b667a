"""What a request and the habits behind it amount to, for somebody who walks the pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..navigate import Group
from ..parts import Entry, Notes
from ..words import FUNCTION, Tokens, as_written, contains, content, related, tokens
from .infer import PROFILE, Evidence, Habits, named
from .request import Need, Request

STATED = 2.0
"""How much an alternative is wanted that the request names outright; a habit's share is at most 1."""
FILTER_FROM = 0.3
"""Least share for which results are narrowed down by a filter that is not named after the need."""
HOME_QUERY = "delivered to home address"


@dataclass(frozen=True)
class Question:
    """What to ask the history for one need."""

    query: str
    need: Need


def questions(request: Request) -> list[Question]:
    """Return what to ask for everything a request leaves open: preferences, website, place."""
    noun = as_written(request.nouns[0], request.text)
    asked: dict[str, Question] = {}
    for need in request.needs:
        if need.kind == "preference":
            said = [word for word in content(tokens(need.phrase)) if word not in request.verbs]
            query = as_written(dict.fromkeys([*request.nouns[0], *said]), request.text)
            asked.setdefault(query, Question(query, need))
    if not request.host and not request.shops:
        need = next((need for need in request.needs if need.kind == "website"), Need("website", "where to get it"))
        asked.setdefault(f"{noun} order", Question(f"{noun} order", need))
    if not request.postcode:
        home = Need("location", "where the person is")
        need = next((need for need in request.needs if need.kind == "location"), home)
        asked.setdefault(HOME_QUERY, Question(HOME_QUERY, need))
    return list(asked.values())


class Wants:
    """An errand (see `habitus.agents.navigate`) made from words and recurrence.

    Args:
        request: What was asked.
        notes: What the history showed so far.
        today: The date of asking, ISO.
    """

    def __init__(self, request: Request, notes: Notes, *, today: str) -> None:
        entries = sentences(notes.entries.values())
        self.request = request
        self.noun = _noun(request, entries)
        self.habits = Habits(entries, noun=self.noun, today=today)
        self._answers = notes.answers

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
        rest = [word for word in self.request.keywords if word not in self.noun][:4]
        texts = ([*rest, *self.noun], self.noun, self.noun[-1:])
        return list(dict.fromkeys(as_written(text, self.request.text) for text in texts))

    @cached_property
    def evidence(self) -> dict[Need, Evidence]:
        """For each preference left open: what its answer tells, in the topic's words where it can."""
        return {
            question.need: self.habits.among(self._answers.get(question.query, ())).about(question.need.topic)
            for question in questions(self.request) if question.need.kind == "preference"
        }

    def prefers(self, group: Group) -> list[float]:
        """Return `STATED` for what the request names, else the share of the evidence.

        The evidence is that of the need the group is named after; where there is none, whatever speaks loudest.
        """
        spoken = self._stated(group.labels)
        if spoken:
            return [STATED if place in spoken else 0.0 for place in range(len(group.labels))]
        for need in self.evidence:
            shares = self._all_on(need).shares(group.labels)
            if related(tokens(group.name), need.topic) and any(shares):
                return shares
        every = [evidence.shares(group.labels) for evidence in (*self.evidence.values(), self.habits.bearing)]
        return [max(values) for values in zip(*every, strict=True)]

    def narrows(self, groups: Sequence[Group]) -> list[tuple[int, int]]:
        """Return whatever the request names, and for each need the alternative its evidence speaks for most.

        A filter is known by its values. A group that is named after the need is merely looked at first, and by
        everything the history told.
        """
        found = [(place, number) for place, group in enumerate(groups) for number in sorted(self._stated(group.labels))]
        free = [place for place in range(len(groups)) if place not in {taken for taken, _ in found}]
        for need, evidence in self.evidence.items():
            own = [place for place in free if related(tokens(groups[place].name), need.topic)]
            best = _best(groups, own, self._all_on(need)) or _best(groups, free, evidence, least=FILTER_FROM)
            if best:
                found.append(best)
        return list(dict.fromkeys(found))

    def fits(self, text: str) -> float:
        """Return the sum of what recurs and of what was stated in a description."""
        words = tokens(text)
        return sum(value for term, value in self._terms.items() if contains(words, tuple(term.split())))

    @cached_property
    def _terms(self) -> dict[str, float]:
        terms = {word: STATED for word in self.request.keywords}
        for evidence in self.evidence.values():
            terms |= dict(evidence.recurring(self.habits.rest))
        return terms

    def _all_on(self, need: Need) -> Evidence:
        return self.habits.bearing.about(need.topic)

    def _stated(self, labels: Sequence[str]) -> set[int]:
        wanted = [tokens(label) for label in labels]
        spoken = {place for piece in self.request.stated for place in named(wanted, piece)}
        return {place for place in spoken if not set(wanted[place]) <= set(self.noun) and set(wanted[place]) - FUNCTION}

    @property
    def _shop_topic(self) -> Tokens:
        return next((need.topic for need in self.request.needs if need.kind == "website"), ())


def _best(
    groups: Sequence[Group], places: Sequence[int], evidence: Evidence, *, least: float = 0.1
) -> tuple[int, int] | None:
    """Return the alternative that evidence speaks for most, by group and number; None where that is too little."""
    ranked = [
        (share, -place, -number)
        for place in places for number, share in enumerate(evidence.shares(groups[place].labels)) if share >= least
    ]
    _, place, number = max(ranked, default=(0.0, 1, 0))
    return (-place, -number) if ranked else None


def sentences(entries: Iterable[Entry]) -> list[Entry]:
    """Read each line of a profile as an entry of its own."""
    return [
        {**entry, "text": line}
        for entry in entries
        for line in (entry["text"].splitlines() if entry["kind"] == PROFILE else [entry["text"]])
    ]


def _noun(request: Request, entries: Sequence[Entry]) -> Tokens:
    """Return the thing asked for: the first noun that the history speaks of, a pair before its head."""
    texts = [set(tokens(entry["text"])) for entry in entries]
    counts = {noun: sum(set(noun) <= text for text in texts) for noun in request.nouns[:4]}
    for noun in request.nouns[:4]:
        if len(noun) == 2 and counts[noun] >= 2 and counts[noun] >= 0.6 * max(1, counts.get(noun[-1:], 0)):
            return noun
        if len(noun) == 1 and counts[noun] >= 2:
            return noun
    return request.nouns[0]
