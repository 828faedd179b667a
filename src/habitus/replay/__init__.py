"""Stored episodes again: as an environment, and as one page to look at."""

from __future__ import annotations

import sys
from os import PathLike
from types import ModuleType

from ..types import Trajectory
from .env import ReplayDivergenceError, ReplayEnv, ReplaySession, replay

__all__ = ["ReplayDivergenceError", "ReplayEnv", "ReplaySession", "replay"]


class _Callable(ModuleType):
    """A module that can be called: `habitus.replay` names this package and the function in it; either may be met."""

    def __call__(self, episode: str | PathLike[str] | Trajectory) -> ReplayEnv:
        return replay(episode)


sys.modules[__name__].__class__ = _Callable
