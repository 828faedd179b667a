"""An agent of one's own is a function: it asks once, then searches the web for what it remembers, and stops."""

from __future__ import annotations

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
    result = habitus.evaluate("persona2web", agent=agent, history="on_demand", level=2, limit=2)
    for trajectory in result.trajectories():
        print(trajectory.header.brief.query)
        for step in trajectory.steps:
            print(f"  {step.action_text}   # {step.reasoning}")
    print({name: round(metric.mean, 2) for name, metric in result.cells[0].metrics.items()})
