"""A workspace of fixed pages and a history of a few entries: a real session for the agent to act in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from habitus.envs.actions import ActionSet
from habitus.envs.history import HistoryDesk
from habitus.envs.session import Budget, EpisodeSession
from habitus.types import Agent, Header, HistoryScheme, Hit, Record, TaskBrief, Trajectory, User, View, WorldState

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
BRIEF = TaskBrief(
    id="t1", suite="paper", data_version="1", kind="web", query="Add my usual milk in my usual size", user="u1",
    as_of=NOW,
)
RECORDS = tuple(
    Record(id=f"r{n}", kind="purchase", text=text, time=NOW.replace(month=2, day=n), meta={"website": "green.test"})
    for n, text in enumerate(["Alder oat milk, 2 litre", "Rye bread, 400 g", "Hollis oat milk, 2 litre"], start=1)
)


class WordSearch:
    """Finds records that share a word with the query."""

    fingerprint = "words"

    def search(self, query: str, *, as_of: datetime | None = None) -> list[Hit]:
        wanted = set(query.lower().split())
        found = [r for r in RECORDS if wanted & set(r.text.lower().replace(",", "").split())]
        return [Hit(text=r.text, score=1.0, sources=(r.id,), record=r) for r in found]


class PaperWeb:
    """Shows one page whatever is done, and an error for each action on `e9`."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.acted: list[str] = []

    async def open(self, brief: TaskBrief, *, seed: int) -> View:
        return View(text=self.page, url="http://green.test/", title="Green")

    async def act(self, action: Any) -> View:
        self.acted.append(str(action))
        error = "e9 is gone" if getattr(action, "ref", "") == "e9" else ""
        return View(text=self.page, url="http://green.test/", title="Green", error=error)

    async def state(self) -> WorldState | None:
        return None

    async def screenshot(self) -> bytes | None:
        return None

    async def close(self) -> None:
        return None


def run(
    agent: Agent, *, scheme: HistoryScheme = "on_demand", page: str = '[e1] button "Add"', max_steps: int = 12,
    given: Sequence[Hit] = (), profile: str = "",
) -> Trajectory:
    """Run one episode to its end."""

    async def episode() -> Trajectory:
        header = Header(
            episode="x", brief=BRIEF, truth_hash="", agent="prg", history=scheme, max_steps=max_steps, seed=0,
            started=NOW,
        )
        user = User(id="u1", records=RECORDS, profile=profile)
        desk = HistoryDesk(scheme, brief=BRIEF, retriever=WordSearch(), user=user, given=given)
        session = EpisodeSession(
            header, workspace=PaperWeb(page), desk=desk, actions=ActionSet.web(), budget=Budget(max_steps=max_steps)
        )
        agent.reset(BRIEF)  # type: ignore[attr-defined]
        observation = await session.start()
        while not session.ended:
            observation = await session.act(await agent.act(observation))
        await session.close()
        return session.trajectory

    return asyncio.run(episode())
