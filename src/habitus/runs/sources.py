"""Where a run's chat models, judge and agents come from."""

from __future__ import annotations

import inspect
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..types import Judge, Suite
from .spec import EpisodeSpec, RunConfig

if TYPE_CHECKING:
    from habitus.envs.runtime import Runtime

    from ..llm import ChatModel
    from .executor import AgentFactory
    from .rollout import Policy


class ModelSource:
    """Makes chat models by name; `local` starts one server on this machine, which ends with the stack.

    Args:
        stack: Closes what was started and opened.
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

    def open(self, runtime: Runtime) -> None:
        """See that every model can be asked, before anything is stored; connections close with the stack.

        Raises:
            MissingKeyError: An endpoint does not answer, or refuses the key.
            UnknownNameError: An endpoint does not serve the model.
        """
        for model in self._made.values():
            self._stack.callback(_close, runtime, model)
            runtime.run(model.check())


def _close(runtime: Runtime, model: ChatModel) -> None:
    runtime.run(model.aclose())


def make_judge(name: str, models: ModelSource, model: str | None, base_url: str | None) -> Judge:
    """Build a judge, with a chat model where one is named.

    Raises:
        UnknownNameError: There is no such judge.
        MissingKeyError: It needs a model and none is named, or there is no key.
    """
    from ..registry import build_judge, registry

    registry("judges").entry(name)  # an unknown name is told before a model is made
    return build_judge(name, model=models.model(model, base_url))


@dataclass(frozen=True)
class AgentSource:
    """Where the agents of episodes come from, and whether they are all one object, which acts in one at a time."""

    make: AgentFactory
    shared: bool

    def try_one(self, spec: EpisodeSpec) -> None:
        """See that an agent can be made, before anything is stored.

        Raises:
            UserError: It cannot.
        """
        try:
            self.make(spec)
        except UserError:
            raise
        except Exception as error:  # the agent is foreign code: this is its boundary
            raise UserError(f"Agent {spec.agent!r} cannot be made: {type(error).__name__}: {error}") from error


def agent_source(config: RunConfig, suite: Suite, agent: Policy | type | None, models: ModelSource) -> AgentSource:
    """Return where the agents of a run come from: a live one, or the one the configuration names.

    Raises:
        UserError: An unknown name, or a model that the agent would not use.
    """
    if agent is not None:
        live: Any = agent
        _refuse_unused_model(config, live, uses_model=False)
        anew = inspect.isclass(agent)
        return AgentSource(lambda spec: live() if anew else live, shared=_is_shared(live))
    from habitus.agents.setup import AgentSetup

    from ..registry import build_agent, check_agent, registry, resolve, takes_setup

    check_agent(config.agent, config.suite, {brief.kind for brief in suite.tasks()})
    entry = registry("agents").entry(config.agent)
    target = resolve(entry)
    # A registered agent says whether it uses a model; one named by its place does where it asks for a setup.
    _refuse_unused_model(
        config, target, uses_model=entry.needs == "model" or (":" in config.agent and takes_setup(target))
    )
    model = models.model(config.model, config.base_url)

    def build(spec: EpisodeSpec) -> Policy:
        return build_agent(config.agent, AgentSetup(
            models={"default": model} if model else {}, scheme=spec.history, seed=spec.seed,
            truth=suite.truth(spec.task) if entry.needs == "truth" else None,
        ))

    return AgentSource(build, shared=_is_shared(target))


def _is_shared(agent: object) -> bool:
    return not inspect.isclass(agent) and not inspect.isroutine(agent)


def _refuse_unused_model(config: RunConfig, agent: object, *, uses_model: bool) -> None:
    if config.model is not None and not uses_model:
        raise UserError(
            f"Agent {config.agent!r} uses no model, and the table would name {config.model!r}: leave the model out, or "
            "name an agent that uses one (prg, rag, or a factory of yours with a parameter `setup`)."
        )
