"""`habitus run`: a benchmark from its name to its table; the same command again goes on where it stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def run(
    suite: Annotated[str, typer.Argument(help="Registry name, e.g. persona2web.")],
    agent: Annotated[
        str | None, typer.Option(help="Registry name or module:attribute; the suite's own by default.")
    ] = None,
    history: Annotated[str, typer.Option(help="History schemes, separated by commas.")] = "on_demand",
    history_of: Annotated[str, typer.Option(help="Whose history is searched: own or other.")] = "own",
    level: Annotated[str | None, typer.Option(help="Ambiguity of the tasks; all by default.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many tasks.")] = None,
    tasks: Annotated[str | None, typer.Option(help="A glob over task ids.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Episodes of each task and scheme, each with its own seed.")] = 1,
    budget: Annotated[
        str, typer.Option(help="default, paper-occam, paper-browser-use, or a number of steps.")
    ] = "default",
    memory: Annotated[str, typer.Option(help="What the history is searched with.")] = "minilm",
    judge: Annotated[str | None, typer.Option(help="Who scores; the suite's own by default.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Chat model; the suite's agent is then one that uses it. local starts one here.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="OpenAI-compatible endpoint of the model.")] = None,
    judge_model: Annotated[str | None, typer.Option(help="Chat model of the judge.")] = None,
    judge_base_url: Annotated[str | None, typer.Option(help="OpenAI-compatible endpoint of the judge's model.")] = None,
    data: Annotated[str | None, typer.Option(help="Directory or file of official data.")] = None,
    world_seed: Annotated[int, typer.Option(help="Seed of the local web and its people.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes at a time.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of the episodes.")] = 0,
    out: Annotated[Path | None, typer.Option(help="The run's directory; runs/SUITE-AGENT-HASH by default.")] = None,
) -> None:
    """Run an agent over a suite and score it. The same command again resumes. Status 1 where nothing was scored."""
    from ..registry import default_agent
    from ..replay.viewer import write_page
    from ..runs import RunConfig, print_report
    from ..runs import run as run_config
    from ..runs.progress import Live
    from ._console import console, print_path

    config = RunConfig.asked(
        suite=suite, agent=agent or default_agent(suite, with_model=model is not None), history=split(history),
        history_of=history_of, level=parse_level(level, suite=suite, world_seed=world_seed, data=data),
        limit=limit, tasks=tasks,
        repeats=repeats, budget=budget, memory=memory, judge=judge, model=model, base_url=base_url,
        judge_model=judge_model, judge_base_url=judge_base_url, data=data, world_seed=world_seed, seed=seed,
    )
    directory = out or config.default_out()
    screen = console()
    try:
        with Live(screen) as progress:
            result = run_config(config, out=directory, concurrency=concurrency, progress=progress)
    except KeyboardInterrupt:
        print_path(screen, "\nInterrupted. What is complete is stored; the same command goes on with", directory)
        raise typer.Exit(130) from None
    print_report(result.summary, screen)
    print_path(screen, "Every episode, step by step:", write_page(directory))
    if not result.scored:
        raise typer.Exit(1)


def split(names: str) -> tuple[str, ...]:
    """Return the names of a list separated by commas."""
    return tuple(name.strip() for name in names.split(",") if name.strip())


def parse_level(level: str | None, *, suite: str, world_seed: int = 0, data: str | None = None) -> int | None:
    """Return a level as a number.

    Raises:
        UnknownNameError: The suite has no such level; names those it has.
    """
    if level is None:
        return None
    from ..registry import load_tasks

    return load_tasks(suite, level=level, world_seed=world_seed, data=Path(data) if data else None)[0].level
