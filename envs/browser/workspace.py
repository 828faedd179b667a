"""The browser as a workspace: opens a task's first page, carries actions out, shows what they led to.

An action's failure is a view; a page that hangs or crashes is a view with a usable page behind it. Only the browser's
own death, or a start page that cannot be reached, is raised.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from playwright.async_api import Error as PlaywrightError

from ...errors import BrowserError, SiteError
from ...types import TaskBrief, View, WorldState
from ..actions import Back, Click, CloseTab, Fill, Goto, Press, Scroll, Select, SwitchTab, Wait
from . import act as hands
from .act import ActionFailedError
from .guard import Hosts
from .pool import BrowserPool, bounded
from .settle import QUIET_MS, settle
from .snapshot import Snapshot
from .tab import PageChangedError, Tab, TabGoneError, TabStuckError
from .tabs import Tabs
from .view import one_line

T = TypeVar("T")

STEP_LIMIT_S = 60.0
"""Longest step of all; each wait within it has a shorter limit of its own."""
SCREENSHOT_LIMIT_S = 5.0

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
        self._tabs: Tabs | None = None
        self._url = ""

    async def open(self, brief: TaskBrief, *, seed: int) -> View:
        """Start in a fresh context and open the first page.

        Raises:
            BrowserError: The browser died or gave no context.
            SiteError: The first page could not be reached.
        """
        await self._drop()
        context = await self._pool.context(headers=self._headers, viewport=self._viewport, hosts=self._hosts)
        tabs = self._tabs = Tabs(context)
        random = _SEEDED_RANDOM % (seed & 0xFFFFFFFF)
        await bounded(context.add_init_script(random), STEP_LIMIT_S, "The browser took no script")
        view = await self._bounded(self._open_first(tabs, self._start_url or brief.start_url or "about:blank"))
        if view.error:
            raise SiteError(f"The start page could not be opened: {view.error}")
        return view

    async def act(self, action: Any) -> View:
        """Carry out one browser action and return what it led to.

        Raises:
            BrowserError: The browser died, the workspace is not open, or no answer came within a minute.
        """
        if self._tabs is None:
            raise BrowserError("The workspace is not open: call open() first.")
        return await self._bounded(self._step(self._tabs, action))

    async def state(self) -> WorldState | None:
        """Return the state of the world behind, or None where there is none."""
        return self._state() if self._state else None

    async def screenshot(self) -> bytes | None:
        """Return a PNG of the window, or None where the page gives none in time."""
        if self._tabs is None:
            return None
        try:
            shot = await self._tabs.active.send(
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

    async def _open_first(self, tabs: Tabs, url: str) -> View:
        await tabs.new()
        return await self._step(tabs, Goto(url=url))

    async def _step(self, tabs: Tabs, action: Any) -> View:
        tab = tabs.active
        tabs.traffic.begin()
        done = False
        try:
            quiet_ms, error = QUIET_MS, ""
            try:
                quiet_ms, chosen = await self._do(tabs, tab, action)
                done = True
                await tabs.arrive(quiet_ms)
                if chosen:
                    error = await hands.check_selected(tab, action.ref, chosen)
                return await self._view(tabs, error)
            except ActionFailedError as failed:
                error = str(failed)
            except PageChangedError:
                error = "the page changed after it was read; look at this observation and act again"
            await tabs.arrive(quiet_ms)
            return await self._view(tabs, error)
        except (TabGoneError, TabStuckError) as lost:
            error = "" if done else f"{one_line(str(lost))}; the action was not done"
            return await self._after(tabs, lost, error=error)

    async def _after(self, tabs: Tabs, lost: Exception, *, error: str) -> View:
        """Show the tab behind one that closed; without one, and where a page hung or crashed, a page anew."""
        try:
            if await tabs.left_behind():
                await tabs.arrive(QUIET_MS)
                return await self._view(tabs, error)
        except (TabGoneError, TabStuckError) as again:
            lost = again
        return await self._recover(tabs, tabs.active, lost)

    async def _do(self, tabs: Tabs, tab: Tab, action: Any) -> tuple[int, str]:
        """Carry out an action; returns how long nothing must change after it, in ms, and the option chosen."""
        match action:
            case Click():
                await hands.click(tab, action.ref)
            case Fill():
                note = await hands.fill(tab, action)
                if note:
                    tabs.note(note)
                # Fields that offer suggestions often wait for a pause in the typing.
                if not action.submit and await hands.offers_suggestions(tab, action.ref):
                    return hands.SUGGESTIONS_MS, ""
            case Select():
                return QUIET_MS, await hands.select(tab, action)
            case Press():
                await hands.press(tab, action.key)
            case Scroll():
                await hands.scroll(tab, action.direction)
            case Goto():
                await hands.goto(tab, action.url, self._hosts)
            case Back():
                await hands.back(tab)
            case SwitchTab():
                await tabs.switch(action.index)
            case CloseTab():
                await tabs.close_active()
            case Wait():
                await asyncio.sleep(action.seconds)
            case _:
                raise ActionFailedError(f"{getattr(action, 'name', type(action).__name__)} is no action of the browser")
        return QUIET_MS, ""

    async def _view(self, tabs: Tabs, error: str) -> View:
        tab = tabs.active
        for _ in range(20):
            try:
                snapshot = await tab.read()
                break
            except PageChangedError:
                await settle(tab, tabs.traffic)
        else:
            snapshot = Snapshot(tab.page.url, "", 0, *self._viewport, (), False)
            error = error or "the page keeps changing and could not be read; wait and look again"
        tab.title, self._url = snapshot.title, snapshot.url
        if snapshot.status >= 400 and tab.told != tab.documents:
            tabs.note(f"HTTP status {snapshot.status}: {one_line(snapshot.url, 200)}")
        tab.told = tab.documents
        return View(
            text="" if tab.failed_url else snapshot.text,
            url=tab.failed_url or snapshot.url,
            title=snapshot.title,
            tabs=tabs.lines(),
            error=error or hands.explain_failure(tab, self._hosts),
            notices=tabs.take_notices(),
        )

    async def _recover(self, tabs: Tabs, tab: Tab, lost: Exception) -> View:
        """Return a usable page after one that hung or crashed: the same address anew, else a blank one."""
        self._check_alive()
        error = one_line(str(lost)) + ("" if tab.closed else "; it was opened anew")
        addresses = ["about:blank"] if tab.closed or not self._url else [self._url, "about:blank"]
        await tabs.discard(tab)
        for address in addresses:
            fresh = await tabs.new()
            try:
                await hands.goto(fresh, address, self._hosts)
                await tabs.arrive(QUIET_MS)
                return await self._view(tabs, error)
            except (ActionFailedError, PageChangedError, TabGoneError, TabStuckError):
                self._check_alive()
                await tabs.discard(fresh)
        raise BrowserError(f"No usable page after: {error}.")

    def _check_alive(self) -> None:
        if not self._pool.alive:
            raise BrowserError("The browser died.")

    async def _bounded(self, work: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(STEP_LIMIT_S):
                return await work
        except TimeoutError:
            raise BrowserError(f"The browser did not finish a step within {STEP_LIMIT_S:g} s.") from None
        except (PlaywrightError, TabGoneError, TabStuckError, PageChangedError) as error:
            self._check_alive()
            raise BrowserError(f"The browser failed: {one_line(str(error))}") from None

    async def _drop(self) -> None:
        tabs, self._tabs, self._url = self._tabs, None, ""
        if tabs is not None:
            await tabs.close()
