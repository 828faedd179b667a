"""The forms of a rubric judge's replies: yes or no for each criterion, with step numbers that exist, and no points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from ..types import Slot, Trajectory
from .points import Finding, SlotFinding, is_given

INTENT_POINTS: dict[str, Literal[0, 5, 10]] = {"complete": 10, "blocked": 5, "failed": 0}
"""Points of each outcome the intent prompt offers."""


def slots_reply(names: Sequence[str], steps: int) -> type[BaseModel]:
    """Return the form of a reply on some slots: a part for each name.

    Args:
        names: Names of the slots, identifiers.
        steps: Number of steps of the episode; a number beyond them is no evidence and makes a reply unusable.
    """
    criterion = create_model("Criterion", met=(bool, ...), steps=_cited(steps))
    criteria: dict[str, Any] = {name: (criterion, ...) for name in ("asked", "found", "used")}
    part = create_model("Part", reason=(str, ...), **criteria)
    fields: dict[str, Any] = {name: (part, ...) for name in names}
    return create_model("SlotsReply", **fields)


def intent_reply(steps: int) -> type[BaseModel]:
    """Return the form of a reply on the intent; `steps` as for `slots_reply`."""
    outcome: Any = (Literal["complete", "blocked", "failed"], ...)
    return create_model("IntentReply", reason=(str, ...), outcome=outcome, steps=_cited(steps))


def slot_names(slots: Sequence[Slot]) -> list[str]:
    """Return a name for each slot by its kind and number: `website_1`, `preference_2`."""
    return [f"{slot.kind}_{sum(s.kind == slot.kind for s in slots[: i + 1])}" for i, slot in enumerate(slots)]


def slot_finding(slot: Slot, part: dict[str, Any], trajectory: Trajectory) -> SlotFinding:
    """Return what a reply says of one slot. Retrieval is met where it was asked for and the value was found.

    The notes are our own words: the model's reason may repeat the expected value, so it stays in the score's calls.
    """
    asked, found, used = part["asked"], part["found"], part["used"]
    drawn = f"{'' if asked['met'] else 'never '}asked for, {'' if found['met'] else 'not '}found"
    applied = "used" if used["met"] else "not used"
    retrieval = Finding(
        met=asked["met"] and found["met"], steps=(*asked["steps"], *found["steps"]), note=f"{slot.key}: {drawn}"
    )
    utilization = Finding(met=used["met"], steps=tuple(used["steps"]), note=f"{slot.key}: {applied}")
    return SlotFinding(slot, None if is_given(slot, trajectory) else retrieval, utilization)


def _cited(steps: int) -> Any:
    if steps == 0:
        return (Annotated[list[int], Field(max_length=0)], ...)
    return (list[Annotated[int, Field(ge=0, le=steps - 1)]], ...)
