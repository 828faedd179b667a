"""`evaluate`: a benchmark from its name to its table. The command line and Python go through the same few lines."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UserError
from ..types import Score, Trajectory
from .progress import Progress, Silent
from .report import as_html
from .sources import ModelSource, agent_source, make_judge
from .spec import RunConfig, plan
from .store import RunStore
from .summary import Cell, Summary, summarize

if TYPE_CHECKING:
    from .rollout import Policy


class RunResult:
    """What a run came to. In a notebook it shows its table.

    Attributes:
        path: The run's directory.
        summary: Its cells.
        judge: Who scored this time, named as in the cells.
    """

    def __init__(self, store: RunStore, summary: Summary, keep: object = None, *, judge: str = "") -> None:
        self.path = store.path
        self.summary = summary
        self.judge = judge
        self._store = store
        self._keep = keep  # a temporary directory lives as long as the result

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells: one for each scheme, level and judge."""
        return self.summary.cells

    @property
    def scored(self) -> bool:
        """Whether the judge gave any episode a metric: where it gave none, the run has come to nothing."""
        return any(cell.metrics.keys() - {"steps"} for cell in self.cells if cell.judge == self.judge)

    def trajectories(self) -> Iterator[Trajectory]:
        """Read the stored episodes, one at a time."""
        return self._store.episodes()

    def scores(self, judge: str) -> dict[str, Score]:
        """Return one judge's scores by episode id; the judge is named as in the cells, e.g. `rubric(gpt-5-mini)`."""
        return self._store.scores(judge)

    def _repr_html_(self) -> str:
        return as_html(self.summary)


def evaluate(
    suite: str,
    *,
    agent: str | Policy | type | None = None,
    history: Sequence[str] | str = ("on_demand",),
    level: int | None = None,
    limit: int | None = None,
    repeats: int = 1,
    memory: str = "minilm",
    judge: str | None = None,
    model: str | None = None,
    base_url: str | None = None,
    out: Path | str | None = None,
    concurrency: int = 2,
    seed: int = 0,
) -> RunResult:
    """Run an agent over a suite and score it. `run` takes everything else there is to set.

    Args:
        suite: Registry name.
        agent: Registry name or `module:attribute`; a class, made anew for each episode; an object, whose episodes run
            one after the other; a function, called from several threads. The suite's own where None: with a model, the
            one that uses it.
        history: Schemes, a cell each.
        level: Ambiguity of the tasks; all where None.
        limit: At most this many tasks.
        repeats: Episodes of each task and scheme, each with a seed of its own.
        memory: Registry name of what the history is searched with.
        judge: Registry name; the suite's own where None.
        model: Chat model of the agent; `local` starts a small one on this machine.
        base_url: OpenAI-compatible endpoint of the model.
        out: The run's directory; an existing one of the same run is gone on with. A temporary one where None.
        concurrency: Episodes at a time.
        seed: Seed of the episodes.

    Raises:
        UserError: Bad input: an unknown name, a directory of another run, no key, no Chromium.
    """
    from ..registry import default_agent

    policy = default_agent(suite, with_model=model is not None) if agent is None else agent
    config = RunConfig.asked(
        suite=suite, agent=policy if isinstance(policy, str) else _name_of(policy),
        history=(history,) if isinstance(history, str) else tuple(history), level=level, limit=limit, repeats=repeats,
        memory=memory, judge=judge, model=model, base_url=base_url, seed=seed,
    )
    return run(config, agent=None if isinstance(policy, str) else policy, out=Path(out) if out else None,
               concurrency=concurrency)


def run(
    config: RunConfig,
    *,
    agent: Policy | type | None = None,
    out: Path | None = None,
    concurrency: int = 2,
    progress: Progress | None = None,
) -> RunResult:
    """Run what a configuration asks for, or what is left of it.

    Args:
        config: What is asked for.
        agent: A live agent in place of the one `config.agent` names.
        out: The run's directory; a temporary one where None.
        concurrency: Episodes at a time.
        progress: Told of everything that ends.

    Raises:
        UserError: Bad input; nothing stored is lost. A model that the agent would not use is bad input, too.
        KeyboardInterrupt: Ctrl-C; everything complete is stored and the run can be gone on with.
    """
    from habitus.envs.history import SEARCHING
    from habitus.envs.runtime import Runtime

    from ..making import memory_for
    from ..registry import default_judge, load_suite, registry
    from .executor import Executor

    at_least_one(concurrency)
    registry("memories").entry(config.memory)  # an unknown name is told before what differs from a stored run
    suite = load_suite(config.suite, world_seed=config.world_seed, data=Path(config.data) if config.data else None)
    specs = plan(config, suite)
    with ExitStack() as stack:
        models = ModelSource(stack)
        judge_name = config.judge or default_judge(config.suite)
        judge = make_judge(judge_name, models, config.judge_model, config.judge_base_url)
        source = agent_source(config, suite, agent, models)
        source.try_one(specs[0])
        runtime = stack.enter_context(Runtime())
        models.open(runtime)
        searching = [spec.history for spec in specs if spec.history in SEARCHING]
        memory = memory_for(searching[0], config.memory) if searching else None  # before anything is stored
        keep = None if out else tempfile.TemporaryDirectory(prefix="habitus-")
        store = RunStore.start(
            out or Path(str(keep and keep.name)), config, data_version=suite.data_version, planned=len(specs)
        )
        stack.enter_context(store.lock())
        executor = Executor(
            store=store, suite=suite, agent=source.make, memory=memory, judge=judge, runtime=runtime,
            progress=progress or Silent(), concurrency=1 if source.shared else concurrency,
        )
        try:
            runtime.run(executor.run(specs))
        finally:
            summary = summarize(store)
    return RunResult(store, summary, keep, judge=judge.name)


def at_least_one(concurrency: int) -> None:
    """Refuse a concurrency with which nothing would ever run.

    Raises:
        UserError: It is below 1.
    """
    if concurrency < 1:
        raise UserError(f"Concurrency is a number of episodes side by side, at least 1; found {concurrency}.")


def _name_of(agent: object) -> str:
    kind = agent if inspect.isclass(agent) or inspect.isroutine(agent) else type(agent)
    return f"{kind.__module__}:{kind.__qualname__}"
