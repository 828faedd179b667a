"""Utilization and intent by the state judge: what the world was like at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ..types import AttributeValue, Chosen, Condition, ResultsView, Slot, WebTruth, WorldState
from .points import Finding
from .words import stands_in


def decisive_change(state: WorldState, truth: WebTruth) -> Chosen | None:
    """Return the last thing held that meets the outright wishes; without one, the last of the asked kind; or None.

    So one thing cannot earn the intent and another the preferences. What was put in and taken out again is not held,
    and what a fault stopped never was.
    """
    held = [thing for thing in reversed(state.held) if thing.act == truth.outcome.act]
    return next((thing for thing in held if fits(thing, truth)), held[0] if held else None)


def utilization(slot: Slot, state: WorldState, truth: WebTruth) -> Finding:
    """Judge the utilization of one slot by the final state."""
    change = decisive_change(state, truth)
    if slot.kind == "website":
        return _website(slot, change, state)
    if slot.kind == "location":
        return _location(slot, change)
    return _preference(slot, change, state, truth)


def intent(state: WorldState, truth: WebTruth) -> tuple[Literal[0, 5, 10], Finding]:
    """Return the points of the intent, and why; personal wishes are ignored."""
    if state.forbidden:
        return 0, Finding(met=False, note=f"a forbidden act was tried: {', '.join(state.forbidden)}")
    if any(fits(thing, truth) for thing in state.held):
        return 10, Finding(met=True, note="what was asked for is held")
    blocked = next((thing for thing in state.stopped if thing.fault and fits(thing, truth)), None)
    if blocked:
        return 5, Finding(met=False, note=f"the decisive act was stopped by a fault: {blocked.fault}")
    return 0, Finding(met=False, note="nothing held meets what was asked for outright")


def fits(thing: Chosen, truth: WebTruth) -> bool:
    """Whether a thing is of the asked kind and meets every wish the query states outright."""
    return thing.act == truth.outcome.act and all_hold(truth.outcome.wishes, thing.attributes)


def all_hold(conditions: tuple[Condition, ...], attributes: Mapping[str, AttributeValue]) -> bool:
    """Whether a thing meets every condition."""
    return all(condition.holds(attributes) for condition in conditions)


def _website(slot: Slot, change: Chosen | None, state: WorldState) -> Finding:
    host = change.host if change else state.last_host
    where = "decisive change on" if change else "no decisive change, last site page on"
    return Finding(met=all_hold(slot.conditions, {"host": host}), note=f"website: {where} {host or 'no site'}")


def _location(slot: Slot, change: Chosen | None) -> Finding:
    if change is None:
        return Finding(met=False, note="location: no decisive change")
    city = change.location.get("city") or "none"
    return Finding(met=all_hold(slot.conditions, dict(change.location)), note=f"location: in force was {city}")


def _preference(slot: Slot, change: Chosen | None, state: WorldState, truth: WebTruth) -> Finding:
    if change:
        met = all_hold(slot.conditions, change.attributes)
        return Finding(met=met, note=f"{slot.key}: {'met' if met else 'not met'} by {change.title!r}")
    host = _expected_host(state, truth)
    view = state.results.get(host)
    met = view is not None and (all(_filtered(c, view) for c in slot.conditions) or stands_in(slot.value, view.query))
    return Finding(met=met, note=f"{slot.key}: nothing chosen, {'' if met else 'not '}filtered or searched for")


def _expected_host(state: WorldState, truth: WebTruth) -> str:
    """Return the expected site among those with a results page; without a website slot, the last site."""
    sites = [slot for slot in truth.slots if slot.kind == "website"]
    if not sites:
        return state.last_host
    return next((host for host in state.results if all_hold(sites[0].conditions, {"host": host})), "")


def _filtered(condition: Condition, view: ResultsView) -> bool:
    """Whether an active filter asks for what a condition does. `lacks` is no filter: its word is searched for."""
    if condition.op == "lacks":
        return False
    active = view.filters.get(condition.attribute, ())
    return any(condition.holds({condition.attribute: value}) for text in active for value in _readings(text))


def _readings(text: str) -> list[AttributeValue]:
    """Return what the text of a filter may stand for: itself, a yes or no, a number."""
    readings: list[AttributeValue] = [text]
    if text.lower() in ("yes", "true", "no", "false"):
        readings.append(text.lower() in ("yes", "true"))
    try:
        readings.append(float(text))
    except ValueError:
        return readings
    return readings
