"""The `habitus` command. A user's mistake is a line or two and status 2; a bug is a traceback."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..errors import HabitusError, UserError
from . import _doctor, _play, _run, _schema, _stored, _tasks, _world

app = typer.Typer(
    name="habitus",
    help="Run, score and look at agents whose task is ambiguous and whose answer lies in the user's history.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # a traceback with local variables could show a key
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(_run.run)
app.command("judge")(_stored.judge)
app.command("report")(_stored.report)
app.command("view")(_stored.view)
app.command("play")(_play.play)
app.command("doctor")(_doctor.doctor)
app.command("schema")(_schema.schema)
app.add_typer(_tasks.app, name="tasks")
app.add_typer(_world.app, name="world")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"habitus {version('habitus')}")
        raise typer.Exit


@app.callback()
def _habitus(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and leave with its status."""
    sys.path.insert(0, "")  # `--agent my_agent:agent` means the file here, as `python -m` would have it
    try:
        app()
    except UserError as error:
        typer.echo(f"habitus: {error}", err=True)
        sys.exit(2)
    except HabitusError as error:
        typer.echo(f"habitus: {error}", err=True)
        sys.exit(1)


__all__ = ["app", "main"]
