"""An episode as it is stored: a header, a line a step, a final line."""

from __future__ import annotations

from html import escape
from typing import Literal

from pydantic import AwareDatetime, Field

from ._base import SCHEMA_VERSION, Data, JsonObject
from ._task import Hit, TaskBrief
from ._world import WorldState

Boundary = Literal["agent", "model", "browser", "site", "memory", "judge", "task", "budget"]
"""Where a failure belongs; it is recorded there once."""

HistoryScheme = Literal["none", "on_demand", "pre_execution", "profile", "full", "oracle", "gold"]
"""How the history may be reached; the last three are privileged and marked so in every table."""

StopReason = Literal["stopped", "max_steps", "max_invalid", "error", "closed"]
"""Why an episode ended: the agent stopped, a budget ran out, an infrastructure failure, its caller left."""


class Failure(Data):
    """A failure as data."""

    boundary: Boundary
    message: str
    infrastructure: bool = False
    """True where neither agent nor task is to blame: retried, and reported apart from the score."""


class Usage(Data):
    """Tokens and money of model calls."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Part of `prompt_tokens`, not beside it."""
    completion_tokens: int = 0
    cost_usd: float | None = None
    """None where no price is known."""

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost_usd is None and other.cost_usd is None else (self.cost_usd or 0.0) + (
            other.cost_usd or 0.0)
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost_usd=cost,
        )


class ModelCall(Data):
    """One call of a chat model, with its retries."""

    role: str
    """Which part asked: `planner`, `generator`, `judge`, ..."""
    model: str
    messages: tuple[JsonObject, ...]
    reply: str = ""
    reasoning: str = ""
    """Thinking text the server kept apart, never read as an answer."""
    usage: Usage = Usage()
    latency_s: float = 0.0
    """Working time, waits for rate limits not counted."""
    waited_s: float = 0.0
    retries: int = 0
    prompt: str = ""
    """Name and version of the prompt template."""
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    error: str = ""


class MemoryEvent(Data):
    """One question to the history desk and what came of it."""

    query: str
    hits: tuple[Hit, ...] = ()
    scheme: HistoryScheme
    memory: str = ""
    """Fingerprint of the memory: model, index, threshold, k."""
    refused: str = ""
    """Why nothing was searched; empty where it was."""
    latency_s: float = 0.0


class Step(Data):
    """One call of `step`: what was seen, what was done about it."""

    index: int
    observation: JsonObject
    """What the agent saw before it acted."""
    action: JsonObject | None = None
    """The action in canonical form, or None where what arrived was no action."""
    action_text: str
    """The action as text; for an invalid one, what arrived."""
    reasoning: str = ""
    memory: MemoryEvent | None = None
    calls: tuple[ModelCall, ...] = ()
    error: Failure | None = None
    agent_s: float = 0.0
    """Wall time between the observation and the action."""
    env_s: float = 0.0
    """Wall time of the environment's step."""


class Header(Data):
    """The first line: enough to know what was run, nothing of the truth but its hash."""

    line: Literal["header"] = "header"
    schema_version: int = SCHEMA_VERSION
    episode: str
    brief: TaskBrief
    truth_hash: str
    agent: str
    models: dict[str, str] = Field(default_factory=dict)
    """Role to model name."""
    history: HistoryScheme
    history_of: Literal["own", "other"] = "own"
    memory: str = ""
    web: str = "local"
    max_steps: int
    seed: int
    repeat: int = 0
    versions: dict[str, str] = Field(default_factory=dict)
    prompts: dict[str, str] = Field(default_factory=dict)
    started: AwareDatetime


class Final(Data):
    """The last line: how it ended and what the world was then."""

    line: Literal["final"] = "final"
    stop: StopReason
    answer: str = ""
    observation: JsonObject = Field(default_factory=dict)
    """What the last action led to."""
    state: WorldState | None = None
    error: Failure | None = None
    calls: tuple[ModelCall, ...] = ()
    """Model calls that led to no action, because the agent failed over them."""
    duration_s: float = 0.0

    @property
    def infrastructure(self) -> bool:
        """Whether a failure ended the episode that neither agent nor task is to blame for: it is not scored."""
        return self.error is not None and self.error.infrastructure


class Trajectory(Data):
    """A whole episode. A judge needs this and the truth, nothing else."""

    header: Header
    steps: tuple[Step, ...] = ()
    final: Final | None = None
    """None while the episode runs, or where it was cut off."""

    @property
    def memory_events(self) -> list[tuple[int, MemoryEvent]]:
        """The questions to the desk, each with the index of its step."""
        return [(step.index, step.memory) for step in self.steps if step.memory is not None]

    @property
    def usage(self) -> Usage:
        """What the agent's model calls took together."""
        lost = self.final.calls if self.final else ()
        return sum((call.usage for calls in (*(step.calls for step in self.steps), lost) for call in calls), Usage())

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{step.index + 1}</td><td><code>{escape(step.action_text)}</code></td>"
            f"<td>{escape(step.reasoning[:300])}</td><td>{len(step.memory.hits) if step.memory else ''}</td>"
            f"<td>{escape(step.error.message[:200]) if step.error else ''}</td></tr>"
            for step in self.steps
        )
        head = self.header
        end = self.final.stop if self.final else "running"
        about = (head.brief.id, head.agent, f"history {head.history}", f"{len(self.steps)} steps", end)
        names = "".join(f"<th>{name}</th>" for name in ("step", "action", "reasoning", "entries", "failure"))
        return (
            f"<p><b>{escape(head.brief.query)}</b><br>{escape(' · '.join(about))}</p>"
            f"<table><tr>{names}</tr>{rows}</table>"
        )
