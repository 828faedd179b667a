"""What a browser step costs against the floor: click, settle and read, beside a click and a bare walk of the page.

Both are measured in turns in one run, so that whatever else the machine does weighs on both:

    python benchmarks/browser_step.py --page ../shared/bench/shop300.html --rounds 30

Prints the median wall time and the mean CPU time (user and system, this process and all below it) in ms, as ratios too.
The first button of the page is clicked; it must not lead away. A second table does the same for new contexts.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import os
import statistics
import threading
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from habitus.envs.actions import Click
from habitus.envs.browser import BrowserPool, BrowserWorkspace, parse_page
from habitus.types import TaskBrief

FLOOR = """(() => {
  const out = [];
  const walk = (node) => {
    for (let e = node.firstElementChild; e; e = e.nextElementSibling) {
      let text = '';
      for (let c = e.firstChild; c; c = c.nextSibling) if (c.nodeType === 3) text += c.nodeValue.trim();
      if (text || /^(A|BUTTON|INPUT|SELECT)$/.test(e.tagName)) {
        const r = e.getBoundingClientRect();
        out.push([e.tagName, text, r.left | 0, r.top | 0, r.width | 0, r.height | 0]);
      }
      walk(e);
    }
  };
  walk(document);
  return JSON.stringify(out);
})()"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves the page's folder and logs nothing."""

    def log_message(self, *_: object) -> None:
        return


def cpu_s() -> float:
    """Return the CPU seconds of this process and all below it that still run."""
    below: dict[int, list[int]] = {}
    spent: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                below.setdefault(int(fields[1]), []).append(int(entry.name))
                spent[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    total, todo = 0.0, [os.getpid()]
    while todo:
        pid = todo.pop()
        total += spent.get(pid, 0.0)
        todo += below.get(pid, [])
    return total


async def interleaved(works: dict[str, Callable[[], Awaitable[object]]], rounds: int) -> dict[str, tuple[float, float]]:
    """Return the median wall and the mean CPU time in ms of each work, measured in turns.

    CPU time is counted by the kernel in ticks of 10 ms, far coarser than a step: only its mean over all rounds says
    something.
    """
    wall: dict[str, list[float]] = {name: [] for name in works}
    cpu: dict[str, float] = dict.fromkeys(works, 0.0)
    for work in works.values():
        await work()
    for _ in range(rounds):
        for name, work in works.items():
            cpu_before, begun = cpu_s(), time.perf_counter()
            await work()
            wall[name].append(time.perf_counter() - begun)
            cpu[name] += cpu_s() - cpu_before
    return {name: (1e3 * statistics.median(wall[name]), 1e3 * cpu[name] / rounds) for name in works}


async def measure(url: str, rounds: int, contexts: int) -> None:
    """Measure steps, then contexts, and print both tables."""
    brief = TaskBrief(id="bench", suite="bench", data_version="1", kind="web", query="", user="u",
                      as_of=datetime(2026, 1, 1, tzinfo=UTC), start_url=url)
    pool = BrowserPool()
    await pool.start()
    workspace = BrowserWorkspace(pool)
    view = await workspace.open(brief, seed=0)
    ref = next(one.ref for one in parse_page(view.text) if one.role == "button")

    context = await pool.context()
    page = await context.new_page()
    await page.goto(url)
    session = await context.new_cdp_session(page)
    box = await page.locator("button").first.bounding_box()
    assert box is not None
    mouse = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "button": "left", "clickCount": 1}

    async def floor() -> None:
        for kind in ("mousePressed", "mouseReleased"):
            await session.send("Input.dispatchMouseEvent", {"type": kind, **mouse})
        await session.send("Runtime.evaluate", {"expression": FLOOR, "returnByValue": True})

    async def step() -> None:
        after = await workspace.act(Click(ref=ref))
        assert not after.error, after.error

    async def fresh_floor() -> None:
        bare = await pool.context()
        new = await bare.new_page()
        await new.goto(url)
        await new.evaluate(FLOOR)
        await bare.close()

    async def fresh() -> None:
        other = BrowserWorkspace(pool)
        await other.open(brief, seed=0)
        await other.close()

    print(f"{url.rpartition('/')[2]}: {len(view.text):,} characters of page text, load {os.getloadavg()[0]:.1f}")
    table("click, settle, read", "click, bare walk", await interleaved({"ours": step, "floor": floor}, rounds), rounds)
    table("open and close", "context, load, walk", await interleaved({"ours": fresh, "floor": fresh_floor}, contexts),
          contexts)
    await context.close()
    await workspace.close()
    await pool.close()


def table(ours: str, floor: str, found: dict[str, tuple[float, float]], rounds: int) -> None:
    """Print one comparison."""
    print(f"\n{'':24}{'wall ms':>10}{'cpu ms':>10}   ({rounds} rounds)")
    for name, figures in ((ours, found["ours"]), (floor, found["floor"])):
        print(f"{name:24}{figures[0]:10.1f}{figures[1]:10.1f}")
    ratios = [mine / bare if bare else float("nan") for mine, bare in zip(found["ours"], found["floor"], strict=True)]
    print(f"{'ratio':24}{ratios[0]:10.2f}{ratios[1]:10.2f}")


def main() -> None:
    """Read the arguments, serve the page, measure."""
    here = Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=Path, default=here.parent / "shared" / "bench" / "shop300.html")
    parser.add_argument("--rounds", type=int, default=30, help="steps of each kind")
    parser.add_argument("--contexts", type=int, default=6, help="new contexts of each kind")
    arguments = parser.parse_args()
    if not arguments.page.is_file():
        parser.error(f"{arguments.page} is not there; name an HTML file with --page")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(arguments.page.parent)))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    asyncio.run(measure(f"http://127.0.0.1:{server.server_port}/{arguments.page.name}", arguments.rounds,
                        arguments.contexts))


if __name__ == "__main__":
    main()
