"""The pages of one site: a request and the episode's state in, a page out."""

from __future__ import annotations

from typing import Any

from starlette.responses import RedirectResponse, Response

from .listing import PAGE_SIZES, Listing, Params, slug
from .model import Item, Site
from .render import facts, page, stylesheet
from .search import find_items
from .state import EpisodeState

HOME_FACETS = {"groceries": "product", "apparel": "product", "hotels": "city", "restaurants": "cuisine"}
"""What the home page's links browse by."""

_HOME_ITEMS = 8


class SitePages:
    """Answers the requests of one episode to one site.

    Args:
        site: The site.
        state: The episode's state.
        start_url: Where the link to the start page leads.
    """

    def __init__(self, site: Site, state: EpisodeState, *, start_url: str) -> None:
        self._site, self._state, self._start_url = site, state, start_url
        self._words = site.words

    def get(self, path: str, params: Params, *, here: str) -> Response:
        """Answer a GET.

        Args:
            path: The decoded path.
            params: The decoded query parameters.
            here: Path and query as asked, to come back to.
        """
        words = self._words
        if path == "/style.css":
            return stylesheet(self._site.theme)
        self._state.visit(self._site)
        if path == "/":
            return self._home()
        if path == f"/{words['path_search']}":
            return self._results(Listing.read(self._site, params), here)
        if path == f"/{words['path_held']}":
            return self._held()
        if path == "/sign-in":
            return self._page("sign_in.html", here="/sign-in")
        item = self._item_at(path)
        return self._missing() if item is None else self._item(item)

    def post(self, path: str, form: Params) -> Response:
        """Answer a POST."""
        words, fields = self._words, dict(form)
        held = f"/{words['path_held']}"
        self._state.visit(self._site)
        if path == held:
            return self._choose(fields)
        if path == f"{held}/remove":
            number = fields.get("line", "")
            if number.isascii() and number.isdecimal() and len(number) < 10:
                self._state.remove(self._site, int(number))
            return _to(held)
        if path == f"{held}/finish":
            return self._refuse(words["finish"])
        if path == "/sign-in":
            return self._refuse(words["sign_in"])
        if path == "/place" and self._site.needs_location:
            return self._place(fields)
        if path == "/consent":
            self._state.consent(self._site)
            return _to(fields.get("back", "/"))
        return self._missing()

    def _home(self) -> Response:
        facet = HOME_FACETS[self._site.domain]
        values = sorted({str(item.attributes[facet]) for item in self._site.items})
        start = Listing.read(self._site, ())
        popular = find_items(self._site, "", {}, location=self._state.place_on(self._site))[:_HOME_ITEMS]
        return self._page(
            "home.html", facet=facet, popular=popular,
            categories=[(value, start.toggled(facet, value)) for value in values],
        )

    def _results(self, listing: Listing, here: str) -> Response:
        place = self._state.place_on(self._site)
        self._state.searched(self._site, listing.view())
        items = listing.items(place)
        size = PAGE_SIZES[self._site.layout] if listing.page else max(len(items), 1)
        pages = max(1, -(-len(items) // size))
        number = min(max(listing.page, 1), pages)
        return self._page(
            "results.html", here=here, query=listing.query, listing=listing, facets=listing.facets(place),
            orders=listing.orders(), items=items[(number - 1) * size:number * size], total=len(items),
            number=number, pages=pages, cleared=listing._replace(filters={}, page=1).url(),
        )

    def _item(self, item: Item, *, chosen: dict[str, str] | None = None, alert: str = "") -> Response:
        return self._page(
            "item.html", here=f"/{self._words['path_item']}/{item.id}", item=item, facts=facts(self._site, item),
            chosen=chosen or {}, alert=alert,
        )

    def _held(self) -> Response:
        return self._page("held.html", here=f"/{self._words['path_held']}")

    def _choose(self, fields: dict[str, str]) -> Response:
        item = self._site.item(fields.get("id", ""))
        if item is None:
            return self._missing()
        options = {
            variant.key: fields[slug(self._words[variant.key])]
            for variant in item.variants
            if fields.get(slug(self._words[variant.key])) in variant.options
        }
        missing = [self._words[variant.key] for variant in item.variants if variant.key not in options]
        if missing:
            return self._item(item, chosen=options, alert=f"{self._words['missing']}: {', '.join(missing)}")
        if not self._state.choose(self._site, item, options):
            return self._item(item, chosen=options, alert=self._words["out_of_stock"])
        self._state.notify(self._site, self._words["chosen"])
        return _to(f"/{self._words['path_held']}")

    def _place(self, fields: dict[str, str]) -> Response:
        text = " ".join(fields.get("place", "").split())[:80]
        if self._state.set_place(self._site, text):
            return _to(fields.get("back", "/"))
        return self._page("place.html", text=text)

    def _refuse(self, act: str) -> Response:
        self._state.forbid(self._site, act)
        return self._page("refused.html", act=act)

    def _missing(self) -> Response:
        return self._page("missing.html", status=404)

    def _item_at(self, path: str) -> Item | None:
        prefix = f"/{self._words['path_item']}/"
        return self._site.item(path.removeprefix(prefix)) if path.startswith(prefix) else None

    def _page(self, template: str, *, status: int = 200, here: str = "/", query: str = "", **context: Any) -> Response:
        return page(
            template, status=status, site=self._site, w=self._words, here=here, query=query,
            start_url=self._start_url, place=self._state.place_on(self._site),
            held=self._state.held_on(self._site), notice=self._state.take_notice(self._site),
            consent=self._state.needs_consent(self._site), **context,
        )


def _to(path: str) -> Response:
    """Send the browser to a path of the same site; whatever else was asked for becomes the home page."""
    local = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return RedirectResponse(path if local and len(path) < 2000 else "/", status_code=303,
                            headers={"cache-control": "no-store"})
