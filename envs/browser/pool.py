"""One Chromium with many contexts: each episode has a context of its own, nothing is shared between two."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import TypeVar

from playwright.async_api import Browser, BrowserContext, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from ...errors import BrowserError
from .guard import Hosts
from .launch import chromium_flags, find_chromium

T = TypeVar("T")

START_LIMIT_S = 60.0
CONTEXT_LIMIT_S = 30.0
CLOSE_LIMIT_S = 8.0


class BrowserPool:
    """Starts the browser, gives out contexts, starts it anew when it died.

    All of it belongs to one event loop. Playwright speaks to Chromium through a pipe, so that the browser ends with
    this process, however this process ends.

    Args:
        headless: Whether the browser shows no window.
        executable: A Chromium to use; found by `find_chromium` where None.
        host_rules: Value of `--host-resolver-rules`, or None for the system's resolver.
    """

    def __init__(
        self, *, headless: bool = True, executable: Path | None = None, host_rules: str | None = None
    ) -> None:
        self.headless = headless
        self.executable = executable
        self.host_rules = host_rules
        self._lock = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    @property
    def alive(self) -> bool:
        """Whether the browser runs."""
        return self._browser is not None and self._browser.is_connected()

    async def start(self) -> None:
        """Start the browser, or start it anew where it died.

        Raises:
            BrowserNotFoundError: There is no Chromium.
            BrowserError: It did not start within a minute.
        """
        async with self._lock:
            if self.alive:
                return
            path = find_chromium(self.executable, headless=self.headless)
            await self._stop()
            self._playwright = await bounded(async_playwright().start(), START_LIMIT_S, "Playwright did not start")
            flags = list(chromium_flags())
            if self.host_rules:
                flags.append(f"--host-resolver-rules={self.host_rules}")
            launch = self._playwright.chromium.launch(executable_path=path, headless=self.headless, args=flags)
            self._browser = await bounded(launch, START_LIMIT_S, f"{path} did not start")

    async def context(
        self,
        *,
        headers: Mapping[str, str] | None = None,
        viewport: tuple[int, int] = (1280, 720),
        hosts: Hosts | None = None,
    ) -> BrowserContext:
        """Return a new context, which shares no cookie, cache or storage with another.

        Args:
            headers: HTTP headers sent with every request of the context, frames and popups included.
            viewport: Width and height in CSS pixels.
            hosts: The hosts that may be reached; None allows all.

        Raises:
            BrowserError: The browser could not be started, or gave no context.
        """
        await self.start()
        assert self._browser is not None  # noqa: S101 - start() returned
        return await bounded(
            self._browser.new_context(
                extra_http_headers=dict(headers or {}),
                viewport={"width": viewport[0], "height": viewport[1]},
                proxy=hosts.proxy() if hosts else None,
                service_workers="block",
                accept_downloads=False,  # what a page sends would fill the disk, and no action reads it
                reduced_motion="reduce",
                locale="en-US",
                timezone_id="UTC",
            ),
            CONTEXT_LIMIT_S,
            "The browser gave no new context",
        )

    async def close(self) -> None:
        """Stop the browser; returns within seconds, may be called twice."""
        async with self._lock:
            await self._stop()

    async def _stop(self) -> None:
        browser, playwright = self._browser, self._playwright
        self._browser = self._playwright = None
        for stop in (browser.close() if browser else None, playwright.stop() if playwright else None):
            if stop is not None:
                try:
                    await bounded(stop, CLOSE_LIMIT_S, "")
                except BrowserError:
                    continue  # Dead or deaf: the pipe's end takes the processes with it.


async def bounded(work: Awaitable[T], limit_s: float, what: str) -> T:
    """Await work on the browser under a deadline.

    Raises:
        BrowserError: It failed, or was not done in time; the message starts with `what`.
    """
    try:
        async with asyncio.timeout(limit_s):
            return await work
    except TimeoutError:
        raise BrowserError(f"{what}: no answer within {limit_s:g} s.") from None
    except PlaywrightError as error:
        raise BrowserError(f"{what}: {first_line(error)}") from None


def first_line(error: BaseException) -> str:
    """Return what Playwright says, without its call log."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__
