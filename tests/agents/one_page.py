"""A real session for an agent: one page in a real Chromium, a short history in a real BM25 memory."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from habitus.envs.actions import ActionSet
from habitus.envs.browser import BrowserWorkspace
from habitus.envs.history import HistoryDesk
from habitus.envs.runtime import Runtime
from habitus.envs.session import Budget, EpisodeSession
from habitus.memory import bm25
from habitus.types import Agent, Header, HistoryScheme, Hit, Record, TaskBrief, Trajectory, User

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
BRIEF = TaskBrief(
    id="t1", suite="one-page", data_version="1", kind="web", query="Add my usual milk in my usual size", user="u1",
    as_of=NOW,
)
RECORDS = tuple(
    Record(id=f"r{n}", kind="purchase", text=text, time=NOW.replace(month=2, day=n), meta={"website": "green.test"})
    for n, text in enumerate(["Alder oat milk, 2 litre", "Rye bread, 400 g", "Hollis oat milk, 2 litre"], start=1)
)


def run(
    agent: Agent, *, scheme: HistoryScheme = "on_demand", page: str = "<button>Add</button>", max_steps: int = 12,
    given: Sequence[Hit] = (), profile: str = "",
) -> Trajectory:
    """Run one episode to its end."""

    async def episode(url: str) -> Trajectory:
        brief = BRIEF.model_copy(update={"start_url": url})
        header = Header(
            episode="x", brief=brief, truth_hash="", agent="prg", history=scheme, max_steps=max_steps, seed=0,
            started=NOW,
        )
        user = User(id="u1", records=RECORDS, profile=profile)
        session = EpisodeSession(
            header, workspace=BrowserWorkspace(await runtime().browser(local=False)), actions=ActionSet.web(),
            budget=Budget(max_steps=max_steps),
            desk=HistoryDesk(scheme, brief=brief, retriever=bm25().over(user), user=user, given=given),
        )
        try:
            agent.reset(brief)  # type: ignore[attr-defined]
            observation = await session.start()
            while not session.ended:
                observation = await session.act(await agent.act(observation))
            return session.trajectory
        finally:
            await session.close()

    with served(page) as url:
        return runtime().run(episode(url))


@functools.cache
def runtime() -> Runtime:
    """One browser for all episodes; it is closed when the interpreter ends."""
    return Runtime()


@contextmanager
def served(body: str) -> Iterator[str]:
    """Serve one page while the block lasts; gives its address."""
    data = f"<!doctype html><title>Green</title><main>{body}</main>".encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
