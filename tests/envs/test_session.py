"""The session: what is recorded, what ends an episode, whose fault it was; on a real static question."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from habitus.envs.actions import ActionSet
from habitus.envs.history import HistoryDesk
from habitus.envs.qa import QuestionWorkspace
from habitus.envs.session import Budget, EpisodeSession
from habitus.errors import ResetNeededError
from habitus.memory import bm25
from habitus.types import Data, Decision, Failure, Header, ModelCall, Record, TaskBrief, Trajectory, Usage, User

NOW = datetime(2026, 3, 1, tzinfo=UTC)
USER = User(id="u1", records=(Record(id="r1", kind="post", text="My cello hurts my wrist", time=NOW),))
BRIEF = TaskBrief(id="t", suite="s", data_version="1", kind="qa", query="How do I practise?", user="u1", as_of=NOW)


def played(
    play: Callable[[EpisodeSession], Awaitable[Any]], *, scheme: Any = "on_demand", budget: Budget | None = None
) -> tuple[Trajectory, list[Data]]:
    """Play an episode and return it with the lines that were emitted on the way."""
    lines: list[Data] = []
    header = Header(
        episode="e", brief=BRIEF, truth_hash="", agent="test", history=scheme, max_steps=30, seed=0, started=NOW)
    session = EpisodeSession(
        header, workspace=QuestionWorkspace(), actions=ActionSet.question(), budget=budget, sink=lines.append,
        desk=HistoryDesk(scheme, brief=BRIEF, retriever=bm25().over(USER), user=USER),
    )

    async def run() -> None:
        await session.start()
        await play(session)
        await session.close()

    asyncio.run(run())
    return session.trajectory, lines


async def ask_and_answer(session: EpisodeSession) -> None:
    call = ModelCall(role="planner", model="m", messages=(), usage=Usage(calls=1, prompt_tokens=7))
    first = session.observation
    second = await session.query_history("cello wrist", reasoning="pain?", calls=(call,))
    assert first["history"] == ()
    assert [hit["id"] for hit in second["history"]] == ["r1"]
    await session.act('stop("Rest.")')


def test_every_line_is_emitted_as_it_happens_and_makes_the_trajectory() -> None:
    trajectory, lines = played(ask_and_answer)
    assert lines == [trajectory.header, *trajectory.steps, trajectory.final]
    assert [step.action_text for step in trajectory.steps] == ['query_history("cello wrist")', 'stop(answer="Rest.")']
    first = trajectory.steps[0]
    assert first.memory is not None
    assert (first.reasoning, first.memory.hits[0].sources) == ("pain?", ("r1",))
    assert trajectory.usage.prompt_tokens == 7
    assert trajectory.final is not None
    assert (trajectory.final.stop, trajectory.final.answer) == ("stopped", "Rest.")


def test_a_step_holds_what_was_seen_before_it() -> None:
    trajectory, _ = played(ask_and_answer)
    assert trajectory.steps[0].observation["history"] == []
    assert trajectory.steps[1].observation["history"][0]["id"] == "r1"


def test_a_trajectory_equals_itself_read_back() -> None:
    trajectory, _ = played(ask_and_answer)
    assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory


def test_an_answer_is_shown_once() -> None:
    async def play(session: EpisodeSession) -> None:
        await session.query_history("cello")
        assert (await session.act("nonsense"))["history"] == ()

    played(play)


def test_each_query_counts_a_step_the_empty_and_the_refused_too() -> None:
    async def play(session: EpisodeSession) -> None:
        assert (await session.query_history("zzz"))["steps_left"] == 29
        await session.act("stop()")

    for scheme in ("on_demand", "none"):
        trajectory, _ = played(play, scheme=scheme)
        assert len(trajectory.steps) == 2


def test_an_empty_answer_and_a_refusal_say_so() -> None:
    async def empty(session: EpisodeSession) -> None:
        assert "Nothing in the history matches" in (await session.query_history("zzz"))["history_note"]

    async def refused(session: EpisodeSession) -> None:
        assert "cannot be queried" in (await session.query_history("cello"))["history_note"]

    played(empty)
    played(refused, scheme="none")


def test_invalid_actions_in_a_row_end_the_episode_and_a_valid_one_between_starts_anew() -> None:
    async def play(session: EpisodeSession) -> None:
        for raw in ("bad", "bad", 'query_history("cello")', "bad", "bad"):
            await session.act(raw)
        assert not session.ended
        await session.act(3)

    trajectory, _ = played(play, budget=Budget(max_invalid=3))
    assert trajectory.final is not None
    assert trajectory.final.stop == "max_invalid"
    assert [step.action is None for step in trajectory.steps] == [True, True, False, True, True, True]
    assert trajectory.steps[0].error is not None
    assert trajectory.steps[0].error.boundary == "agent"


def test_an_agents_crash_is_its_own_failure_and_keeps_what_it_spent() -> None:
    call = ModelCall(role="planner", model="m", messages=(), usage=Usage(calls=1, prompt_tokens=5))

    async def play(session: EpisodeSession) -> None:
        await session.abort(Failure(boundary="agent", message="boom"), calls=(call,))

    trajectory, _ = played(play)
    assert trajectory.final is not None
    assert trajectory.final.stop == "error"
    assert not trajectory.final.infrastructure
    assert trajectory.usage.prompt_tokens == 5


def test_leaving_before_the_end_is_recorded_as_closed() -> None:
    async def play(session: EpisodeSession) -> None:
        await session.query_history("cello")

    trajectory, _ = played(play)
    assert trajectory.final is not None
    assert trajectory.final.stop == "closed"


def test_nothing_can_be_done_after_the_end() -> None:
    async def play(session: EpisodeSession) -> None:
        await session.act(Decision(action="stop()"))
        with pytest.raises(ResetNeededError):
            await session.act("stop()")

    played(play)


def test_a_trajectory_shows_itself_and_escapes_what_it_shows() -> None:
    async def play(session: EpisodeSession) -> None:
        await session.query_history("<script>alert(1)</script>")

    shown = played(play)[0]._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
