r"""The page as text: one line an element, two spaces of indent for each kept ancestor, and the way back.

    [e12] button "Add to basket" disabled
    [e7] select "Sort by" value="Price" options="Relevance|Price|Rating"
    heading "Groceries" level=1
    text "Free delivery from 30 €"

A line is: ref in brackets (interactive elements alone), role, name, states, attributes. Names and values are JSON
strings, so that no text of a page begins a line or ends its quotes. `|` and `\` within an option are escaped by `\`.
A line that begins with `...` says what was left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

LIMIT = 20_000
"""Longest page text, in characters, its closing note not counted."""
MAX_INDENT = 30

STATES = (
    "disabled", "checked", "mixed", "selected", "expanded", "collapsed", "pressed", "current", "required", "readonly",
    "invalid", "multiple", "focused", "unreadable",
)

_BARE = re.compile(r"[A-Za-z0-9_.:+#/-]+\Z")
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LINE = re.compile(r"(?P<indent> *)(?:\[(?P<ref>[A-Za-z][A-Za-z0-9_]*)\] )?(?P<role>[a-z]+)(?P<rest>(?: .*)?)\Z")
_PART = re.compile(
    r' (?:(?P<key>[a-z]+)=(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<bare>[^" ]+))'
    r'|(?P<name>"(?:[^"\\]|\\.)*")|(?P<state>[a-z]+))'
)


@dataclass(frozen=True)
class Element:
    """One line of the page text.

    Attributes:
        ref: What actions name it by; empty where it cannot be acted on.
        role: E.g. `button`, `textbox`, `select`, `heading`, `text`.
        name: Its accessible name; of `text` the text.
        value: What it holds: a field's text, a select's chosen option (several joined by `|`).
        options: Labels of a select's options.
        states: Of `STATES`.
        depth: Number of kept ancestors.
        attributes: What else is known: `type`, `format`, `min`, `max`, `step`, `level`, `placeholder`, `href`, `count`.
    """

    ref: str
    role: str
    name: str = ""
    value: str = ""
    options: tuple[str, ...] = ()
    states: frozenset[str] = frozenset()
    depth: int = 0
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Placed:
    """An element and where it lies, in CSS pixels from the window's left upper corner."""

    element: Element
    left: int
    top: int
    width: int
    height: int


def render_element(element: Element) -> str:
    """Return the line of one element."""
    parts = ["  " * min(element.depth, MAX_INDENT) + (f"[{element.ref}] " if element.ref else "") + element.role]
    if element.name:
        parts.append(_quote(element.name))
    if element.states:
        parts += [state for state in STATES if state in element.states]
    if element.value:
        parts.append(f"value={_quote(element.value)}")
    if element.options:
        parts.append(f"options={_quote('|'.join(_escape(option) for option in element.options))}")
    parts += [f"{key}={value if _BARE.match(value) else _quote(value)}" for key, value in element.attributes.items()]
    return " ".join(parts)


def render_page(placed: Sequence[Placed], *, width: int, height: int, limit: int = LIMIT, full: bool = False) -> str:
    """Return the text of a page.

    Args:
        placed: Its elements in document order.
        width: Width of the window, in CSS pixels.
        height: Height of the window, in CSS pixels.
        limit: Longest text; what lies in the window is kept first, then what is near below, then above.
        full: The page has more elements than were read.
    """
    lines = [render_element(one.element) for one in placed]
    if sum(map(len, lines)) + len(lines) <= limit and not full:
        return "\n".join(lines)
    kept = _nearest(placed, lines, height, limit)
    above = sum(1 for i, one in enumerate(placed) if i not in kept and one.top + one.height <= 0)
    left = len(lines) - len(kept)
    more = " The page has still more than was read." if full else ""
    note = (
        f'... {left} of {len(lines)} lines left out ({above} above, {left - above} below this part of the page). '
        f'To see more: scroll("down"), scroll("up"), press("End"), press("Home").{more}'
    )
    return "\n".join([*(lines[i] for i in sorted(kept)), note])


def parse_page(text: str) -> list[Element]:
    """Read the page text back: the exact inverse of `render_page`, its closing note left out.

    Raises:
        ValueError: A line has not the form above; names the line.
    """
    return [_parse_line(line) for line in text.split("\n") if line and not line.startswith("...")]


def one_line(text: str, most: int = 300) -> str:
    """Return text on one line, cut to a length: for errors and notices that quote a page."""
    plain = " ".join(_UNSAFE.sub(" ", text).split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def _nearest(placed: Sequence[Placed], lines: Sequence[str], height: int, limit: int) -> set[int]:
    """Return the lines to keep: by distance from the window, each with the ancestors it stands under."""
    parents: list[int] = []
    open_at: list[int] = []
    for i, one in enumerate(placed):
        while open_at and placed[open_at[-1]].element.depth >= one.element.depth:
            open_at.pop()
        parents.append(open_at[-1] if open_at else -1)
        open_at.append(i)
    kept: set[int] = set()
    spent = 0
    for i in sorted(range(len(placed)), key=lambda i: (_distance(placed[i], height), i)):
        wanted = []
        node = i
        while node >= 0 and node not in kept:
            wanted.append(node)
            node = parents[node]
        cost = sum(len(lines[node]) + 1 for node in wanted)
        if spent + cost > limit:
            if kept:
                break
            continue
        spent += cost
        kept.update(wanted)
    return kept


def _distance(one: Placed, height: int) -> int:
    if one.element.role != "text" and not one.element.ref and one.height > height:
        return 1_000_000  # A wrapper as tall as the page comes with what stands in it.
    if one.top >= height:
        return one.top - height + 1
    return 2 * -(one.top + one.height) + 2 if one.top + one.height <= 0 else 0


def _parse_line(line: str) -> Element:
    match = _LINE.match(line)
    if not match:
        raise ValueError(f"no line of a page: {line[:100]!r}")
    name = value = ""
    options: tuple[str, ...] = ()
    states: set[str] = set()
    attributes: dict[str, str] = {}
    rest, at = match["rest"], 0
    while at < len(rest):
        part = _PART.match(rest, at)
        if not part:
            raise ValueError(f"no line of a page: {line[:100]!r}, at {rest[at:at + 20]!r}")
        at = part.end()
        if part["name"] is not None:
            name = json.loads(part["name"])
        elif part["state"] is not None:
            states.add(part["state"])
        else:
            content = json.loads(part["quoted"]) if part["quoted"] is not None else part["bare"]
            if part["key"] == "value":
                value = content
            elif part["key"] == "options":
                options = _split(content)
            else:
                attributes[part["key"]] = content
    return Element(
        ref=match["ref"] or "", role=match["role"], name=name, value=value, options=options, states=frozenset(states),
        depth=len(match["indent"]) // 2, attributes=attributes,
    )


def _quote(text: str) -> str:
    return _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", json.dumps(text, ensure_ascii=False))


def _escape(option: str) -> str:
    return option.replace("\\", "\\\\").replace("|", "\\|")


def _split(text: str) -> tuple[str, ...]:
    parts = re.findall(r"(?:^|\|)((?:[^\\|]|\\.)*)", text, re.S)
    return tuple(re.sub(r"\\(.)", r"\1", part, flags=re.S) for part in parts)
