"""What the privileged history schemes `oracle` and `gold` may show, made from a truth and its user."""

from __future__ import annotations

from ..types import Hit, QATruth, User, WebTruth


def oracle_hits(truth: WebTruth | QATruth, user: User) -> tuple[Hit, ...]:
    """Return the history entries that bear the truth out, in the order of the history.

    Slots that the query states are left out: nothing has to be retrieved for them.

    Args:
        truth: The truth of one task.
        user: The user whose history it was drawn from.

    Returns:
        One hit an entry, each with score 1.0 and the record itself; empty where the entries are unknown.
    """
    if isinstance(truth, WebTruth):
        wanted = {entry for slot in truth.slots if not slot.given for entry in slot.evidence}
    else:
        wanted = set(truth.evidence)
    return tuple(
        Hit(text=record.text, score=1.0, sources=(record.id,), record=record)
        for record in user.records
        if record.id in wanted
    )


def gold_hits(truth: WebTruth | QATruth) -> tuple[Hit, ...]:
    """Return the facts themselves: one hit a slot that is not given, or one an expected aspect.

    Args:
        truth: The truth of one task.

    Returns:
        Hits with score 1.0 and the entries each fact was drawn from, where known.
    """
    if isinstance(truth, WebTruth):
        return tuple(
            Hit(text=f"{slot.key}: {slot.value}", score=1.0, sources=slot.evidence)
            for slot in truth.slots
            if not slot.given
        )
    return tuple(
        Hit(text=f"{aspect.title}: {aspect.reason}", score=1.0, sources=truth.evidence) for aspect in truth.aspects
    )
