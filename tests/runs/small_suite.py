"""Four questions of two people, and agents to answer them: a suite and agents as a user would plug them in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from habitus.errors import ModelError
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


class FlakyEndpoint:
    """An endpoint that is down for the first call a file away from now on is not."""

    seen = Path("/nonexistent")

    def act(self, observation: dict[str, Any]) -> Any:
        if not self.seen.exists():
            self.seen.touch()
            raise ModelError("The endpoint does not answer.")
        return asks(observation)
