"""A real Chromium for all tests of the folder, a local HTTP server for their pages, and the published cases."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from habitus.envs.actions import parse_action
from habitus.envs.browser import BrowserPool, BrowserWorkspace, Element, parse_page
from habitus.types import TaskBrief, View

CASES = Path(__file__).resolve().parents[4] / "shared" / "cases" / "inputs"


class Site:
    """Serves pages by path, and some awkward endpoints; remembers each request."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.answer(self)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                site.answer(self)

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path, _, query = request.path.partition("?")
        given = dict(urllib.parse.parse_qsl(query))
        self.requests.append((request.path, dict(request.headers)))
        status, headers, body = 200, {"Content-Type": "text/html; charset=utf-8"}, self.pages.get(path)
        if path == "/slow":
            time.sleep(float(given["s"]))
            body = given.get("body", "slow")
        elif path == "/hang":
            time.sleep(30)
        elif path == "/nothing":
            status, body = 204, ""
        elif path == "/file":
            headers = {"Content-Type": "text/csv", "Content-Disposition": 'attachment; filename="invoice 7.csv"'}
            body = "a,b\n"
        elif path == "/redirect":
            status, body = 303, ""
            headers["Location"] = given["to"]
        elif body is None:
            status, body = 404, "<title>No</title><p>not found</p>"
        data = body.encode()
        try:
            request.send_response(status)
            for name, value in headers.items():
                request.send_header(name, value)
            request.send_header("Content-Length", str(len(data)))
            request.end_headers()
            request.wfile.write(data)
        except OSError:
            return  # The browser has left.


class Visit:
    """A workspace, driven synchronously."""

    def __init__(self, live: Live, workspace: BrowserWorkspace, view: View) -> None:
        self.live, self.workspace, self.view = live, workspace, view

    def act(self, action: str) -> View:
        self.view = self.live.run(self.workspace.act(parse_action(action)))
        return self.view

    @property
    def elements(self) -> list[Element]:
        return parse_page(self.view.text)

    def find(self, role: str, name: str = "") -> Element:
        found = [one for one in self.elements if one.role == role and (not name or one.name == name)]
        assert found, f"no {role} {name!r} in:\n{self.view.text}"
        return found[0]

    def click(self, role: str, name: str = "") -> View:
        return self.act(f"click({self.find(role, name).ref})")

    def fill(self, name: str, text: str, **more: bool) -> View:
        extra = "".join(f", {key}={value}" for key, value in more.items())
        return self.act(f"fill({self.find('textbox', name).ref}, {json.dumps(text, ensure_ascii=False)}{extra})")

    def close(self) -> None:
        self.live.run(self.workspace.close())


class Live:
    """A Chromium on an event loop in a thread of its own, as a runtime has it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.pool = BrowserPool()
        self.visits: list[Visit] = []
        self.run(self.pool.start())

    def run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=90)

    def open(self, url: str, *, seed: int = 0, pool: BrowserPool | None = None, **options: object) -> Visit:
        workspace = BrowserWorkspace(pool or self.pool, **options)
        visit = Visit(self, workspace, View(text=""))
        self.visits.append(visit)
        visit.view = self.run(workspace.open(brief(url), seed=seed))
        return visit


def brief(url: str) -> TaskBrief:
    return TaskBrief(
        id="t", suite="s", data_version="1", kind="web", query="q", user="u",
        as_of=datetime(2026, 3, 1, tzinfo=UTC), start_url=url,
    )


@pytest.fixture(scope="session")
def chromium() -> Iterator[Live]:
    live = Live()
    yield live
    live.run(live.pool.close())


@pytest.fixture
def live(chromium: Live) -> Iterator[Live]:
    yield chromium
    for visit in chromium.visits:
        visit.close()
    chromium.visits.clear()


@pytest.fixture(scope="session")
def server() -> Site:
    return Site()


@pytest.fixture
def site(server: Site) -> Site:
    server.pages.clear()
    server.requests.clear()
    return server


@pytest.fixture
def show(live: Live, site: Site):
    """Return a function that opens a page of this HTML."""

    def shown(html: str, **options: object) -> Visit:
        site.pages["/"] = f"<!doctype html><meta charset=utf-8><title>Test</title>{html}"
        return live.open(site.url + "/", **options)

    return shown


@pytest.fixture(scope="module")
def one(chromium: Live, server: Site) -> Iterator[Visit]:
    """One workspace for many small pages, on a blank one: a new context for each would take most of the time."""
    workspace = BrowserWorkspace(chromium.pool)
    yield Visit(chromium, workspace, chromium.run(workspace.open(brief("about:blank"), seed=0)))
    chromium.run(workspace.close())


@pytest.fixture
def look(one: Visit, site: Site):
    """Return a function that shows this HTML in the shared workspace."""

    def looked(html: str) -> Visit:
        site.pages["/"] = f"<!doctype html><meta charset=utf-8><title>Test</title>{html}"
        one.act(f'goto("{site.url}/")')
        return one

    return looked


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The base URL of the published cases and the file that logs each request to it."""
    if not (CASES / "server.py").is_file():
        pytest.skip(f"the published cases are not at {CASES}")
    ports, log = [_free_port(), _free_port()], tmp_path_factory.mktemp("cases") / "requests.jsonl"
    command = [sys.executable, str(CASES / "server.py"), str(ports[0]), str(ports[1]), str(log)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    yield f"http://127.0.0.1:{ports[0]}", log
    process.terminate()
    process.wait(5)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
