"""What a site's search and the start page's search engine find: pure functions of the catalogue and the query."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from ...types import AttributeValue, Data
from .model import Item, Place, Site, World

Sort = Literal["relevance", "cheap", "dear", "rating", "name"]
SORTS: tuple[str, ...] = get_args(Sort)

MAX_QUERY = 200
"""Characters of a query that are looked at."""

_NEAR_BEST = 0.7
_FLOOR = 0.3
_WEB_ITEMS_PER_SITE = 3
_STOP_WORDS = frozenset({
    "a", "an", "and", "any", "are", "at", "be", "book", "buy", "by", "find", "for", "from", "get", "i", "in", "is",
    "it", "its", "like", "me", "my", "need", "of", "on", "order", "our", "please", "reserve", "show", "some", "that",
    "the", "this", "to", "usual", "want", "we", "with", "would", "you", "your",
})


class WebResult(Data):
    """One answer of the start page's search engine."""

    title: str
    host: str
    path: str
    snippet: str


def terms(text: str) -> frozenset[str]:
    """Return the words that count in a text: lower case, singular, no stop words."""
    words = re.findall(r"[a-z0-9]+(?::\d+)?", text.lower().replace("'s", ""))
    return frozenset(_singular(word) for word in words if word not in _STOP_WORDS)


def words_of(value: AttributeValue) -> tuple[str, ...]:
    """Return an attribute's value as the words that pages show and filters name."""
    if isinstance(value, tuple):
        return value
    return (format(value, "g"),) if isinstance(value, float) else (str(value),)


def find_items(
    site: Site, query: str, filters: Mapping[str, tuple[str, ...]], sort: str = "relevance",
    location: Place | None = None,
) -> tuple[Item, ...]:
    """Find things on one site.

    A thing's relevance is the share of the query's words that stand in its title, attributes or options; those near
    the best share are shown. Where the query names a product that the site sells, other products are left out.

    Args:
        site: Where to search.
        query: Free words; empty finds everything.
        filters: Canonical attribute to accepted values: any value of one key, all keys.
        sort: One of `SORTS`; anything else counts as `relevance`. Ties fall by the site's own popularity.
        location: The town in force: restaurants elsewhere are left out.
    """
    items = [
        item for item in site.items
        if all(set(wanted) & set(words_of(item.attributes.get(key, ()))) for key, wanted in filters.items())
    ]
    if location is not None and site.domain == "restaurants":
        items = [item for item in items if item.attributes["city"] == location.city.lower()]
    found = _ranked(items, query[:MAX_QUERY])
    if sort in ("cheap", "dear"):
        found.sort(key=lambda item: _number(item, "price"), reverse=sort == "dear")
    elif sort == "rating":
        found.sort(key=lambda item: -_number(item, "rating"))
    elif sort == "name":
        found.sort(key=lambda item: item.title.lower())
    return tuple(found)


def facet_counts(items: Iterable[Item], key: str) -> dict[str, int]:
    """Return how many of the things have each value of an attribute, values in alphabetical order."""
    counts: dict[str, int] = {}
    for item in items:
        for word in words_of(item.attributes.get(key, ())):
            counts[word] = counts.get(word, 0) + 1
    return dict(sorted(counts.items()))


def search_web(world: World, query: str) -> tuple[WebResult, ...]:
    """Search all sites and all their things: sites that match by name or trade first, then things, best first."""
    wanted = terms(query[:MAX_QUERY])
    if not wanted:
        return ()
    sites = sorted(
        ((len(wanted & _site_terms(site)) / len(wanted), -place, site) for place, site in enumerate(world.sites)),
        reverse=True, key=lambda row: row[:2],
    )
    results = [
        WebResult(title=site.name, host=site.host, path="/", snippet=site.words["tagline"])
        for share, _, site in sites if share >= _FLOOR
    ]
    hits: list[tuple[float, int, WebResult]] = []
    for place, site in enumerate(world.sites):
        for item in _ranked(list(site.items), query[:MAX_QUERY])[:_WEB_ITEMS_PER_SITE]:
            share = len(wanted & _item_terms(item)) / len(wanted)
            hits.append((share, -place, WebResult(title=f"{item.title} - {site.name}", host=site.host,
                                                  path=item_path(site, item), snippet=item.description)))
    hits.sort(key=lambda row: row[:2], reverse=True)
    return (*results, *(result for share, _, result in hits if share >= _NEAR_BEST * hits[0][0]))


def item_path(site: Site, item: Item) -> str:
    """Return the path of a thing's page on its site."""
    return f"/{site.words['path_item']}/{item.id}"


def _ranked(items: list[Item], query: str) -> list[Item]:
    wanted = terms(query)
    if not query.strip():
        return items
    if not wanted:
        return []
    named = {item.product for item in items if terms(item.product) <= wanted}
    shares = [
        (len(wanted & _item_terms(item)) / len(wanted), item)
        for item in items if not named or item.product in named
    ]
    best = max((share for share, _ in shares), default=0.0)
    floor = max(_FLOOR if len(wanted) < 6 else 0.15, _NEAR_BEST * best)
    return [item for share, item in sorted(shares, key=lambda row: -row[0]) if share >= floor]


@functools.lru_cache(maxsize=20_000)
def _terms_of(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*(terms(text) for text in texts))


def _item_terms(item: Item) -> frozenset[str]:
    values = (word for value in item.attributes.values() if not isinstance(value, float) for word in words_of(value))
    options = (option for variant in item.variants for option in variant.options)
    return _terms_of((item.title, item.product, *values, *options))


def _site_terms(site: Site) -> frozenset[str]:
    products = sorted({item.product for item in site.items})
    return _terms_of((site.name, site.host.removesuffix(".test"), site.domain, site.words["tagline"], *products))


def _number(item: Item, key: str) -> float:
    value = item.attributes.get(key, 0.0)
    return value if isinstance(value, float) else 0.0


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word
