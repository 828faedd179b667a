"""An agent of one's own is a function: it asks once, then searches the web for what it remembers, and stops."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import habitus


def agent(observation: dict[str, Any]) -> habitus.Decision:
    """Act on what is seen alone: a function that keeps nothing may be called from several threads."""
    if observation["steps_left"] == 30:
        return habitus.Decision(action='query_history("usual site")', reasoning="I do not know this person yet.")
    if observation["history"]:
        site = observation["history"][0]["website"]
        box = re.search(r"\[(e\d+)\] (?:textbox|searchbox)", observation["page"])
        if site and box:
            action = {"name": "fill", "ref": box[1], "text": site, "submit": True}
            return habitus.Decision(action=action, reasoning=f"Their history speaks of {site}.")
    return habitus.Decision(action="stop()", reasoning="That is all I can do.")


if __name__ == "__main__":
    for task in habitus.load_tasks("persona2web", level=2)[:2]:
        with habitus.make(task, history="on_demand", memory="bm25") as env:
            trajectory = asyncio.run(habitus.rollout(env, agent))
        print(task.query)
        for step in trajectory.steps:
            print(f"  {step.action_text}   # {step.reasoning}")
