"""The runtime: owns the event loop, the worlds and the browser pool; nothing of it is a module global.

One event loop, in a thread of its own, owns every browser. Synchronous callers block on it, asynchronous callers await
it from their own loop, so a notebook, a plain loop and a user's asyncio program all work.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import signal
import threading
import weakref
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from ..errors import HabitusError
from .browser import BrowserPool
from .world import WorldServer

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

_LET_GO_S = 20.0
"""How long interrupted work, or a runtime that closes, may take to let go of its browser."""


class Runtime:
    """The shared part of many environments: use one for all that run side by side.

    Args:
        headless: Whether the browser shows no window.
        executable: A Chromium to use; found by `habitus.envs.browser.find_chromium` where None.

    The browser and the world's server start at first need. Close it, or use it as a context manager; what is
    forgotten is closed when it is collected or the interpreter ends.
    """

    def __init__(self, *, headless: bool = True, executable: Path | None = None) -> None:
        self.headless = headless
        self.executable = executable
        self._parts = _Parts()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_serve, args=(self._loop,), name="habitus-runtime", daemon=True)
        self._thread.start()
        self._finalizer = weakref.finalize(self, _shut_down, self._loop, self._thread, self._parts)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the runtime's loop and block for its result.

        Ctrl-C cancels it, and is raised when it has let go.

        Raises:
            HabitusError: Called on the runtime's own loop, where blocking would never end.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise HabitusError("A synchronous call was made on the runtime's own loop; await its async twin instead.")
        left = threading.Event()

        async def watched() -> T:
            try:
                return await work
            finally:
                left.set()

        try:
            future = self._submit(watched())
        except HabitusError:
            work.close()
            raise
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            left.wait(timeout=_LET_GO_S)
            raise

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Await a coroutine that runs on the runtime's loop, from any loop."""
        if threading.current_thread() is self._thread:
            return await work
        return await asyncio.wrap_future(self._submit(work))

    async def world(self) -> WorldServer:
        """The running server of the local web; on the runtime's loop."""
        async with self._parts.lock:
            if self._parts.world is None:
                server = WorldServer()
                await server.start()
                self._parts.world = server
            return self._parts.world

    async def browser(self, *, local: bool = True) -> BrowserPool:
        """The running browser pool; on the runtime's loop.

        Args:
            local: Its names are mapped to the world and nothing else resolves; else it is on the open web.
        """
        host_rules = (await self.world()).host_rules if local else None
        async with self._parts.lock:
            if local not in self._parts.pools:
                pool = BrowserPool(headless=self.headless, executable=self.executable, host_rules=host_rules)
                await pool.start()
                self._parts.pools[local] = pool
            return self._parts.pools[local]

    def close(self) -> None:
        """Close browser, server and loop. May be called twice."""
        self._finalizer()

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        if not self._finalizer.alive:
            work.close()
            raise HabitusError("This runtime is closed; make a new one.")
        return asyncio.run_coroutine_threadsafe(work, self._loop)


class _Parts:
    """What the runtime started, kept apart from it so that its finalizer can close them."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.world: WorldServer | None = None
        self.pools: dict[bool, BrowserPool] = {}

    async def close(self) -> None:
        pools, world, self.pools, self.world = self.pools, self.world, {}, None
        for pool in pools.values():
            await pool.close()
        if world is not None:
            await world.close()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    # Ctrl-C in a terminal reaches the whole process group. What this thread starts inherits its mask: the browser is
    # not interrupted, it is closed.
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    asyncio.set_event_loop(loop)
    loop.run_forever()


def _shut_down(loop: asyncio.AbstractEventLoop, thread: threading.Thread, parts: _Parts) -> None:
    drained = asyncio.run_coroutine_threadsafe(_drain(parts), loop)
    if threading.current_thread() is thread:  # collected on its own loop, which cannot wait for itself
        drained.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
        return
    try:
        drained.result(timeout=_LET_GO_S)
    except (TimeoutError, concurrent.futures.CancelledError):
        pass
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=5)
        if not thread.is_alive():
            loop.close()


async def _drain(parts: _Parts) -> None:
    # From here on an answer of the browser that nobody waits for is no news: it is being closed.
    asyncio.get_running_loop().set_exception_handler(lambda _, context: _LOG.debug("while closing: %s", context))
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    await parts.close()
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
