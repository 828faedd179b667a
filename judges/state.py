"""The state judge: scores a web episode by the desk's answers and the final state of the world, with no model."""

from __future__ import annotations

from ..types import QATruth, Score, Trajectory, WebTruth
from .episode import obstacle, score
from .points import WEB_METRICS, SlotFinding, intent_metric, unscored, web_metrics
from .retrieval import drawn, retrieval
from .utilization import intent, utilization


class StateJudge:
    """Judges web episodes by SCORING.md. The same episode and truth always give the same score."""

    name = "state"

    async def judge(self, trajectory: Trajectory, truth: WebTruth | QATruth) -> Score:
        """Score an episode; the async face of `score_episode`, as every judge has it."""
        return self.score_episode(trajectory, truth)

    def score_episode(self, trajectory: Trajectory, truth: WebTruth | QATruth) -> Score:
        """Score an episode.

        Returns:
            `p_web`, `p_pref`, `p_avg`, `intent`, `success`, `outcome_success` and `steps`. Every metric but the steps
            is `error` where the episode cannot be judged. `details` holds the points of each slot, `history_drawn`
            (entries) and `history_precision` (share of them that bears on the task, in [0, 1], or None).
        """
        if not isinstance(truth, WebTruth):
            return self._error(trajectory, "The state judge scores web tasks; this one is a question.")
        problem = obstacle(trajectory, truth)
        state = trajectory.final.state if trajectory.final else None
        if problem or state is None:
            missing = "The episode recorded no state of its world; judge it with the rubric judge."
            return self._error(trajectory, problem or missing)
        findings = [
            SlotFinding(slot, retrieval(slot, trajectory), utilization(slot, state, truth)) for slot in truth.slots
        ]
        metrics = web_metrics(findings, intent_metric(*intent(state, truth)))
        details = {"slots": [finding.detail() for finding in findings], **drawn(trajectory, truth)}
        return score(self.name, trajectory, metrics, details=details)

    def _error(self, trajectory: Trajectory, note: str) -> Score:
        return score(self.name, trajectory, unscored(WEB_METRICS, "error", note))
