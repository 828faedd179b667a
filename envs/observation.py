"""What an agent sees: one dictionary of text and small numbers, an element of a Gymnasium space."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium import spaces

from ..types import Hit

_COUNT = 100_000


class UnicodeText(spaces.Space[str]):
    """Any text up to a length: `gymnasium.spaces.Text` refuses empty text, spaces and non-ASCII.

    Args:
        max_length: Longest text contained, in code points.
        seed: Seed of `sample`.
    """

    def __init__(self, max_length: int = 1_000_000, seed: int | np.random.Generator | None = None) -> None:
        self.max_length = max_length
        super().__init__(dtype=str, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """Text has no flat form."""
        return False

    def contains(self, x: object) -> bool:
        """Whether `x` is text short enough."""
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """Return a short text of printable ASCII."""
        length = int(self.np_random.integers(0, min(self.max_length, 40) + 1))
        return "".join(chr(c) for c in self.np_random.integers(32, 127, size=length))

    def to_jsonable(self, sample_n: Iterable[str]) -> list[Any]:
        """Text is its own JSON."""
        return list(sample_n)

    def from_jsonable(self, sample_n: list[Any]) -> list[str]:
        """Text is its own JSON."""
        return [str(x) for x in sample_n]

    def __repr__(self) -> str:
        return f"UnicodeText({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText) and other.max_length == self.max_length


HIT_SPACE = spaces.Dict({name: UnicodeText() for name in ("id", "kind", "text", "time", "website", "score")})
"""One entry the desk answered: id, type, text, ISO time or empty, website or empty, score in three decimals."""

OBSERVATION_SPACE = spaces.Dict({
    "query": UnicodeText(),
    "phase": UnicodeText(20),
    "page": UnicodeText(),
    "url": UnicodeText(),
    "title": UnicodeText(),
    "tabs": UnicodeText(),
    "history": spaces.Sequence(HIT_SPACE),
    "history_note": UnicodeText(),
    "profile": UnicodeText(),
    "error": UnicodeText(),
    "notice": UnicodeText(),
    "today": UnicodeText(40),
    "steps_left": spaces.Discrete(_COUNT),
    "queries_left": spaces.Discrete(_COUNT),
})
"""`query`: the task. `phase`: `ask` before a pre-execution agent's first other action, else `act`. `page`: what the
workspace shows. `history`: the desk's answer to the last action, empty unless that was a query; `history_note`: why it
is empty. `profile`: the explicit profile under its scheme. `error`: why the last action failed. `notice`: what happened
beside it. `today`: the date of asking. `steps_left`, `queries_left`: what the budget still allows."""


class Observation(dict[str, Any]):
    """An observation: a plain dictionary that shows itself well."""

    def __str__(self) -> str:
        lines = [f"query: {self['query']}", f"phase: {self['phase']}   steps left: {self['steps_left']}   "
                 f"queries left: {self['queries_left']}"]
        for field in ("error", "notice", "history_note", "profile"):
            if self[field]:
                lines.append(f"{field.replace('_', ' ')}: {self[field]}")
        lines += [render_hit(hit) for hit in self["history"]]
        if self["url"]:
            lines.append(f"page: {self['title']} <{self['url']}>")
        return "\n".join([*lines, self["page"]])

    def _repr_html_(self) -> str:
        return f"<pre style='white-space:pre-wrap'>{html.escape(str(self))}</pre>"


def hit_fields(hit: Hit) -> dict[str, str]:
    """Return a hit as an element of `HIT_SPACE`."""
    record = hit.record
    return {
        "id": hit.sources[0] if hit.sources else "",
        "kind": record.kind if record else "fact",
        "text": hit.text,
        "time": record.time.isoformat() if record and record.time else "",
        "website": record.meta.get("website", "") if record else "",
        "score": f"{hit.score:.3f}",
    }


def render_hit(hit: dict[str, str]) -> str:
    """Return one line for a prompt: date, type, text, website."""
    day = hit["time"][:10] or "undated"
    where = f" ({hit['website']})" if hit["website"] else ""
    return f"- {day} {hit['kind']}: {hit['text']}{where}"
