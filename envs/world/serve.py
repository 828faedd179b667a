"""A local web for a person's own browser: one shared episode, no token, sites under `.localhost` names."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from .model import World
from .server import Listener, answer
from .state import EpisodeState


async def serve(
    world: World, *, host: str = "127.0.0.1", port: int = 0, announce: Callable[[str], None] | None = None
) -> None:
    """Serve a world until cancelled.

    Browsers resolve `<name>.localhost` to this machine by themselves, so nothing has to be set up.

    Args:
        world: The catalogue.
        host: The address to listen on.
        port: The port; 0 takes a free one.
        announce: Called once with the address of the start page.

    Raises:
        OSError: The port is taken.
    """
    state = EpisodeState(world)

    def address(name: str) -> str:
        return f"http://{name.removesuffix('.test')}.localhost:{listener.port}"

    async def respond(request: Request) -> Response:
        name = request.headers.get("host", "").partition(":")[0].lower()
        asked = f"{name.removesuffix('.localhost')}.test" if name.endswith(".localhost") else world.start_host
        return await answer(request, state, host=asked, address=address)

    listener = Listener(respond)
    await listener.start(host=host, port=port)
    try:
        if announce is not None:
            announce(f"{address(world.start_host)}/")
        await listener.wait()
    finally:
        await listener.close()
