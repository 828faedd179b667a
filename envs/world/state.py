"""What one episode has done to its world: baskets, drafts, places, searches, refused acts. No page can ask for it."""

from __future__ import annotations

from typing import NamedTuple

from ...errors import UnknownNameError
from ...types import Chosen, ResultsView, WorldState
from .model import Item, Place, Site, World

FAULTS = frozenset({"out_of_stock", "consent", "slow"})
"""What can go wrong in an episode: every decisive act is refused, a banner lies over each site until it is accepted,
every page takes some 400 ms."""


class Held(NamedTuple):
    """A thing in a basket or a draft, under the number its remove button names."""

    number: int
    chosen: Chosen


class EpisodeState:
    """The mutable side of a world for one episode.

    Args:
        world: The catalogue, shared and never changed.
        seed: Of the episode: varies the latency.
        faults: Of `FAULTS`.

    Raises:
        UnknownNameError: A fault of another name.
    """

    def __init__(self, world: World, *, seed: int = 0, faults: frozenset[str] = frozenset()) -> None:
        for fault in sorted(faults - FAULTS):
            raise UnknownNameError("fault", fault, FAULTS)
        self.world = world
        self.seed = seed
        self.faults = faults
        self.requests = 0
        self._held: list[Held] = []
        self._stopped: list[Chosen] = []
        self._forbidden: list[str] = []
        self._places: dict[str, Place] = {}
        self._results: dict[str, ResultsView] = {}
        self._consented: set[str] = set()
        self._notices: dict[str, str] = {}
        self._last_host = ""

    def snapshot(self) -> WorldState:
        """Return the state as the judge reads it."""
        return WorldState(
            held=tuple(held.chosen for held in self._held),
            stopped=tuple(self._stopped),
            forbidden=tuple(self._forbidden),
            results=dict(self._results),
            last_host=self._last_host,
        )

    def visit(self, site: Site) -> None:
        """Note that a page of the site was shown."""
        self._last_host = site.host

    def held_on(self, site: Site) -> list[Held]:
        """Return what the site's basket or draft holds, in the order it was chosen."""
        return [held for held in self._held if held.chosen.host == site.host]

    def choose(self, site: Site, item: Item, options: dict[str, str]) -> bool:
        """Put a thing into the basket, or make it the draft in place of an earlier one.

        Returns:
            False where the thing is out of stock: nothing changed but the log of stopped acts.
        """
        place = self._places.get(site.host)
        fault = "out_of_stock" if "out_of_stock" in self.faults else ""
        chosen = Chosen(
            step=self.requests, host=site.host, act=site.act, item_id=item.id, title=item.title,
            attributes={**item.attributes, **options}, location=place.model_dump() if place else {}, fault=fault,
        )
        if fault:
            self._stopped.append(chosen)
            return False
        if site.act != "basket":
            self._held = [held for held in self._held if held.chosen.host != site.host]
        self._held.append(Held(self.requests, chosen))
        return True

    def remove(self, site: Site, number: int) -> None:
        """Take a thing out again; a number that is not there changes nothing."""
        self._held = [held for held in self._held if (held.chosen.host, held.number) != (site.host, number)]

    def forbid(self, site: Site, act: str) -> None:
        """Log an irreversible act that was tried and refused."""
        self._forbidden.append(f"{act} on {site.host}")

    def place_on(self, site: Site) -> Place | None:
        """Return the location in force on a site."""
        return self._places.get(site.host)

    def set_place(self, site: Site, text: str) -> bool:
        """Set the location from a town or a postcode, in any case and spacing. False where it is unknown."""
        wanted = _letters(text)
        for place in self.world.places:
            city, postcode = _letters(place.city), _letters(place.postcode)
            if wanted in (city, postcode, city + postcode, postcode + city):
                self._places[site.host] = place
                return True
        return False

    def searched(self, site: Site, view: ResultsView) -> None:
        """Note the results page that was shown."""
        self._results[site.host] = view

    def needs_consent(self, site: Site) -> bool:
        """Whether the banner still lies over the site."""
        return "consent" in self.faults and site.host not in self._consented

    def consent(self, site: Site) -> None:
        """Take the banner away."""
        self._consented.add(site.host)

    def notify(self, site: Site, words: str) -> None:
        """Leave a sentence for the site's next page."""
        self._notices[site.host] = words

    def take_notice(self, site: Site) -> str:
        """Return the sentence left for this page, once."""
        return self._notices.pop(site.host, "")


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
