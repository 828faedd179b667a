"""No word of a truth reaches what an agent, a site, a model or a reader of an export may see.

Every text of every truth is salted with a canary. Each task of each suite is then run through the real browser with a
model-driven agent, and the canary is looked for in all that left the process or was shown.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from typer.testing import CliRunner

from chat_server import ChatServer
from habitus.agents.setup import AgentSetup
from habitus.envs.env import PersonalizationEnv
from habitus.envs.runtime import Runtime
from habitus.envs.session import Budget
from habitus.llm import ChatModel, ModelSpec
from habitus.making import EpisodePlan
from habitus.registry import build_agent, build_judge, build_memory, default_judge, load_suite
from habitus.replay.viewer import page
from habitus.runs import rollout
from habitus.types import QATruth, Score, Suite, TaskBrief, Trajectory, User, WebTruth

CANARY = "CANARY-7f3a"
SUITES = {"persona2web": "prg", "lamp-qa-mini": "rag"}


def salted(value: Any) -> Any:
    """The same value with the canary at the end of every text in it."""
    if isinstance(value, str):
        return f"{value} {CANARY}"
    if isinstance(value, dict):
        return {key: item if key in _FIXED else salted(item) for key, item in value.items()}
    return [salted(item) for item in value] if isinstance(value, list) else value


_FIXED = {"kind", "op", "task_id", "data_version", "act"}


class SaltedSuite:
    """A suite whose truths carry the canary in every text; all else is the real suite's."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self.name, self.data_version = suite.name, suite.data_version

    def tasks(self) -> Sequence[TaskBrief]:
        return self.suite.tasks()

    def truth(self, task_id: str) -> WebTruth | QATruth:
        truth = self.suite.truth(task_id)
        return type(truth).model_validate(salted(truth.model_dump(mode="json")))

    def user(self, user_id: str) -> User:
        return self.suite.user(user_id)

    def other_user(self, task_id: str, *, seed: int) -> str:
        return self.suite.other_user(task_id, seed=seed)


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """A planner that asks once, looks at two pages and stops, and a generator and answerer that say little."""
    properties = json.dumps(request.get("response_format", {}))
    left = re.search(r"Steps left: (\d+)", json.dumps(request["messages"]))
    action = {"3": 'fill("e2", "hotel", submit=True)', "2": 'click("e4")'}
    steps_left = left[1] if left else ""
    answer: dict[str, Any] = {
        "observation": "a page", "need_history": steps_left == "4", "history_query": "usual shop", "reasoning": "none",
        "action": action.get(steps_left, "stop()"), "answer": "An answer.", "queries": ["usual shop"], "facts": [],
        "rationale": "none", "task": "the task",
    }
    return {key: value for key, value in answer.items() if f'"{key}"' in properties} or answer


@pytest.mark.parametrize("name", SUITES)
def test_no_canary_of_any_truth_is_seen_anywhere(name: str) -> None:
    suite = SaltedSuite(load_suite(name))
    assert CANARY in suite.truth(suite.tasks()[0].id).model_dump_json()
    memory = build_memory("bm25")
    judge = build_judge(default_judge(name))
    lines: list[str] = []
    shown: list[str] = []
    headers: list[str] = []
    trajectories: list[Trajectory] = []
    judged: dict[str, Score] = {}

    async def episode(brief: TaskBrief, model: ChatModel, runtime: Runtime, limit: asyncio.Semaphore) -> None:
        async with limit:
            plan = EpisodePlan(
                suite=suite, tasks=(brief,), memory=memory, budget=Budget(max_steps=4), agent=SUITES[name],
            )
            env = PersonalizationEnv(plan, runtime=runtime)
            agent = build_agent(SUITES[name], AgentSetup(models={"default": model}, scheme="on_demand"))
            trajectory = await rollout(env, agent, seed=0)  # type: ignore[arg-type]
            assert trajectory.steps, trajectory.final
            lines.append(trajectory.model_dump_json())
            workspace = vars(env.session)["_workspace"]
            shown.append(json.dumps([env.session.observation, vars(env.session), vars(env)], default=repr))
            headers.append(json.dumps(vars(workspace).get("_headers", {})))
            judged[trajectory.header.episode] = await judge.judge(trajectory, suite.suite.truth(brief.id))
            trajectories.append(trajectory)
            await env.aclose()

    with ChatServer(reply) as server, Runtime() as runtime:
        model = ChatModel(ModelSpec(model="scripted", base_url=server.base_url))

        async def all_tasks() -> None:
            limit = asyncio.Semaphore(4)
            await asyncio.gather(*(episode(brief, model, runtime, limit) for brief in suite.tasks()))

        runtime.run(all_tasks())
        sent = json.dumps([server.requests, server.headers])

    assert len(lines) == len(suite.tasks())
    assert len(server.requests) >= len(lines)
    if name == "persona2web":
        visited = {step.observation["url"] for trajectory in trajectories for step in trajectory.steps}
        assert len(visited) >= 3, visited
    real = [suite.suite.truth(brief.id).canary for brief in suite.tasks()]
    html = page(trajectories, {judge.name: judged}, title="run")
    seen = {"trajectory": lines, "observation": shown, "header": headers, "prompt": [sent], "page": [html]}
    for where, text in ((where, "".join(texts)) for where, texts in seen.items()):
        assert CANARY not in text, where
        assert not [canary for canary in real if canary in text], where


@pytest.mark.parametrize("name", SUITES)
def test_an_export_holds_the_truth_on_that_word_alone(name: str) -> None:
    from habitus.cli import app

    canaries = [load_suite(name).truth(brief.id).canary for brief in load_suite(name).tasks()]
    plain = CliRunner().invoke(app, ["tasks", "export", name]).output
    told = CliRunner().invoke(app, ["tasks", "export", name, "--truth"]).output
    assert not [canary for canary in canaries if canary in plain]
    assert [canary for canary in canaries if canary in told] == canaries
