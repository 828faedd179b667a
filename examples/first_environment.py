"""The first environment: read the task, ask the history, act on the page, stop."""

from __future__ import annotations

import habitus

task = habitus.load_tasks("persona2web", level=2)[0]
with habitus.make(task, history="on_demand", memory="bm25") as env:
    observation, info = env.reset(seed=0)
    print("task:", observation["query"])
    actions = ['query_history("hotel booking")', 'fill("e2", "hotel", submit=True)', "click(e999)", "stop()"]
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        print(f"\n> {action}")
        for hit in observation["history"][:3]:
            print(f"  {hit['time'][:10]} {hit['kind']}: {hit['text']}")
        print(f"  page: {observation['title']}   steps left: {observation['steps_left']}")
        if observation["error"]:
            print(f"  error: {observation['error']}")
    print(f"\nended: {info['stop']}, reward {reward:g}, to be learned from: {info['reward_valid']}")
