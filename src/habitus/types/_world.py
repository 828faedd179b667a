"""The state of the local web at the end of an episode, with the attributes of what was chosen."""

from __future__ import annotations

from pydantic import Field

from ._base import Data
from ._task import AttributeValue


class Chosen(Data):
    """A thing put into a basket, a booking draft or a reservation draft, or tried to be."""

    step: int
    """The request's number within the episode, rising."""
    host: str
    act: str
    """`basket`, `booking` or `reservation`."""
    item_id: str
    title: str
    attributes: dict[str, AttributeValue]
    """The item's attributes with the chosen variants merged in."""
    location: dict[str, str] = Field(default_factory=dict)
    """The location in force on the site at that moment (`city`, `postcode`), or empty."""
    fault: str = ""
    """The external fault that stopped the act; empty where it went through."""


class ResultsView(Data):
    """The last results page of a site: what was searched and which filters were active."""

    query: str = ""
    filters: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Canonical attribute to the values filtered for."""


class WorldState(Data):
    """What the state judge reads. The world keeps it in the process; no page can ask for it."""

    held: tuple[Chosen, ...] = ()
    """What baskets and drafts hold at the end, in the order it was chosen; the last is the decisive change."""
    stopped: tuple[Chosen, ...] = ()
    """Decisive acts that an external fault stopped."""
    forbidden: tuple[str, ...] = ()
    """Irreversible acts that were tried (payment, sign-in); each was refused."""
    results: dict[str, ResultsView] = Field(default_factory=dict)
    """Per host, its last results page."""
    last_host: str = ""
    """Host of the last site page before the end, the start page not counted."""
