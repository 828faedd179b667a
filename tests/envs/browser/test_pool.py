"""One browser, many contexts, and nothing of it left behind."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from habitus.envs.actions import Click
from habitus.envs.browser import BrowserPool
from habitus.errors import BrowserError, BrowserNotFoundError

CHILD = """
import asyncio, time
from habitus.envs.actions import Click
from habitus.envs.browser import BrowserPool

async def main():
    pool = BrowserPool(host_rules="MAP {mark}.test 127.0.0.1")
    await (await pool.context()).new_page()
    print("up", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


def browsers(mark: str) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if f"MAP {mark}.test".encode() in command:
            found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGINT])
def test_the_browser_ends_with_its_process(way):
    mark = f"left{way.value}-{time.time_ns()}"
    child = subprocess.Popen([sys.executable, "-c", CHILD.format(mark=mark)], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "up\n"
    assert browsers(mark)
    child.send_signal(way)
    child.wait(15)
    deadline = time.monotonic() + 10
    while browsers(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert browsers(mark) == []


def test_many_contexts_are_open_at_once_in_one_browser(live, site):
    site.pages["/"] = "<title>Test</title><a href=/>x</a>"
    visits = [live.open(f"{site.url}/?{i}") for i in range(5)]

    async def all_at_once():
        return await asyncio.gather(*(visit.workspace.act(Click(ref="e1")) for visit in visits))

    assert [view.error for view in live.run(all_at_once())] == [""] * 5


def test_names_that_are_mapped_need_no_resolver_and_others_do_not_resolve(live, site):
    site.pages["/"] = "<title>Mapped</title><p>here"
    pool = BrowserPool(host_rules=f"MAP *.test 127.0.0.1:{site.port}, MAP * ~NOTFOUND")
    page = live.open("http://shop.test/", pool=pool)
    assert (page.view.title, page.view.url) == ("Mapped", "http://shop.test/")
    assert "does not resolve" in page.act("goto('http://elsewhere.example/')").error
    live.run(pool.close())


def test_what_cannot_start_is_a_clear_error(live, tmp_path):
    with pytest.raises(BrowserNotFoundError):
        live.run(BrowserPool(executable=tmp_path / "none").start())
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    pool = BrowserPool(executable=broken)
    with pytest.raises(BrowserError, match="did not start"):
        live.run(pool.start())
    live.run(pool.close())
