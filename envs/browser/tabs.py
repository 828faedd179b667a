"""The tabs of one context: which are open, which is active, and what the browser tells of them beside."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

from playwright.async_api import BrowserContext, Dialog, Download, FileChooser, Page
from playwright.async_api import Error as PlaywrightError

from ...errors import BrowserError
from .act import ActionFailedError
from .pool import bounded
from .settle import Traffic, settle
from .tab import PageChangedError, Tab, TabGoneError, TabStuckError
from .view import one_line

MAX_TABS = 12
PAGE_LIMIT_S = 30.0
POPUP_LIMIT_S = 5.0
GONE_LIMIT_S = 0.5
"""Longest wait for word that a tab has closed, after it no longer answers."""
MAX_NOTICES = 5
"""So many are kept of what happened in one step; a page can cause any number."""


class Tabs:
    """Follows a context: a new tab becomes the active one, and the one before it when it is closed.

    Dialogs are answered at once: an alert is accepted, a page may be left, everything else is dismissed.

    Attributes:
        traffic: What the pages' scripts are fetching.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.traffic = Traffic(context, changed=self._pulse)
        self._notices: list[str] = []
        self._more = 0
        self._open: list[Tab] = []
        self._active: Tab | None = None
        self._ours = self._coming = 0
        self._work: set[asyncio.Task[None]] = set()
        context.on("dialog", lambda dialog: self._spawn(self._answer(dialog)))
        context.on("page", self._arrived)

    @property
    def active(self) -> Tab:
        """The tab that is acted on.

        Raises:
            BrowserError: None was opened.
        """
        if self._active is None:
            raise BrowserError("The workspace is not open: call open() first.")
        return self._active

    async def new(self) -> Tab:
        """Open a blank tab and make it the active one.

        Raises:
            BrowserError: The browser gave none in time.
        """
        self._ours += 1
        try:
            page = await bounded(self.context.new_page(), PAGE_LIMIT_S, "The browser gave no new page")
        finally:
            self._ours -= 1
        self._active = await self._adopt(page)
        return self._active

    async def arrive(self, quiet_ms: int) -> None:
        """Settle the active tab; where the action opened or closed tabs, the one that is active then.

        Raises:
            TabGoneError: It crashed, or the last tab was closed.
            TabStuckError: A script of it does not yield.
        """
        for _ in range(MAX_TABS):
            tab = self.active
            try:
                late = await settle(tab, self.traffic, quiet_ms=quiet_ms)
            except TabGoneError:
                if tab.closed and await self._fall_back(tab):
                    continue
                raise
            if late:
                self.note(late)
            if tab.opening:
                await tab.until(lambda tab=tab: not tab.opening or tab.closed or tab.crashed, POPUP_LIMIT_S)  # type: ignore[misc]
                tab.opening = 0
            if self._active is tab and not tab.closed:
                return

    async def switch(self, index: int) -> None:
        """Make another tab the active one.

        Raises:
            ActionFailedError: There is no such tab.
        """
        if index >= len(self._open):
            raise ActionFailedError(f"there is no tab {index}; there are {len(self._open)}, numbered from 0")
        await self._activate(self._open[index])

    async def close_active(self) -> None:
        """Close the active tab; the one before it becomes the active one.

        Raises:
            ActionFailedError: It is the only one.
        """
        if len(self._open) < 2:
            raise ActionFailedError("this is the only tab; it cannot be closed")
        tab = self.active
        await bounded(tab.page.close(), PAGE_LIMIT_S, "The tab did not close")
        await self._fall_back(tab)

    async def left_behind(self) -> bool:
        """Where the active tab has closed itself, make the one before it the active one; returns whether there is one.

        What a closed tab was asked may be refused before its end is told: that is waited for.
        """
        tab = self.active
        await tab.until(lambda: tab.closed or tab.crashed, GONE_LIMIT_S)
        return tab.closed and await self._fall_back(tab)

    async def discard(self, tab: Tab) -> None:
        """End a tab that hangs or crashed."""
        await tab.kill()
        self._forget(tab)
        self._spawn(_close_page(tab.page))

    def lines(self) -> tuple[str, ...]:
        """Return one line a tab, the active one marked `*`; none where there is one tab."""
        if len(self._open) < 2:
            return ()
        return tuple(
            f'{"*" if tab is self._active else " "} {index} "{one_line(tab.title, 99)}" <{one_line(tab.page.url, 200)}>'
            for index, tab in enumerate(self._open)
        )

    def note(self, notice: str) -> None:
        """Keep what is to be told with the next view; of more than `MAX_NOTICES` only their number."""
        if len(self._notices) < MAX_NOTICES:
            self._notices.append(notice)
        else:
            self._more += 1

    def take_notices(self) -> tuple[str, ...]:
        """Return the notices and forget them."""
        told = (*self._notices, *([f"... and {self._more} more"] if self._more else []))
        self._notices, self._more = [], 0
        return told

    async def close(self) -> None:
        """Close the context, within seconds."""
        for task in list(self._work):
            task.cancel()
        with contextlib.suppress(BrowserError):
            await bounded(self.context.close(), PAGE_LIMIT_S / 6, "The context did not close")

    async def _fall_back(self, tab: Tab) -> bool:
        """Make the tab before a closed one the active one; returns whether there is one."""
        index = self._open.index(tab) if tab in self._open else len(self._open)
        self._forget(tab)
        if not self._open:
            return False
        await self._activate(self._open[max(0, min(index, len(self._open)) - 1)])
        return True

    async def _activate(self, tab: Tab) -> None:
        self._active = tab
        # A tab in the background draws no frames, so its page would seem to stand still.
        with contextlib.suppress(PageChangedError):
            await tab.send("Page.bringToFront")

    async def _adopt(self, page: Page) -> Tab:
        tab = await Tab.attach(page)
        page.on("download", self._downloaded)
        page.on("filechooser", self._chooser)
        page.on("close", lambda _: self._closed(tab))
        self._open.append(tab)
        return tab

    def _arrived(self, page: Page) -> None:
        if not self._ours:
            self._coming += 1
            self._spawn(self._follow(page))

    async def _follow(self, page: Page) -> None:
        try:
            if len(self._open) + self._coming > MAX_TABS:
                self.note(f"a new tab was closed at once: {MAX_TABS} are open")
                await _close_page(page)
            else:
                with contextlib.suppress(PlaywrightError, TabGoneError, TabStuckError, PageChangedError):
                    self._active = await self._adopt(page)
        finally:
            self._coming -= 1
        for tab in self._open:
            tab.opening = 0
        self._pulse()

    def _closed(self, tab: Tab) -> None:
        if tab is not self._active:
            self._forget(tab)

    def _forget(self, tab: Tab) -> None:
        if tab in self._open:
            self._open.remove(tab)

    async def _answer(self, dialog: Dialog) -> None:
        accepted = dialog.type in ("alert", "beforeunload")
        told = "accepted" if accepted else "dismissed"
        self.note(f'{dialog.type} dialog, {told}: "{one_line(dialog.message, 1000)}"')
        with contextlib.suppress(PlaywrightError):
            await (dialog.accept() if accepted else dialog.dismiss())

    def _downloaded(self, download: Download) -> None:
        name, url = one_line(download.suggested_filename, 200), one_line(download.url, 200)
        self.note(f'download: "{name}" from {url}')
        for tab in self._open:
            tab.leaving = False  # What was asked for is a file: no document will arrive.
        self._pulse()

    def _chooser(self, _: FileChooser) -> None:
        self.note("the page asked for a file; files cannot be given here")

    def _pulse(self) -> None:
        for tab in self._open:
            tab.pulse()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)


async def _close_page(page: Page) -> None:
    with contextlib.suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(5.0):
            await page.close()
