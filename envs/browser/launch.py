"""Finds a Chromium on this machine and says which flags it is started with."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from ...errors import BrowserNotFoundError

SHELL_NAME = "chromium-headless-shell"
"""The system's Chromium without a window: a context of it costs a quarter of the whole browser's (docs/decisions)."""

SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

CHROMIUM_FLAGS: tuple[str, ...] = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--disable-smooth-scrolling",  # A key that scrolls has scrolled when it is answered.
    # One process a context: frames of other sites can be read in the same pass, and going from site to site starts no
    # process. Contexts stay apart, and none holds a secret of another's.
    "--disable-site-isolation-trials",
)
"""Flags of every launch. Playwright adds its own; `chromium_flags` adds what this machine needs."""


def chromium_flags() -> tuple[str, ...]:
    """Return the flags for this machine: root has no sandbox, for Chromium refuses to start it."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return ("--no-sandbox", *CHROMIUM_FLAGS) if root else CHROMIUM_FLAGS


def find_chromium(executable: Path | None = None, *, headless: bool = True) -> Path:
    """Return the Chromium to start: the one named, one Playwright installed, or the system's.

    Args:
        executable: An explicit path; `$HABITUS_CHROMIUM` where None.
        headless: No window is wanted: a headless shell goes before a whole browser of the same source.

    Raises:
        BrowserNotFoundError: There is none, or the one named is no executable file.
    """
    named = executable or (Path(os.environ["HABITUS_CHROMIUM"]) if os.environ.get("HABITUS_CHROMIUM") else None)
    if named is not None:
        if _runs(named):
            return named
        raise BrowserNotFoundError(f"{named} is no executable file; name a Chromium, or unset HABITUS_CHROMIUM.")
    for path in _of_playwright(headless=headless):
        return path
    for name in (SHELL_NAME, *SYSTEM_NAMES) if headless else SYSTEM_NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    raise BrowserNotFoundError(
        "There is no Chromium here. Run `make setup`, or `playwright install chromium`, or install it with the "
        "system's package manager (e.g. `apt install chromium`), or name one in HABITUS_CHROMIUM."
    )


def _of_playwright(*, headless: bool) -> Iterator[Path]:
    """Yield what `playwright install` left, the newest build of a kind first, without starting Playwright."""
    for kind, patterns in _BUILDS if headless else _BUILDS[1:]:
        builds = [build for root in _playwright_roots() if root.is_dir() for build in root.glob(f"{kind}-*")]
        builds.sort(key=_build_number, reverse=True)
        for build in builds:
            for pattern in patterns:
                yield from (path for path in sorted(build.glob(pattern)) if _runs(path))


_BUILDS = (
    ("chromium_headless_shell", ("chrome-*/headless_shell*", "chrome-*/chrome-headless-shell*")),
    ("chromium", ("chrome-*/chrome", "chrome-*/chrome.exe", "chrome-*/*.app/Contents/MacOS/*")),
)


def _build_number(build: Path) -> int:
    number = build.name.rpartition("-")[2]
    return int(number) if number.isdigit() else 0


def _playwright_roots() -> list[Path]:
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if named and named != "0":
        return [Path(named)]
    if sys.platform == "darwin":
        return [Path.home() / "Library" / "Caches" / "ms-playwright"]
    if sys.platform == "win32":
        return [Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "ms-playwright"]
    return [Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "ms-playwright"]


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
