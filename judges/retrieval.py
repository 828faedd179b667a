"""Retrieval by the state judge: did the desk's answers hold the entries that bear a slot out?"""

from __future__ import annotations

from ..types import Hit, JsonObject, MemoryEvent, Slot, Trajectory, WebTruth
from .points import Finding, is_given
from .words import content_words, stands_in

ENTRIES_NEEDED = 2
"""So many of the bearing entries must have been drawn; all of them where there are fewer."""

_KIND_WORDS = {
    "website": "website site shop store platform service app",
    "preference": "",
    "location": "location address city town postcode zip home live delivery",
}


def retrieval(slot: Slot, trajectory: Trajectory) -> Finding | None:
    """Judge the retrieval of one slot, or return None where it is given.

    With known entries: the answers to the queries of this episode, taken together, held enough of them. What a scheme
    shows unasked is no answer. The entries of another user never bear a truth out, whatever their ids.
    Without known entries (official data): some query shared a word with the slot's category, and the expected value
    stands in an answer.
    """
    if is_given(slot, trajectory):
        return None
    events = _answered(trajectory)
    return _by_entries(slot, trajectory, events) if slot.evidence else _by_words(slot, events)


def drawn(trajectory: Trajectory, truth: WebTruth) -> JsonObject:
    """Return what was drawn from the history.

    Returns:
        `history_drawn`, the number of different entries in the desk's answers, and `history_precision`, the share of
        them that bears on the task, in [0, 1]; None where nothing was drawn or no bearing entry is known.
    """
    ids = {source for _, event in _answered(trajectory) for hit in event.hits for source in hit.sources}
    bearing = {record for slot in truth.slots for record in slot.evidence}
    own = trajectory.header.history_of == "own"
    precision = len(ids & bearing if own else ()) / len(ids) if ids and bearing else None
    return {"history_drawn": len(ids), "history_precision": precision}


def _answered(trajectory: Trajectory) -> list[tuple[int, MemoryEvent]]:
    return [(step, event) for step, event in trajectory.memory_events if event.query.strip() and not event.refused]


def _by_entries(slot: Slot, trajectory: Trajectory, events: list[tuple[int, MemoryEvent]]) -> Finding:
    needed = min(ENTRIES_NEEDED, len(set(slot.evidence)))
    if trajectory.header.history_of == "other":
        return Finding(met=False, note=f"{slot.kind}: another user's history bears nothing out")
    steps: list[int] = []
    found: dict[str, None] = {}
    for step, event in events:
        bearing = {source for hit in event.hits for source in hit.sources} & set(slot.evidence)
        if bearing:
            steps.append(step)
            found.update(dict.fromkeys(sorted(bearing)))
    note = f"{slot.kind}: {len(found)} of its {len(set(slot.evidence))} entries drawn, {needed} needed"
    return Finding(met=len(found) >= needed, steps=tuple(steps), records=tuple(found), note=note)


def _by_words(slot: Slot, events: list[tuple[int, MemoryEvent]]) -> Finding:
    category = content_words(f"{slot.key} {slot.phrase} {_KIND_WORDS[slot.kind]}")
    asked = [step for step, event in events if content_words(event.query) & category]
    answers = [(step, hit) for step, event in events for hit in event.hits if _holds(hit, slot.value)]
    return Finding(
        met=bool(asked and answers),
        steps=tuple(sorted({*asked, *(step for step, _ in answers)})),
        records=tuple(dict.fromkeys(source for _, hit in answers for source in hit.sources)),
        note=f"{slot.kind}: {'' if asked else 'never '}asked for, value {'' if answers else 'not '}in an answer",
    )


def _holds(hit: Hit, value: str) -> bool:
    website = hit.record.meta.get("website", "") if hit.record else ""
    return stands_in(value, hit.text) or stands_in(value, website)
