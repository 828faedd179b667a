"""From slots to metrics: which points each slot earns, and what they add up to (SCORING.md, "Points", "Success")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..types import JsonObject, Metric, Slot, Trajectory, VerdictKind

WEBSITE_POINTS = 5.0
"""Points of a website for retrieval, and as many for utilization."""
PREFERENCE_POINTS = 2.5
"""Points of a preference or a location for retrieval, and as many for utilization."""
INTENT_POINTS = 10.0
"""Points of a fully satisfied intent."""
WEB_METRICS = ("p_web", "p_pref", "p_avg", "intent", "success", "outcome_success")
"""The metrics of a web task, in the order of tables."""


@dataclass(frozen=True)
class Finding:
    """What was found on one criterion.

    Attributes:
        met: Whether it holds.
        steps: Steps that bear it out.
        records: History records that bear it out.
        note: Why, in a few words, without the expected value.
    """

    met: bool
    steps: tuple[int, ...] = ()
    records: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class SlotFinding:
    """One slot judged.

    Attributes:
        slot: The slot.
        retrieval: The finding, or None where the value is given and nothing has to be retrieved.
        utilization: The finding.
    """

    slot: Slot
    retrieval: Finding | None
    utilization: Finding

    @property
    def each(self) -> float:
        """Points of one criterion of this slot."""
        return WEBSITE_POINTS if self.slot.kind == "website" else PREFERENCE_POINTS

    @property
    def criteria(self) -> tuple[Finding, ...]:
        """The findings that count."""
        return (self.utilization,) if self.retrieval is None else (self.retrieval, self.utilization)

    @property
    def raw(self) -> float:
        """Points earned."""
        return self.each * sum(criterion.met for criterion in self.criteria)

    @property
    def maximum(self) -> float:
        """Points that could be earned."""
        return self.each * len(self.criteria)

    def detail(self) -> JsonObject:
        """Return what a viewer may show: the slot's kind and category, never its value."""
        return {
            "kind": self.slot.kind,
            "key": self.slot.key,
            "retrieved": None if self.retrieval is None else self.retrieval.met,
            "utilized": self.utilization.met,
            "raw": self.raw,
            "maximum": self.maximum,
        }


def is_given(slot: Slot, trajectory: Trajectory) -> bool:
    """Whether the value of a slot lies in view, so that nothing has to be retrieved.

    The query states it, or the explicit profile shows it. The schemes `full`, `oracle` and `gold` put the history into
    view unasked, and the desk takes no query under them: there, too, nothing has to be retrieved and nothing could be.
    Another user's history shows another value: it gives nothing.
    """
    header = trajectory.header
    in_view = header.history in ("profile", "full", "oracle", "gold") and header.history_of == "own"
    return slot.given or in_view


def slot_metric(findings: Iterable[SlotFinding]) -> Metric:
    """Return raw over maximum of some slots; the value is None where there is none."""
    slots = list(findings)
    if not slots:
        return Metric(note="no such slot")
    criteria = [criterion for finding in slots for criterion in finding.criteria]
    raw, maximum = sum(f.raw for f in slots), sum(f.maximum for f in slots)
    return Metric(
        raw=raw,
        maximum=maximum,
        value=raw / maximum,
        steps=tuple(sorted({step for c in criteria for step in c.steps})),
        records=tuple(dict.fromkeys(record for c in criteria for record in c.records)),
        note="; ".join(dict.fromkeys(c.note for c in criteria if c.note)),
    )


def intent_metric(points: Literal[0, 5, 10], finding: Finding) -> Metric:
    """Return the intent as a metric."""
    return Metric(
        raw=float(points), maximum=INTENT_POINTS, value=points / INTENT_POINTS, steps=finding.steps, note=finding.note
    )


def web_metrics(findings: Sequence[SlotFinding], intent: Metric) -> dict[str, Metric]:
    """Return all metrics of a judged web episode; success asks for every metric, outcome success for no retrieval."""
    website = slot_metric(f for f in findings if f.slot.kind == "website")
    preference = slot_metric(f for f in findings if f.slot.kind != "website")
    return combined(website, preference, intent, utilized=all(f.utilization.met for f in findings))


def combined(website: Metric, preference: Metric, intent: Metric, *, utilized: bool) -> dict[str, Metric]:
    """Put three metrics together. Where one of them is not scored, what rests on it is not either.

    Args:
        website: P_web.
        preference: P_pref.
        intent: Intent satisfaction.
        utilized: Whether every slot was utilized; looked at only where all three are scored.
    """
    personal = {"p_web": website, "p_pref": preference}
    values = [m.value for m in personal.values() if m.value is not None]
    average = Metric(raw=_mean(values), maximum=1.0, value=_mean(values)) if values else Metric(note="no slot counts")
    counted = [m.value for m in (*personal.values(), intent) if m.value is not None]
    success = all(value == 1.0 for value in counted)
    p_avg_broken = _broken(website, preference)
    broken = _broken(website, preference, intent)
    return {
        **personal,
        "p_avg": p_avg_broken or average,
        "intent": intent,
        "success": broken or flag(success),
        "outcome_success": broken or flag(utilized and intent.value == 1.0),
    }


def flag(holds: bool) -> Metric:
    """Return a metric that is 0 or 1."""
    return Metric(raw=float(holds), maximum=1.0, value=float(holds))


def steps_metric(trajectory: Trajectory) -> Metric:
    """Return the steps taken, of the steps allowed."""
    taken, allowed = len(trajectory.steps), trajectory.header.max_steps
    return Metric(raw=float(taken), maximum=float(allowed), value=min(1.0, taken / allowed) if allowed else None)


def unscored(names: Iterable[str], verdict: VerdictKind, note: str) -> dict[str, Metric]:
    """Return metrics that all carry one verdict and no value."""
    return {name: Metric(verdict=verdict, note=note) for name in names}


def _broken(*metrics: Metric) -> Metric | None:
    for verdict in ("error", "invalid"):
        for metric in metrics:
            if metric.verdict == verdict:
                return Metric(verdict=verdict, note=f"rests on a metric that is not scored: {metric.note}")
    return None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
