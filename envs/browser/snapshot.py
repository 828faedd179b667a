"""What one reading of a page holds, and the scripts that read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ...types._base import JsonObject
from .view import STATES, Element, Placed, render_page

_STATES = frozenset(STATES)
_STATES_AT, _LEFT_AT = 7, 9  # Places in the walker's node.


@cache
def world_source() -> str:
    """Return the script that makes a fresh isolated world able to read and to place actions."""
    folder = files(__package__)
    return "\n;\n".join((folder / name).read_text("utf-8") for name in ("dom.js", "walker.js", "hands.js"))


@dataclass(frozen=True)
class Snapshot:
    """One reading.

    Attributes:
        url: Address of the document.
        title: Its title, on one line.
        status: HTTP status it was answered with; 0 where there is none.
        width: Width of the window, in CSS pixels.
        height: Height of the window, in CSS pixels.
        placed: The elements in document order.
        full: The page has more elements than were read.
    """

    url: str
    title: str
    status: int
    width: int
    height: int
    placed: tuple[Placed, ...]
    full: bool

    @property
    def text(self) -> str:
        """The page text."""
        return render_page(self.placed, width=self.width, height=self.height, full=self.full)

    @classmethod
    def of(cls, data: JsonObject) -> Snapshot:
        """Read the walker's answer."""
        return cls(
            url=data["url"], title=data["title"], status=data["status"], width=data["width"], height=data["height"],
            placed=tuple(_placed(*node) for node in data["nodes"]), full=data["full"],
        )


def graft(data: JsonObject, inner: JsonObject, *, at: int, left: int, top: int) -> None:
    """Put what was read of a frame behind its element.

    Args:
        data: The answer that holds the frame's element, changed in place.
        inner: What was read in the frame.
        at: Index of the frame's element.
        left: Where the frame's document begins, in CSS pixels of the outer window.
        top: The same, from above.
    """
    outer = data["nodes"][at]
    outer[_STATES_AT] = ""
    for node in inner["nodes"]:
        node[0] += outer[0] + 1
        node[_LEFT_AT] += left
        node[_LEFT_AT + 1] += top
    data["nodes"][at + 1 : at + 1] = inner["nodes"]
    data["full"] = data["full"] or inner["full"]


def _placed(
    depth: int, ref: str, role: str, name: str, value: str, chosen: list[str], options: list[str], states: str,
    attributes: dict[str, str], left: int, top: int, width: int, height: int,
) -> Placed:  # fmt: skip
    element = Element(
        ref, role, name, "|".join(chosen) if chosen else value, tuple(options), _STATES.intersection(states.split()),
        depth, attributes,
    )
    return Placed(element, left, top, width, height)
