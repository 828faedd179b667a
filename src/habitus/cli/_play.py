"""`habitus play`: a person steps an episode in the terminal."""

from __future__ import annotations

import math
from typing import Annotated

import typer


def play(
    task: Annotated[str, typer.Argument(metavar="TASK", help="SUITE/TASK, as `habitus tasks list` shows them.")],
    history: Annotated[str, typer.Option(help="History scheme.")] = "on_demand",
    memory: Annotated[str, typer.Option(help="What the history is searched with.")] = "minilm",
    seed: Annotated[int, typer.Option(help="Seed of the episode.")] = 0,
) -> None:
    """Step an episode yourself: read what an agent would see, type an action a line."""
    from ..making import ACTIONS, make

    env = make(task, history=history, memory=memory)
    try:
        observation, _ = env.reset(seed=seed)
        typer.echo(f"Actions: {', '.join(ACTIONS[env.session.brief.kind].offered)}. End with stop() or Ctrl-D.\n")
        over, reward = False, 0.0
        while not over:
            typer.echo(str(observation))
            try:
                action = input("\n> ").strip()
            except (EOFError, KeyboardInterrupt):
                typer.echo("\nLeft.")
                return
            if action:
                observation, gained, terminated, truncated, _ = env.step(action)
                over, reward = terminated or truncated, float(gained)
        final = env.trajectory.final
        ended = f"Ended: {final.stop if final else 'unknown'} after {len(env.trajectory.steps)} steps."
        typer.echo(f"{ended} Reward {'none' if math.isnan(reward) else f'{reward:g}'}.")
    finally:
        env.close()
