"""Where suites, agents, memories and judges are named and put together.

A name stands for a factory, written `module:attribute` so that nothing is imported before it is used. Others add theirs
by an entry point of their package (groups `habitus.suites`, `habitus.agents`, `habitus.memories`, `habitus.judges`) or
by one line, `habitus.register("agents", "mine", "my_package:make_agent")`.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .errors import MissingKeyError, UnknownNameError, UserError
from .types import Agent, Driver, Judge, Memory, QATruth, Suite, TaskBrief, TaskKind, WebTruth

if TYPE_CHECKING:
    from habitus.agents.setup import AgentSetup

    from .llm import ChatModel

Kind = Literal["suites", "agents", "memories", "judges"]
Needs = Literal["", "model", "truth"]


@dataclass(frozen=True)
class Entry:
    """One registered name.

    Attributes:
        target: `module:attribute` of the factory, or the factory itself.
        needs: What it cannot do without: a chat `model`, the `truth` (a privileged agent), or nothing.
        tasks: For an agent, the kind of task it can do, `web` or `qa`; any where empty.
        agent: For a suite, the agent run by default.
        model_agent: For a suite, the agent run where a model is named and no agent.
        judge: For a suite, the judge run by default.
    """

    target: str | Callable[..., Any]
    needs: Needs = ""
    tasks: TaskKind | Literal[""] = ""
    agent: str = ""
    model_agent: str = ""
    judge: str = ""


class Registry:
    """Names of one kind."""

    def __init__(self, kind: Kind, entries: Mapping[str, Entry]) -> None:
        self.kind = kind
        self._entries = dict(entries)
        self._points: dict[str, str] | None = None

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return sorted({*self._entries, *self._plugged()})

    def add(self, name: str, entry: Entry) -> None:
        """Register a name; an existing one is replaced."""
        self._entries[name] = entry
        load_suite.cache_clear()

    def entry(self, name: str) -> Entry:
        """Return what a name stands for.

        `module:attribute` stands for itself; a memory with a slash in its name for an embedding model, on a hub or a
        path.

        Raises:
            UnknownNameError: Nothing is registered under it.
        """
        if name in self._entries:
            return self._entries[name]
        if name in self._plugged():
            found = resolve(Entry(self._plugged()[name]))
            return found if isinstance(found, Entry) else Entry(found)
        if ":" in name:
            return Entry(name)
        if self.kind == "memories" and "/" in name:
            return Entry(partial(_embedding_memory, name))
        raise UnknownNameError(_SINGULAR[self.kind], name, self.names())

    def _plugged(self) -> dict[str, str]:
        """The names that installed packages bring, to what they stand for: a factory, or an `Entry` around one."""
        if self._points is None:
            self._points = {point.name: point.value for point in entry_points(group=f"habitus.{self.kind}")}
        return self._points


_SINGULAR: dict[Kind, str] = {"suites": "suite", "agents": "agent", "memories": "memory", "judges": "judge"}

REGISTRIES: dict[Kind, Registry] = {
    "suites": Registry("suites", {
        "persona2web": Entry(
            "habitus.tasks.persona2web:suite", agent="prg-reflex", model_agent="prg", judge="state"
        ),
        "lamp-qa-mini": Entry(
            "habitus.tasks.lamp_qa:suite", agent="rag-extractive", model_agent="rag", judge="aspect-proxy"
        ),
    }),
    "agents": Registry("agents", {
        "prg": Entry("habitus.agents.prg:prg", needs="model", tasks="web"),
        "prg-reflex": Entry("habitus.agents.reflex:prg_reflex", tasks="web"),
        "oracle": Entry("habitus.agents.oracle:oracle", needs="truth", tasks="web"),
        "rag": Entry("habitus.agents.qa:rag", needs="model", tasks="qa"),
        "rag-extractive": Entry("habitus.agents.qa:rag_extractive", tasks="qa"),
    }),
    "memories": Registry("memories", {
        "minilm": Entry("habitus.memory:minilm"),
        "bm25": Entry("habitus.memory:bm25"),
    }),
    "judges": Registry("judges", {
        "state": Entry("habitus.judges:StateJudge"),
        "rubric": Entry("habitus.judges:RubricJudge", needs="model"),
        "aspect": Entry("habitus.judges:AspectJudge", needs="model"),
        "aspect-proxy": Entry("habitus.judges:AspectProxyJudge"),
    }),
}
"""The registries, one a kind."""


def register(kind: Kind, name: str, target: str | Callable[..., Any], **entry: Any) -> None:
    """Give a factory a name.

    Args:
        kind: `suites`, `agents`, `memories` or `judges`.
        name: The name, as the command line takes it.
        target: `module:attribute` or the factory itself.
        **entry: Further fields of `Entry`.
    """
    registry(kind).add(name, Entry(target, **entry))


def registry(kind: str) -> Registry:
    """Return the registry of a kind.

    Raises:
        UnknownNameError: There is no such kind.
    """
    for known, found in REGISTRIES.items():
        if known == kind:
            return found
    raise UnknownNameError("kind of name", kind, REGISTRIES)


def names(kind: Kind) -> list[str]:
    """Return the names of a kind, sorted."""
    return registry(kind).names()


def resolve(entry: Entry) -> Any:
    """Import what an entry names.

    Raises:
        UserError: The module or the attribute is not there.
    """
    if not isinstance(entry.target, str):
        return entry.target
    module, _, attribute = entry.target.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), *attribute.split("."))):
        raise UserError(
            f"{entry.target!r} is no module:attribute. A file my_agent.py in this directory with a function agent is "
            "named my_agent:agent."
        )
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and module.split(".")[0] != error.name.split(".")[0]:
            raise
        message = f"No module {module!r} for {entry.target!r}: install it, or run where it can be imported."
        raise UserError(message) from None
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise UnknownNameError(f"attribute of {module}", part, [n for n in vars(found) if not n.startswith("_")])
        found = getattr(found, part)
    return found


@lru_cache(maxsize=16)
def load_suite(name: str, *, world_seed: int = 0, data: Path | None = None) -> Suite:
    """Return a suite.

    Args:
        name: Its registry name.
        world_seed: Seed of the local web and its people, where the suite has one.
        data: Directory or file of official data, for a suite that reads it.

    Raises:
        UnknownNameError: There is no such suite.
        UserError: The suite reads no data, or the data is not there.
    """
    factory = resolve(registry("suites").entry(name))
    options: dict[str, Any] = {"world_seed": world_seed}
    if data is not None:
        if "data" not in inspect.signature(factory).parameters:
            raise UserError(f"Suite {name!r} ships its own data and reads none from {str(data)!r}: leave --data out.")
        options["data"] = data
    suite: Suite = factory(**options)
    return suite


def load_tasks(
    suite: str, *, level: int | str | None = None, world_seed: int = 0, data: Path | None = None
) -> list[TaskBrief]:
    """Return the tasks of a suite, of one level where it is named, as a number or as typed.

    Raises:
        UnknownNameError: There is no such suite or level.
    """
    tasks = load_suite(suite, world_seed=world_seed, data=data).tasks()
    if level is None:
        return list(tasks)
    wanted = str(level).strip()
    found = [task for task in tasks if task.level is not None and str(task.level) == wanted]
    if not found:
        known = {str(task.level) for task in tasks if task.level is not None}
        raise UnknownNameError(f"level of {suite}", wanted, known)
    return found


def default_agent(suite: str, *, with_model: bool = False) -> str:
    """Return the agent a suite is run with where none is named.

    Args:
        suite: Registry name.
        with_model: A model is named: the agent that uses one.
    """
    entry = registry("suites").entry(suite)
    return (entry.model_agent if with_model else entry.agent) or "prg"


def default_judge(suite: str) -> str:
    """Return the judge a suite is scored by where none is named."""
    return registry("suites").entry(suite).judge or "state"


def agent_needs(name: str) -> Needs:
    """Return what an agent cannot do without: `model`, `truth` or nothing."""
    return registry("agents").entry(name).needs


def check_agent(name: str, suite: str, kinds: Collection[TaskKind]) -> None:
    """See that an agent can do a suite's kind of task.

    Raises:
        UserError: It cannot; names those that can.
    """
    tasks = registry("agents").entry(name).tasks
    if tasks and tasks not in kinds:
        fit = [other for other in names("agents") if registry("agents").entry(other).tasks in kinds]
        raise UserError(
            f"Agent {name!r} does {tasks} tasks; those of {suite} are {', '.join(kinds)}. Take {', '.join(fit)}."
        )


def build_agent(name: str, setup: AgentSetup) -> Agent | Driver | Callable[..., Any]:
    """Build an agent for one episode.

    A registered name is a factory of one `AgentSetup`. A `module:attribute` may be such a factory too (its one
    parameter is called `setup`), a class built without arguments, a plain function of an observation, or an agent.

    Raises:
        UnknownNameError: Nothing is registered under the name.
        MissingKeyError: The agent needs a model and none was named.
    """
    entry = registry("agents").entry(name)
    if entry.needs == "model" and not setup.models:
        raise MissingKeyError(
            f"Agent {name!r} needs a model: give --model NAME (and --base-url URL for a server of your own)."
        )
    found: Any = resolve(entry)
    if takes_setup(found):
        found = found(setup)
    elif inspect.isclass(found):
        needed = [
            parameter for parameter, p in inspect.signature(found).parameters.items()
            if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        if needed:
            raise UserError(
                f"{name!r} cannot be made without {', '.join(needed)}: give a class without arguments, or a factory "
                "whose one parameter is called `setup`."
            )
        found = found()
    if not any(map(callable, (found, getattr(found, "act", None), getattr(found, "drive", None)))):
        raise UserError(f"{name!r} is no agent: no function, and with neither act(observation) nor drive(session).")
    agent: Agent | Driver | Callable[..., Any] = found
    return agent


def takes_setup(target: object) -> bool:
    """Whether what an agent's name stands for is a factory: its first parameter is called `setup`."""
    return (inspect.isclass(target) or inspect.isroutine(target)) and list(
        inspect.signature(target).parameters)[:1] == ["setup"]


