"""The reward of a finished episode, closed over its truth; no model is called."""

from __future__ import annotations

import math
from typing import Literal

from ..types import QATruth, Scorer, Trajectory, WebTruth
from .aspect_proxy import AspectProxyJudge
from .state import StateJudge

RewardKind = Literal["outcome", "success", "partial"]
"""`outcome`: outcome success; `success`: with retrieval; `partial`: (P_avg + intent) / 2. A question has one reward,
the proxy's `aspects`, whatever the kind."""


def reward(trajectory: Trajectory, truth: WebTruth | QATruth, kind: RewardKind = "outcome") -> float:
    """Return the reward of an episode, in [0, 1], higher is better.

    Returns:
        0 before the end, and NaN where the episode cannot be judged: it is dropped or run again, never learned from
        as 0.
    """
    if trajectory.final is None:
        return 0.0
    if isinstance(truth, QATruth):
        value = AspectProxyJudge().score_episode(trajectory, truth).metrics["aspects"].value
        return math.nan if value is None else value
    metrics = StateJudge().score_episode(trajectory, truth).metrics
    intent = metrics["intent"].value
    if intent is None:
        return math.nan
    if kind == "partial":
        personal = metrics["p_avg"].value
        return intent if personal is None else (personal + intent) / 2
    value = metrics["outcome_success" if kind == "outcome" else "success"].value
    return math.nan if value is None else value


def scorer(truth: WebTruth | QATruth, kind: RewardKind = "outcome") -> Scorer:
    """Return `reward` closed over a truth, as an environment takes it."""

    def score(trajectory: Trajectory) -> float:
        return reward(trajectory, truth, kind)

    return score
