"""The browser as a workspace: opens a task's first page, carries actions out, shows what they led to.

An action's failure is a view; a page that hangs or crashes is a view with a usable page behind it. Only the browser's
own death, or a start page that cannot be reached, is raised.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

from playwright.async_api import BrowserContext, Dialog, Download, FileChooser, Page
from playwright.async_api import Error as PlaywrightError

from ...errors import BrowserError, SiteError
from ...types import TaskBrief, View, WorldState
from ..actions import Back, Click, CloseTab, Fill, Goto, Press, Scroll, Select, SwitchTab, Wait
from . import act as hands
from .act import ActionFailedError
from .guard import Hosts
from .pool import BrowserPool, bounded
from .settle import QUIET_MS, Traffic, settle
from .snapshot import Snapshot
from .tab import PageChangedError, Tab, TabGoneError, TabStuckError
from .view import one_line

T = TypeVar("T")

STEP_LIMIT_S = 60.0
"""Longest step of all; each wait within it has a shorter limit of its own."""
OPEN_LIMIT_S = 30.0
POPUP_LIMIT_S = 5.0
SCREENSHOT_LIMIT_S = 5.0
MAX_TABS = 12

_SEEDED_RANDOM = """(() => { let state = %d >>> 0; Math.random = () => {
  state = (state + 0x6D2B79F5) >>> 0; let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; }; })()"""


class BrowserWorkspace:
    """A `habitus.types.Workspace` in a context of its own.

    Dialogs are answered at once: an alert is accepted, a page may be left, everything else is dismissed; the notices
    tell. A new tab becomes the active one. `Math.random` of pages is seeded.

    Args:
        pool: Where contexts come from.
        headers: HTTP headers of every request, e.g. the local web's episode token.
        allowed_hosts: Hosts that may be reached, `*.name` for all below one; None allows all.
        state: Reads the state of the world behind, or None where there is none.
        on_close: Called once, at the first `close`.
        start_url: Opened in place of the brief's.
        viewport: Width and height in CSS pixels.
    """

    def __init__(
        self,
        pool: BrowserPool,
        *,
        headers: Mapping[str, str] | None = None,
        allowed_hosts: frozenset[str] | None = None,
        state: Callable[[], WorldState] | None = None,
        on_close: Callable[[], None] | None = None,
        start_url: str | None = None,
        viewport: tuple[int, int] = (1280, 720),
    ) -> None:
        self._pool = pool
        self._headers = dict(headers or {})
        self._hosts = Hosts(allowed_hosts)
        self._state = state
        self._on_close = on_close
        self._start_url = start_url
        self._viewport = viewport
        self._context: BrowserContext | None = None
        self._traffic: Traffic | None = None
        self._tabs: list[Tab] = []
        self._active: Tab | None = None
        self._titles: dict[Tab, str] = {}
        self._told: dict[Tab, int] = {}
        self._notices: list[str] = []
        self._work: set[asyncio.Task[None]] = set()
        self._ours = self._coming = 0
        self._url = ""

    async def open(self, brief: TaskBrief, *, seed: int) -> View:
        """Start in a fresh context and open the first page.

        Raises:
            BrowserError: The browser died or gave no context.
            SiteError: The first page could not be reached.
        """
        await self._drop()
        context = self._context = await self._pool.context(
            headers=self._headers, viewport=self._viewport, hosts=self._hosts
        )
        self._traffic = Traffic(context, changed=self._pulse)
        context.on("dialog", lambda dialog: self._spawn(self._answer(dialog)))
        context.on("page", self._arrived)
        await bounded(context.add_init_script(_SEEDED_RANDOM % (seed & 0xFFFFFFFF)), OPEN_LIMIT_S, "No init script")
        url = self._start_url or brief.start_url or "about:blank"
        view = await self._bounded(self._open_first(url))
        if view.error:
            raise SiteError(f"The start page could not be opened: {view.error}")
        return view

    async def act(self, action: Any) -> View:
        """Carry out one browser action and return what it led to.

        Raises:
            BrowserError: The browser died, the workspace is not open, or no answer came within a minute.
        """
        if self._context is None:
            raise BrowserError("The workspace is not open: call open() first.")
        return await self._bounded(self._step(action))

    async def state(self) -> WorldState | None:
        """Return the state of the world behind, or None where there is none."""
        return self._state() if self._state else None

    async def screenshot(self) -> bytes | None:
        """Return a PNG of the window, or None where the page gives none in time."""
        if self._active is None:
            return None
        try:
            shot = await self._active.send(
                "Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True}, limit_s=SCREENSHOT_LIMIT_S
            )
        except (TabGoneError, TabStuckError, PageChangedError):
            return None
        return base64.b64decode(shot["data"])

    async def close(self) -> None:
        """Let the context go, within seconds. May be called twice."""
        on_close, self._on_close = self._on_close, None
        try:
            await self._drop()
        finally:
            if on_close:
                on_close()

    async def _open_first(self, url: str) -> View:
        self._active = await self._new_tab()
        return await self._step(Goto(url=url))

    async def _step(self, action: Any) -> View:
        tab, traffic = self._here()
        traffic.begin()
        error, quiet_ms, chosen = "", QUIET_MS, ""
        try:
            if isinstance(action, Fill):
                note = await hands.fill(tab, action)
                if note:
                    self._notices.append(note)
                # Fields that offer suggestions often wait for a pause in the typing.
                if not action.submit and await hands.offers_suggestions(tab, action.ref):
                    quiet_ms = hands.SUGGESTIONS_MS
            elif isinstance(action, Select):
                chosen = await hands.select(tab, action)
            else:
                await self._do(tab, action)
            await self._arrive(quiet_ms)
            if chosen:
                error = await hands.check_selected(tab, action.ref, chosen)
            return await self._view(error)
        except ActionFailedError as failed:
            error = str(failed)
        except PageChangedError:
            error = "the page changed after it was read; look at this observation and act again"
        except (TabGoneError, TabStuckError) as lost:
            return await self._recover(tab, lost)
        try:
            await self._arrive(quiet_ms)
            return await self._view(error)
        except (TabGoneError, TabStuckError) as lost:
            return await self._recover(self._here()[0], lost)

    async def _do(self, tab: Tab, action: Any) -> None:
        match action:
            case Click():
                await hands.click(tab, action.ref)
            case Press():
                await hands.press(tab, action.key)
            case Scroll():
                await hands.scroll(tab, action.direction)
            case Goto():
                await hands.goto(tab, action.url, self._hosts)
            case Back():
                await hands.back(tab)
            case SwitchTab():
                await self._switch(action.index)
            case CloseTab():
                await self._close_active(tab)
            case Wait():
                await asyncio.sleep(action.seconds)
            case _:
                raise ActionFailedError(f"{getattr(action, 'name', type(action).__name__)} is no action of the browser")

    async def _arrive(self, quiet_ms: int) -> None:
        """Settle the active tab; where the action opened or closed tabs, the one that is active then."""
        for _ in range(MAX_TABS):
            tab, traffic = self._here()
            try:
                late = await settle(tab, traffic, quiet_ms=quiet_ms)
            except TabGoneError:
                if tab.closed and await self._fall_back(tab):
                    continue
                raise
            if late:
                self._notices.append(late)
            if tab.opening:
                await tab.until(lambda tab=tab: not tab.opening or tab.closed or tab.crashed, POPUP_LIMIT_S)  # type: ignore[misc]
                tab.opening = 0
            if self._active is tab and not tab.closed:
                return

    async def _view(self, error: str) -> View:
        tab, traffic = self._here()
        for _ in range(20):
            try:
                snapshot = await tab.read()
                break
            except PageChangedError:
                await settle(tab, traffic)
        else:
            snapshot = Snapshot(tab.page.url, "", 0, *self._viewport, (), False)
            error = error or "the page keeps changing and could not be read; wait and look again"
        self._titles[tab], self._url = snapshot.title, snapshot.url
        error = error or hands.explain_failure(tab, self._hosts)
        if snapshot.status >= 400 and self._told.get(tab) != tab.documents:
            self._notices.append(f"HTTP status {snapshot.status}: {one_line(snapshot.url, 200)}")
        self._told[tab] = tab.documents
        notices, self._notices = tuple(self._notices), []
        return View(
            text="" if tab.failed_url else snapshot.text,
            url=tab.failed_url or snapshot.url,
            title=snapshot.title,
            tabs=self._tab_lines(),
            error=error,
            notices=notices,
        )

    async def _recover(self, tab: Tab, lost: Exception) -> View:
        """Return a usable page after one that hung or crashed: the same address anew, else a blank one."""
        self._check_alive()
        error = f"{one_line(str(lost))}; it was opened anew" if not tab.closed else one_line(str(lost))
        url = self._url if not tab.closed else "about:blank"
        await tab.kill()
        self._forget(tab)
        self._spawn(_close_page(tab.page))
        for address in (url, "about:blank"):
            fresh = self._active = await self._new_tab()
            try:
                await hands.goto(fresh, address or "about:blank", self._hosts)
                await self._arrive(QUIET_MS)
                return await self._view(error)
            except (ActionFailedError, PageChangedError, TabGoneError, TabStuckError):
                self._check_alive()
                await fresh.kill()
                self._forget(fresh)
                self._spawn(_close_page(fresh.page))
        raise BrowserError(f"No usable page after: {error}.")

    async def _switch(self, index: int) -> None:
        if index >= len(self._tabs):
            raise ActionFailedError(f"there is no tab {index}; there are {len(self._tabs)}, numbered from 0")
        await self._activate(self._tabs[index])

    async def _close_active(self, tab: Tab) -> None:
        if len(self._tabs) < 2:
            raise ActionFailedError("this is the only tab; it cannot be closed")
        await bounded(tab.page.close(), OPEN_LIMIT_S, "The tab did not close")
        await self._fall_back(tab)

    async def _fall_back(self, tab: Tab) -> bool:
        """Make the tab before a closed one the active one; returns whether there is one."""
        index = self._tabs.index(tab) if tab in self._tabs else len(self._tabs)
        self._forget(tab)
        if not self._tabs:
            return False
        await self._activate(self._tabs[max(0, min(index, len(self._tabs)) - 1)])
        return True

    async def _activate(self, tab: Tab) -> None:
        self._active = tab
        # A tab in the background draws no frames, so its page would seem to stand still.
        with contextlib.suppress(PageChangedError):
            await tab.send("Page.bringToFront")

    async def _new_tab(self) -> Tab:
        assert self._context is not None  # noqa: S101 - open() made it
        self._ours += 1
        try:
            page = await bounded(self._context.new_page(), OPEN_LIMIT_S, "The browser gave no new page")
        finally:
            self._ours -= 1
        return await self._adopt(page)

    async def _adopt(self, page: Page) -> Tab:
        tab = await Tab.attach(page)
        page.on("download", self._downloaded)
        page.on("filechooser", self._chooser)
        page.on("close", lambda _: self._closed(tab))
        self._tabs.append(tab)
        return tab

    def _arrived(self, page: Page) -> None:
        if not self._ours:
            self._coming += 1
            self._spawn(self._follow(page))

    async def _follow(self, page: Page) -> None:
        if len(self._tabs) + self._coming > MAX_TABS:
            self._notices.append(f"a new tab was closed at once: {MAX_TABS} are open")
            await _close_page(page)
        else:
            with contextlib.suppress(PlaywrightError, TabGoneError, TabStuckError, PageChangedError):
                self._active = await self._adopt(page)
        self._coming -= 1
        for tab in self._tabs:
            tab.opening = 0
            tab.pulse()

    def _closed(self, tab: Tab) -> None:
        if tab is not self._active and tab in self._tabs:
            self._forget(tab)

    def _forget(self, tab: Tab) -> None:
        if tab in self._tabs:
            self._tabs.remove(tab)
        self._titles.pop(tab, None)
        self._told.pop(tab, None)

    async def _answer(self, dialog: Dialog) -> None:
        accepted = dialog.type in ("alert", "beforeunload")
        told = "accepted" if accepted else "dismissed"
        self._notices.append(f'{dialog.type} dialog, {told}: "{one_line(dialog.message, 1000)}"')
        with contextlib.suppress(PlaywrightError):
            await (dialog.accept() if accepted else dialog.dismiss())

    def _downloaded(self, download: Download) -> None:
        name, url = one_line(download.suggested_filename, 200), one_line(download.url, 200)
        self._notices.append(f'download: "{name}" from {url}')
        for tab in self._tabs:
            tab.leaving = False  # What was asked for is a file: no document will arrive.
        self._pulse()

    def _chooser(self, _: FileChooser) -> None:
        self._notices.append("the page asked for a file; files cannot be given here")

    def _tab_lines(self) -> tuple[str, ...]:
        if len(self._tabs) < 2:
            return ()
        return tuple(
            f'{"*" if tab is self._active else " "} {index} "{one_line(self._titles.get(tab, ""), 100)}" '
            f"<{one_line(tab.page.url, 200)}>"
            for index, tab in enumerate(self._tabs)
        )

    def _here(self) -> tuple[Tab, Traffic]:
        if self._active is None or self._traffic is None:
            raise BrowserError("The workspace is not open: call open() first.")
        return self._active, self._traffic

    def _pulse(self) -> None:
        for tab in self._tabs:
            tab.pulse()

    def _check_alive(self) -> None:
        if not self._pool.alive:
            raise BrowserError("The browser died.")

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _bounded(self, work: Awaitable[T]) -> T:
        try:
            return await asyncio.wait_for(work, STEP_LIMIT_S)
        except TimeoutError:
            raise BrowserError(f"The browser did not finish a step within {STEP_LIMIT_S:g} s.") from None
        except (PlaywrightError, TabGoneError, TabStuckError, PageChangedError) as error:
            self._check_alive()
            raise BrowserError(f"The browser failed: {one_line(str(error))}") from None

    async def _drop(self) -> None:
        context, self._context = self._context, None
        self._coming = 0
        self._tabs, self._active, self._traffic = [], None, None
        self._titles, self._told, self._notices, self._url = {}, {}, [], ""
        for task in list(self._work):
            task.cancel()
        if context is not None:
            with contextlib.suppress(BrowserError):
                await bounded(context.close(), OPEN_LIMIT_S / 6, "The context did not close")


async def _close_page(page: Page) -> None:
    with contextlib.suppress(PlaywrightError, TimeoutError):
        await asyncio.wait_for(page.close(), 5.0)
