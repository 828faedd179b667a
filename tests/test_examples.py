"""Each example runs as it stands, and shows what it is there to show."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SHOWN = {
    "first_environment.py": "ended: stopped",
    "own_agent.py": "query_history",
    "compare_schemes.py": "pre_execution",
    "rejudge_and_replay.py": "the same scores: True",
    "train_loop.py": "reward",
}


def test_every_example_is_known_and_short() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SHOWN)
    assert all(len(path.read_text().splitlines()) < 40 for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert SHOWN[name] in done.stdout
    assert "OTHER page" not in done.stdout
    if name == "train_loop.py":
        rows = [json.loads(line) for line in (tmp_path / "experience.jsonl").read_text().splitlines()]
        assert {row["seed"] for row in rows} == {0, 1}
        assert all(row["observation"] and row["action"] and 0 <= row["reward"] <= 1 for row in rows)
