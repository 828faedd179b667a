"""The runtime: one loop for all faces, Ctrl-C stops the work, closing never blocks for ever."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import signal
import threading
from pathlib import Path

import pytest

from habitus.envs.runtime import Runtime
from habitus.errors import HabitusError


async def name_of_thread() -> str:
    return threading.current_thread().name


def test_every_face_runs_on_the_runtimes_own_thread() -> None:
    with Runtime() as runtime:
        assert runtime.run(name_of_thread()) == "habitus-runtime"
        assert asyncio.run(runtime.call(name_of_thread())) == "habitus-runtime"


def test_a_synchronous_call_on_the_runtimes_own_loop_says_what_to_use() -> None:
    with Runtime() as runtime:
        async def wrong() -> None:
            runtime.run(name_of_thread())

        with pytest.raises(HabitusError, match="await its async twin"):
            runtime.run(wrong())


def test_a_closed_runtime_says_so_and_may_be_closed_again() -> None:
    runtime = Runtime()
    runtime.close()
    runtime.close()
    with pytest.raises(HabitusError, match="closed"):
        runtime.run(name_of_thread())


def test_ctrl_c_cancels_the_work_and_waits_until_it_has_let_go() -> None:
    events: list[str] = []

    async def work() -> None:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.1)
            events.append("let go")

    with Runtime() as runtime:
        with pytest.raises(KeyboardInterrupt):
            runtime.run(work())
        assert events == ["let go"]
        assert runtime.run(name_of_thread())


def test_closing_on_its_own_thread_does_not_wait_for_itself() -> None:
    runtime = Runtime()

    async def close() -> None:
        runtime.close()

    asyncio.run_coroutine_threadsafe(close(), runtime._loop).result(timeout=5)
    runtime._thread.join(timeout=5)
    assert not runtime._thread.is_alive()


def test_what_the_runtime_starts_is_not_interrupted_with_the_terminal() -> None:
    async def start() -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec("sleep", "30")

    async def end(process: asyncio.subprocess.Process) -> None:
        process.kill()
        await process.wait()

    with Runtime() as runtime:
        process = runtime.run(start())
        status = Path(f"/proc/{process.pid}/status").read_text()
        runtime.run(end(process))
    blocked = int(re.search(r"SigBlk:\s*([0-9a-f]+)", status)[1], 16)  # type: ignore[index]
    assert blocked & (1 << (signal.SIGINT - 1))


def test_what_is_forgotten_is_closed() -> None:
    runtime = Runtime()
    thread = runtime._thread
    del runtime
    gc.collect()
    thread.join(timeout=5)
    assert not thread.is_alive()


