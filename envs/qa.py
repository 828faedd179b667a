"""The static question: it is shown, and nothing but asking the history and answering can be done about it."""

from __future__ import annotations

from ..types import TaskBrief, View, WorldState
from .actions import ActionBase


class QuestionWorkspace:
    """The workspace of a question. The desk and the end belong to the session; every other action is refused."""

    def __init__(self) -> None:
        self._text = ""

    async def open(self, brief: TaskBrief, *, seed: int) -> View:
        """Show the question. The seed changes nothing."""
        self._text = f"Question: {brief.query}"
        return View(text=self._text)

    async def act(self, action: ActionBase) -> View:
        """Refuse an action: there is no page to act on."""
        return View(
            text=self._text,
            error=f"{action.name} does nothing here: this is a question; ask the history or stop with an answer.",
        )

    async def state(self) -> WorldState | None:
        """Return None: there is no world behind a question."""
        return None

    async def screenshot(self) -> bytes | None:
        """Return None: there is nothing to picture."""
        return None

    async def close(self) -> None:
        """Let the question go."""
        self._text = ""
