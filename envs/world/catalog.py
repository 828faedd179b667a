"""A world from a seed: sites, wording, things and towns, drawn from the pools; a pure function of the seed."""

from __future__ import annotations

import functools
import random
import string
from datetime import date, timedelta
from typing import NamedTuple

from . import stock
from .model import Control, Domain, Facet, Item, Layout, Place, Site, World
from .vocabulary import SITE_NAMES, START_NAMES, TOWNS
from .wording import draw_themes, draw_words

DOMAINS: tuple[Domain, ...] = ("groceries", "apparel", "hotels", "restaurants")
CONTROLS: tuple[Control, ...] = ("checkbox", "select", "links")

FACETS: dict[Domain, tuple[str, ...]] = {
    "groceries": ("product", "variety", "label", "brand"),
    "apparel": ("product", "fit", "colour", "material", "brand"),
    "hotels": ("city", "board", "facility", "brand"),
    "restaurants": ("cuisine", "diet", "price_band"),
}
"""The canonical attributes that a domain's sites filter by."""

_TOWNS_IN_A_WORLD = 6
_FIRST_ARRIVAL = date(2026, 3, 6)
_ARRIVALS = 6


class _Face(NamedTuple):
    """What sets a site apart from its rival."""

    name: str
    layout: Layout
    control: Control
    theme: dict[str, str]
    words: dict[str, str]


@functools.lru_cache(maxsize=32)
def build_world(seed: int) -> World:
    """Return the local web of a seed: a start page and two rival sites in each of four domains.

    The same seed gives the same bytes on every machine; another seed gives other hosts, wording, themes, things and
    towns. Both rivals of a domain sell the same products in the same values, as other things of other brands.
    """
    rng = random.Random(f"habitus-world-{seed}")  # noqa: S311 - a catalogue, no secret
    places = _places(rng)
    themes = draw_themes(rng, 2 * len(DOMAINS))
    sites: list[Site] = []
    for number, domain in enumerate(DOMAINS):
        faces = _faces(rng, domain, themes[2 * number:2 * number + 2])
        sites += _rivals(rng, domain, faces, places)
    start = rng.choice(START_NAMES)
    return World(seed=seed, start_host=_host(start), start_name=start, sites=tuple(sites), places=places)


def _places(rng: random.Random) -> tuple[Place, ...]:
    areas = rng.sample(string.ascii_uppercase, _TOWNS_IN_A_WORLD)
    return tuple(
        Place(city=town, postcode=f"{area}{rng.choice('ABEHLNRST')}{rng.randint(1, 19)} "
                                  f"{rng.randint(1, 9)}{''.join(rng.sample('ABDEFGHJLN', 2))}")
        for town, area in zip(rng.sample(TOWNS, _TOWNS_IN_A_WORLD), areas, strict=True)
    )


def _faces(rng: random.Random, domain: Domain, themes: list[dict[str, str]]) -> list[_Face]:
    first, second = SITE_NAMES[domain]
    names = [a + b for a, b in zip(rng.sample(first, 2), rng.sample(second, 2), strict=True)]
    layouts: list[Layout] = rng.sample(["sidebar", "toolbar"], 2)
    controls = rng.sample(CONTROLS, 2)
    return [_Face(*face) for face in zip(names, layouts, controls, themes, draw_words(rng, domain), strict=True)]


def _rivals(rng: random.Random, domain: Domain, faces: list[_Face], places: tuple[Place, ...]) -> list[Site]:
    if domain == "groceries":
        goods = stock.groceries(rng)
    elif domain == "apparel":
        goods = stock.apparel(rng)
    elif domain == "hotels":
        goods = stock.hotels(rng, _arrivals(rng))
    else:
        goods = stock.restaurants(rng, tuple(place.city.lower() for place in places))
    return [_site(rng, domain, face, things) for face, things in zip(faces, goods, strict=True)]


def _site(rng: random.Random, domain: Domain, face: _Face, things: list[Item]) -> Site:
    ids = _ids(rng, len(things))
    # The order of a catalogue is the site's popularity, which breaks ties of every search.
    shuffled = rng.sample(things, len(things))
    items = tuple(item.model_copy(update={"id": item_id}) for item, item_id in zip(shuffled, ids, strict=True))
    facets = tuple(Facet(key=key, label=face.words[key]) for key in FACETS[domain])
    return Site(host=_host(face.name), items=items, facets=facets, domain=domain, **face._asdict())


def _ids(rng: random.Random, count: int) -> list[str]:
    ids: set[str] = set()
    ordered: list[str] = []
    while len(ordered) < count:
        item_id = "".join(rng.choices(string.ascii_lowercase + string.digits, k=6))
        if item_id not in ids:
            ids.add(item_id)
            ordered.append(item_id)
    return ordered


def _arrivals(rng: random.Random) -> tuple[str, ...]:
    days = sorted(rng.sample(range(80), _ARRIVALS))
    dates = [_FIRST_ARRIVAL + timedelta(days=day) for day in days]
    months = ("January", "February", "March", "April", "May", "June")
    return tuple(f"{day.day} {months[day.month - 1]}" for day in dates)


def _host(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum()) + ".test"
