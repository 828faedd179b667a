"""The rubric judge: a chat model reads the transcript and answers yes-or-no criteria; the points are computed here."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel

from ..llm import ChatModel
from ..types import Condition, Metric, ModelCall, QATruth, Score, Slot, Trajectory, WebTruth
from .asking import Judgement, judgement
from .criteria import INTENT_POINTS, intent_reply, slot_finding, slot_names, slots_reply
from .episode import obstacle, score
from .points import WEB_METRICS, Finding, SlotFinding, combined, intent_metric, slot_metric, unscored
from .render import line, transcript

_OPS = {"eq": "is", "in": "is one of", "le": "is at most", "ge": "is at least", "has": "has", "lacks": "is without"}
_Part = tuple[list[SlotFinding], Metric, tuple[ModelCall, ...]]


class RubricJudge:
    """Judges web episodes with a chat model by the published rubric: website, preferences with location, intent.

    One question a part; a part without slots is not asked. Retrieval is met where the agent asked for the category and
    the value stands in an answer, utilization where the model finds it used. Given slots count as in SCORING.md.

    Args:
        model: The model that judges.

    Attributes:
        name: `rubric(MODEL)`: verdicts of two models are two judges'.
    """

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self.name = f"rubric({model.name})"

    async def judge(self, trajectory: Trajectory, truth: WebTruth | QATruth) -> Score:
        """Score an episode.

        Returns:
            The metrics of the state judge. A part whose reply is unusable is `invalid`, one that could not be asked is
            `error`, and so is every metric that rests on it; no such part is ever 0.
        """
        if not isinstance(truth, WebTruth):
            note = "The rubric judge scores web tasks; this one is a question."
            return score(self.name, trajectory, unscored(WEB_METRICS, "error", note))
        problem = obstacle(trajectory, truth)
        if problem:
            return score(self.name, trajectory, unscored(WEB_METRICS, "error", problem))
        text = transcript(trajectory)
        sites = [slot for slot in truth.slots if slot.kind == "website"]
        wishes = [slot for slot in truth.slots if slot.kind != "website"]
        website, preference, intent = await asyncio.gather(
            self._slots("rubric_website", sites, trajectory, text),
            self._slots("rubric_preference", wishes, trajectory, text),
            judgement(
                self.model, "rubric_intent", intent_reply(len(trajectory.steps)), transcript=text,
                act=truth.outcome.act, wishes=[_in_words(condition) for condition in truth.outcome.wishes],
            ),
        )
        found = [*website[0], *preference[0]]
        metrics = combined(
            website[1], preference[1], _intent(intent), utilized=all(finding.utilization.met for finding in found)
        )
        return score(
            self.name, trajectory, metrics, calls=(*website[2], *preference[2], *intent.calls),
            details={"slots": [finding.detail() for finding in found]},
        )

    async def _slots(self, template: str, slots: list[Slot], trajectory: Trajectory, text: str) -> _Part:
        """Judge some slots with one question."""
        if not slots:
            return [], slot_metric([]), ()
        names = slot_names(slots)
        asked = await judgement(
            self.model, template, slots_reply(names, len(trajectory.steps)), transcript=text,
            slots=[
                {"name": name, "kind": slot.kind, "key": line(slot.key, 200), "value": line(slot.value, 200)}
                for name, slot in zip(names, slots, strict=True)
            ],
        )
        if asked.reply is None:
            return [], asked.unscored(), asked.calls
        parts = asked.reply.model_dump()
        found = [slot_finding(slot, parts[name], trajectory) for name, slot in zip(names, slots, strict=True)]
        return found, slot_metric(found), asked.calls


def _intent(asked: Judgement[BaseModel]) -> Metric:
    if asked.reply is None:
        return asked.unscored()
    reply = asked.reply.model_dump()
    points = INTENT_POINTS[reply["outcome"]]
    return intent_metric(points, Finding(met=points == 10, steps=tuple(reply["steps"]), note=reply["outcome"]))


def _in_words(condition: Condition) -> str:
    value = condition.value
    words = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return line(f"{condition.attribute} {_OPS[condition.op]} {words}", 300)
