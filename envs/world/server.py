"""The server of local webs: one process, every site under its own host name, state kept per episode."""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterator
from urllib.parse import parse_qsl

import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ...types import WorldState
from .listing import Params
from .model import World
from .render import START_THEME, page, plain, stylesheet
from .search import MAX_QUERY, search_web
from .sites import SitePages
from .state import EpisodeState

EPISODE_HEADER = "x-habitus-episode"

_LARGEST_FORM = 16_384
"""Bytes of a form that are read."""

_MOST_FIELDS = 100
_LATENCY_S = (0.3, 0.5)


class WorldEpisode:
    """One episode's own local web. The headers, set on a browser context, are its key; pages never see them.

    Args:
        state: Where the episode's doings are kept.
        forget: Takes the episode off its server.
    """

    def __init__(self, state: EpisodeState, forget: Callable[[str], object]) -> None:
        self.token = secrets.token_urlsafe(24)
        self._state = state
        self._forget = forget

    @property
    def headers(self) -> dict[str, str]:
        """What every request of the episode must carry, also from frames of other sites."""
        return {EPISODE_HEADER: self.token}

    @property
    def start_url(self) -> str:
        """The address of the start page."""
        return self._state.world.start_url

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host of the world, the start page first."""
        return self._state.world.hosts

    def state(self) -> WorldState:
        """Return the state of the world now; also after `close`."""
        return self._state.snapshot()

    def close(self) -> None:
        """End the episode on the server: further requests are refused. May be called twice."""
        self._forget(self.token)


class WorldServer:
    """Serves the local webs of many episodes at once, none of which sees another.

    Sites live under `.test` names without a port; a browser finds them through `host_rules`.
    """

    def __init__(self) -> None:
        self._episodes: dict[str, EpisodeState] = {}
        self._listener = Listener(self._answer)

    async def start(self) -> None:
        """Listen on a free port of 127.0.0.1, in the running loop."""
        await self._listener.start(host="127.0.0.1", port=0)

    @property
    def port(self) -> int:
        """The port listened on."""
        return self._listener.port

    @property
    def host_rules(self) -> str:
        """Chromium's `--host-resolver-rules`: `.test` names lead here, and no other name resolves."""
        return f"MAP *.test 127.0.0.1:{self.port}, MAP * ~NOTFOUND"

    def open(self, world: World, *, seed: int, faults: frozenset[str] = frozenset()) -> WorldEpisode:
        """Return a fresh episode on a world.

        Args:
            world: The catalogue; many episodes may share it.
            seed: Of the episode.
            faults: What goes wrong in it, of `FAULTS`.

        Raises:
            UnknownNameError: A fault of another name.
        """
        state = EpisodeState(world, seed=seed, faults=faults)
        episode = WorldEpisode(state, lambda token: self._episodes.pop(token, None))
        self._episodes[episode.token] = state
        return episode

    async def close(self) -> None:
        """Stop listening, within about a second even while browsers are connected. May be called twice."""
        self._episodes.clear()
        await self._listener.close()

    async def _answer(self, request: Request) -> Response:
        state = self._episodes.get(request.headers.get(EPISODE_HEADER, ""))
        if state is None:
            return plain("Not open", "This web is only open to a running episode.", status=403)
        host = request.headers.get("host", "").partition(":")[0].lower()
        return await answer(request, state, host=host, address=lambda name: f"http://{name}")


async def answer(request: Request, state: EpisodeState, *, host: str, address: Callable[[str], str]) -> Response:
    """Answer one request of an episode.

    Args:
        request: The request.
        state: The episode's state.
        host: The site asked for, under its `.test` name.
        address: From a `.test` name to the origin that the browser knows it by.
    """
    state.requests += 1
    if "slow" in state.faults:
        jitter = random.Random(f"{state.seed}-{state.requests}")  # noqa: S311 - latency, no secret
        await asyncio.sleep(jitter.uniform(*_LATENCY_S))
    if request.method not in ("GET", "HEAD", "POST"):
        return plain("Not possible", "This address only takes GET and POST.", status=405)
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    params = _fields(request.scope["query_string"])
    if params is None:
        return plain("Bad request", "There are too many parameters in this address.", status=400)
    path = request.scope["path"]
    world = state.world
    site = world.site(host)
    if site is not None:
        pages = SitePages(site, state, start_url=f"{address(world.start_host)}/")
        if request.method != "POST":
            return pages.get(path, params, here=here)
        form = await _form(request)
        if form is None:
            return plain("Bad request", "This form cannot be read.", status=400)
        return pages.post(path, form)
    if host != world.start_host:
        return plain("No such site", "There is no site of this name.", status=404)
    if request.method == "POST":
        return plain("Not possible", "This address only takes GET.", status=405)
    return _start(world, path, params, address)


def _start(world: World, path: str, params: Params, address: Callable[[str], str]) -> Response:
    if path == "/style.css":
        return stylesheet(START_THEME)
    if path not in ("/", "/search"):
        return plain("Not found", "There is no such page.", status=404)
    query = " ".join(dict(params).get("q", "")[:MAX_QUERY].split()) if path == "/search" else ""
    results = [(result, address(result.host) + result.path) for result in search_web(world, query)]
    return page("start.html", world=world, query=query, results=results)


async def _form(request: Request) -> Params | None:
    """Read a form. None where it is too large or no form at all."""
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return None
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST_FORM:
            return None
    return _fields(body)


def _fields(encoded: bytes) -> Params | None:
    """Read names and values. None where there are too many."""
    try:
        return parse_qsl(encoded.decode("utf-8", "replace"), errors="replace", max_num_fields=_MOST_FIELDS)
    except ValueError:
        return None


class Listener:
    """An HTTP server in the running loop that touches neither signals nor logs.

    Args:
        respond: From a request to its response.
    """

    def __init__(self, respond: Callable[[Request], Awaitable[Response]]) -> None:
        self._respond = respond
        self._server: _QuietServer | None = None
        self._task: asyncio.Task[None] | None = None
        self.port = 0

    async def start(self, *, host: str, port: int) -> None:
        """Listen; port 0 takes a free one.

        Raises:
            OSError: The port is taken.
        """
        # The protocol is named because asyncio turns Nagle's delay (40 ms a page) off only where it is.
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            listening.listen(256)
        except OSError:
            listening.close()
            raise
        self.port = listening.getsockname()[1]
        self._server = _QuietServer(uvicorn.Config(
            self._app, interface="asgi3", http="h11", ws="none", lifespan="off", log_config=None, log_level="error",
            access_log=False, server_header=False, timeout_graceful_shutdown=1, timeout_keep_alive=30,
        ))
        self._task = asyncio.create_task(self._server.serve(sockets=[listening]), name="habitus-world")

    async def wait(self) -> None:
        """Return when the listener is closed."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def close(self) -> None:
        """Stop listening and end open connections. May be called twice."""
        server, task, self._server, self._task = self._server, self._task, None, None
        if server is not None and task is not None:
            server.should_exit = True
            await task

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            response = await self._respond(Request(scope, receive))
            await response(scope, receive, send)


class _QuietServer(uvicorn.Server):
    """Leaves the process's signals alone: the program that embeds it owns them."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
