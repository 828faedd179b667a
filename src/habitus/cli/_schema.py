"""`habitus schema`: the JSON Schema of what is stored."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..errors import UnknownNameError


def schema(
    form: Annotated[str | None, typer.Argument(metavar="[FORM]", help="E.g. Trajectory; all by default.")] = None,
) -> None:
    """Print the JSON Schema of a stored form, or of all by name."""
    from ..types import json_schemas

    schemas = json_schemas()
    if form is not None and form not in schemas:
        raise UnknownNameError("stored form", form, schemas)
    typer.echo(json.dumps(schemas if form is None else schemas[form], indent=2, ensure_ascii=False))
