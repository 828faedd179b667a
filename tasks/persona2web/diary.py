"""A year of one person's browsing: errands that recur, old and changed habits, gifts, one-offs, a move, noise."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta

from ...envs.world.model import Domain, Item, Place, Site, World
from . import wording
from .changes import Change
from .entries import (
    BOOKING,
    PURCHASE,
    REVIEW,
    SEARCH,
    VISIT,
    Entry,
    Fact,
    Take,
    fields_of,
    pick,
    render,
    shown,
    thing_words,
)
from .personas import START, Persona
from .topics import DOMAINS, TRAITS, Habit, Topic, options_of, serving, things, words_of

_LAST_DAY = 363
"""Days after the start; the last entry lies on the day before the asking."""
_EARLY = 75
"""Days in which old habits still show."""
_OTHERS: dict[Domain, int] = {"groceries": 26, "apparel": 9, "hotels": 3, "restaurants": 6}
"""Errands for things that no task asks for, by domain."""
_ERRANDS: dict[Domain, int] = {"groceries": 13, "apparel": 7, "hotels": 7, "restaurants": 10}
"""Errands of one topic in a year."""
_BEFORE, _AFTER = 18, 6
"""Errands before and after the change of a habit: one in some two weeks, throughout."""
_TOTAL = (432, 468)

_CHANCES: dict[Domain, dict[str, float]] = {
    "groceries": {SEARCH: 0.4, VISIT: 0.35, PURCHASE: 1.0, REVIEW: 0.15},
    "apparel": {SEARCH: 0.6, VISIT: 0.7, PURCHASE: 1.0, REVIEW: 0.4},
    "hotels": {SEARCH: 0.6, VISIT: 0.6, BOOKING: 1.0, REVIEW: 0.4},
    "restaurants": {SEARCH: 0.5, VISIT: 0.4, BOOKING: 1.0, REVIEW: 0.35},
}
"""How likely each step of an errand leaves an entry."""

_UNTIL_REVIEW: dict[Domain, tuple[int, int]] = {
    "groceries": (1, 6), "apparel": (2, 12), "hotels": (24, 32), "restaurants": (1, 3),
}  # fmt: skip
"""Days from taking a thing to rating it."""

_TEMPLATES = {
    SEARCH: wording.SEARCHES, VISIT: wording.VISITS, PURCHASE: wording.ACTS, BOOKING: wording.ACTS,
    REVIEW: wording.REVIEWS,
}  # fmt: skip


class Diary:
    """Writes the entries of one person; each method adds one strand of the year."""

    def __init__(self, world: World, persona: Persona, changes: Sequence[Change]) -> None:
        self.world, self.persona, self.changes = world, persona, {change.topic: change for change in changes}
        self.rng = random.Random(f"diary/{world.seed}/{persona.id}")  # noqa: S311 - a seeded draw, nothing secret
        self.entries: list[Entry] = []
        self.wavering = self.rng.choice(DOMAINS)
        """The domain whose usual site was found only in spring."""

    def write(self) -> tuple[Entry, ...]:
        """Return the whole year in order of time."""
        turned = {self.rng.choice([t for t in self.persona.habits if t.domain == domain]) for domain in DOMAINS}
        for topic, habit in self.persona.habits.items():
            if topic in self.changes:
                self.changed(self.changes[topic])
            else:
                self.habit(topic, habit, turned=topic in turned)
        for domain, count in _OTHERS.items():
            for _ in range(count):
                self.other(domain)
        for domain in (*DOMAINS, "apparel"):
            self.aside(domain, wording.GIFTS[domain])
        for domain in DOMAINS:
            self.aside(domain, wording.ONE_OFFS[domain])
        self.move()
        self.rivals()
        self.everyday(self.rng.randint(*_TOTAL))
        return tuple(sorted(self.entries, key=lambda entry: (entry.time, entry.text)))

    def habit(self, topic: Topic, habit: Habit, *, turned: bool) -> None:
        """Write the errands of a habit; one that was turned to in spring has an older one before it."""
        count, first = _ERRANDS[topic.domain], _EARLY if turned else 0
        for day in self._days(first, _LAST_DAY + 1, count):
            self.errand(topic, habit, day)
        older = self._unlike(topic, self._usual(topic.domain)).habit
        for _ in range(self.rng.randint(2, 3) if turned else 1):
            self.errand(topic, older, self.rng.randrange(_EARLY))

    def changed(self, change: Change) -> None:
        """Write the errands of the habit that changed: the old values, then the new ones alone."""
        switch = (change.on - START).days
        for day in self._days(0, switch, _BEFORE):
            self.errand(change.topic, change.old, day)
        for day in self._days(switch, _LAST_DAY + 1, _AFTER):
            self.errand(change.topic, change.new, day)

    def errand(self, topic: Topic, habit: Habit, day: int) -> None:
        """Write one errand at a site that serves it: search, look, take, rate, each as chance has it."""
        time = self._time(day)
        home = self.persona.home_at(time)
        city = home.city if topic.domain == "restaurants" else ""
        for site in (self._site(topic.domain, day), self._usual(topic.domain)):
            if found := serving(site, topic, habit, city=city):
                self._steps(Take(topic, habit, self.rng.choice(found)), site=site, time=time, home=home)
                return

    def other(self, domain: Domain) -> None:
        """Write an errand for a thing in which the person has no habit; rooms and tables are only looked at."""
        time = self._time(self.rng.randint(0, _LAST_DAY))
        site, home = self._usual(domain), self.persona.home_at(time)
        if domain in ("groceries", "apparel"):
            known = {topic.product for topic in self.persona.habits}
            take = self._any([item for item in site.items if item.product not in known], domain)
            self._steps(take, site=site, time=time, home=home)
        else:
            self._look(domain, site, time)

    def aside(self, domain: Domain, templates: Sequence[str]) -> None:
        """Write what was done for others, or once: never with the values of a habit."""
        topic = self.rng.choice([topic for topic in self.persona.habits if topic.domain == domain])
        time = self._time(self.rng.randint(20, _LAST_DAY))
        place = self.rng.choice([place for place in self.world.places if place != self.persona.home_at(time)])
        site = self.rng.choice(self.world.rivals(domain))
        take = self._unlike(topic, site, city=place.city if domain == "restaurants" else "")
        kind = PURCHASE if domain in ("groceries", "apparel") else BOOKING
        self._note(kind, self.rng.choice(templates), take, site=site, time=time, home=place, mine=False)

    def move(self) -> None:
        """Write the weeks around a change of home, if there was one."""
        persona = self.persona
        if persona.old_home is None or persona.moved is None:
            return
        for kind, template in wording.MOVING:
            time = persona.moved + timedelta(days=self.rng.randint(-20, 12), hours=self.rng.randint(9, 20))
            text = template.format(old=persona.old_home.city, place=_address(persona.home))
            self._add(Entry(time, kind, text, self.world.start_host, _home_facts(persona.home)))

    def rivals(self) -> None:
        """Write looks at the other site of each domain that led to nothing."""
        for domain in DOMAINS:
            for _ in range(self.rng.randint(3, 5)):
                self._look(domain, self._rival(domain), self._time(self.rng.randint(0, _LAST_DAY)))

    def everyday(self, total: int) -> None:
        """Fill up to a total with searches of everyday life, some of them about the home town."""
        for template in wording.LOCAL:
            time = self._time(self.rng.randint(0, _LAST_DAY))
            home = self.persona.home_at(time)
            self._add(Entry(time, SEARCH, template.format(place=_address(home)), self.world.start_host,
                            _home_facts(home)))  # fmt: skip
        towns = sorted({str(item.attributes["city"]).title() for item in self.world.rivals("hotels")[0].items})
        while len(self.entries) < total:
            values = {field: self.rng.choice(options) for field, options in wording.FILLERS.items()}
            text = self.rng.choice(wording.NOISE).format(
                away=self.rng.choice(towns), n=self.rng.randint(2, 8), **values
            )
            kind = SEARCH if self.rng.random() < 0.8 else VISIT
            text = text if kind == SEARCH else f"Results page for {text}"
            self._add(Entry(self._time(self.rng.randint(0, _LAST_DAY)), kind, text, self.world.start_host))

    def _steps(self, take: Take, *, site: Site, time: datetime, home: Place) -> None:
        for kind in pick(self.rng, _CHANCES[take.topic.domain]):
            days = self.rng.randint(*_UNTIL_REVIEW[take.topic.domain]) if kind == REVIEW else 0
            time += timedelta(minutes=self.rng.randint(2, 14))
            template = self.rng.choice(_TEMPLATES[kind][take.topic.domain])
            self._note(kind, template, take, site=site, time=time + timedelta(days=days), home=home)

    def _look(self, domain: Domain, site: Site, time: datetime) -> None:
        home = self.persona.home_at(time)
        near = [item for item in site.items if domain != "restaurants" or item.attributes["city"] == home.city.lower()]
        template = self.rng.choice(wording.VISITS[domain])
        self._note(VISIT, template, self._any(near, domain), site=site, time=time, home=home)

    def _note(
        self, kind: str, template: str, take: Take, *, site: Site, time: datetime, home: Place, mine: bool = True
    ) -> None:
        text = render(template, self._values(take, site=site, time=time, home=home))
        facts = shown(take, template, text)
        if fields_of(template) & {"place", "town"}:
            facts |= _home_facts(home)
        on_site = kind != SEARCH or self.rng.random() < 0.4
        self._add(Entry(time, kind, text, site.host if on_site else self.world.start_host, facts, mine))

    def _values(self, take: Take, *, site: Site, time: datetime, home: Place) -> dict[str, str]:
        """Return a value for every field that a template of an errand may have."""
        rng, item, price = self.rng, take.item, take.item.attributes.get("price")
        thing = thing_words(item.product, take.topic.trait, take.habit.trait)
        known = {topic.product for topic in self.persona.habits}
        return {
            "thing": thing,
            "named": item.title if thing.lower() in item.title.lower() else f"{item.title} ({thing})",
            "bare": item.product,
            "trait": take.habit.trait,
            "said": self._said(take),
            "choice": take.habit.choice,
            "title": item.title,
            "site": site.name,
            "place": _address(home),
            "elsewhere": _address(home),
            "town": home.city,
            "away": str(item.attributes.get("city", "")).title(),
            "other": rng.choice([other for other in site.items if other.product not in known] or [item]).title,
            "n": str(rng.randint(2, 5)),
            "price": f"{price:.2f}" if isinstance(price, float) else "",
            "date": f"{time + timedelta(days=20):%d %B}".lstrip("0"),
            "clock": rng.choice(("18:30", "19:00", "20:00")),
            "stars": str(rng.randint(3, 5)),
            "remark": rng.choice(wording.REMARKS[take.topic.domain]),
            "friend": rng.choice(self.persona.friends),
        }

    def _said(self, take: Take) -> str:
        """Return the trait as a booking page prints it: often under its heading."""
        heading = {"board": "meal plan ", "facility": "amenity "}.get(take.topic.trait, "")
        return (heading if self.rng.random() < 0.6 else "") + take.habit.trait

    def _any(self, items: Sequence[Item], domain: Domain) -> Take:
        """Draw a thing, one of its traits and any option."""
        item = self.rng.choice(items)
        key = self.rng.choice([key for key in TRAITS[domain] if words_of(item.attributes.get(key))])
        topic = Topic(domain, item.product, key)
        habit = Habit(
            self.rng.choice(words_of(item.attributes[key])), self.rng.choice(options_of(item, topic.choice))
        )
        return Take(topic, habit, item)

    def _unlike(self, topic: Topic, site: Site, *, city: str = "") -> Take:
        """Draw a thing of the topic with values that are not the habit's."""
        habit = self.persona.habits[topic]
        item, word = self.rng.choice(
            [
                (item, word)
                for item in things(site, topic.product, city=city)
                for word in words_of(item.attributes.get(topic.trait))
                if word != habit.trait
            ]
        )
        choice = self.rng.choice([option for option in options_of(item, topic.choice) if option != habit.choice])
        return Take(topic, Habit(word, choice), item)

    def _site(self, domain: Domain, day: int) -> Site:
        """Draw where an errand is done: nearly always at the usual site, in spring less so where it wavered."""
        away = 0.6 if domain == self.wavering and day < _EARLY else 0.05
        return self._rival(domain) if self.rng.random() < away else self._usual(domain)

    def _rival(self, domain: Domain) -> Site:
        return next(site for site in self.world.rivals(domain) if site.host != self.persona.sites[domain])

    def _usual(self, domain: Domain) -> Site:
        return next(site for site in self.world.rivals(domain) if site.host == self.persona.sites[domain])

    def _days(self, first: int, end: int, count: int) -> list[int]:
        """Draw days at an even pace, the end left out."""
        return [first + int((turn + self.rng.random()) * (end - first) / count) for turn in range(count)]

    def _time(self, day: int) -> datetime:
        return START + timedelta(days=min(day, _LAST_DAY), minutes=self.rng.randint(0, 12 * 60))

    def _add(self, entry: Entry) -> None:
        """Keep an entry that falls into the year, and not back behind a change nor ahead of it."""
        within = START <= entry.time < START + timedelta(days=_LAST_DAY + 1)
        if within and not (entry.mine and any(change.denies(entry) for change in self.changes.values())):
            self.entries.append(entry)


def _address(place: Place) -> str:
    return f"{place.city}, {place.postcode}"


def _home_facts(place: Place) -> frozenset[Fact]:
    return frozenset({("home", "city", place.city)})
