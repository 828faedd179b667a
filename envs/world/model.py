"""The catalogue of a local web as data: sites, things, places, wording. Pure values, the same bytes for one seed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ...types import AttributeValue, Data

Domain = Literal["groceries", "apparel", "hotels", "restaurants"]
Layout = Literal["sidebar", "toolbar"]
Control = Literal["checkbox", "select", "links"]

ACTS: dict[Domain, str] = {
    "groceries": "basket",
    "apparel": "basket",
    "hotels": "booking",
    "restaurants": "reservation",
}
"""The decisive act of each domain, as `Outcome.act` names it."""

LOCATED: frozenset[Domain] = frozenset({"groceries", "restaurants"})
"""Domains whose sites need a location: where to deliver, where to search."""


class Place(Data):
    """A town that people live in and sites know."""

    city: str
    postcode: str
    """Of the town's middle; every site accepts city or postcode."""


class Variant(Data):
    """A choice left to the buyer on the item page, e.g. `size`."""

    key: str
    options: tuple[str, ...] = Field(min_length=2)


class Item(Data):
    """A thing on one site."""

    id: str
    title: str
    product: str
    """The noun people search for: `milk`, `jeans`, `hotel`, `restaurant`."""
    attributes: dict[str, AttributeValue]
    """Canonical key to value, in lower-case words: what filters and predicates read. Includes `product`."""
    variants: tuple[Variant, ...] = ()
    description: str = ""


class Facet(Data):
    """A filter that a site offers."""

    key: str
    """Canonical attribute."""
    label: str
    """The site's own word for it."""


class Site(Data):
    """One site: its things, its look, its words."""

    host: str
    """Under `.test`."""
    name: str
    domain: Domain
    items: tuple[Item, ...]
    facets: tuple[Facet, ...]
    layout: Layout
    control: Control
    theme: dict[str, str]
    """CSS custom properties."""
    words: dict[str, str]
    """Key of the templates to this site's wording, e.g. `choose` -> `Add to basket`."""

    @property
    def act(self) -> str:
        """The decisive act: `basket`, `booking` or `reservation`."""
        return ACTS[self.domain]

    @property
    def needs_location(self) -> bool:
        """Whether the site asks where to deliver or to search."""
        return self.domain in LOCATED

    def item(self, item_id: str) -> Item | None:
        """Return the thing of that id, or None."""
        return next((item for item in self.items if item.id == item_id), None)


class World(Data):
    """A whole local web."""

    seed: int
    start_host: str
    """Host of the start page, which carries the search engine."""
    start_name: str
    sites: tuple[Site, ...]
    places: tuple[Place, ...]
    """The towns that every located site serves."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host, the start page first."""
        return (self.start_host, *(site.host for site in self.sites))

    @property
    def start_url(self) -> str:
        """The address of the start page."""
        return f"http://{self.start_host}/"

    def site(self, host: str) -> Site | None:
        """Return the site of that host, or None."""
        return next((site for site in self.sites if site.host == host), None)

    def rivals(self, domain: Domain) -> tuple[Site, ...]:
        """Return the sites of one domain, two of them."""
        return tuple(site for site in self.sites if site.domain == domain)
