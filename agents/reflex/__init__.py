"""Planner and generator without a model: words, recurrence, roles and names. Together they are `prg-reflex`."""

from ..prg import PRGAgent
from ..setup import AgentSetup
from .planner import ReflexGenerator, ReflexPlanner

__all__ = ["ReflexGenerator", "ReflexPlanner", "prg_reflex"]


def prg_reflex(setup: AgentSetup) -> PRGAgent:
    """Build the agent whose parts need no model; nothing of the setup is read."""
    return PRGAgent(ReflexPlanner(), ReflexGenerator())
