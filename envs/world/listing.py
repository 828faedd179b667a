"""A results page as data: what the address asks for, the facets with their links, the page of things."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from ...types import ResultsView
from .model import Item, Place, Site
from .search import MAX_QUERY, facet_counts, find_items

PAGE_SIZES = {"sidebar": 12, "toolbar": 20}
"""Things on a page, by layout."""

_MOST_FACET_VALUES = 16
"""A facet with more values waits until the results are narrower."""

Params = Sequence[tuple[str, str]]


class FacetValue(NamedTuple):
    """A value of a facet and the address that adds it, or takes it away where it is active."""

    value: str
    shown: str
    found: int
    """How many things have it, given the search and the other facets."""
    active: bool
    url: str


class FacetView(NamedTuple):
    """A facet as the page shows it."""

    label: str
    param: str
    values: list[FacetValue]


class SortView(NamedTuple):
    """An order as the page offers it."""

    value: str
    label: str
    active: bool
    url: str


class Listing(NamedTuple):
    """What an address asks of a site. Values the site does not know are dropped while it is read."""

    site: Site
    query: str
    filters: dict[str, tuple[str, ...]]
    sort: str
    page: int
    """From 1; 0 shows everything."""

    @classmethod
    def read(cls, site: Site, params: Params) -> Listing:
        """Read the parameters of a results address."""
        words = site.words
        given: dict[str, list[str]] = {}
        for name, value in params:
            given.setdefault(name, []).append(value)
        filters: dict[str, tuple[str, ...]] = {}
        for facet in site.facets:
            sold = facet_counts(site.items, facet.key)
            values = tuple(dict.fromkeys(value for value in given.get(slug(facet.label), ()) if value in sold))
            if values:
                filters[facet.key] = values
        asked = given.get(words["param_sort"], [""])[0]
        sort = next((key for key in sorts(site) if slug(words[f"sort_{key}"]) == asked), "relevance")
        query = " ".join(given.get(words["param_query"], [""])[0][:MAX_QUERY].split())
        return cls(site, query, filters, sort, _page_number(given.get(words["param_page"], ["1"])[0]))

    def view(self) -> ResultsView:
        """Return the search and the active filters under their canonical names."""
        return ResultsView(query=self.query, filters=dict(self.filters))

    def items(self, place: Place | None) -> tuple[Item, ...]:
        """Return all that is found, in order."""
        return find_items(self.site, self.query, self.filters, sort=self.sort, location=place)

    def url(self) -> str:
        """Return the address of this listing."""
        words = self.site.words
        params = [(words["param_query"], self.query)] if self.query else []
        params += [(slug(words[key]), value) for key, values in self.filters.items() for value in values]
        if self.sort != "relevance":
            params.append((words["param_sort"], slug(words[f"sort_{self.sort}"])))
        if self.page != 1:
            params.append((words["param_page"], str(self.page) if self.page else "all"))
        return f"/{words['path_search']}" + (f"?{urlencode(params)}" if params else "")

    def to_page(self, page: int) -> str:
        """Return the address of another page; 0 shows everything."""
        return self._replace(page=page).url()

    def toggled(self, key: str, value: str) -> str:
        """Return the address with one filter value added, or taken away where it is active."""
        active = self.filters.get(key, ())
        values = tuple(other for other in active if other != value) if value in active else (*active, value)
        others = {other: kept for other, kept in self.filters.items() if other != key}
        return self._replace(filters={**others, key: values} if values else others, page=1).url()

    def facets(self, place: Place | None) -> list[FacetView]:
        """Return the facets worth offering: counts are over what the search and the other facets leave."""
        views = []
        for facet in self.site.facets:
            others = {key: values for key, values in self.filters.items() if key != facet.key}
            active = self.filters.get(facet.key, ())
            counts = facet_counts(find_items(self.site, self.query, others, location=place), facet.key)
            counts.update({value: 0 for value in active if value not in counts})
            if active or 2 <= len(counts) <= _MOST_FACET_VALUES:
                values = [
                    FacetValue(value, shown(value, facet.key), count, value in active, self.toggled(facet.key, value))
                    for value, count in counts.items()
                ]
                views.append(FacetView(facet.label, slug(facet.label), values))
        return views

    def orders(self) -> list[SortView]:
        """Return the orders the site offers."""
        return [
            SortView(slug(label), label, key == self.sort, self._replace(sort=key, page=1).url())
            for key, label in ((key, self.site.words[f"sort_{key}"]) for key in sorts(self.site))
        ]


def sorts(site: Site) -> tuple[str, ...]:
    """Return the keys of the orders that make sense on a site."""
    priced = "price" in site.items[0].attributes
    return ("relevance", "cheap", "dear", "rating", "name") if priced else ("relevance", "rating", "name")


def slug(words: str) -> str:
    """Return words as a parameter name or value of an address."""
    return "-".join(re.findall(r"[a-z0-9]+", words.lower()))


def shown(value: str, key: str = "") -> str:
    """Return a canonical value as pages write it: names and sizes in capitals, others as a sentence begins."""
    if key in ("brand", "city"):
        return " ".join(word if word in ("and", "of") else word.capitalize() for word in value.split())
    if value.startswith("eu "):
        return value.upper()
    return value[:1].upper() + value[1:]


def _page_number(text: str) -> int:
    if text == "all":
        return 0
    return max(int(text), 1) if text.isascii() and text.isdecimal() and len(text) < 5 else 1
