"""What one reading of a page holds, and the scripts that read it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .view import STATES, Element, Placed, render_page

_STATES = frozenset(STATES)


@cache
def world_source() -> str:
    """Return the script that makes a fresh isolated world able to read and to place actions."""
    folder = files(__package__)
    return "\n;\n".join((folder / name).read_text("utf-8") for name in ("walker.js", "hands.js"))


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
    def of(cls, answer: str) -> Snapshot:
        """Read the walker's JSON."""
        data = json.loads(answer)
        return cls(
            url=data["url"], title=data["title"], status=data["status"], width=data["width"], height=data["height"],
            placed=tuple(_placed(node) for node in data["nodes"]), full=data["full"],
        )


def _placed(node: list[object]) -> Placed:
    depth, ref, role, name, value, chosen, options, states, attributes, left, top, width, height = node
    element = Element(
        ref=ref, role=role, name=name, value="|".join(chosen) if chosen else value,  # type: ignore[arg-type]
        options=tuple(options), states=_STATES.intersection(states.split()), depth=depth,  # type: ignore[arg-type,attr-defined]
        attributes=attributes,  # type: ignore[arg-type]
    )
    return Placed(element, left, top, width, height)  # type: ignore[arg-type]
