"""The aspect proxy: how many of an aspect's words stand in the answer. Needs no model, and is no judge of quality."""

from __future__ import annotations

from ..types import Aspect, Metric, QATruth, Score, Trajectory, WebTruth
from .episode import obstacle, score
from .points import unscored
from .words import content_words, tokens

COUNTED_WORDS = 400
"""Only so many first words of an answer count, so that pouring out the whole history gains little."""


class AspectProxyJudge:
    """Scores an answer by the share of each aspect's words that it holds.

    An aspect's words are the stems of the content words of its title and evidence, without those of the question:
    repeating the question earns nothing. The value is the mean of the shares, in [0, 1].

    Limits: it sees words, not meaning. An answer that says the opposite in the same words scores, one that says the
    same in other words does not, and one that quotes the asker's posts without answering does well. It orders answers
    of one kind by how much of the asker's need they touch; its scale is not that of the model judge. Every table names
    it a proxy.
    """

    name = "aspect-proxy"

    async def judge(self, trajectory: Trajectory, truth: WebTruth | QATruth) -> Score:
        """Score an answer; the async face of `score_episode`, as every judge has it."""
        return self.score_episode(trajectory, truth)

    def score_episode(self, trajectory: Trajectory, truth: WebTruth | QATruth) -> Score:
        """Score an answer.

        Returns:
            `aspects`, in [0, 1], and `steps`; `details` holds each aspect's share by its number.
        """
        if not isinstance(truth, QATruth):
            problem = "The aspect proxy scores answers to questions; this is a web task."
        else:
            problem = obstacle(trajectory, truth)
        if problem or not isinstance(truth, QATruth) or trajectory.final is None:
            return score(self.name, trajectory, unscored(["aspects"], "error", problem))
        counted = " ".join(tokens(trajectory.final.answer)[:COUNTED_WORDS])
        said, asked = content_words(counted), content_words(trajectory.header.brief.query)
        shares = [_share(aspect, said, asked) for aspect in truth.aspects]
        total = sum(shares)
        metric = Metric(
            raw=total, maximum=float(len(shares)), value=total / len(shares), note="a proxy: words, not meaning"
        )
        details = {"aspects": [{"aspect": i, "score": share} for i, share in enumerate(shares)]}
        return score(self.name, trajectory, {"aspects": metric}, details=details)


def _share(aspect: Aspect, said: set[str], asked: set[str]) -> float:
    terms = content_words(f"{aspect.title} {aspect.evidence}") - asked
    return len(terms & said) / len(terms) if terms else 0.0
