"""Where the command line prints: a terminal at its own width, a pipe at 120 columns."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console


def console() -> Console:
    """Return the console of standard output."""
    return Console(width=None if sys.stdout.isatty() else 120, highlight=False)


def print_path(out: Console, label: str, path: Path) -> None:
    """Print a path on one line, whatever its length, so that it can be copied."""
    out.print(f"{label} {path}", soft_wrap=True, markup=False)
