"""The same tasks under three history schemes: what the history is worth to an agent."""

from __future__ import annotations

from rich.console import Console

import habitus
from habitus.runs import print_report

SCHEMES = ("none", "on_demand", "pre_execution")

result = habitus.evaluate("persona2web", agent="prg-reflex", history=SCHEMES, level=2, limit=1)
print_report(result.summary, Console(width=120))
for cell in result.cells:
    print(f"{cell.history}: {cell.episodes} episodes, {cell.failed} failed, {cell.time['episode_s']:.1f} s an episode")
