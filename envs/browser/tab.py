"""One tab: a page, a CDP session on it, an isolated world to read it in, and what the browser says of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from .pool import first_line
from .snapshot import Snapshot, world_source

CALL_LIMIT_S = 5.0
"""Longest wait for one answer of a page."""


class TabGoneError(Exception):
    """The page crashed or was closed; nothing it was asked will be answered."""


class TabStuckError(Exception):
    """The page did not answer in time: a script of it never yields."""


class PageChangedError(Exception):
    """The document that was spoken to is no longer there."""


class Tab:
    """A page with the state the browser reports of it.

    Attributes:
        page: Playwright's page.
        leaving: A navigation of the main frame was asked for and has not arrived.
        ready: The document is parsed.
        loaded: The document is loaded, with its images and scripts.
        crashed: The renderer died.
        closed: The tab was closed.
        opening: Windows this page has opened that have not shown up yet.
        failed_url: The URL that could not be opened, where the browser shows an error page in its place.
    """

    def __init__(self, page: Page, session: CDPSession) -> None:
        self.page = page
        self.leaving = self.crashed = self.closed = False
        self.ready = self.loaded = True
        self.opening = 0
        self.failed_url = ""
        self.documents = 0
        self._session = session
        self._frame = ""
        self._world: int | None = None
        self._seen: int | None = None
        self._pulse = asyncio.Event()
        self._gone = asyncio.get_running_loop().create_future()

    @classmethod
    async def attach(cls, page: Page) -> Tab:
        """Open a session on a page and follow it.

        Raises:
            PlaywrightError: The page went away meanwhile.
        """
        tab = cls(page, await page.context.new_cdp_session(page))
        page.on("crash", lambda _: tab._lose("crashed"))
        page.on("close", lambda _: tab._lose("closed"))
        for event, follow in (
            ("Page.frameRequestedNavigation", tab._requested),
            ("Page.frameScheduledNavigation", tab._scheduled),
            ("Page.frameClearedScheduledNavigation", tab._settled),
            ("Page.navigatedWithinDocument", tab._settled),
            ("Page.frameNavigated", tab._navigated),
            ("Page.domContentEventFired", tab._parsed),
            ("Page.loadEventFired", tab._finished),
            ("Page.windowOpen", tab._opens),
        ):
            tab._session.on(event, follow)
        _, tree = await asyncio.gather(tab.send("Page.enable"), tab.send("Page.getFrameTree"))
        tab._frame = tree["frameTree"]["frame"]["id"]
        if page.url not in ("", "about:blank"):
            tab.ready = tab.loaded = False
            state = await tab.evaluate("document.readyState")
            tab.ready, tab.loaded = tab.ready or state != "loading", tab.loaded or state == "complete"
        return tab

    async def send(self, method: str, parameters: dict[str, Any] | None = None, *, limit_s: float = CALL_LIMIT_S) -> Any:
        """Send one CDP command.

        Raises:
            TabGoneError: The page crashed or was closed.
            TabStuckError: No answer came within `limit_s` seconds.
            PageChangedError: The document it was meant for is gone.
        """
        if self._gone.done():
            raise TabGoneError(self._why())
        answer = asyncio.ensure_future(self._session.send(method, parameters or {}))
        await asyncio.wait((answer, self._gone), timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            if self._gone.done():
                raise TabGoneError(self._why())
            raise TabStuckError(f"the page did not answer within {limit_s:g} s: a script of it does not yield")
        try:
            return answer.result()
        except PlaywrightError as error:
            message = first_line(error)
            if self._gone.done() or "closed" in message or "crashed" in message:
                raise TabGoneError(message) from None
            raise PageChangedError(message) from None

    async def evaluate(self, expression: str, *, limit_s: float = CALL_LIMIT_S, same_page: bool = False) -> Any:
        """Evaluate in the isolated world of the document; a promise is awaited.

        Args:
            expression: What to evaluate there.
            limit_s: Longest wait.
            same_page: Refuse another document than the one last read: refs of it mean nothing here.

        Raises:
            PageChangedError: The document went away, or is another one than was read.
            TabGoneError: The page crashed or was closed.
            TabStuckError: No answer came in time.
        """
        world = self._world if self._world is not None and not same_page else await self._enter(same_page)
        answer = await self.send(
            "Runtime.evaluate",
            {"expression": expression, "contextId": world, "awaitPromise": True, "returnByValue": True},
            limit_s=limit_s,
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise PageChangedError(str(details.get("exception", {}).get("description", details.get("text")))[:300])
        return answer["result"].get("value")

    async def call(self, name: str, *values: object) -> dict[str, Any]:
        """Call one of `hands.js` on the document last read.

        Raises:
            PageChangedError: The page is another one by now.
            TabGoneError: The page crashed or was closed.
            TabStuckError: No answer came in time.
        """
        arguments = ",".join(json.dumps(value) for value in values)
        answer: dict[str, Any] = json.loads(await self.evaluate(f"habitus.{name}({arguments})", same_page=True))
        return answer

    async def read(self) -> Snapshot:
        """Read the page in one pass; its refs are the ones `call` takes from now on."""
        answer = await self.evaluate("habitus.read()")
        self._seen = self._world
        return Snapshot.of(answer)

    async def until(self, holds: Callable[[], bool], limit_s: float) -> bool:
        """Wait for an event after which `holds()` is true; returns whether it came within the limit."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limit_s
        while not holds():
            self._pulse.clear()
            try:
                await asyncio.wait_for(self._pulse.wait(), max(0.0, deadline - loop.time()))
            except TimeoutError:
                return holds()
        return True

    def pulse(self) -> None:
        """Wake who waits in `until`: something happened."""
        self._pulse.set()

    async def kill(self) -> None:
        """End the renderer: a script that never yields cannot be asked to stop."""
        if not self._gone.done():
            crash: Coroutine[Any, Any, Any] = self._session.send("Page.crash")
            task = asyncio.ensure_future(crash)
            await asyncio.wait((task, self._gone), timeout=2.0, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                task.cancel()
            elif not task.cancelled():
                task.exception()  # The command itself is never answered well.

    async def _enter(self, same_page: bool) -> int:
        if self._world is None:
            documents = self.documents
            answer = await self.send(
                "Page.createIsolatedWorld",
                # Universal access lets the one pass go into frames of other sites; the page sees nothing of this world.
                {"frameId": self._frame, "worldName": "habitus", "grantUniveralAccess": True},
            )
            world: int = answer["executionContextId"]
            await self.send("Runtime.evaluate", {"expression": world_source(), "contextId": world})
            if documents != self.documents:
                raise PageChangedError("the page changed")
            self._world = world
        if same_page and self._world != self._seen:
            raise PageChangedError("the page changed after it was read")
        return self._world

    def _lose(self, how: str) -> None:
        setattr(self, how, True)
        if not self._gone.done():
            self._gone.set_result(None)
        self.pulse()

    def _why(self) -> str:
        return "the page crashed" if self.crashed else "the tab was closed"

    def _requested(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._frame and event.get("disposition", "currentTab") == "currentTab":
            self.leaving = not event["url"].startswith("javascript:")
            self.pulse()

    def _scheduled(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._frame and event["delay"] < 0.1:
            self.leaving = True
            self.pulse()

    def _settled(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._frame:
            self.leaving = False
            self.pulse()

    def _navigated(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        if "parentId" in frame:
            return
        self._frame = frame["id"]
        self._world = None
        self.documents += 1
        self.leaving = self.ready = self.loaded = False
        self.failed_url = frame.get("unreachableUrl", "")
        self.pulse()

    def _parsed(self, _: object) -> None:
        self.ready = True
        self.pulse()

    def _finished(self, _: object) -> None:
        self.ready = self.loaded = True
        self.pulse()

    def _opens(self, _: object) -> None:
        self.opening += 1
        self.pulse()
