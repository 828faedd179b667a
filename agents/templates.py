"""The prompts: Jinja2 templates of the folder `prompts`, each with a version by its content."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import jinja2

_FOLDER = Path(__file__).parent / "prompts"
_MARK = "data"

PROMPTS: dict[str, str] = {
    path.stem: hashlib.sha256(path.read_bytes()).hexdigest()[:8] for path in sorted(_FOLDER.glob("*.j2"))
}
"""Name of each template to a short hash of its text, for a trajectory's header."""


def fenced(text: object, name: str) -> str:
    """Return text between marks that nothing inside can close: what others wrote is data, not instruction."""
    inside = str(text).replace(f"</{_MARK}", f"<\\/{_MARK}").replace(f"<{_MARK}", f"<\\{_MARK}")
    return f'<{_MARK} name="{name}">\n{inside}\n</{_MARK}>'


_ENVIRONMENT = jinja2.Environment(  # noqa: S701 - prompts are plain text, not HTML
    loader=jinja2.FileSystemLoader(_FOLDER),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=False,
)
_ENVIRONMENT.filters["fenced"] = fenced


def render(name: str, /, **values: Any) -> str:
    """Return a prompt filled in.

    Args:
        name: Of the template, without `.j2`.
        values: Every variable it uses; a missing one raises `jinja2.UndefinedError`.
    """
    return _ENVIRONMENT.get_template(f"{name}.j2").render(**values).strip()


def version(name: str) -> str:
    """Return name and version of a prompt, as a model call records it."""
    return f"{name}@{PROMPTS[name]}"


def versions(*names: str) -> dict[str, str]:
    """Return name to version of several prompts, as a trajectory's header records them."""
    return {name: PROMPTS[name] for name in names}
