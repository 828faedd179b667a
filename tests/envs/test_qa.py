"""The question workspace, through the session that drives it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from habitus.envs.actions import ActionSet, Click
from habitus.envs.history import HistoryDesk
from habitus.envs.qa import QuestionWorkspace
from habitus.envs.session import EpisodeSession
from habitus.types import Header, TaskBrief, Workspace

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
BRIEF = TaskBrief(id="q1", suite="s", data_version="v1", kind="qa", query="What shall I plant?", user="u", as_of=NOON)


def session(actions: ActionSet) -> EpisodeSession:
    header = Header(
        episode="e", brief=BRIEF, truth_hash="", agent="a", history="none", max_steps=5, seed=0, started=NOON)
    return EpisodeSession(header, workspace=QuestionWorkspace(), desk=HistoryDesk("none", brief=BRIEF), actions=actions)


def test_the_question_is_shown_and_an_answer_ends_the_episode() -> None:
    async def play() -> EpisodeSession:
        playing = session(ActionSet.question())
        assert "What shall I plant?" in (await playing.start())["page"]
        await playing.act('stop("Mint.")')
        await playing.close()
        await playing.close()
        return playing

    final = asyncio.run(play()).final
    assert final is not None
    assert (final.stop, final.answer, final.state) == ("stopped", "Mint.", None)


def test_every_action_on_a_page_is_refused_in_the_view() -> None:
    async def play() -> list[str]:
        playing = session(ActionSet.web())
        await playing.start()
        seen = [await playing.act(action) for action in ('click("e1")', 'goto("http://x.test/")', "scroll()")]
        assert all("What shall I plant?" in o["page"] for o in seen)
        assert not playing.ended
        return [o["error"] for o in seen]

    errors = asyncio.run(play())
    assert [e.split()[0] for e in errors] == ["click", "goto", "scroll"]
    assert all("answer" in e for e in errors)


def test_there_is_no_world_and_no_picture() -> None:
    workspace: Workspace = QuestionWorkspace()

    async def look() -> tuple[object, object, str]:
        await workspace.open(BRIEF, seed=0)
        return await workspace.state(), await workspace.screenshot(), (await workspace.act(Click(ref="e1"))).error

    state, picture, error = asyncio.run(look())
    assert (state, picture) == (None, None)
    assert error
