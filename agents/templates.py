"""The prompts of the agents: the templates of the folder `prompts`, and how others' text is marked in them."""

from __future__ import annotations

from pathlib import Path

from ..llm._prompts import Prompts

_MARK = "data"


def fenced(text: object, name: str) -> str:
    """Return text between marks that nothing inside can close: what others wrote is data, not instruction."""
    inside = str(text).replace(f"</{_MARK}", f"<\\/{_MARK}").replace(f"<{_MARK}", f"<\\{_MARK}")
    return f'<{_MARK} name="{name}">\n{inside}\n</{_MARK}>'


_prompts = Prompts(Path(__file__).parent / "prompts", {"fenced": fenced})

PROMPTS = _prompts.versions
"""Name of each template to a short hash of its text, for a trajectory's header."""
render = _prompts.render
version = _prompts.version


def versions(*names: str) -> dict[str, str]:
    """Return name to version of several prompts, as a trajectory's header records them."""
    return {name: PROMPTS[name] for name in names}
