"""What a run was asked for, and the episodes that follow from it: plain JSON, with a hash to resume by."""

from __future__ import annotations

import fnmatch
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError

from habitus.envs.history import SCHEMES
from habitus.envs.session import Budget

from ..errors import UnknownNameError, UserError
from ..registry import load_tasks
from ..types import Data, HistoryScheme, Suite, TaskBrief

PRESETS = ("default", "paper-occam", "paper-browser-use")
"""Named budgets (SCORING, step); a plain number of steps will do, too."""


_FREE = {"base_url", "judge", "judge_model", "judge_base_url"}
"""What may change between two sittings of one run: endpoints move, and a run may have many judges."""


class EpisodeSpec(Data):
    """One episode: everything its outcome depends on, and nothing else (no endpoint, no directory)."""

    suite: str
    data_version: str
    task: str
    level: int | None
    agent: str
    models: dict[str, str]
    """Role to model name."""
    history: HistoryScheme
    history_of: Literal["own", "other"]
    memory: str
    max_steps: int
    max_queries: int
    world_seed: int
    seed: int
    repeat: int

    @property
    def key(self) -> str:
        """The resume key and the episode's id: 16 hex digits of a SHA-256 over canonical JSON."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    @property
    def budget(self) -> Budget:
        """What the episode may spend."""
        return Budget(max_steps=self.max_steps, max_queries=self.max_queries)


class RunConfig(Data):
    """What was asked for: the arguments of `habitus run` and of `habitus.evaluate`."""

    suite: str
    agent: str
    history: tuple[str, ...] = ("on_demand",)
    history_of: str = "own"
    level: int | None = None
    limit: int | None = Field(default=None, ge=1)
    """At most this many tasks, in the suite's order."""
    tasks: str | None = None
    """A glob over task ids."""
    repeats: int = Field(default=1, ge=1)
    budget: str = "default"
    """One of `PRESETS`, or a number of steps."""
    memory: str = "minilm"
    model: str | None = None
    base_url: str | None = None
    judge: str | None = None
    """None stands for the suite's own."""
    judge_model: str | None = None
    judge_base_url: str | None = None
    data: str | None = None
    """Directory or file of official data."""
    world_seed: int = 0
    seed: int = 0

    @property
    def models(self) -> dict[str, str]:
        """Role to model name, for spec and trajectory."""
        return {"default": self.model} if self.model else {}

    @classmethod
    def asked(cls, **fields: Any) -> Self:
        """Return a configuration of what a person asked for.

        Raises:
            UserError: A value is out of its range or of another type.
        """
        try:
            return cls(**fields)
        except ValidationError as error:
            wrong = [f"{'.'.join(map(str, one['loc']))} {one['input']!r}: {one['msg']}" for one in error.errors()]
            raise UserError(f"This run cannot be: {'; '.join(wrong)}.") from None

    def without_secrets(self) -> RunConfig:
        """Return it as it is stored: no user, password or query in an endpoint's address."""
        from ..llm import shown_url  # loads openai

        urls = {"base_url": self.base_url, "judge_base_url": self.judge_base_url}
        return self.model_copy(update={name: url and shown_url(url) for name, url in urls.items()})

    def differences(self, other: RunConfig) -> list[str]:
        """Return what makes `other` another run, a phrase each."""
        mine, theirs = self.model_dump(mode="json", exclude=_FREE), other.model_dump(mode="json", exclude=_FREE)
        return [
            f"{name} is {_shown(mine[name])} there, {_shown(theirs[name])} here"
            for name in mine if mine[name] != theirs[name]
        ]

    def default_out(self) -> Path:
        """Return `runs/SUITE-AGENT-HASH`: the same command finds its own run again, another one never does."""
        digest = hashlib.sha256(self.model_dump_json(exclude=_FREE).encode()).hexdigest()[:6]
        return Path("runs") / f"{self.suite}-{self.agent.replace(':', '.').replace('/', '.')}-{digest}"


def budget_for(name: str, scheme: str) -> Budget:
    """Return the budget of a preset, or of a plain number of steps, under a history scheme.

    Raises:
        UnknownNameError: It is neither a preset nor a number from 1 to 100,000.
    """
    if name.isascii() and name.isdigit() and 1 <= int(name[:7]) <= 100_000:
        return Budget(max_steps=int(name))
    if name == "default":
        return Budget()
    if name == "paper-occam":
        return Budget(max_steps=25 if scheme == "on_demand" else 20)
    if name == "paper-browser-use":
        return Budget(max_steps=20 if scheme == "pre_execution" else 25)
    raise UnknownNameError("budget", name, [*PRESETS, "a number of steps"])


def select_tasks(config: RunConfig) -> list[TaskBrief]:
    """Return the tasks a run is over: those of the level, that the glob names, up to the limit.

    Raises:
        UnknownNameError: The suite has no such level, or no task matches.
    """
    data = Path(config.data) if config.data else None
    found = load_tasks(config.suite, level=config.level, world_seed=config.world_seed, data=data)
    if config.tasks is not None:
        known, found = found, [brief for brief in found if fnmatch.fnmatchcase(brief.id, config.tasks)]
        if not found:
            raise _no_task(config.tasks, known, config.level)
    return found[: config.limit]


def plan(config: RunConfig, suite: Suite) -> list[EpisodeSpec]:
    """Return the episodes of a run: task by task, each under every scheme, so that a cut-off run has whole rows.

    The repeat's number is added to the seed; schemes share seeds, so they face the same faults.

    Raises:
        UnknownNameError: An unknown scheme, owner, budget, level or task.
        UserError: No scheme, or one that knows no other user's history.
    """
    from ..making import check_cell, checked_owner, checked_scheme  # loads the browser's and the models' parts

    schemes = [checked_scheme(name) for name in dict.fromkeys(config.history)]
    if not schemes:
        raise UserError(f"A run needs a history scheme; there is: {', '.join(SCHEMES)}.")
    owner = checked_owner(config.history_of)
    for scheme in schemes:
        check_cell(scheme, owner)
    tasks = select_tasks(config)
    budgets = {scheme: budget_for(config.budget, scheme) for scheme in schemes}
    return [
        EpisodeSpec(
            suite=config.suite,
            data_version=suite.data_version,
            task=brief.id,
            level=brief.level,
            agent=config.agent,
            models=config.models,
            history=scheme,
            history_of=owner,
            memory=config.memory,
            max_steps=budgets[scheme].max_steps,
            max_queries=budgets[scheme].max_queries,
            world_seed=config.world_seed,
            seed=config.seed + repeat,
            repeat=repeat,
        )
        for repeat in range(config.repeats)
        for brief in tasks
        for scheme in schemes
    ]


def _shown(value: Any) -> str:
    if value is None:
        return "not set"
    return ",".join(value) if isinstance(value, list) else repr(value)


def _no_task(pattern: str, tasks: Sequence[TaskBrief], level: int | None) -> UserError:
    if not any(character in pattern for character in "*?["):
        return UnknownNameError("task", pattern, [brief.id for brief in tasks])
    where = "" if level is None else f" of level {level}"
    return UserError(
        f"No task{where} matches {pattern!r}; ids look like {tasks[0].id!r}. `habitus tasks list` shows all."
    )
