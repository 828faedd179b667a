import pytest
from small_suite import suite

from habitus.errors import UnknownNameError, UserError
from habitus.runs import EpisodeSpec, RunConfig, budget_for, plan


def config(**changes: object) -> RunConfig:
    return RunConfig.model_validate({"suite": "small_suite:suite", "agent": "a", **changes})


def test_a_plan_has_every_task_under_every_scheme_and_repeat() -> None:
    specs = plan(config(history=("none", "on_demand"), repeats=2, seed=7), suite())
    assert len(specs) == 4 * 2 * 2
    assert len({spec.key for spec in specs}) == len(specs)
    assert {(spec.repeat, spec.seed) for spec in specs} == {(0, 7), (1, 8)}


def test_a_key_survives_json_and_changes_with_every_field() -> None:
    spec = plan(config(), suite())[0]
    assert EpisodeSpec.model_validate_json(spec.model_dump_json()).key == spec.key
    for field, value in {"task": "x", "seed": 1, "repeat": 1, "history": "none", "models": {"default": "m"},
                         "max_steps": 9, "data_version": "2", "agent": "b", "memory": "bm25"}.items():
        assert spec.model_copy(update={field: value}).key != spec.key, field


def test_level_glob_and_limit_select_tasks() -> None:
    assert [s.task for s in plan(config(level=1), suite())] == ["ada-gift-1", "ben-gift-1"]
    assert [s.task for s in plan(config(tasks="ben-*"), suite())] == ["ben-club-0", "ben-gift-1"]
    assert [s.task for s in plan(config(limit=1), suite())] == ["ada-club-0"]


@pytest.mark.parametrize(("changes", "says"), [
    ({"history": ("on_demnad",)}, "Did you mean 'on_demand'"),
    ({"history_of": "mine"}, "own"),
    ({"level": 7}, "There is: 0, 1"),
    ({"tasks": "ada-club"}, "Did you mean 'ada-club-0'"),
    ({"budget": "paper-ocam"}, "Did you mean 'paper-occam'"),
    ({"budget": "0"}, "a number of steps"),
])
def test_an_unknown_name_tells_what_exists(changes: dict[str, object], says: str) -> None:
    with pytest.raises(UnknownNameError, match=says):
        plan(config(**changes), suite())


def test_a_glob_without_a_match_shows_what_ids_look_like() -> None:
    with pytest.raises(UserError, match="ada-club-0"):
        plan(config(tasks="zoe-*"), suite())


def test_the_papers_budgets_depend_on_the_scheme() -> None:
    assert budget_for("paper-occam", "on_demand").max_steps == 25
    assert budget_for("paper-occam", "pre_execution").max_steps == 20
    assert budget_for("paper-browser-use", "pre_execution").max_steps == 20
    assert budget_for("12", "none").max_steps == 12


def test_a_run_differs_by_what_changes_its_episodes_and_not_by_endpoint_or_judge() -> None:
    assert config().differences(config(base_url="http://localhost:1/v1", judge="other")) == []
    assert config().differences(config(limit=3)) == ["limit is not set there, 3 here"]
    assert config().default_out() == config(judge="other").default_out() != config(limit=3).default_out()


@pytest.mark.parametrize("changes", [{"limit": 0}, {"limit": -2}, {"repeats": 0}])
def test_a_run_of_nothing_is_refused_with_what_was_found(changes: dict[str, int]) -> None:
    ((name, value),) = changes.items()
    with pytest.raises(UserError, match=f"{name} {value}: .*greater than or equal to 1"):
        RunConfig.asked(suite="small_suite:suite", agent="a", **changes)


def test_truth_of_another_user_is_refused_when_the_run_is_planned() -> None:
    with pytest.raises(UserError, match="gold"):
        plan(config(history=("none", "gold"), history_of="other"), suite())
