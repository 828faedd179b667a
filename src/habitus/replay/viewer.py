"""The page of a run: one self-contained HTML file that shows every episode step by step.

It asks for nothing from outside, and what pages, models and histories said stays text: the data is JSON without a
`<`, the script builds nodes from text alone, and a content policy lets no other script run. The truth is not in it:
what bears an episode out is marked by the step and record ids that a judge named.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from habitus.envs.history import SCHEMES

from ..runs.episode_file import Problem
from ..runs.store import RunStore
from ..runs.summary import summarize
from ..types import Hit, JsonObject, MemoryEvent, ModelCall, Score, Step, Trajectory

_TEMPLATES = files(__package__) / "templates"


def write_page(path: Path) -> Path:
    """Write `index.html` into a run's directory and return its path.

    Raises:
        RunDirectoryError: There is no run, or the page cannot be written.
        EpisodeFileError: A newer version of habitus wrote an episode.
    """
    store = RunStore.load(path)
    problems: list[Problem] = []
    scores = {judge: store.scores(judge) for judge in store.judges()}
    cells = [cell.model_dump(mode="json") for cell in summarize(store).cells]
    return store.write("index.html", page(store.episodes(problems), scores, title=path.resolve().name, cells=cells))


def page(
    episodes: Iterable[Trajectory],
    scores: Mapping[str, Mapping[str, Score]],
    *,
    title: str,
    cells: list[JsonObject] | None = None,
) -> str:
    """Return the page of some episodes as HTML.

    Args:
        episodes: What is shown, in this order.
        scores: Judge name to episode id to score.
        title: Heads the page.
        cells: Cells of the run's summary, shown at the start.
    """
    texts, records = _Table(), _Table()
    shown = [_episode(trajectory, scores, texts, records) for trajectory in episodes]
    shown.sort(key=lambda episode: (episode["level"] or 0, episode["task"], SCHEMES.index(episode["history"]),
                                    episode["of"], episode["repeat"]))
    data = {"title": title, "cells": cells or [], "episodes": shown, "records": [json.loads(r) for r in records.rows]}
    script = (_TEMPLATES / "viewer.js").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string((_TEMPLATES / "viewer.html.j2").read_text(encoding="utf-8")).render(
        title=title,
        style=Markup((_TEMPLATES / "viewer.css").read_text(encoding="utf-8")),  # noqa: S704 - a file of this package
        script=Markup(script),  # noqa: S704 - a file of this package
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=Markup(embedded(data)),  # noqa: S704 - holds no `<`
        texts=packed(texts.rows),
    )


def embedded(value: object) -> str:
    """Return JSON that can stand in a `script` element: no text in it can close the element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def packed(texts: list[str]) -> str:
    """Return texts as gzip in base64: pages make up most of a run, and repeat themselves."""
    return base64.b64encode(gzip.compress(json.dumps(texts).encode(), 9, mtime=0)).decode()


class _Table:
    """Each text once, named by its index: an episode's observation is the next one's past."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self._index: dict[str, int] = {}

    def add(self, text: str) -> int:
        if text not in self._index:
            self._index[text] = len(self.rows)
            self.rows.append(text)
        return self._index[text]


def _episode(
    trajectory: Trajectory, scores: Mapping[str, Mapping[str, Score]], texts: _Table, records: _Table
) -> dict[str, Any]:
    header, final = trajectory.header, trajectory.final
    brief = header.brief
    return {
        "id": header.episode, "task": brief.id, "query": brief.query, "user": brief.user, "level": brief.level,
        "asked": brief.as_of.isoformat(), "category": brief.category, "agent": header.agent,
        "models": header.models, "history": header.history, "of": header.history_of, "memory": header.memory,
        "budget": header.max_steps, "seed": header.seed, "repeat": header.repeat,
        "steps": [_step(step, texts, records) for step in trajectory.steps],
        "end": _seen(final.observation if final else {}, texts),
        "stop": final.stop if final else "cut off",
        "answer": texts.add(final.answer) if final and final.answer else None,
        "error": final.error.model_dump() if final and final.error else None,
        "state": final.state.model_dump(mode="json") if final and final.state else None,
        "duration": final.duration_s if final else None,
        "usage": trajectory.usage.model_dump(),
        "scores": {judge: _score(found[header.episode]) for judge, found in scores.items() if header.episode in found},
    }


def _step(step: Step, texts: _Table, records: _Table) -> dict[str, Any]:
    return {
        **_seen(step.observation, texts),
        "action": step.action_text, "ref": (step.action or {}).get("ref"), "valid": step.action is not None,
        "reasoning": step.reasoning,
        "memory": _event(step.memory, records) if step.memory else None,
        "calls": [_call(call, texts) for call in step.calls],
        "failure": step.error.model_dump() if step.error else None,
        "agent_s": round(step.agent_s, 3), "env_s": round(step.env_s, 3),
    }


def _seen(observation: JsonObject, texts: _Table) -> dict[str, Any]:
    """What the agent saw before it acted, as far as the page shows it."""
    return {
        "page": texts.add(str(observation.get("page", ""))),
        **{name: observation.get(name, "") for name in ("url", "title", "tabs", "error", "notice", "profile")},
        **{name: observation.get(name) for name in ("steps_left", "queries_left")},
        "history": len(observation.get("history", ())),
    }


def _event(event: MemoryEvent, records: _Table) -> dict[str, Any]:
    return {
        "query": event.query, "refused": event.refused, "latency": round(event.latency_s, 4),
        "hits": [[records.add(_record(hit)), round(hit.score, 3)] for hit in event.hits],
    }


def _record(hit: Hit) -> str:
    record = hit.record
    return json.dumps({
        "ids": hit.sources, "text": hit.text, "kind": record.kind if record else "fact",
        "time": record.time.isoformat() if record and record.time else "",
        "website": record.meta.get("website", "") if record else "",
    })


def _call(call: ModelCall, texts: _Table) -> dict[str, Any]:
    return {
        "role": call.role, "model": call.model, "prompt": call.prompt, "usage": call.usage.model_dump(),
        "latency": round(call.latency_s, 2), "retries": call.retries, "error": call.error,
        "reply": texts.add(call.reply), "thinking": texts.add(call.reasoning) if call.reasoning else None,
        "messages": [[str(message.get("role", "")), texts.add(_content(message))] for message in call.messages],
    }


def _content(message: JsonObject) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return json.dumps({name: value for name, value in message.items() if name != "role"}, default=str)


def _score(score: Score) -> dict[str, Any]:
    """A judge's verdicts without its prompts, which hold the truth."""
    return {"metrics": {n: m.model_dump() for n, m in score.metrics.items()}, "details": score.details}
