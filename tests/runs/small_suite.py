"""Four questions of two people, and agents to answer them: a suite and agents as a user would plug them in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from habitus.errors import MissingDependencyError, ModelError
from habitus.memory import bm25
from habitus.types import Aspect, Decision, QATruth, Record, TaskBrief, User

AS_OF = datetime(2026, 3, 1, tzinfo=UTC)
CANARY = "canary-5f1d"
LIKES = {"ada": "gravel bicycle", "ben": "sourdough bread"}


class SmallSuite:
    name = "small"
    data_version = "small-1"

    def __init__(self, world_seed: int) -> None:
        self._tasks = tuple(
            TaskBrief(
                id=f"{user}-{kind}-{level}", suite="small", data_version=self.data_version, kind="qa", user=user,
                query=f"What {kind} suits me?", as_of=AS_OF, level=level,
            )
            for user in LIKES for kind, level in (("club", 0), ("gift", 1))
        )

    def tasks(self) -> Sequence[TaskBrief]:
        return self._tasks

    def truth(self, task_id: str) -> QATruth:
        like = LIKES[task_id.split("-")[0]]
        aspect = Aspect(title=like, reason="they care", evidence=like)
        return QATruth(task_id=task_id, data_version=self.data_version, narrative=CANARY, aspects=(aspect,),
                       canary=CANARY)

    def user(self, user_id: str) -> User:
        records = tuple(
            Record(id=f"{user_id}-{i}", kind="post", text=f"{text} {LIKES[user_id]}",
                   time=AS_OF - timedelta(days=9 * i + 1), meta={"website": "forum.test"})
            for i, text in enumerate(("I love my", "Which club for a", "Spent a Sunday on"))
        )
        return User(id=user_id, records=records)

    def other_user(self, task_id: str, *, seed: int) -> str:
        return "ben" if task_id.startswith("ada") else "ada"


def suite(world_seed: int = 0) -> SmallSuite:
    return SmallSuite(world_seed)


def asks(observation: dict[str, Any]) -> Decision:
    """Asks once, then answers with what it found."""
    if observation["steps_left"] == 30 and observation["queries_left"]:
        return Decision(action='query_history("club for a love my")', reasoning="I do not know them yet.")
    return Decision(action={"name": "stop", "answer": " ".join(hit["text"] for hit in observation["history"])})


def crashes(observation: dict[str, Any]) -> str:
    raise ZeroDivisionError("the agent broke")


def crashes_for_ada(observation: dict[str, Any]) -> Any:
    if "ada" in str(observation["history"]) or "bicycle" in str(observation["history"]):
        raise ZeroDivisionError("the agent broke")
    return asks(observation)


def no_endpoint(observation: dict[str, Any]) -> str:
    raise ModelError("The endpoint does not answer.")


def gabbles(observation: dict[str, Any]) -> str:
    return "dance()"


def no_embedding() -> Any:
    raise MissingDependencyError("Dense retrieval needs an embedding model.")


class FlakyEndpoint:
    """An endpoint that is down for the first call a file away from now on is not."""

    seen = Path("/nonexistent")

    def act(self, observation: dict[str, Any]) -> Any:
        if not self.seen.exists():
            self.seen.touch()
            raise ModelError("The endpoint does not answer.")
        return asks(observation)


class SharedAgent:
    """An object that would notice two episodes at a time."""

    busy = False
    overlaps = 0

    async def act(self, observation: dict[str, Any]) -> Any:
        SharedAgent.overlaps += self.busy
        self.busy = True
        await asyncio.sleep(0.05)
        self.busy = False
        return "stop('gravel bicycle')"


shared_agent = SharedAgent()


class BreaksWhenMadeAgain:
    """A class that can be made twice: once to see that it can, once for the first episode."""

    made = 0
    prompts = "no mapping"

    def __init__(self) -> None:
        BreaksWhenMadeAgain.made += 1
        if BreaksWhenMadeAgain.made > 2:
            raise ValueError("no more")

    def act(self, observation: dict[str, Any]) -> Any:
        return asks(observation)


class CannotBeMade:
    def __init__(self, needed: int) -> None:
        self.needed = needed

    def act(self, observation: dict[str, Any]) -> str:
        return "stop()"


def with_setup(setup: Any) -> Any:
    """An agent of a model, as a user would write it."""

    async def act(observation: dict[str, Any]) -> Any:
        reply = await setup.model("default").text([{"role": "user", "content": observation["query"]}], role="planner")
        return Decision(action={"name": "stop", "answer": reply.value}, calls=reply.calls)

    return act


def asks_a_model_twice(setup: Any) -> Any:
    once = with_setup(setup)

    async def act(observation: dict[str, Any]) -> Any:
        decision = await once(observation)
        if observation["steps_left"] == 30:
            return decision.model_copy(update={"action": "query_history('bicycle')"})
        return decision

    return act


class MemoryThatBreaks:
    def over(self, user: User) -> Any:
        if user.id == "ada":
            raise KeyError("no index")
        return bm25().over(user)
