"""What is seen while a run goes on: a live bar on a terminal, plain lines elsewhere, nothing in a library call."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as RichBar

from ..types import Score, Trajectory
from .episode_file import Problem
from .store import done


class Progress(Protocol):
    """Told of everything that ends in a run."""

    def begin(self, total: int, stored: int) -> None:
        """The run has `total` episodes, `stored` of them finished earlier."""

    def broken(self, problem: Problem) -> None:
        """A stored episode cannot be read, and is run again."""

    def episode(self, trajectory: Trajectory) -> None:
        """An episode ended."""

    def score(self, score: Score) -> None:
        """An episode was scored."""


class Silent:
    """Shows nothing."""

    def begin(self, total: int, stored: int) -> None:
        """Do nothing."""

    def broken(self, problem: Problem) -> None:
        """Do nothing."""

    def episode(self, trajectory: Trajectory) -> None:
        """Do nothing."""

    def score(self, score: Score) -> None:
        """Do nothing."""


class Live:
    """A progress bar, or, where the output is no terminal, a line every few seconds.

    Args:
        console: Where it is shown.
        every_s: Least seconds between two plain lines.
    """

    def __init__(self, console: Console, *, every_s: float = 10.0) -> None:
        self._console = console
        self._every_s = every_s
        self._total = self._stored = self._ended = self._failed = self._scored = self._successes = 0
        self._started = self._last_line = time.monotonic()
        self._bar: RichBar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self._total and kind is None:
            self._line()

    def begin(self, total: int, stored: int) -> None:
        """Show the bar."""
        self._total, self._stored, self._ended = total, stored, stored
        self._started = self._last_line = time.monotonic()
        if stored:
            self._console.print(f"{stored} of {total} episodes are stored already.")
        if self._console.is_terminal:
            self._bar = RichBar(
                SpinnerColumn(), BarColumn(bar_width=None), MofNCompleteColumn(), TextColumn("{task.description}"),
                TextColumn("eta"), TimeRemainingColumn(compact=True), console=self._console,
            )
            self._bar.add_task(self._state(), total=total, completed=stored)
            self._bar.start()
        elif stored < total:
            self._line()

    def broken(self, problem: Problem) -> None:
        """Name the line that is lost with the episode's old file."""
        self._console.print(f"unreadable, run again: {problem}", soft_wrap=True, markup=False, highlight=False)

    def episode(self, trajectory: Trajectory) -> None:
        """Count an episode."""
        self._ended += 1
        self._failed += not done(trajectory.final)
        self._show()

    def score(self, score: Score) -> None:
        """Count a score, and a success where its metric is at the maximum."""
        metric = score.metrics.get("outcome_success") or score.metrics.get("success")
        if metric is not None and metric.value is not None:
            self._scored += 1
            self._successes += metric.value == 1.0
        self._show()

    def _show(self) -> None:
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._ended, description=self._state())
        elif time.monotonic() - self._last_line >= self._every_s:
            self._line()

    def _line(self) -> None:
        self._last_line = time.monotonic()
        left = self._total - self._ended
        eta = f" · eta {left / self._rate():.0f} s" if left and self._rate() > 0 else ""
        state = " · ".join(filter(None, [f"{self._ended}/{self._total} episodes", self._state()]))
        self._console.print(f"{state}{eta}", highlight=False)

    def _rate(self) -> float:
        return (self._ended - self._stored) / max(time.monotonic() - self._started, 1e-6)

    def _state(self) -> str:
        parts = [f"{self._rate() * 60:.1f}/min"] if self._ended > self._stored else []
        if self._scored:
            parts.insert(0, f"{self._successes} of {self._scored} succeeded")
        if self._failed:
            parts.append(f"{self._failed} failed")
        return " · ".join(parts)
