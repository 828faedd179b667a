"""`habitus schema`: the stored forms for readers in other languages."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from habitus.cli import app
from habitus.errors import UnknownNameError
from habitus.types import STORED


def test_every_stored_form_is_printed() -> None:
    printed = json.loads(CliRunner().invoke(app, ["schema"]).output)
    assert set(printed) == {form.__name__ for form in STORED}
    assert json.loads(CliRunner().invoke(app, ["schema", "Score"]).output) == printed["Score"]


def test_an_unknown_form_names_the_near_one() -> None:
    with pytest.raises(UnknownNameError, match="'Trajectory'"):
        CliRunner().invoke(app, ["schema", "Trajectry"], catch_exceptions=False)
