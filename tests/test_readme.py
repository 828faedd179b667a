"""Every block of the README is run: Python as it stands, commands against a local server that speaks the protocol."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chat_server import ChatServer

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.M | re.S)
MADE_BY_MAKE = {"make demo", "make test"}


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """A planner that stops at once."""
    text = {"observation": "a page", "history_query": "", "reasoning": "done", "action": "stop()"}
    return text | {"need_history": False}


def test_the_first_block_is_the_two_commands_and_make_knows_them() -> None:
    assert BLOCKS[0] == ("console", "make demo\nmake test\n")
    targets = (ROOT / "Makefile").read_text()
    for command in MADE_BY_MAKE:
        assert re.search(rf"^{command.removeprefix('make ')}:", targets, flags=re.M)


def test_the_first_environment_takes_ten_lines_at_most() -> None:
    language, first = BLOCKS[1]
    assert language == "python"
    assert len([line for line in first.splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("number", [i for i, (language, _) in enumerate(BLOCKS) if language == "python"])
def test_a_python_block_runs_as_it_stands(number: int, tmp_path: Path) -> None:
    script = tmp_path / "block.py"
    script.write_text(BLOCKS[number][1], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


COMMANDS = [
    line for language, block in BLOCKS if language == "console" for line in block.splitlines()
    if line.strip() and line not in MADE_BY_MAKE
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs_against_a_server_that_speaks_the_protocol(command: str, tmp_path: Path) -> None:
    program, *arguments = shlex.split(command)
    assert program == "habitus"
    if "my_agent:agent" in arguments:
        (own,) = [block for language, block in BLOCKS if language == "python" and "def agent(" in block]
        (tmp_path / "my_agent.py").write_text(own.split("task = ")[0], encoding="utf-8")
    with ChatServer(reply, models=("gpt-5-mini", "Qwen/Qwen3-8B")) as server:
        if "--base-url" in arguments:
            arguments[arguments.index("--base-url") + 1] = server.base_url
        environment = os.environ | {"OPENAI_API_KEY": "local", "OPENAI_BASE_URL": server.base_url}
        done = subprocess.run(
            [str(Path(sys.executable).with_name("habitus")), *arguments], cwd=tmp_path, env=environment,
            capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stderr
        if "--model" in arguments:
            assert server.requests
            assert server.requests[0]["model"] == arguments[arguments.index("--model") + 1]
            assert server.headers[0]["authorization"] == "Bearer local"


