"""The documentation holds: Python runs, commands parse, links lead somewhere, the table of actions is true."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer

from habitus.cli import app
from habitus.envs.actions import ActionSet
from habitus.registry import REGISTRIES

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.M | re.S)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def blocks(page: Path, language: str) -> list[str]:
    return [block for found, block in _BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


COMMANDS = sorted({
    line for page in PAGES for block in blocks(page, "console")
    for line in block.splitlines() if line.startswith("habitus ")
})


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_the_python_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    script = tmp_path / f"{page.stem}_blocks.py"
    script.write_text("\n".join(blocks(page, "python")), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip()


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_is_one_that_the_command_line_knows(line: str) -> None:
    name, *arguments = shlex.split(line)
    command: Any = typer.main.get_command(app)  # of typer's own click or the installed one, by typer's version
    context = None
    while hasattr(command, "get_command"):
        assert arguments, f"{line} names no command"
        context, name = command.context_class(command, info_name=name, parent=context), arguments.pop(0)
        found = command.get_command(context, name)
        assert found is not None, f"there is no command {name!r}"
        command = found
    command.make_context(name, arguments, parent=context)  # raises for an unknown option, or one that lacks its value


@pytest.mark.parametrize("line", ["habitus run lamp-qa-mini --agnt x", "habitus judge runs/x", "habitus ran small"])
def test_a_wrong_command_would_be_found(line: str) -> None:
    with pytest.raises(Exception, match=r"No such option|Missing parameter|Missing option|no command"):
        test_a_command_is_one_that_the_command_line_knows(line)


def test_commands_were_found() -> None:
    assert len(COMMANDS) > 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_and_picture_is_there(page: Path) -> None:
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    targets = [target for target in _LINK.findall(text) if not re.match(r"[a-z]+:", target)]
    missing = [target for target in targets if not (page.parent / target.partition("#")[0]).exists()]
    assert not missing


def test_pictures_are_small() -> None:
    pictures = list((ROOT / "docs" / "images").glob("*.png"))
    assert pictures
    assert all(picture.stat().st_size < 200_000 for picture in pictures)


def test_the_table_of_actions_is_what_an_agent_is_told() -> None:
    text = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    section = text.partition("## Actions\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", section, flags=re.M)
    assert "\n".join(f"{signature}: {what}" for signature, what in rows) == ActionSet.web().describe()


def test_the_entry_points_shown_are_of_the_groups_that_are_read() -> None:
    shown = tomllib.loads(blocks(ROOT / "docs" / "growing.md", "toml")[0])["project"]["entry-points"]
    assert set(shown) == {f"habitus.{kind}" for kind in REGISTRIES}
