"""A trajectory as text for a model that judges it: one line a thing, cut sensibly, nothing of the truth in it."""

from __future__ import annotations

import re

from ..types import JsonObject, MemoryEvent, Step, Trajectory

REASONING_CHARS = 600
ANSWER_CHARS = 200
PAGE_CHARS = 3000
LINE_CHARS = 300


def transcript(trajectory: Trajectory) -> str:
    """Return the steps with reasoning, action, page, history answers and errors, then how it ended.

    Every text that a page, a record or the agent wrote is brought to a single line and loses its angle brackets, so
    that it can forge neither a step nor the end of the data. The final state of the world is left out: a judge by model
    is measured against the judge that reads it.
    """
    lines = [f"Task given to the agent: {line(trajectory.header.brief.query, 2000)}"]
    for step in trajectory.steps:
        lines += _step(step)
    final = trajectory.final
    if final is not None:
        page = final.observation
        lines.append(f"End: {final.stop}")
        lines += _named("final answer", final.answer, PAGE_CHARS)
        lines += _page(page)
        lines += _named("last error", _text(page, "error"), LINE_CHARS)
        lines += _named("page content at the end", _text(page, "page"), PAGE_CHARS)
    return "\n".join(lines)


def line(text: str, limit: int) -> str:
    """Return a text on a single line, without angle brackets, cut in its middle to about `limit` characters."""
    flat = " ".join(text.split()).replace("<", "(").replace(">", ")")
    if len(flat) <= limit:
        return flat
    head = limit * 2 // 3
    return f"{flat[:head]} [... {len(flat) - limit} characters left out ...] {flat[head - limit:]}"


def _step(step: Step) -> list[str]:
    seen = step.observation
    lines = [f"Step {step.index}", *_page(seen)]
    lines += _named("error shown", _text(seen, "error"), LINE_CHARS)
    lines += _named("notice", _text(seen, "notice"), LINE_CHARS)
    lines += _named("profile shown", _text(seen, "profile"), PAGE_CHARS)
    if step.index == 0 and seen.get("history"):
        shown = [_text(hit, "text") for hit in seen["history"] if isinstance(hit, dict)]
        lines += _named("history shown unasked", "; ".join(shown), PAGE_CHARS)
    lines += _named("reasoning", step.reasoning, REASONING_CHARS)
    lines.append(f"  action: {line(step.action_text, LINE_CHARS)}")
    lines += _named("acts on", _target(step), LINE_CHARS)
    if step.memory is not None:
        lines += _memory(step.memory)
    lines += _named("failure", step.error.message if step.error else "", LINE_CHARS)
    return lines


def _memory(event: MemoryEvent) -> list[str]:
    lines = [f"  memory query: {line(event.query, LINE_CHARS)}"]
    lines += _named("memory refused", event.refused, LINE_CHARS)
    for hit in event.hits:
        website = hit.record.meta.get("website", "") if hit.record else ""
        text = f"{hit.record.kind}: {hit.text}" if hit.record else hit.text
        lines.append(f"  memory answer: {line(f'{text} ({website})' if website else text, ANSWER_CHARS)}")
    return lines if event.hits or event.refused else [*lines, "  memory answer: nothing"]


def _target(step: Step) -> str:
    """Return the element acted on, as its line of the page: a ref alone tells a reader nothing.

    Only the start of a line counts, which no text of a page can be: elsewhere a page may write any ref.
    """
    ref = (step.action or {}).get("ref")
    if not isinstance(ref, str):
        return ""
    found = re.search(rf"^ *(\[{re.escape(ref)}\] .*)$", _text(step.observation, "page"), re.MULTILINE)
    return found[1] if found else ""


def _page(observation: JsonObject) -> list[str]:
    url, title = _text(observation, "url"), _text(observation, "title")
    return [f"  page: {line(title, LINE_CHARS)} | {line(url, LINE_CHARS)}"] if url or title else []


def _named(name: str, text: str, limit: int) -> list[str]:
    return [f"  {name}: {line(text, limit)}"] if text.strip() else []


def _text(data: JsonObject, field: str) -> str:
    value = data.get(field, "")
    return value if isinstance(value, str) else ""
