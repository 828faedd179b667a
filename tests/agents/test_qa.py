"""The question agents in real episodes: they ask where they may, and answer in every scheme."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from chat_server import ChatServer, error
from habitus.agents.qa import QAAgent, rag, rag_extractive
from habitus.agents.qa_extract import stitched
from habitus.agents.setup import AgentSetup
from habitus.envs.actions import ActionSet
from habitus.envs.history import HistoryDesk
from habitus.envs.qa import QuestionWorkspace
from habitus.envs.session import Budget, EpisodeSession
from habitus.errors import MissingKeyError, ModelError
from habitus.judges import AspectProxyJudge
from habitus.llm import ChatModel, ModelSpec
from habitus.memory import Lexical, bm25
from habitus.tasks.lamp_qa import suite
from habitus.types import Header, Memory, TaskBrief, Trajectory

MINI = suite()
CELLO = MINI.tasks()[0]
MEMORY = bm25()


def play(agent: QAAgent, scheme: Any = "on_demand", brief: TaskBrief = CELLO, *, user_id: str = "",
         memory: Memory = MEMORY, max_steps: int = 30) -> Trajectory:
    async def run() -> Trajectory:
        user = MINI.user(user_id or brief.user)
        header = Header(episode="e", brief=brief, truth_hash="", agent="a", history=scheme, max_steps=max_steps, seed=0,
                        started=datetime(2025, 6, 1, tzinfo=UTC))
        session = EpisodeSession(
            header, workspace=QuestionWorkspace(), actions=ActionSet.question(), budget=Budget(max_steps=max_steps),
            desk=HistoryDesk(scheme, brief=brief, retriever=memory.over(user), user=user))
        agent.reset(brief)
        observation = await session.start()
        while not session.ended:
            observation = await session.act(await agent.act(observation))
        return session.trajectory

    return asyncio.run(run())


def answer_of(trajectory: Trajectory) -> str:
    assert trajectory.final is not None
    assert trajectory.final.stop == "stopped"
    return trajectory.final.answer


@pytest.mark.parametrize(("scheme", "asked"), [("none", 0), ("on_demand", 1), ("pre_execution", 1), ("full", 0)])
def test_the_history_is_asked_where_the_scheme_allows_it(scheme: str, asked: int) -> None:
    trajectory = play(rag_extractive(AgentSetup(scheme=scheme)), scheme)
    assert [event.query for _, event in trajectory.memory_events] == [CELLO.query][:asked]
    assert not [step for step in trajectory.steps if step.error]
    assert ("what you have told before" in answer_of(trajectory)) == (scheme != "none")


@pytest.mark.parametrize("scheme", ["on_demand", "pre_execution"])
def test_where_the_memory_answers_little_the_circumstances_are_asked_for_too(scheme: str) -> None:
    events = play(rag_extractive(AgentSetup(scheme=scheme)), scheme, memory=Lexical(top_k=1)).memory_events
    assert len(events) == 5
    assert not [event for _, event in events if event.refused]


def test_the_last_step_is_kept_for_the_answer() -> None:
    assert answer_of(play(rag_extractive(AgentSetup()), max_steps=1))


def test_own_posts_answer_better_than_another_users_and_no_posts_by_the_proxy() -> None:
    def mean(scheme: str, *, own: bool = True) -> float:
        values = []
        for brief in MINI.tasks():
            user = brief.user if own else MINI.other_user(brief.id, seed=0)
            trajectory = play(rag_extractive(AgentSetup()), scheme, brief, user_id=user)
            values.append(AspectProxyJudge().score_episode(trajectory, MINI.truth(brief.id)).metrics["aspects"].value)
        return sum(v or 0.0 for v in values) / len(values)

    assert mean("none") < 0.02
    assert mean("on_demand") > mean("on_demand", own=False) + 0.05


def test_stitching_takes_whole_sentences_few_of_a_post_and_prefers_statements() -> None:
    posts = ["Is this a question of any use? My wrist hurts after ten minutes of knitting. A third long sentence here."]
    text = stitched("How to knit?", posts)
    assert text.splitlines()[1:] == ["- My wrist hurts after ten minutes of knitting.", "- A third long sentence here."]
    assert "Nothing is known" in stitched("How to knit?", [])
    assert len(stitched("How?", [f"Post number {i} is of a fair length. It has two sentences here." for i in range(99)])
               .splitlines()) == 11


def model_agent(server: ChatServer) -> QAAgent:
    spec = ModelSpec(model="scripted", base_url=server.base_url, timeout_s=5, max_retries=0)
    return rag(AgentSetup(models={"default": ChatModel(spec)}))


def test_the_model_sees_question_and_posts_as_data_and_its_answer_ends_the_episode() -> None:
    with ChatServer([{"answer": "Use a mute."}]) as server:
        trajectory = play(model_agent(server))
        prompt = server.requests[0]["messages"][0]["content"]
    assert answer_of(trajectory) == "Use a mute."
    assert CELLO.query in prompt
    assert "physiotherapist" in prompt
    assert prompt.count('<data name="past post">') == 10
    (call,) = trajectory.steps[-1].calls
    assert (call.role, call.prompt.split("@")[0]) == ("generator", "qa_answer")
    truth = MINI.truth(CELLO.id)
    assert truth.canary not in trajectory.model_dump_json()
    assert truth.narrative not in trajectory.model_dump_json()


def test_without_history_the_prompt_holds_no_post() -> None:
    with ChatServer([{"answer": "Find a teacher."}]) as server:
        play(model_agent(server), "none")
        prompt = server.requests[0]["messages"][0]["content"]
    assert "past post" not in prompt
    assert "Nothing is known about the person" in prompt


def test_no_usable_answer_is_an_invalid_step_and_may_be_mended_in_the_next() -> None:
    with ChatServer(["I'd rather not.", "No.", {"answer": "Use a mute."}]) as server:
        trajectory = play(model_agent(server), "none")
    assert trajectory.steps[0].error is not None
    assert trajectory.steps[0].error.boundary == "agent"
    assert len(trajectory.steps[0].calls) == 2
    assert answer_of(trajectory) == "Use a mute."


def test_a_prompt_too_long_is_shortened_once() -> None:
    overflow = error(400, "maximum context length is 10 tokens", code="context_length_exceeded")
    with ChatServer([overflow, {"answer": "Use a mute."}]) as server:
        trajectory = play(model_agent(server))
        sizes = [r["messages"][0]["content"].count('<data name="past post">') for r in server.requests]
    assert (sizes, answer_of(trajectory)) == ([10, 5], "Use a mute.")


def test_an_endpoint_that_is_down_is_raised_and_a_missing_model_named() -> None:
    with ChatServer([error(500, "down")]) as server, pytest.raises(ModelError):
        play(model_agent(server), "none")
    with pytest.raises(MissingKeyError, match="rag-extractive"):
        rag(AgentSetup())
