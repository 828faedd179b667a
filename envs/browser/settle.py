"""When a page is ready to be read: by events, each wait with a limit, and no fixed time.

After an action: if a navigation began, until the new document is parsed and loaded; then until the page's own scripts
leave it alone (no mutation for 50 ms; nothing at all where it has no script) and what they fetch for the action is in.
A page that is never idle is read when the limit is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from playwright.async_api import BrowserContext, Request

from .tab import PageChangedError, Tab

QUIET_MS = 50
CHANGES_LIMIT_MS = 1500
"""Longest wait for a page that changes by itself."""
FETCH_LIMIT_S = 3.0
"""Longest wait for what scripts fetch."""
NAVIGATION_LIMIT_S = 15.0
"""Longest wait for a document to arrive and be parsed."""
LOAD_LIMIT_S = 2.0
"""Longest wait, after that, for its images, fonts and scripts."""

_FETCHES = frozenset(("fetch", "xhr", "script"))
_ROUNDS = 3


class Traffic:
    """What the scripts of a context are fetching.

    A request counts where it began after the action, or when those before it had ended, three rounds at most: a page
    that polls for ever is not waited for.
    """

    def __init__(self, context: BrowserContext, *, changed: Callable[[], None]) -> None:
        self._under_way: set[Request] = set()
        self._round = _ROUNDS
        self._changed = changed
        context.on("request", self._began)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._ended)

    @property
    def idle(self) -> bool:
        """Whether all that counts has been answered."""
        return not self._under_way

    def begin(self) -> None:
        """An action begins: what is under way by now is none of its."""
        self._under_way.clear()
        self._round = 0

    def _began(self, request: Request) -> None:
        if self._round < _ROUNDS and request.resource_type in _FETCHES:
            self._under_way.add(request)

    def _ended(self, request: Request) -> None:
        if request in self._under_way:
            self._under_way.remove(request)
            if not self._under_way:
                self._round += 1
            self._changed()


async def settle(tab: Tab, traffic: Traffic, *, quiet_ms: int = QUIET_MS) -> str:
    """Wait until the page may be read.

    Args:
        tab: The tab acted on.
        traffic: Of its context; `begin` was called before the action.
        quiet_ms: How long nothing must change.

    Returns:
        What did not come in time, or empty text.

    Raises:
        TabGoneError: The page crashed or was closed.
        TabStuckError: A script of the page does not yield.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + NAVIGATION_LIMIT_S
    fetched_by = loop.time() + FETCH_LIMIT_S
    while True:
        if tab.leaving or not tab.ready:
            there = await tab.until(lambda: _gone(tab) or (tab.ready and not tab.leaving), deadline - loop.time())
            if not there:
                late, tab.leaving, tab.ready = tab.leaving, False, True
                return "the page did not arrive in time" if late else "the page is still loading"
        if not tab.loaded:
            await tab.until(lambda: _gone(tab) or tab.loaded or tab.leaving, LOAD_LIMIT_S)
            tab.loaded = tab.loaded or not tab.leaving
        stirs = tab.stirs
        if tab.dialogs:
            await tab.until(lambda: _gone(tab) or not tab.dialogs, max(0.0, deadline - loop.time()))
        try:
            await tab.evaluate(f"habitus.settle({quiet_ms},{CHANGES_LIMIT_MS})")
        except PageChangedError:
            if loop.time() > deadline:
                return "the page keeps reloading"
            if not tab.leaving:
                await asyncio.sleep(0.01)
            continue
        if tab.leaving or not tab.ready or (tab.stirs != stirs and loop.time() < deadline):
            continue
        if tab.opening:
            return ""
        if traffic.idle or loop.time() > fetched_by:
            return ""
        await tab.until(lambda: _gone(tab) or traffic.idle or tab.leaving, fetched_by - loop.time())


def _gone(tab: Tab) -> bool:
    return tab.crashed or tab.closed