def build_memory(name: str) -> Memory:
    """Build a memory, to be shared by the episodes of a run.

    Raises:
        UnknownNameError: Nothing is registered under the name.
    """
    found = resolve(registry("memories").entry(name))
    return found() if callable(found) else found  # type: ignore[no-any-return]


def _embedding_memory(model: str) -> Memory:
    from habitus.memory import sentence_transformer

    return sentence_transformer(model)


def build_judge(name: str, *, model: ChatModel | None = None) -> Judge:
    """Build a judge.

    Raises:
        UnknownNameError: Nothing is registered under the name.
        MissingKeyError: The judge needs a model and none was named.
    """
    entry = registry("judges").entry(name)
    found = resolve(entry)
    if entry.needs == "model":
        if model is None:
            raise MissingKeyError(
                f"Judge {name!r} needs a model: give --judge-model NAME (and --judge-base-url URL for a server of "
                "your own)."
            )
        return found(model)  # type: ignore[no-any-return]
    return found() if callable(found) else found  # type: ignore[no-any-return]


def task_truth(suite: Suite, brief: TaskBrief) -> WebTruth | QATruth:
    """Join a brief to its truth, by task id and data version.

    Raises:
        UserError: The brief is of another version of the data.
    """
    if brief.data_version != suite.data_version:
        raise UserError(
            f"Task {brief.id!r} is of data {brief.data_version!r}, the suite at hand of {suite.data_version!r}: "
            "load the suite with the same --world-seed and --data."
        )
    return suite.truth(brief.id)
