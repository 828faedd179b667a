"""One tab: a page, a CDP session on it, isolated worlds to read it in, and what the browser says of it.

The page and its frames of the same site are read in one world. A frame of another site lies in the same process, but a
world of its own, which is made where such a frame is met; its refs begin with `x` and the world's number.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from .pool import first_line
from .snapshot import Snapshot, graft, world_source

CALL_LIMIT_S = 5.0
"""Longest wait for one answer of a page."""


class TabGoneError(Exception):
    """The page crashed or was closed; nothing it was asked will be answered."""


class TabStuckError(Exception):
    """The page did not answer in time: a script of it never yields."""


class PageChangedError(Exception):
    """The document that was spoken to is no longer there."""


@dataclass
class World:
    """An isolated world of one frame.

    Attributes:
        frame: CDP id of the frame.
        prefix: What its refs begin with; empty for the page itself.
        outer: The world its element stands in, None for the page itself.
        key: The element's number in there.
        context: The execution context while the document lives.
        seen: The context at the last reading: the one its refs mean.
    """

    frame: str
    prefix: str = ""
    outer: World | None = None
    key: int = 0
    context: int | None = None
    seen: int | None = None


class Tab:
    """A page with the state the browser reports of it.

    Attributes:
        page: Playwright's page.
        leaving: A navigation of the main frame was asked for and has not arrived.
        ready: The document is parsed.
        loaded: The document is loaded, with its images and scripts.
        crashed: The renderer died.
        closed: The tab was closed.
        dialogs: Dialogs that are open.
        stirs: Dialogs that were answered: each lets a script go on.
        opening: Windows this page has opened that have not shown up yet.
        title: Title at the last reading.
        documents: Documents that arrived, counted; `told` is the one whose HTTP status was told.
        failed_url: The URL that could not be opened, where the browser shows an error page in its place.
    """

    def __init__(self, page: Page, session: CDPSession) -> None:
        self.page = page
        self.leaving = self.crashed = self.closed = self._under_way = False
        self.ready = self.loaded = True
        self.opening = self.dialogs = self.stirs = 0
        self.failed_url = self.title = ""
        self.documents, self.told = 0, -1
        self._session = session
        self._main = World("")
        self._worlds: list[World] = [self._main]
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
            ("Page.frameStartedLoading", tab._started),
            ("Page.frameStoppedLoading", tab._stopped),
            ("Page.navigatedWithinDocument", tab._stayed),
            ("Page.frameNavigated", tab._navigated),
            ("Page.domContentEventFired", tab._parsed),
            ("Page.loadEventFired", tab._finished),
            ("Page.windowOpen", tab._opens),
            ("Page.javascriptDialogOpening", tab._asks),
            ("Page.javascriptDialogClosed", tab._answered),
        ):
            tab._session.on(event, follow)
        _, tree = await asyncio.gather(tab.send("Page.enable"), tab.send("Page.getFrameTree"))
        tab._main.frame = tree["frameTree"]["frame"]["id"]
        if page.url not in ("", "about:blank"):
            tab.ready = tab.loaded = False
            state = await tab.evaluate("document.readyState")
            tab.ready, tab.loaded = tab.ready or state != "loading", tab.loaded or state == "complete"
        return tab

    async def send(self, method: str, parameters: dict[str, Any] | None = None, *, limit_s: float | None = None) -> Any:
        """Send one CDP command.

        Raises:
            TabGoneError: The page crashed or was closed.
            TabStuckError: No answer came within `limit_s` seconds, `CALL_LIMIT_S` where None.
            PageChangedError: The document it was meant for is gone.
        """
        if self._gone.done():
            raise TabGoneError(self._why())
        limit_s = CALL_LIMIT_S if limit_s is None else limit_s
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
            raise self.lost(error) from None

    def lost(self, error: PlaywrightError) -> TabGoneError | PageChangedError:
        """Return what a refused command says of the page: the tab is gone, or only the document it was meant for.

        "Inspected target navigated or closed" is the latter: where it was closed, the event of that follows.
        """
        message = first_line(error)
        gone = self._gone.done() or "has been closed" in message or "crashed" in message
        return TabGoneError(message) if gone else PageChangedError(message)

    async def evaluate(self, expression: str, *, limit_s: float | None = None) -> Any:
        """Evaluate in the isolated world of the page's document; a promise is awaited.

        Raises:
            PageChangedError: The document went away.
            TabGoneError: The page crashed or was closed.
            TabStuckError: No answer came in time.
        """
        return await self._evaluate(self._main, expression, limit_s=limit_s)

    async def call(self, name: str, ref: str, *values: object) -> dict[str, Any]:
        """Call one of `hands.js` on an element of the page as it was last read.

        Raises:
            PageChangedError: The page, or the ref's frame, is another one by now.
            TabGoneError: The page crashed or was closed.
            TabStuckError: No answer came in time.
        """
        foreign = re.match(r"x\d+(?=[ef])", ref)
        world: World | None = next((w for w in self._worlds if w.prefix == (foreign[0] if foreign else "")), None)
        if world is None:
            return {"error": f"there is no element {ref} on this page"}
        answer = await self._ask(world, name, ref, *values)
        while world.outer is not None and "x" in answer:
            answer = await self._ask(world.outer, "through", world.key, answer["x"], answer["y"])
            world = world.outer
        return answer

    async def scroll(self, *, down: bool) -> dict[str, Any]:
        """Scroll the page; as `call`."""
        return await self._ask(self._main, "scroll", down)

    async def read(self) -> Snapshot:
        """Read the page in one pass; its refs are the ones `call` takes from now on."""
        return Snapshot.of(await self._read(self._main))

    async def until(self, holds: Callable[[], bool], limit_s: float) -> bool:
        """Wait for an event after which `holds()` is true; returns whether it came within the limit."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limit_s
        while not holds():
            self._pulse.clear()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._pulse.wait()
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

    async def _ask(self, world: World, name: str, *values: object) -> dict[str, Any]:
        context = await self._enter(world)
        if context != world.seen:
            raise PageChangedError("the page changed after it was read")
        arguments = ",".join(json.dumps(value) for value in values)
        answer: dict[str, Any] = json.loads(await self._evaluate(world, f"habitus.{name}({arguments})"))
        return answer

    async def _evaluate(self, world: World, expression: str, *, limit_s: float | None = None) -> Any:
        context = await self._enter(world)
        answer = await self.send(
            "Runtime.evaluate",
            {"expression": expression, "contextId": context, "awaitPromise": True, "returnByValue": True},
            limit_s=limit_s,
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise PageChangedError(str(details.get("exception", {}).get("description", details.get("text")))[:300])
        return answer["result"].get("value")

    async def _read(self, world: World) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(await self._evaluate(world, f"habitus.read({json.dumps(world.prefix)})"))
        world.seen = world.context
        for at, key, left, top in reversed(data["foreign"]):
            try:
                inner = await self._read(await self._foreign(world, key))
            except PageChangedError:
                continue  # It is loading, or stands in another process: its element says that it was not read.
            graft(data, inner, at=at, left=left, top=top)
        return data

    async def _foreign(self, outer: World, key: int) -> World:
        """Return the world of the frame whose element has this number in `outer`."""
        for world in self._worlds:
            if world.outer is outer and world.key == key:
                return world
        context = await self._enter(outer)
        answer = await self.send("Runtime.evaluate", {"expression": f"habitus.apart[{key}]", "contextId": context})
        node = await self.send("DOM.describeNode", {"objectId": answer["result"]["objectId"]})
        world = World(node["node"]["frameId"], f"x{len(self._worlds)}", outer, key)
        self._worlds.append(world)
        return world

    async def _enter(self, world: World) -> int:
        if world.context is None:
            documents = self.documents
            answer = await self.send("Page.createIsolatedWorld", {"frameId": world.frame, "worldName": "habitus"})
            context: int = answer["executionContextId"]
            await self.send("Runtime.evaluate", {"expression": world_source(), "contextId": context})
            if documents != self.documents:
                raise PageChangedError("the page changed")
            world.context = context
        return world.context

    def _lose(self, how: str) -> None:
        setattr(self, how, True)
        if not self._gone.done():
            self._gone.set_result(None)
        self.pulse()

    def _why(self) -> str:
        return "the page crashed" if self.crashed else "the tab was closed"

    def _requested(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main.frame and event.get("disposition", "currentTab") == "currentTab":
            self.leaving = not event["url"].startswith("javascript:")
            self.pulse()

    def _started(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main.frame:
            self._under_way = self.leaving  # Else it tells of the page before, whose end may come late.

    def _stopped(self, event: dict[str, Any]) -> None:
        # A navigation that began and brought no document: a download, an empty answer, a newer navigation's victim.
        if event["frameId"] == self._main.frame and self._under_way:
            self.leaving = self._under_way = False
            self.pulse()

    def _stayed(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main.frame:
            self.leaving = False
            self.pulse()

    def _navigated(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        if "parentId" in frame:
            for world in self._worlds:
                if world.frame == frame["id"]:
                    world.context = None
            return
        # Frames of the old document are gone with it; numbers are not used again, so that old refs mean nothing.
        self._main.frame, self._main.context = frame["id"], None
        self._worlds = [self._main]
        self.documents += 1
        self.leaving = self.ready = self.loaded = self._under_way = False
        self.failed_url = frame.get("unreachableUrl", "")
        self.pulse()

    def _parsed(self, _: object) -> None:
        self.ready = True
        self.pulse()

    def _finished(self, _: object) -> None:
        self.ready = self.loaded = True
        self.pulse()

    def _asks(self, _: object) -> None:
        self.dialogs += 1

    def _answered(self, _: object) -> None:
        self.dialogs -= 1
        self.stirs += 1
        self.pulse()

    def _opens(self, _: object) -> None:
        self.opening += 1
        self.pulse()
