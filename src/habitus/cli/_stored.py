"""`habitus judge`, `report` and `view`: what is done with a stored run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The run's directory.")]


def judge(
    directory: Directory,
    judge: Annotated[str, typer.Option(help="Registry name of the judge.")],
    judge_model: Annotated[str | None, typer.Option(help="Chat model of the judge; local starts a small one.")] = None,
    judge_base_url: Annotated[str | None, typer.Option(help="OpenAI-compatible endpoint of the judge's model.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Judgements at a time.")] = 4,
) -> None:
    """Judge a stored run again, without a browser. Status 1 where nothing was scored."""
    from ..runs import judge_run, print_report
    from ..runs.progress import Live
    from ._console import console, print_path

    screen = console()
    try:
        with Live(screen) as progress:
            result = judge_run(
                directory, judge, model=judge_model, base_url=judge_base_url, concurrency=concurrency, progress=progress
            )
    except KeyboardInterrupt:
        print_path(screen, "\nInterrupted. The verdicts so far are stored in", directory)
        raise typer.Exit(130) from None
    print_report(result.summary, screen)
    if not result.scored:
        raise typer.Exit(1)


def report(directory: Directory) -> None:
    """Print the table of a stored run, and rebuild its summary.json."""
    from ..runs import RunStore, print_report, summarize
    from ._console import console

    print_report(summarize(RunStore.load(directory)), console())


def view(
    directory: Directory,
    open_page: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Write the page that shows every episode step by step."""
    from ..replay.viewer import write_page
    from ..runs import Summary
    from ..runs.report import unreadable
    from ._console import console, print_path

    screen = console()
    path = write_page(directory)
    summary = Summary.model_validate_json((directory / "summary.json").read_bytes())  # written with the page
    for line in unreadable(summary):
        screen.print(line, soft_wrap=True, markup=False)
    print_path(screen, "Every episode, step by step:", path)
    if open_page:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())
