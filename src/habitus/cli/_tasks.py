"""`habitus tasks`: list, show, export and validate the tasks of a suite."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UnknownNameError, UserError

if TYPE_CHECKING:
    from ..types import Suite, TaskBrief

app = typer.Typer(help="Look at the tasks of a suite, and prove them solvable.", no_args_is_help=True)

SuiteName = Annotated[str, typer.Argument(metavar="SUITE", help="Registry name, e.g. persona2web.")]
Level = Annotated[str | None, typer.Option(help="Only tasks of this level.")]
WorldSeed = Annotated[int, typer.Option(help="Seed of the local web and its people.")]
Data = Annotated[Path | None, typer.Option(help="Directory or file of official data.")]
WithTruth = Annotated[bool, typer.Option("--truth", help="With what would be right, which no agent may see.")]


@app.command("list")
def list_tasks(suite: SuiteName, level: Level = None, world_seed: WorldSeed = 0, data: Data = None) -> None:
    """List tasks: id, level, query."""
    _, tasks = _load(suite, level, world_seed, data)
    width = max(len(task.id) for task in tasks)
    for task in tasks:
        shown = "-" if task.level is None else str(task.level)
        typer.echo(f"{task.id:<{width}}  {shown}  {' '.join(task.query.split())}")


@app.command("show")
def show_task(
    suite: SuiteName,
    task: Annotated[str, typer.Argument(metavar="TASK", help="Id of the task.")],
    truth: WithTruth = False,
    world_seed: WorldSeed = 0,
    data: Data = None,
) -> None:
    """Show one task as JSON."""
    loaded, tasks = _load(suite, None, world_seed, data)
    for brief in tasks:
        if brief.id == task:
            typer.echo(json.dumps(_entry(loaded, brief, truth=truth), indent=2, ensure_ascii=False))
            return
    raise UnknownNameError("task", task, [brief.id for brief in tasks])


@app.command("export")
def export_tasks(
    suite: SuiteName, level: Level = None, truth: WithTruth = False, world_seed: WorldSeed = 0, data: Data = None
) -> None:
    """Write tasks to standard output as JSON Lines."""
    loaded, tasks = _load(suite, level, world_seed, data)
    for brief in tasks:
        typer.echo(json.dumps(_entry(loaded, brief, truth=truth), ensure_ascii=False))


@app.command("validate")
def validate(
    suite: SuiteName,
    oracle: Annotated[bool, typer.Option("--oracle", help="Run the agent that knows the truth.")] = False,
    level: Level = None,
    tasks: Annotated[str | None, typer.Option(help="A glob over task ids.")] = None,
    world_seed: WorldSeed = 0,
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes at a time.")] = 2,
) -> None:
    """Prove tasks solvable: the oracle's success is 1.0 on each, or the failures are named and the status is 1."""
    if not oracle:
        raise UserError("Say how: `habitus tasks validate SUITE --oracle` runs the agent that knows the truth.")
    loaded, found = _load(suite, level, world_seed, None)
    checked = [task.id for task in found if tasks is None or fnmatch.fnmatchcase(task.id, tasks)]
    failures = list(_failures(suite, level, tasks, world_seed, concurrency))
    for failure in failures:
        typer.echo(failure, err=True)
    typer.echo(f"{len(checked) - len(failures)} of {len(checked)} tasks of {suite} ({loaded.data_version}) solved.")
    if failures:
        raise typer.Exit(1)


def _failures(suite: str, level: str | None, tasks: str | None, world_seed: int, concurrency: int) -> Iterator[str]:
    """Run the oracle, and yield a line for each task it did not solve."""
    import tempfile

    from ..runs import RunConfig, run
    from ..runs.progress import Live
    from ._console import console
    from ._run import parse_level

    config = RunConfig(
        suite=suite, agent="oracle", judge="state", tasks=tasks, world_seed=world_seed,
        level=parse_level(level, suite=suite, world_seed=world_seed),
    )
    with tempfile.TemporaryDirectory(prefix="habitus-") as directory:
        with Live(console()) as progress:
            result = run(config, out=Path(directory), concurrency=concurrency, progress=progress)
        scores = result.scores("state")
        for trajectory in result.trajectories():
            header, final = trajectory.header, trajectory.final
            score = scores.get(header.episode)
            if score is not None and score.metrics["success"].value == 1.0:
                continue
            values = {} if score is None else {name: metric.value for name, metric in score.metrics.items()}
            below = [f"{name} {value:.2f}" for name, value in values.items() if value is not None and value < 1]
            why = ", ".join(below) or "not scored"
            end = final.stop if final else "cut off"
            yield f"{header.brief.id}: {why}; ended: {end} after {len(trajectory.steps)} steps"


def _load(suite: str, level: str | None, world_seed: int, data: Path | None) -> tuple[Suite, list[TaskBrief]]:
    from ..registry import load_suite, load_tasks
    from ._run import parse_level

    number = parse_level(level, suite=suite, world_seed=world_seed, data=str(data) if data else None)
    loaded = load_suite(suite, world_seed=world_seed, data=data)
    return loaded, load_tasks(suite, level=number, world_seed=world_seed, data=data)


def _entry(suite: Suite, brief: TaskBrief, *, truth: bool) -> dict[str, object]:
    entry: dict[str, object] = {"brief": brief.model_dump(mode="json")}
    if truth:
        entry["truth"] = suite.truth(brief.id).model_dump(mode="json")
    return entry
