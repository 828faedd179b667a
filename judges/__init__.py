"""Judges: what an episode is worth, by its truth. They know types, models and statistics alone."""

from .aspect import AspectJudge
from .aspect_proxy import AspectProxyJudge
from .reward import RewardKind, reward, scorer
from .rubric import RubricJudge
from .state import StateJudge

__all__ = [
    "AspectJudge",
    "AspectProxyJudge",
    "RewardKind",
    "RubricJudge",
    "StateJudge",
    "reward",
    "scorer",
]
