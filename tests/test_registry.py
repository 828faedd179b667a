"""Names: what is registered, how a name is found, and what a cell may not ask for."""

from __future__ import annotations

import pytest

import habitus
from habitus.agents.setup import AgentSetup
from habitus.errors import MissingKeyError, UnknownNameError, UserError
from habitus.making import EpisodePlan, make_env
from habitus.memory import MiniLM
from habitus.registry import (
    REGISTRIES,
    Entry,
    Registry,
    build_agent,
    build_judge,
    build_memory,
    check_agent,
    default_agent,
    load_suite,
    names,
    resolve,
)
from habitus.types import Record, User


class Idle:
    """An agent of a test."""

    def act(self, observation: object) -> str:
        return "stop()"


def factory(setup: AgentSetup) -> Idle:
    return Idle()


IDLE = Idle()
NEEDY = Entry(factory, needs="model")


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_registered_name_can_be_resolved(kind: str) -> None:
    for name in names(kind):  # type: ignore[arg-type]
        assert resolve(REGISTRIES[kind].entry(name)) is not None  # type: ignore[index]


@pytest.mark.parametrize("kind", REGISTRIES)
def test_an_unknown_name_tells_what_exists_and_the_near_one(kind: str) -> None:
    known = names(kind)[0]  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match=f"Did you mean '{known}'") as caught:
        REGISTRIES[kind].entry(known + "x")  # type: ignore[index]
    assert known in caught.value.known


def test_a_long_list_of_names_is_cut() -> None:
    message = str(UnknownNameError("task", "zzz", [f"t{i:03}" for i in range(300)]))
    assert "and 288 more" in message
    assert len(message) < 200


@pytest.mark.parametrize("attribute", ["Idle", "factory", "IDLE"])
def test_an_agent_by_module_and_attribute_may_be_a_class_a_factory_or_an_object(attribute: str) -> None:
    assert isinstance(build_agent(f"{__name__}:{attribute}", AgentSetup()), Idle)


def test_a_missing_module_or_attribute_is_the_users_mistake() -> None:
    with pytest.raises(UserError, match="No module"):
        build_agent("no_such_module_here:agent", AgentSetup())
    with pytest.raises(UnknownNameError, match="attribute of habitus"):
        build_agent("habitus:no_such_agent", AgentSetup())


class Needy:
    def __init__(self, name: str) -> None:
        self.name = name


@pytest.mark.parametrize(("target", "says"), [
    ("./my_agent.py:agent", "my_agent:agent"), (".my_agent:agent", "my_agent:agent"), ("my agent:x", "my_agent:agent"),
    (f"{__name__}:Needy", "without name"), ("math:pi", "is no agent"),
])
def test_what_is_no_agent_says_what_one_is(target: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        build_agent(target, AgentSetup())


def test_an_agent_of_another_kind_of_task_is_refused_and_told_which_fit() -> None:
    with pytest.raises(UserError, match="rag-extractive"):
        check_agent("prg-reflex", "lamp-qa-mini", {"qa"})
    check_agent("prg-reflex", "persona2web", {"web"})
    check_agent("my_agent:agent", "lamp-qa-mini", {"qa"})


def test_what_needs_a_model_says_so() -> None:
    with pytest.raises(MissingKeyError, match="--model"):
        build_agent("prg", AgentSetup())
    with pytest.raises(MissingKeyError, match="--judge-model"):
        build_judge("rubric")


def test_a_suite_names_its_agents() -> None:
    assert (default_agent("persona2web"), default_agent("persona2web", with_model=True)) == ("prg-reflex", "prg")


def test_a_registered_name_is_found_and_replaces_an_earlier_one() -> None:
    habitus.register("agents", "idle-of-a-test", factory)
    try:
        assert isinstance(build_agent("idle-of-a-test", AgentSetup()), Idle)
    finally:
        REGISTRIES["agents"]._entries.pop("idle-of-a-test")


def test_an_entry_point_may_stand_for_a_factory_or_for_an_entry_around_one() -> None:
    registry = Registry("agents", {})
    registry._points = {"plain": f"{__name__}:factory", "needy": f"{__name__}:NEEDY"}
    assert registry.names() == ["needy", "plain"]
    assert registry.entry("needy") is NEEDY
    assert registry.entry("plain").target is factory


def test_a_memory_with_a_slash_in_its_name_is_an_embedding_model() -> None:
    memory = build_memory(MiniLM().name)  # its packaged folder
    user = User(id="u", records=(Record(id="r", kind="purchase", text="oat milk"),))
    assert [hit.sources for hit in memory.over(user).search("milk")] == [("r",)]


def test_data_for_a_suite_that_reads_none_is_refused(tmp_path: object) -> None:
    with pytest.raises(UserError, match="leave --data out"):
        load_suite("persona2web", data=tmp_path)  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", ["oracle", "gold"])
def test_another_users_truth_cannot_be_shown(scheme: str) -> None:
    with pytest.raises(UserError, match=scheme):
        make_env("persona2web", history=scheme, history_of="other")
    with pytest.raises(UserError, match=scheme):
        EpisodePlan(suite=load_suite("persona2web"), tasks=(), history=scheme, history_of="other")  # type: ignore[arg-type]


def test_bad_names_of_a_cell_are_refused_before_a_browser_starts() -> None:
    for options, says in (
        ({"history": "on_demnd"}, "on_demand"), ({"history_of": "othr"}, "other"), ({"memory": "bm52"}, "bm25"),
        ({"level": 9}, "level"), ({"reward": "outcom"}, "'outcome'"), ({"task": "p2w-u1-a-L9"}, "p2w-u1-a-L"),
    ):
        with pytest.raises(UnknownNameError, match=says):
            make_env("persona2web", **options)  # type: ignore[arg-type]


def test_data_of_another_version_is_refused() -> None:
    task = habitus.load_tasks("persona2web", world_seed=5)[0]
    with pytest.raises(UserError, match="--world-seed"):
        make_env("persona2web", world_seed=6)._source.scorer(task)
