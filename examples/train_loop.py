"""Collects (observation, action, reward) over several seeds as JSON Lines, for a trainer to learn from."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import gymnasium

import habitus
from habitus.agents import AgentSetup
from habitus.agents.reflex import prg_reflex


async def episode(env: habitus.PersonalizationEnv, *, seed: int) -> list[dict[str, Any]]:
    """Return one row a step; nothing where an infrastructure failure ended the episode, for its reward is NaN."""
    policy = prg_reflex(AgentSetup())
    observation, info = await env.areset(seed=seed)
    rows, over = [], False
    while not over:
        decision = await policy.act(observation)
        shown = str(observation)
        observation, reward, terminated, truncated, info = await env.astep(decision)
        rows.append({"seed": seed, "observation": shown, "action": str(decision.action), "reward": reward})
        over = terminated or truncated
    return rows if info["reward_valid"] else []


if __name__ == "__main__":
    with gymnasium.make("habitus/Persona2Web-v0", level=2, memory="bm25", reward="partial") as made:
        env: Any = made.unwrapped  # the async twins stand on the environment itself
        with open("experience.jsonl", "w", encoding="utf-8") as file:
            for seed in range(2):
                rows = asyncio.run(episode(env, seed=seed))
                file.writelines(json.dumps(row) + "\n" for row in rows)
                print(f"seed {seed}: {len(rows)} steps, reward {rows[-1]['reward'] if rows else 'none'}")
