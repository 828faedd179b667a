"""Doing an errand on a site: set the place, search, filter, pick, choose, take. What is wanted comes from outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from ..envs.actions import ActionBase, Back, Click, Fill, Goto, Select, Stop
from ..types import Observation
from .pages import Card, Option, Page

MOST_PRESSES = 4
"""Tries to take a thing before giving up."""


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

    def prefers(self, labels: Sequence[str]) -> list[float]:
        """Return how much each of several alternatives is wanted; 0 where nothing speaks for it."""

    def fits(self, text: str) -> float:
        """Return how well a thing fits that is described so; higher is better."""


@dataclass
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
    settled: set[str] = field(default_factory=set)
    """Filters that were set, by group and label."""
    ticked: bool = False
    """A box was ticked and is not in force yet."""
    seen: set[str] = field(default_factory=set)
    """Names of things looked at."""
    chosen: set[str] = field(default_factory=set)
    """Choices made on the thing's page that is open."""


class Navigator:
    """Walks pages for one errand, one action a step, by what it sees.

    Args:
        filter_from: Least preference for which a filter is set, in the errand's own measure.
    """

    def __init__(self, *, filter_from: float = 0.25) -> None:
        self._filter_from = filter_from
        self._sites: dict[str, _Site] = {}
        self._presses = 0
        self._pressed_on = ""
        self._last: ActionBase | None = None
        self._hosts_failed: set[str] = set()
        self._engine = ""
        self._asked = 0
        self._followed: set[str] = set()
        self._chose = False

    def wants_place(self, observation: Observation) -> bool:
        """Whether the page has a field for the place that was not filled yet."""
        page = Page(observation["page"])
        site = self._sites.get(host_of(observation["url"]), _Site())
        return page.location_field is not None and site.places_tried == 0

    def step(self, observation: Observation, errand: Errand) -> Step:
        """Return the next action."""
        page = Page(observation["page"])
        host = host_of(observation["url"])
        step = self._next(page, host, observation, errand)
        self._last = step.action
        return step

    def _next(self, page: Page, host: str, observation: Observation, errand: Errand) -> Step:
        if isinstance(self._last, Goto) and observation["error"]:
            self._hosts_failed.add(host_of(self._last.url))
        if page.consent is not None:
            return Step(Click(ref=page.consent.ref), "A banner lies over the page.")
        target = next((known for known in errand.hosts if known not in self._hosts_failed), "")
        if target and host != target:
            return Step(Goto(url=f"http://{target}/"), f"{target} is where this is done.")
        if not target and (step := self._by_engine(page, host, errand)):
            return step
        site = self._sites.setdefault(host, _Site())
        if step := self._taken(page, observation):
            return step
        if step := self._place(page, site, errand):
            return step
        if page.decisive is not None and page.choices:
            return self._choose(page, site, errand, observation)
        site.chosen.clear()
        if site.searching and page.cards and (step := self._results(page, site, errand)):
            return step
        return self._search(page, site, errand)

    def _by_engine(self, page: Page, host: str, errand: Errand) -> Step | None:
        """Find a site through the page one starts on; None once another site was come to."""
        self._engine = self._engine or host
        if host != self._engine:
            return None
        words = [*errand.shops, *errand.searches]
        cards = [card for card in page.cards if card.name not in self._followed] if self._asked else []
        if cards:
            best = max(cards, key=lambda card: _named(card, errand.shops))
            self._followed.add(best.name)
            return Step(Click(ref=best.ref), f"{best.name} is the likeliest place for it.")
        if page.search_box is None or self._asked >= len(words):
            return Step(Stop(), "No site for it was found.")
        self._asked += 1
        return Step(Fill(ref=page.search_box.ref, text=words[self._asked - 1], submit=True), "No site is known yet.")

    def _taken(self, page: Page, observation: Observation) -> Step | None:
        """After the decisive button: stop where it worked or will not, else None."""
        if not self._pressed_on:
            return None
        if not page.alert and not observation["error"] and observation["url"] != self._pressed_on:
            return Step(Stop(), "The page shows that it is done.")
        self._pressed_on = ""
        return Step(Stop(), "It cannot be taken.") if self._presses >= MOST_PRESSES else None

    def _place(self, page: Page, site: _Site, errand: Errand) -> Step | None:
        box = page.location_field
        refused = site.places_tried > 0 and page.alert and not site.searching
        if box is None or site.places_tried >= len(errand.places) or (site.places_tried and not refused):
            return None
        place = errand.places[site.places_tried]
        site.places_tried += 1
        return Step(Fill(ref=box.ref, text=place, submit=True), f"The site asks for a place: {place}.")

    def _search(self, page: Page, site: _Site, errand: Errand) -> Step:
        if page.search_box is None:
            return Step(Back() if site.searching else Stop(), "There is nothing to search with here.")
        if site.searches_tried >= len(errand.searches):
            return Step(Stop(), "Nothing like it was found.")
        text = errand.searches[site.searches_tried]
        site.searches_tried += 1
        site.searching, site.ticked = True, False
        site.settled.clear()
        return Step(Fill(ref=page.search_box.ref, text=text, submit=True), f"Search for {text}.")

    def _results(self, page: Page, site: _Site, errand: Errand) -> Step | None:
        if step := self._filter(page, site, errand):
            return step
        cards = [card for card in page.cards if card.name not in site.seen]
        if not cards:
            return None
        best = max(cards, key=lambda card: errand.fits(card.text))
        onward = page.onward()
        if onward is not None and errand.fits(best.text) <= 0:
            return Step(Click(ref=onward.ref), "Nothing here fits; there is more.")
        site.seen.add(best.name)
        return Step(Click(ref=best.ref), f"{best.name} fits best.")

    def _filter(self, page: Page, site: _Site, errand: Errand) -> Step | None:
        """Set the next filter that says what is wanted, or put ticked boxes into force."""
        for group in _grouped([*page.ticks, *page.filter_links]) + page.choices:
            scores = errand.prefers([option.label for option in group])
            score, option = max(zip(scores, group, strict=True), key=lambda pair: pair[0])
            key = f"{option.group}/{option.label}"
            if score < self._filter_from or key in site.settled or any(other.chosen for other in group if other is option):
                continue
            site.settled.add(key)
            site.ticked = site.ticked or option.role == "checkbox"
            return Step(_choice(option), f"{option.group}: {option.label} is what is wanted.")
        if site.ticked and page.apply_button is not None:
            site.ticked = False
            return Step(Click(ref=page.apply_button.ref), "Put the filters into force.")
        return None

    def _choose(self, page: Page, site: _Site, errand: Errand, observation: Observation) -> Step:
        """Make each choice on a thing's page, then press the button that takes it."""
        for group in page.choices:
            real = [option for option in group if any(char.isalnum() for char in option.label)]
            scores = errand.prefers([option.label for option in real])
            if not real:
                continue
            score, option = max(zip(scores, real, strict=True), key=lambda pair: pair[0])
            open_choice = not any(other.chosen for other in real)
            key = f"{observation['url']} {option.group}/{option.label}"
            if key not in site.chosen and (open_choice or (score > 0 and not option.chosen)):
                site.chosen.add(key)
                self._chose = True
                return Step(_choice(option), f"{option.group}: {option.label}" + ("." if score else ", for want of a preference."))
        if self._presses >= MOST_PRESSES or page.decisive is None:
            return Step(Stop(), "It cannot be taken.")
        if page.alert and self._presses and not self._chose:
            self._presses += 1
            return Step(Back(), f"The page says: {page.alert}")
        self._presses += 1
        self._chose = False
        self._pressed_on = observation["url"]
        return Step(Click(ref=page.decisive.ref), "Everything is chosen.")


def host_of(url: str) -> str:
    """Return the host of a URL without `www.`, or empty."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _choice(option: Option) -> ActionBase:
    return Select(ref=option.ref, option=option.label) if option.role == "select" else Click(ref=option.ref)


def _grouped(options: Sequence[Option]) -> list[list[Option]]:
    groups: dict[str, list[Option]] = {}
    for option in options:
        groups.setdefault(option.group, []).append(option)
    return list(groups.values())


def _named(card: Card, shops: Sequence[str]) -> int:
    return sum(shop.casefold() in card.text.casefold() for shop in shops)
