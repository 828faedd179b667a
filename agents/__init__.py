"""Agents: planner, retriever and generator with their parts, and what each is built from."""

from .chat_parts import ChatGenerator, ChatPlanner
from .parts import Fact, Foresight, Generator, Notes, Plan, Planner, Rationale, Rewrite, Turn
from .prg import PRGAgent
from .reflex import ReflexGenerator, ReflexPlanner
from .setup import AgentSetup
from .templates import PROMPTS

__all__ = [
    "PROMPTS",
    "AgentSetup",
    "ChatGenerator",
    "ChatPlanner",
    "Fact",
    "Foresight",
    "Generator",
    "Notes",
    "PRGAgent",
    "Plan",
    "Planner",
    "Rationale",
    "ReflexGenerator",
    "ReflexPlanner",
    "Rewrite",
    "Turn",
]
