"""habitus: environments in which the query is ambiguous and the answer lies in the user's history."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._gym import register_ids

if TYPE_CHECKING:
    from habitus.envs.env import PersonalizationEnv
    from habitus.envs.runtime import Runtime
    from habitus.envs.session import Budget

    from .making import make
    from .registry import load_suite, load_tasks, register
    from .replay import replay
    from .runs import evaluate, rollout
    from .types import Decision, Record, TaskBrief, Trajectory

_HOMES = {
    "Budget": "habitus.envs.session",
    "Decision": "habitus.types",
    "PersonalizationEnv": "habitus.envs.env",
    "Record": "habitus.types",
    "Runtime": "habitus.envs.runtime",
    "TaskBrief": "habitus.types",
    "Trajectory": "habitus.types",
    "evaluate": "habitus.runs",
    "load_suite": "habitus.registry",
    "load_tasks": "habitus.registry",
    "make": "habitus.making",
    "register": "habitus.registry",
    "replay": "habitus.replay",
    "rollout": "habitus.runs",
}

__all__ = [
    "Budget",
    "Decision",
    "PersonalizationEnv",
    "Record",
    "Runtime",
    "TaskBrief",
    "Trajectory",
    "evaluate",
    "load_suite",
    "load_tasks",
    "make",
    "register",
    "replay",
    "rollout",
]

register_ids()


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import habitus` loads neither torch nor playwright."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'habitus' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return __all__
