"""`habitus world`: the local web in a person's own browser."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from ..errors import UserError

app = typer.Typer(help="The local web.", no_args_is_help=True)


@app.callback()
def _world() -> None:
    """The local web."""


@app.command("serve")
def serve(
    seed: Annotated[int, typer.Option(help="Seed of the local web.")] = 0,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
) -> None:
    """Serve the local web until Ctrl-C."""
    from habitus.envs.world import build_world
    from habitus.envs.world.serve import serve as serve_world

    def announce(address: str) -> None:
        typer.echo(f"The start page of world {seed}: {address}  (Ctrl-C ends it)")

    try:
        asyncio.run(serve_world(build_world(seed), port=port, announce=announce))
    except OSError as error:
        raise UserError(f"Port {port} cannot be used ({error.strerror}): name another with --port, or 0.") from error
    except KeyboardInterrupt:
        typer.echo("")
