"""A bound on what model calls may cost together."""

from __future__ import annotations

import threading

from ..types import Usage
from ._errors import BudgetSpentError


class Budget:
    """Counts usage over all models it is given to; the call that oversteps is the last.

    Args:
        max_cost_usd: Bound on money; counts only models with known prices. None: no bound.
        max_tokens: Bound on prompt and completion tokens together. None: no bound.
    """

    def __init__(self, *, max_cost_usd: float | None = None, max_tokens: int | None = None) -> None:
        self.max_cost_usd = max_cost_usd
        self.max_tokens = max_tokens
        self._spent = Usage()
        self._lock = threading.Lock()

    @property
    def spent(self) -> Usage:
        """What was used so far."""
        return self._spent

    def add(self, usage: Usage) -> None:
        """Count a call."""
        with self._lock:
            self._spent = self._spent + usage

    def check(self) -> None:
        """Refuse a further call once the budget is used up.

        Raises:
            BudgetSpentError: It is; says how much was spent of what.
        """
        spent = self._spent
        tokens = spent.prompt_tokens + spent.completion_tokens
        if self.max_cost_usd is not None and (spent.cost_usd or 0.0) >= self.max_cost_usd:
            raise BudgetSpentError(f"Model calls cost ${spent.cost_usd:.4f} of ${self.max_cost_usd:.4f} allowed.")
        if self.max_tokens is not None and tokens >= self.max_tokens:
            raise BudgetSpentError(f"Model calls took {tokens} of {self.max_tokens} tokens allowed.")
