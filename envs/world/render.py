"""Templates to responses: strict, escaped, and never kept by the browser."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from .listing import shown, slug
from .model import Item, Site
from .search import item_path, words_of

_HERE = Path(__file__).parent / "templates"
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}

_TINTS = {
    "navy": "#27375e", "black": "#26262a", "olive": "#6d7038", "burgundy": "#7a2438", "grey": "#8b9097",
    "cream": "#d9cba6", "teal": "#237d7d", "rust": "#ab5130", "lilac": "#a795c9", "mustard": "#c99a2e",
    "charcoal": "#454a52",
}
START_THEME = {
    "accent": "#3b5bdb", "accent-dark": "#263c96", "ground": "#fbfbfd", "tint": "#e8ecfb", "radius": "22px",
    "font": '"Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif',
}


def page(template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a template as a page."""
    return HTMLResponse(_environment().get_template(template).render(**context), status_code=status, headers=_HEADERS)


def plain(title: str, text: str, *, status: int) -> HTMLResponse:
    """Return a page of one sentence, which belongs to no site."""
    return page("plain.html", status=status, title=title, text=text)


def stylesheet(theme: dict[str, str]) -> Response:
    """Return the one stylesheet of all sites, led by a site's own theme."""
    properties = "".join(f"--{name}:{value};" for name, value in theme.items())
    rules = (_HERE / "site.css").read_text(encoding="utf-8")
    return Response(f":root{{{properties}}}\n{rules}", media_type="text/css", headers=_HEADERS)


def tint(item: Item) -> str:
    """Return the colour of a thing's picture: its own where it has one."""
    colour = item.attributes.get("colour")
    if isinstance(colour, str) and colour in _TINTS:
        return _TINTS[colour]
    kind = "".join(words_of(item.attributes.get("variety", item.attributes.get("cuisine", item.title))))
    return f"hsl({int(hashlib.sha256(kind.encode()).hexdigest()[:4], 16) % 360} 38% 52%)"


def tags(item: Item) -> list[str]:
    """Return the attributes of a thing as words, those that its title already says left out."""
    title = item.title.lower()
    return [
        shown(word, key)
        for key, value in item.attributes.items() if not isinstance(value, float) and key != "product"
        for word in words_of(value) if word not in title
    ]


def price(item: Item) -> str:
    """Return the price in words, or nothing where a thing has none."""
    value = item.attributes.get("price")
    if not isinstance(value, float):
        return ""
    amount = f"£{value:.0f}" if value >= 20 and value == int(value) else f"£{value:.2f}"
    return f"{amount} a night" if item.product == "hotel" else amount


def facts(site: Site, item: Item) -> list[tuple[str, str]]:
    """Return the attributes of a thing with the site's own names for them, in words."""
    rows = []
    for key, value in item.attributes.items():
        if key == "product" and "product" not in {facet.key for facet in site.facets}:
            continue
        words = price(item) if key == "price" else ", ".join(shown(word, key) for word in words_of(value))
        if words:
            rows.append((site.words[key], words))
    return rows


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )
    environment.filters.update(shown=shown, slug=slug, tint=tint, tags=tags, price=price)
    environment.globals.update(item_path=item_path)
    return environment
