"""What an agent's factory is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..llm import ChatModel
from ..types import HistoryScheme, QATruth, WebTruth


@dataclass(frozen=True)
class AgentSetup:
    """Everything a registered agent may be built from.

    Attributes:
        models: Role (`planner`, `generator`) to chat model; `default` serves every role that has none of its own.
        scheme: How the episode's history may be reached.
        seed: For an agent that draws lots.
        truth: The task's truth, for an agent registered as privileged (the oracle); None for every other.
    """

    models: Mapping[str, ChatModel] = field(default_factory=dict)
    scheme: HistoryScheme = "none"
    seed: int = 0
    truth: WebTruth | QATruth | None = None

    def model(self, role: str) -> ChatModel | None:
        """Return the model of a role, or the default one, or None."""
        return self.models.get(role) or self.models.get("default")
