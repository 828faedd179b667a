"""Prompts of a folder: filled in strictly, and versioned by all that is in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from habitus.llm._prompts import Prompts


def test_a_version_changes_with_the_text_and_with_what_it_includes(tmp_path: Path) -> None:
    (tmp_path / "ask.j2").write_text('Hello {{ name }}\n{% include "_end.j2" %}\n')
    (tmp_path / "_end.j2").write_text("Bye <{{ name | loud }}>\n")
    prompts = Prompts(tmp_path, {"loud": str.upper})
    assert prompts.render("ask", name="Zoe") == "Hello Zoe\nBye <ZOE>"
    first = prompts.version("ask")
    assert first == f"ask@{prompts.versions['ask']}"
    assert Prompts(tmp_path, {"loud": str.upper}).version("ask") == first
    (tmp_path / "_end.j2").write_text("Goodbye\n")
    assert Prompts(tmp_path, {"loud": str.upper}).version("ask") != first


def test_a_value_that_is_missing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "ask.j2").write_text("Hello {{ name }}")
    with pytest.raises(UndefinedError, match="name"):
        Prompts(tmp_path).render("ask")
