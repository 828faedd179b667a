"""The aspect judge of LaMP-QA: a chat model rates how well an answer covers each thing the asker hoped to read."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from ..llm import ChatModel
from ..types import Aspect, Metric, QATruth, Score, Trajectory, WebTruth
from .asking import Judgement, judgement
from .episode import obstacle, score
from .points import unscored
from .render import line

ANSWER_CHARS = 20_000
"""A longer answer is cut in its middle before it is judged."""
_TEXT_CHARS = 8_000
_TOP = 2


def _no_truth_value(rating: object) -> object:
    """Refuse true and false, which Python takes for 1 and 0."""
    if isinstance(rating, bool):
        raise ValueError("a rating is 0, 1 or 2, not true or false")
    return rating


class AspectReply(BaseModel):
    """One rating; anything but 0, 1 or 2 is no rating."""

    model_config = ConfigDict(strict=True, frozen=True)
    reason: str
    match_score: Annotated[Literal[0, 1, 2], BeforeValidator(_no_truth_value)]


class AspectJudge:
    """Judges answers by LaMP-QA's measure, section 3.2: sum of ratings over twice the number of aspects, in [0, 1].

    An empty answer covers nothing and is 0 without a question to the model. Where one aspect has no usable rating, the
    answer has none: the mean over the others would be another measure.

    Args:
        model: The model that judges.

    Attributes:
        name: `aspect(MODEL)`: verdicts of two models are two judges'.
    """

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self.name = f"aspect({model.name})"

    async def judge(self, trajectory: Trajectory, truth: WebTruth | QATruth) -> Score:
        """Score an answer.

        Returns:
            `aspects`, in [0, 1], `invalid` or `error`, and `steps`; `details` holds each aspect's rating by its number.
        """
        if not isinstance(truth, QATruth):
            note = "The aspect judge scores answers to questions; this is a web task."
            return score(self.name, trajectory, unscored(["aspects"], "error", note))
        problem = obstacle(trajectory, truth)
        if problem or trajectory.final is None:
            return score(self.name, trajectory, unscored(["aspects"], "error", problem))
        answer = line(trajectory.final.answer, ANSWER_CHARS)
        if not answer:
            nothing = Metric(raw=0.0, maximum=float(_TOP * len(truth.aspects)), value=0.0, note="there is no answer")
            return score(self.name, trajectory, {"aspects": nothing})
        question = line(trajectory.header.brief.query, _TEXT_CHARS)
        ratings = await asyncio.gather(*(self._rate(aspect, question, answer, truth) for aspect in truth.aspects))
        details = {
            "aspects": [
                {"aspect": i, "score": r.reply.match_score if r.reply else None, "verdict": r.verdict}
                for i, r in enumerate(ratings)
            ]
        }
        calls = tuple(call for rating in ratings for call in rating.calls)
        return score(self.name, trajectory, {"aspects": _metric(ratings)}, calls=calls, details=details)

    async def _rate(self, aspect: Aspect, question: str, answer: str, truth: QATruth) -> Judgement[AspectReply]:
        shown = {field: line(text, _TEXT_CHARS) for field, text in aspect.model_dump().items()}
        return await judgement(
            self.model, "aspect", AspectReply, question=question, narrative=line(truth.narrative, _TEXT_CHARS),
            aspect=shown, answer=answer,
        )


def _metric(ratings: list[Judgement[AspectReply]]) -> Metric:
    unusable = [rating for rating in ratings if rating.reply is None]
    if unusable:
        return next((r for r in unusable if r.verdict == "error"), unusable[0]).unscored()
    total = sum(rating.reply.match_score for rating in ratings if rating.reply)
    maximum = _TOP * len(ratings)
    return Metric(raw=float(total), maximum=float(maximum), value=total / maximum)
