"""A stored run is judged again without a browser, and one of its episodes is stepped through again."""

from __future__ import annotations

import tempfile
from pathlib import Path

import habitus
from habitus.runs import RunConfig, judge_run, run

with tempfile.TemporaryDirectory() as directory:
    config = RunConfig(suite="persona2web", agent="prg-reflex", level=2, limit=1, memory="bm25")
    first = run(config, out=Path(directory))
    before = first.scores("state")

    again = judge_run(first.path, "state")
    print("judged again, the same scores:", again.scores("state") == before)

    recorded = next(first.trajectories())
    env = habitus.replay(recorded)
    observation, _ = env.reset()
    for step in recorded.steps:
        same = observation["page"] == step.observation["page"]
        print(f"{step.index + 1:2} {'same' if same else 'OTHER'} page, then {step.action_text}")
        observation, *_ = env.step(step.action or step.action_text)
