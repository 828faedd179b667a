"""Finding one's way on a page by roles and accessible names alone, on whatever site."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ..envs.browser.view import Element, parse_page
from .words import tokens, words

SEARCH_WORDS = words("search find query")
LOCATION_WORDS = words("location deliver delivery address postcode postal zip town city where")
DECISIVE_WORDS = words("add basket bag cart trolley book reserve")
"""What a button says that takes the thing, short of anything final."""
FINAL_WORDS = words(
    "pay payment order buy confirm purchase checkout check complete finish final finalise finalize remove delete clear"
)
"""What a button says that cannot be undone, or undoes."""
CONSENT_WORDS = words("accept agree allow ok okay continue close dismiss")
ONWARD_WORDS = ("all", "next", "more")
"""Where further results are: on one page, or on the next."""
ASIDE = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "form", "dialog"})
"""Regions in which a link is no result."""
_COUNT = re.compile(r"\s*[(\[]\s*\d+\s*[)\]]\s*$")


@dataclass(frozen=True)
class Option:
    """Something that can be chosen: a radio, a tick box, an option of a select, a link."""

    label: str
    group: str
    """Name of what it stands in: a fieldset, a select, the heading above."""
    ref: str
    role: str
    """`radio`, `checkbox`, `select` or `link`."""
    chosen: bool


@dataclass(frozen=True)
class Card:
    """A result: the link and everything that is said with it."""

    ref: str
    name: str
    text: str


class Page:
    """A page as its elements.

    Args:
        text: The observation's `page`.
    """

    def __init__(self, text: str) -> None:
        self.elements = parse_page(text)

    @property
    def alert(self) -> str:
        """What the page complains about, or empty."""
        return " ".join(said for index, element in enumerate(self.elements) if element.role == "alert"
                        for said in [element.name, *(inner.name for inner in self.inside(index))] if said)

    def inside(self, index: int) -> Iterator[Element]:
        """Yield what stands inside an element."""
        for element in self.elements[index + 1 :]:
            if element.depth <= self.elements[index].depth:
                return
            yield element

    def around(self, index: int) -> Iterator[tuple[int, Element]]:
        """Yield what an element stands in, from the inside out."""
        depth = self.elements[index].depth
        for place in range(index - 1, -1, -1):
            if self.elements[place].depth < depth:
                depth = self.elements[place].depth
                yield place, self.elements[place]

    def region(self, index: int) -> str:
        """Return the role of the nearest region around an element that holds no results, or empty."""
        return next((outer.role for _, outer in self.around(index) if outer.role in ASIDE), "")

    @cached_property
    def search_box(self) -> Element | None:
        """Where to type what is looked for: by region or type, else by its name, else the first field there is."""
        return self._field(
            lambda index, element: 4 * (self.region(index) == "search" or element.attributes.get("type") == "search")
            + _hits(element, SEARCH_WORDS) - _hits(element, LOCATION_WORDS), least=0,
        )

    @cached_property
    def location_field(self) -> Element | None:
        """Where to type the place: the field that asks for one, else the only plain field beside the search box."""
        box = self.search_box
        others = [
            e for e in self.elements
            if e.role == "textbox" and e.ref and e is not box and e.attributes.get("type", "text") == "text"
        ]
        return self._field(
            lambda index, element: -9 if element is box else _hits(element, LOCATION_WORDS) + (others == [element]),
            least=1,
        )

    @cached_property
    def consent(self) -> Element | None:
        """The button that takes a banner away which lies over the page."""
        for index, element in enumerate(self.elements):
            if element.role == "dialog":
                buttons = [inner for inner in self.inside(index) if inner.role in ("button", "link")]
                agreeing = [button for button in buttons if _hits(button, CONSENT_WORDS)]
                if buttons:
                    return (agreeing or buttons)[0]
        return None

    @cached_property
    def decisive(self) -> Element | None:
        """The button that takes the thing shown, short of anything final.

        It is known by its words; where they say nothing, it is the one that ends the form: the first after the choices.
        """
        free = [(index, e) for index, e in enumerate(self.elements) if not self.region(index)]
        last = max((index for index, e in free if e.role in ("radio", "select")), default=len(self.elements))
        main = next((e for index, e in free if index > last and e.role == "button"), None)
        safe = [
            e for _, e in free
            if e.role == "button" and "disabled" not in e.states and not _hits(e, FINAL_WORDS)
            and (e is main or _hits(e, DECISIVE_WORDS))
        ]
        return max(safe, key=lambda e: (_hits(e, DECISIVE_WORDS), e is main), default=None)

    @cached_property
    def choices(self) -> list[list[Option]]:
        """Groups of alternatives: radios of one fieldset, the options of a select."""
        radios: dict[int, list[Option]] = {}
        groups: list[list[Option]] = []
        for index, element in enumerate(self.elements):
            if element.role == "radio":
                outer = next((place for place, e in self.around(index) if e.role in ("group", "list", "form")), -1)
                if outer not in radios:
                    groups.append(radios.setdefault(outer, []))
                radios[outer].append(self._option(index, element))
            elif element.role == "select" and element.ref:
                groups.append([
                    Option(label, element.name, element.ref, "select", label == element.value)
                    for label in element.options or ()
                ])
        return [group for group in groups if group]

    @cached_property
    def ticks(self) -> list[Option]:
        """Tick boxes."""
        return [self._option(index, e) for index, e in enumerate(self.elements) if e.role == "checkbox"]

    @cached_property
    def filter_links(self) -> list[Option]:
        """Links beside the results; counts behind their names are cut."""
        return [
            self._option(index, e) for index, e in enumerate(self.elements)
            if e.role == "link" and self.region(index) in ("complementary", "form", "navigation")
            and not self._in_frame(index)
        ]

    @cached_property
    def cards(self) -> list[Card]:
        """Links that may be results, in the order of the page."""
        found = []
        for index, element in enumerate(self.elements):
            if element.role != "link" or not element.ref or self.region(index):
                continue
            place = next((p for p, e in self.around(index) if e.role in ("listitem", "article", "row")), -1)
            said = [e.name for e in self.inside(place)] if place >= 0 else []
            found.append(Card(element.ref, element.name, " ".join([element.name, *said])))
        in_items = [card for card in found if card.text != card.name]
        return in_items or found

    @cached_property
    def apply_button(self) -> Element | None:
        """The button that puts ticked boxes into force: the first one after them."""
        last = max((i for i, e in enumerate(self.elements) if e.role == "checkbox"), default=-1)
        return next((e for e in self.elements[last + 1 :] if e.role == "button"), None) if last >= 0 else None

    def onward(self) -> Element | None:
        """Return the link to further results: by its name, else the last one of the navigation below the results."""
        refs = {card.ref for card in self.cards}
        below = max((index for index, e in enumerate(self.elements) if e.ref in refs), default=len(self.elements))
        links = [
            (index, e) for index, e in enumerate(self.elements)
            if e.role == "link" and self.region(index) == "navigation" and not self._in_frame(index)
        ]
        by_name = [e for word in ONWARD_WORDS for _, e in links if word in tokens(e.name)]
        by_place = [e for index, e in links if index > below][-1:]
        return next(iter(by_name + by_place), None)

    def _field(self, score: Callable[[int, Element], int], *, least: int) -> Element | None:
        best: tuple[int, Element] | None = None
        for index, element in enumerate(self.elements):
            if element.role == "textbox" and element.ref and "disabled" not in element.states:
                value = score(index, element)
                if value >= least and (best is None or value > best[0]):
                    best = (value, element)
        return best[1] if best else None

    def _in_frame(self, index: int) -> bool:
        """Whether an element stands in the header or footer that all pages of a site share."""
        return any(outer.role in ("banner", "contentinfo") for _, outer in self.around(index))

    def _group(self, index: int) -> str:
        """Return the name of what an element belongs to: what it stands in, or a heading before it in there."""
        place, name = next(((p, outer.name) for p, outer in self.around(index) if outer.name), (-1, ""))
        headings = [e.name for e in self.elements[place + 1 : index] if e.role == "heading"]
        return headings[-1] if headings else name

    def _option(self, index: int, element: Element) -> Option:
        group = self._group(index)
        states = set(element.states)
        return Option(
            _COUNT.sub("", element.name), group, element.ref, element.role,
            bool(states & {"checked", "current", "selected"}),
        )


def _hits(element: Element, wanted: frozenset[str]) -> int:
    return len(wanted & set(tokens(element.name)))
