"""`evaluate`: a benchmark from its name to its table. The command line and Python go through the same few lines."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..types import Judge, Score, Trajectory
from .progress import Progress, Silent
from .report import as_html
from .spec import EpisodeSpec, RunConfig, plan
from .store import RunStore
from .summary import Cell, Summary, summarize

if TYPE_CHECKING:
    from ..llm import ChatModel
    from .executor import AgentFactory
    from .rollout import Policy


class RunResult:
    """What a run came to. In a notebook it shows its table.

    Attributes:
        path: The run's directory.
        summary: Its cells.
    """

    def __init__(self, store: RunStore, summary: Summary, keep: object = None) -> None:
        self.path = store.path
        self.summary = summary
        self._store = store
        self._keep = keep  # a temporary directory lives as long as the result

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells: one for each scheme, level and judge."""
        return self.summary.cells

    def trajectories(self) -> Iterator[Trajectory]:
        """Read the stored episodes, one at a time."""
        return self._store.episodes()

    def scores(self, judge: str) -> dict[str, Score]:
        """Return one judge's scores by episode id."""
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
            one after the other; a function, called from several threads. The suite's own where None.
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

    policy = default_agent(suite) if agent is None else agent
    config = RunConfig(
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
        UserError: Bad input; nothing stored is lost.
        KeyboardInterrupt: Ctrl-C; everything complete is stored and the run can be gone on with.
    """
    from habitus.envs.runtime import Runtime

    from ..making import memory_for
    from ..registry import default_judge, load_suite
    from .executor import Executor, Stopper

    suite = load_suite(config.suite, world_seed=config.world_seed, data=Path(config.data) if config.data else None)
    specs = plan(config, suite)
    with ExitStack() as stack:
        models = ModelSource(stack)
        judge_name = config.judge or default_judge(config.suite)
        judge = make_judge(judge_name, models, config.judge_model, config.judge_base_url)
        factory = _factory(config, suite, agent, models)
        runtime = stack.enter_context(Runtime())
        runtime.run(models.check())
        keep = None if out else tempfile.TemporaryDirectory(prefix="habitus-")
        store = RunStore.start(
            out or Path(str(keep and keep.name)), config, data_version=suite.data_version, planned=len(specs)
        )
        stack.enter_context(store.lock())
        searching = [spec.history for spec in specs if spec.history in ("on_demand", "pre_execution")]
        memory = memory_for(searching[0], config.memory) if searching else None
        one_at_a_time = agent is not None and not inspect.isclass(agent) and not inspect.isroutine(agent)
        executor = Executor(
            store=store, suite=suite, agent=factory, memory=memory, judge=judge, runtime=runtime,
            progress=progress or Silent(), concurrency=1 if one_at_a_time else concurrency,
        )
        try:
            Stopper(runtime).run(executor.run(specs))
        finally:
            summary = summarize(store)
    return RunResult(store, summary, keep)


class ModelSource:
    """Makes chat models by name; `local` starts one server on this machine, which ends with the stack.

    Args:
        stack: Closes what was started.
    """

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._made: dict[tuple[str, str | None], ChatModel] = {}

    def model(self, name: str | None, base_url: str | None) -> ChatModel | None:
        """Return a chat model, or None where none is named.

        Raises:
            MissingKeyError: The endpoint needs a key and there is none.
            MissingDependencyError: `local`, and the extra is not installed.
        """
        if name is None:
            return None
        if (name, base_url) not in self._made:
            from ..llm import ChatModel, LocalServer, ModelSpec

            if name == "local" and base_url is None:
                spec = self._stack.enter_context(LocalServer()).spec
            else:
                spec = ModelSpec(model=name, base_url=base_url)
            self._made[name, base_url] = ChatModel(spec)
        return self._made[name, base_url]


    async def check(self) -> None:
        """See that every model can be asked, before anything is stored.

        Raises:
            MissingKeyError: An endpoint does not answer, or refuses the key.
            UnknownNameError: An endpoint does not serve the model.
        """
        for model in self._made.values():
            await model.check()


def make_judge(name: str, models: ModelSource, model: str | None, base_url: str | None) -> Judge:
    """Build a judge, with a chat model where one is named.

    Raises:
        UnknownNameError: There is no such judge.
        MissingKeyError: It needs a model and none is named, or there is no key.
    """
    from ..registry import build_judge, registry

    registry("judges").entry(name)  # an unknown name is told before a model is made
    return build_judge(name, model=models.model(model, base_url))


def _factory(config: RunConfig, suite: Any, agent: Policy | type | None, models: ModelSource) -> AgentFactory:
    if agent is not None:
        live: Any = agent
        anew = inspect.isclass(agent)

        def given(spec: EpisodeSpec) -> Policy:
            policy: Policy = live() if anew else live
            return policy

        return given
    from habitus.agents.setup import AgentSetup

    from ..registry import agent_needs, build_agent

    needs = agent_needs(config.agent)
    model = models.model(config.model, config.base_url)

    def build(spec: EpisodeSpec) -> Policy:
        return build_agent(config.agent, AgentSetup(
            models={"default": model} if model else {}, scheme=spec.history, seed=spec.seed,
            truth=suite.truth(spec.task) if needs == "truth" else None,
        ))

    build(plan(config, suite)[0])  # an agent that cannot be built says so before anything is stored
    return build


def _name_of(agent: object) -> str:
    kind = agent if inspect.isclass(agent) or inspect.isroutine(agent) else type(agent)
    return f"{kind.__module__}:{kind.__qualname__}"
