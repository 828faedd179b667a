"""Doing an errand on a site: set the place, search, filter, pick, choose, take. What is wanted comes from outside."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from ..envs.actions import ActionBase, Back, Click, Fill, Goto, Select, Stop
from ..types import Observation
from .pages import Card, Option, Page

MOST_PRESSES = 4
"""Tries to take a thing before giving up."""
MOST_TURNS = 4
"""Further pages of results that are looked at before the best of what is there will do."""


@dataclass(frozen=True)
class Group:
    """Alternatives that a page offers under one name."""

    name: str
    labels: tuple[str, ...]


class Errand(Protocol):
    """What is wanted, to somebody who walks the pages."""

    @property
    def hosts(self) -> Sequence[str]:
        """Where to do it, the best first; empty where that is unknown."""

    @property
    def shops(self) -> Sequence[str]:
        """Words to find the site by, where no host is known."""

    @property
    def places(self) -> Sequence[str]:
        """Towns or postcodes to set where a page asks for one, the best first."""

    @property
    def searches(self) -> Sequence[str]:
        """Words to search a site for, the best first; never empty."""

    def prefers(self, group: Group) -> list[float]:
        """Return how much each alternative is wanted; 0 where nothing speaks for it."""

    def narrows(self, groups: Sequence[Group]) -> list[tuple[int, int]]:
        """Return which filters to set: numbers of group and alternative."""

    def fits(self, text: str) -> float:
        """Return how well a thing fits that is described so; higher is better."""


@dataclass(frozen=True)
class Step:
    """An action and why."""

    action: ActionBase
    why: str


@dataclass
class _Site:
    """What was already done on one site."""

    places_tried: int = 0
    searches_tried: int = 0
    searching: bool = False
    filters: dict[str, int] = field(default_factory=dict)
    """How often each filter was set, by group and label."""
    turned: int = 0
    """Further pages of results looked at."""
    unfiltered: bool = False
    """The filters left nothing and are given up."""
    ticked: bool = False
    """A box was ticked and is not in force yet."""
    seen: set[str] = field(default_factory=set)
    """Names of things looked at."""
    chosen: set[str] = field(default_factory=set)
    """Choices made on pages of things, by address, group and label."""


@dataclass
class _Memory:
    """What was already done."""

    sites: dict[str, _Site] = field(default_factory=dict)
    engine: str = ""
    """Host of the page one starts on, where sites can be looked for."""
    asked: int = 0
    followed: set[str] = field(default_factory=set)
    dead: set[str] = field(default_factory=set)
    """Hosts that cannot be reached."""
    presses: int = 0
    pressed_on: str = ""
    """Address at which the decisive button was pressed, until it is known what came of it."""
    chose: bool = False
    """A choice was made since then."""


class Navigator:
    """Walks pages for one errand, one action a step, by what it sees."""

    def __init__(self) -> None:
        self._now = _Memory()
        self._before = _Memory()
        self._last: ActionBase | None = None
        self._retried = False

    def wants_place(self, observation: Observation) -> bool:
        """Whether the page has a field for the place that was not filled yet."""
        site = self._now.sites.get(host_of(observation["url"]))
        return Page(observation["page"]).location_field is not None and (site is None or site.places_tried == 0)

    def step(self, observation: Observation, errand: Errand) -> Step:
        """Return the next action. What failed is taken as not done, once in a row."""
        failed = bool(observation["error"]) and self._last is not None
        if failed and not self._retried:
            self._now = self._before
        elif failed and isinstance(self._last, Goto):
            self._now.dead.add(host_of(self._last.url))
        self._retried = failed and not self._retried
        self._before = copy.deepcopy(self._now)
        step = self._next(Page(observation["page"]), observation["url"], errand)
        self._last = step.action
        return step

    def _next(self, page: Page, url: str, errand: Errand) -> Step:
        now, host = self._now, host_of(url)
        if page.consent is not None:
            return Step(Click(ref=page.consent.ref), "A banner lies over the page.")
        target = next((known for known in errand.hosts if known not in now.dead), "")
        if target and host != target:
            return Step(Goto(url=f"http://{target}/"), f"{target} is where this is done.")
        if not target and (step := self._by_engine(page, host, errand)):
            return step
        site = now.sites.setdefault(host, _Site())
        if step := self._taken(page, url):
            return step
        if step := self._place(page, site, errand):
            return step
        if page.decisive is not None and page.choices:
            return self._choose(page, site, errand, url)
        if site.searching and (step := self._results(page, site, errand)):
            return step
        return self._search(page, site, errand)

    def _by_engine(self, page: Page, host: str, errand: Errand) -> Step | None:
        """Find a site through the page one starts on; None once another site was come to."""
        now = self._now
        now.engine = now.engine or host
        if host != now.engine:
            return None
        words = [*errand.shops, *errand.searches]
        cards = [card for card in page.cards if card.name not in now.followed] if now.asked else []
        if cards:
            best = max(cards, key=lambda card: _mentions(card, errand.shops))
            now.followed.add(best.name)
            return Step(Click(ref=best.ref), f"{best.name} is the likeliest place for it.")
        if page.search_box is None or now.asked >= len(words):
            return Step(Stop(), "No site for it was found.")
        now.asked += 1
        return Step(Fill(ref=page.search_box.ref, text=words[now.asked - 1], submit=True), "No site is known yet.")

    def _taken(self, page: Page, url: str) -> Step | None:
        """After the decisive button: stop where it worked or never will, else None."""
        now, pressed_on = self._now, self._now.pressed_on
        now.pressed_on = ""
        if pressed_on and not page.alert and url != pressed_on:
            return Step(Stop(), "The page shows that it is done.")
        return Step(Stop(), "It cannot be taken.") if now.presses >= MOST_PRESSES else None

    def _place(self, page: Page, site: _Site, errand: Errand) -> Step | None:
        """Fill in the place; another one, where the page complains of the last."""
        due = site.places_tried == 0 or (page.alert and not site.searching)
        if page.location_field is None or not due or site.places_tried >= len(errand.places):
            return None
        place = errand.places[site.places_tried]
        site.places_tried += 1
        return Step(Fill(ref=page.location_field.ref, text=place, submit=True), f"The site asks for a place: {place}.")

    def _search(self, page: Page, site: _Site, errand: Errand) -> Step:
        if page.search_box is None:
            return Step(Back() if site.searching else Stop(), "There is nothing to search with here.")
        if site.filters and not page.cards and not site.unfiltered:
            # The filters left nothing: rather give up what was guessed than what was asked for.
            site.unfiltered = True
            site.searches_tried -= 1
        if site.searches_tried >= len(errand.searches):
            return Step(Stop(), "Nothing like it was found.")
        text = errand.searches[site.searches_tried]
        site.searches_tried += 1
        site.searching, site.ticked = True, False
        site.filters.clear()
        return Step(Fill(ref=page.search_box.ref, text=text, submit=True), f"Search for {text}.")

    def _results(self, page: Page, site: _Site, errand: Errand) -> Step | None:
        if page.cards and not site.unfiltered and (step := self._filter(page, site, errand)):
            return step
        cards = [card for card in page.cards if card.name not in site.seen]
        if not cards:
            return None
        fits = [errand.fits(card.text) for card in cards]
        onward = page.onward()
        if onward is not None and max(fits) <= 0 and site.turned < MOST_TURNS:
            site.turned += 1
            return Step(Click(ref=onward.ref), "Nothing here fits; there is more.")
        best = cards[fits.index(max(fits))]
        site.seen.add(best.name)
        return Step(Click(ref=best.ref), f"{best.name} fits best.")

    def _filter(self, page: Page, site: _Site, errand: Errand) -> Step | None:
        """Set the next filter that says what is wanted, or put ticked boxes into force."""
        groups = [*_grouped([*page.ticks, *page.filter_links]), *page.choices]
        for place, number in errand.narrows([_offer(group) for group in groups]):
            option = groups[place][number]
            key = f"{option.group}/{option.label}"
            # A link that was followed may not show it; what shows no tick was lost with the page, and set again once.
            if option.chosen or site.filters.get(key, 0) >= (1 if option.role == "link" else 2):
                continue
            site.filters[key] = site.filters.get(key, 0) + 1
            site.ticked = site.ticked or option.role == "checkbox"
            return Step(_choice(option), f"{option.group}: {option.label} is what is wanted.")
        if site.ticked and page.apply_button is not None:
            site.ticked = False
            return Step(Click(ref=page.apply_button.ref), "Put the filters into force.")
        return None

    def _choose(self, page: Page, site: _Site, errand: Errand, url: str) -> Step:
        """Make each choice on a thing's page, then press the button that takes it."""
        now = self._now
        for group in page.choices:
            real = [option for option in group if any(char.isalnum() for char in option.label)]
            if not real:
                continue
            scores = errand.prefers(_offer(real))
            option = real[scores.index(max(scores))]
            key = f"{url} {option.group}/{option.label}"
            undecided = not any(other.chosen for other in real)
            if key not in site.chosen and (undecided or (max(scores) > 0 and not option.chosen)):
                site.chosen.add(key)
                now.chose = True
                why = "is what is wanted" if max(scores) else "is the first there is"
                return Step(_choice(option), f"{option.group}: {option.label} {why}.")
        if page.decisive is None or now.presses >= MOST_PRESSES:
            return Step(Stop(), "It cannot be taken.")
        now.presses += 1
        if page.alert and now.presses > 1 and not now.chose:
            return Step(Back(), f"This one cannot be taken: {page.alert}")
        now.chose, now.pressed_on = False, url
        return Step(Click(ref=page.decisive.ref), "Everything is chosen.")


def host_of(url: str) -> str:
    """Return the host of a URL without `www.`, or empty."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _choice(option: Option) -> ActionBase:
    return Select(ref=option.ref, option=option.label) if option.role == "select" else Click(ref=option.ref)


def _offer(options: Sequence[Option]) -> Group:
    return Group(options[0].group, tuple(option.label for option in options))


def _grouped(options: Sequence[Option]) -> list[list[Option]]:
    groups: dict[str, list[Option]] = {}
    for option in options:
        groups.setdefault(option.group, []).append(option)
    return list(groups.values())


def _mentions(card: Card, names: Sequence[str]) -> int:
    return sum(name.casefold() in card.text.casefold() for name in names)
