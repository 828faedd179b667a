"""The table of a run: a row a history scheme, a column a metric, each mean with its 95 % interval."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from habitus.envs.history import PRIVILEGED

from .summary import Cell, MetricSummary, Summary

COLUMNS = {
    "p_web": "P_web", "p_pref": "P_pref", "p_avg": "P_avg", "intent": "intent", "success": "success",
    "outcome_success": "outcome", "aspects": "aspects",
}
"""Metric to column head, in the order of tables; a metric that is not here follows under its own name."""

Grid = tuple[list[str], list[list[str]]]
"""Heads and rows of a table, as text."""


def table(summary: Summary, *, width: int = 120) -> RenderableType:
    """Return the table of a run.

    Args:
        summary: The run's cells.
        width: Columns at hand.
    """
    groups: dict[tuple[str, ...], list[Cell]] = defaultdict(list)
    for cell in summary.cells:
        groups[cell.suite, cell.data_version, cell.agent, cell.model, cell.judge].append(cell)
    if not groups:
        return Group(Text("No episode is stored yet."), *map(Text, _notes(summary)[1:]))
    return Group(*(_group(cells, width) for cells in groups.values()), *map(Text, _notes(summary)))


def print_report(summary: Summary, console: Console) -> None:
    """Print the table of a run, as wide as the console allows."""
    console.print(table(summary, width=console.width))


def unreadable(summary: Summary) -> list[str]:
    """Return the lines that name what could not be read, a few and the number of the rest."""
    notes = [f"unreadable line: {where}" for where in summary.unreadable[:5]]
    if len(summary.unreadable) > 5:
        notes.append(f"... and {len(summary.unreadable) - 5} more unreadable lines.")
    return notes


def as_html(summary: Summary) -> str:
    """Return the tables as HTML, for a notebook."""
    parts = []
    for cells in _by_judge(summary.cells):
        heads, rows = _grid(cells, wide=True)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(value)}</td>" for value in row) + "</tr>" for row in rows)
        caption = html.escape(_title(cells[0]))
        parts.append(f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in _notes(summary))
    return "".join(parts) + notes


def interval_text(metric: MetricSummary | None, *, digits: int = 2) -> tuple[str, str]:
    """Return mean and interval as text, e.g. `0.83` and `[0.71, 0.92]`; empty where there is none."""
    if metric is None:
        return "-", ""
    low, high = metric.ci95
    span = "" if low is None or high is None else f"[{low:.{digits}f}, {high:.{digits}f}]"
    return f"{metric.mean:.{digits}f}", span


def _group(cells: Sequence[Cell], width: int) -> RenderableType:
    """Return the widest layout that fits: intervals beside the means or under them, schemes as rows or as columns."""
    upright = [_grid(cells, wide=True), _grid(cells, wide=False)]
    layouts = [*upright, *(_on_its_side(grid) for grid in upright)]
    heads, rows = next((grid for grid in layouts if _natural_width(grid) <= width), layouts[1])
    found = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    for head in heads:
        found.add_column(Text(head))
    for row in rows:
        found.add_row(*map(Text, row))
    return Group(Text(_title(cells[0]), style="bold"), found)


def _on_its_side(grid: Grid) -> Grid:
    heads, *rows = [list(column) for column in zip(grid[0], *grid[1], strict=True)]
    return heads, rows


def _natural_width(grid: Grid) -> int:
    columns = zip(grid[0], *grid[1], strict=True)
    return sum(2 + max(len(line) for text in column for line in text.splitlines() or [""]) for column in columns)


def _grid(cells: Sequence[Cell], *, wide: bool) -> Grid:
    present = {name for cell in cells for name in cell.metrics} - {"steps"}
    metrics = [name for name in COLUMNS if name in present] + sorted(present - COLUMNS.keys())
    levels = any(cell.level is not None for cell in cells)
    heads = ["history", *(["level"] if levels else []), "n", *(COLUMNS.get(name, name) for name in metrics), "steps"]
    rows = []
    for cell in cells:
        scheme = cell.history + ("*" if cell.history in PRIVILEGED else "")
        if cell.history_of == "other":
            scheme += " (other)"
        row = [scheme, *([str(cell.level)] if levels else []), _counts(cell, wide=wide)]
        row += [_joined(interval_text(cell.metrics.get(name)), wide=wide) for name in metrics]
        rows.append([*row, _joined(interval_text(cell.metrics.get("steps"), digits=1), wide=wide)])
    return heads, rows


def _joined(parts: tuple[str, str], *, wide: bool) -> str:
    return (" " if wide else "\n").join(part for part in parts if part)


def _counts(cell: Cell, *, wide: bool) -> str:
    shown = str(cell.episodes)
    beside = [f"{cell.invalid} inv" if cell.invalid else "", f"{cell.failed} fail" if cell.failed else ""]
    return (", " if wide else "\n").join([shown, *filter(None, beside)])


def _title(cell: Cell) -> str:
    model = f" ({cell.model})" if cell.model else ""
    judge = f"judge {cell.judge}" if cell.judge else "not judged"
    proxy = " [a proxy, no judge of quality]" if "proxy" in cell.judge else ""
    budget = f"budget {cell.budget['name']}"
    return f"{cell.suite} {cell.data_version} · {cell.agent}{model} · {budget} · {judge}{proxy}"


def _notes(summary: Summary) -> list[str]:
    notes = ["Mean with its 95 % interval over users."]
    if any(cell.history in PRIVILEGED for cell in summary.cells):
        notes.append("* privileged: shows more of the history than an agent could find.")
    if any(cell.invalid for cell in summary.cells):
        notes.append("inv: the judge gave no usable verdict; such metrics are in no mean.")
    if any(cell.failed for cell in summary.cells):
        notes.append("fail: an infrastructure failure or cut off, in no mean; the same command runs them again.")
    if summary.missing:
        notes.append(f"{summary.missing} planned episodes are not stored yet; the same command runs them.")
    return [*notes, *summary.reasons, *unreadable(summary)]


def _by_judge(cells: Iterable[Cell]) -> list[list[Cell]]:
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.judge, cell.agent].append(cell)
    return list(groups.values())
