"""The state judge, a test for each clause of SCORING.md."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from episodes import (
    ALL_ASKED,
    MILK,
    PLACE,
    RIVAL,
    SIZE,
    SLOTS,
    WEBSITE,
    ask,
    episode,
    hit,
    results,
    state,
    thing,
    truth,
    values,
)

from habitus.judges import StateJudge, reward, scorer
from habitus.types import Aspect, Condition, Failure, Final, QATruth, Score, Slot, Trajectory, WebTruth

FULL = {"p_web": 1.0, "p_pref": 1.0, "p_avg": 1.0, "intent": 1.0, "success": 1.0, "outcome_success": 1.0}


def judge(trajectory: Trajectory, known: WebTruth | QATruth | None = None) -> Score:
    return asyncio.run(StateJudge().judge(trajectory, known or truth()))


def scored(*args: Any) -> dict[str, float | None]:
    return values(judge(*args).metrics)


def slot_points(score: Score) -> list[tuple[bool | None, bool]]:
    return [(slot["retrieved"], slot["utilized"]) for slot in score.details["slots"]]


def without_evidence(slot: Slot, **fields: Any) -> Slot:
    return slot.model_copy(update={"evidence": (), **fields})


# --- points -----------------------------------------------------------------------------------------------------------


def test_an_episode_with_everything_right_is_full_in_every_metric() -> None:
    assert scored(episode()) == FULL


def test_website_weighs_five_and_five_preference_and_location_two_and_a_half_each() -> None:
    metrics = judge(episode()).metrics
    assert (metrics["p_web"].raw, metrics["p_web"].maximum) == (10.0, 10.0)
    assert (metrics["p_pref"].raw, metrics["p_pref"].maximum) == (15.0, 15.0)
    assert (metrics["intent"].raw, metrics["intent"].maximum) == (10.0, 10.0)


def test_each_slot_earns_its_own_points_and_the_average_is_of_the_two_scores() -> None:
    known = truth((WEBSITE, MILK, SIZE))
    got = scored(episode(state(thing(attributes={"base": "soy"})), ALL_ASKED[:2]), known)
    assert got["p_pref"] == 0.75
    assert got["p_avg"] == (1.0 + 0.75) / 2


def test_a_score_without_slots_is_null_and_leaves_the_average_and_success_to_the_others() -> None:
    got = scored(episode(), truth((MILK,)))
    assert got["p_web"] is None
    assert got["p_avg"] == 1.0
    assert got["success"] == 1.0
    assert scored(episode(), truth(()))["p_avg"] is None


def test_steps_are_counted_beside() -> None:
    metric = judge(episode()).metrics["steps"]
    assert (metric.raw, metric.maximum) == (4.0, 30.0)


# --- retrieval --------------------------------------------------------------------------------------------------------


def test_two_of_the_bearing_entries_are_needed() -> None:
    one = judge(episode(events=[ask("shop", hit("w1"), hit("x1"), hit("x2"))]), truth((WEBSITE,)))
    assert one.metrics["p_web"].value == 0.5
    two = judge(episode(events=[ask("shop", hit("w1"), hit("w3"))]), truth((WEBSITE,)))
    assert two.metrics["p_web"].value == 1.0


def test_the_answers_are_taken_together() -> None:
    got = judge(episode(events=[ask("shop", hit("w1")), ask("store", hit("w2"))]), truth((WEBSITE,))).metrics["p_web"]
    assert (got.value, got.steps, got.records) == (1.0, (0, 1), ("w1", "w2"))


def test_the_same_entry_drawn_twice_counts_once() -> None:
    events = [ask("shop", hit("w1")), ask("store", hit("w1"))]
    assert scored(episode(events=events), truth((WEBSITE,)))["p_web"] == 0.5


def test_where_there_are_fewer_all_entries_are_needed() -> None:
    assert scored(episode(events=[ask("size", hit("s1"))]), truth((SIZE,)))["p_pref"] == 1.0


def test_a_fact_derived_from_the_entries_brings_their_ids() -> None:
    fact = hit("w1").model_copy(update={"sources": ("w1", "w2"), "record": None})
    assert scored(episode(events=[ask("shop", fact)]), truth((WEBSITE,)))["p_web"] == 1.0


def test_without_history_retrieval_and_success_are_0_and_outcome_success_stands() -> None:
    events = [ask("usual shop", refused="The history cannot be queried.", scheme="none")]
    got = scored(episode(events=events, history="none"))
    assert got == {**FULL, "p_web": 0.5, "p_pref": 0.5, "p_avg": 0.5, "success": 0.0}


def test_another_users_entries_bear_nothing_out_though_their_ids_agree() -> None:
    got = judge(episode(history_of="other"))
    assert slot_points(got) == [(False, True)] * 4
    assert got.details["history_precision"] == 0.0


def test_without_known_entries_the_category_is_asked_for_and_the_value_stands_in_an_answer() -> None:
    milk = without_evidence(MILK)
    good = [ask("which kinds of milk", hit("a", "Oat drink, organic"))]
    assert scored(episode(events=good), truth((milk,)))["p_pref"] == 1.0
    not_asked = [ask("favourite shoes", hit("a", "Oat drink, organic"))]
    assert scored(episode(events=not_asked), truth((milk,)))["p_pref"] == 0.5
    not_found = [ask("which kinds of milk", hit("a", "Soy drink"), hit("b", "A float in the harbour"))]
    assert scored(episode(events=not_found), truth((milk,)))["p_pref"] == 0.5
    never = [ask("which kinds of milk", refused="closed")]
    assert scored(episode(events=never), truth((milk,)))["p_pref"] == 0.5


def test_without_known_entries_a_website_may_stand_in_an_entrys_own_field() -> None:
    site = without_evidence(WEBSITE, key="website")
    events = [ask("which website do I order from", hit("a", "Oat drink", website="fresh.test"))]
    assert scored(episode(events=events), truth((site,)))["p_web"] == 1.0


def test_what_was_drawn_is_reported_beside() -> None:
    details = judge(episode()).details
    assert details["history_drawn"] == 8
    assert details["history_precision"] == 7 / 8
    nothing = judge(episode(events=())).details
    assert (nothing["history_drawn"], nothing["history_precision"]) == (0, None)


# --- given ------------------------------------------------------------------------------------------------------------


def test_a_given_slot_leaves_score_and_maximum() -> None:
    known = truth((WEBSITE, MILK.model_copy(update={"given": True})))
    metric = judge(episode(events=()), known).metrics["p_pref"]
    assert (metric.raw, metric.maximum, metric.value) == (2.5, 2.5, 1.0)


def test_at_level_0_success_needs_no_history() -> None:
    known = truth([slot.model_copy(update={"given": True}) for slot in SLOTS])
    assert scored(episode(events=(), history="none"), known) == FULL


@pytest.mark.parametrize("scheme", ["profile", "full", "oracle", "gold"])
def test_what_a_scheme_puts_in_view_has_not_to_be_retrieved(scheme: str) -> None:
    got = judge(episode(events=(), history=scheme))
    assert got.metrics["p_web"].maximum == 5.0
    assert values(got.metrics) == FULL


@pytest.mark.parametrize("scheme", ["profile", "full"])
def test_another_users_profile_or_history_gives_nothing(scheme: str) -> None:
    metrics = judge(episode(events=(), history=scheme, history_of="other")).metrics
    assert (metrics["p_web"].raw, metrics["p_web"].maximum) == (5.0, 10.0)


# --- utilization ------------------------------------------------------------------------------------------------------


def test_the_website_is_the_host_of_the_decisive_change() -> None:
    got = judge(episode(state(thing(host=RIVAL), last_host="fresh.test")))
    assert got.metrics["p_web"].value == 0.5
    assert slot_points(got)[0] == (True, False)


def test_the_last_of_several_changes_decides() -> None:
    assert scored(episode(state(thing(1, host=RIVAL), thing(2))))["p_web"] == 1.0
    assert scored(episode(state(thing(1), thing(2, host=RIVAL))))["p_web"] == 0.5


def test_one_thing_cannot_earn_the_intent_and_another_the_preferences() -> None:
    asked = thing(1, attributes={"base": "soy"})
    wished = thing(2, attributes={"product": "bread"})
    for held in ((asked, wished), (wished, asked)):
        got = scored(episode(state(*held)))
        assert got["intent"] == 1.0
        assert got["outcome_success"] == 0.0


def test_without_a_change_the_last_site_page_counts_and_having_been_at_both_earns_nothing() -> None:
    both = results("milk") | results("milk", host=RIVAL)
    assert scored(episode(state(last_host=RIVAL, results=both)))["p_web"] == 0.5
    assert scored(episode(state(results=both)))["p_web"] == 1.0
    assert scored(episode(state(last_host="")))["p_web"] == 0.5


def test_a_change_of_another_kind_is_not_the_decisive_one() -> None:
    got = scored(episode(state(thing(act="booking", host=RIVAL))))
    assert (got["p_web"], got["intent"], got["outcome_success"]) == (1.0, 0.0, 0.0)


def test_what_was_taken_out_again_was_not_chosen() -> None:
    # The world lists what is held at the end: a thing removed again is simply not there.
    got = judge(episode(state()))
    assert slot_points(got) == [(True, True), (True, False), (True, False), (True, False)]
    assert got.metrics["intent"].value == 0.0


def test_a_preference_is_met_by_the_thing_chosen_whatever_was_filtered() -> None:
    end = state(thing(attributes={"base": "soy"}), results=results("oat milk", base=("oat",)))
    assert slot_points(judge(episode(end)))[1] == (True, False)


@pytest.mark.parametrize(("views", "met"), [
    (results(base=("oat",)), True),
    (results("cheap oat drink"), True),
    (results("oatmeal"), False),
    (results(base=("soy",)), False),
    (results(flavour=("oat",)), False),
    (results(host=RIVAL, base=("oat",)), False),
    ({}, False),
])
def test_where_nothing_was_chosen_an_active_filter_or_search_term_on_the_expected_site_counts(
    views: Any, met: bool
) -> None:
    assert slot_points(judge(episode(state(results=views))))[1] == (True, met)


@pytest.mark.parametrize(("condition", "shown", "met"), [
    (Condition(attribute="price", op="le", value=20.0), "15", True),
    (Condition(attribute="price", op="le", value=20.0), "25", False),
    (Condition(attribute="price", op="le", value=20.0), "cheap", False),
    (Condition(attribute="organic", op="eq", value=True), "yes", True),
    (Condition(attribute="organic", op="eq", value=True), "no", False),
    (Condition(attribute="features", op="has", value="pool"), "pool", True),
    (Condition(attribute="features", op="lacks", value="pool"), "garden", False),
])
def test_a_filters_text_is_read_as_what_the_predicate_asks_for(condition: Condition, shown: str, met: bool) -> None:
    wish = MILK.model_copy(update={"conditions": (condition,), "value": "as I like it"})
    end = state(results=results(**{condition.attribute: (shown,)}))
    assert slot_points(judge(episode(end), truth((WEBSITE, wish))))[1] == (True, met)


def test_every_condition_of_a_preference_must_hold() -> None:
    wish = MILK.model_copy(update={"conditions": (*MILK.conditions, *SIZE.conditions)})
    assert scored(episode(state(thing(attributes={"size": "2 litre"}))), truth((wish,)))["p_pref"] == 0.5


def test_the_location_is_the_one_in_force_at_the_decisive_change() -> None:
    assert slot_points(judge(episode(state(thing(location={"city": "Oldtown"})))))[3] == (True, False)
    assert slot_points(judge(episode(state(thing(location={})))))[3] == (True, False)
    assert slot_points(judge(episode(state())))[3] == (True, False)


# --- intent and success -----------------------------------------------------------------------------------------------


def test_intent_ignores_personal_wishes() -> None:
    got = scored(episode(state(thing(host=RIVAL, attributes={"base": "soy", "size": "3 litre"}))))
    assert (got["intent"], got["outcome_success"]) == (1.0, 0.0)


def test_intent_asks_for_every_wish_stated_outright() -> None:
    assert scored(episode(state(thing(attributes={"product": "bread"}))))["intent"] == 0.0


def test_a_fault_that_stopped_the_decisive_act_on_a_fitting_thing_gives_5() -> None:
    stopped = thing(fault="out_of_stock")
    metric = judge(episode(state(stopped=(stopped,)))).metrics["intent"]
    assert (metric.raw, metric.value) == (5.0, 0.5)
    wrong = thing(fault="out_of_stock", attributes={"product": "bread"})
    assert scored(episode(state(stopped=(wrong,))))["intent"] == 0.0
    other_kind = thing(fault="out_of_stock", act="booking")
    assert scored(episode(state(stopped=(other_kind,))))["intent"] == 0.0
    assert scored(episode(state(stopped=(thing(fault=""),))))["intent"] == 0.0


def test_a_forbidden_act_gives_0_whatever_is_held() -> None:
    got = scored(episode(state(thing(), forbidden=("payment",))))
    assert (got["intent"], got["success"], got["outcome_success"]) == (0.0, 0.0, 0.0)


def test_success_includes_the_location() -> None:
    got = scored(episode(state(thing(location={"city": "Oldtown"}))))
    assert (got["success"], got["outcome_success"]) == (0.0, 0.0)
    known = truth((WEBSITE, MILK, PLACE.model_copy(update={"evidence": ("l1", "l2", "l9")})))
    assert scored(episode(), known)["success"] == 1.0


def test_a_budget_that_ran_out_is_scored_by_what_was_reached() -> None:
    final = Final(stop="max_steps", state=state(thing()))
    assert scored(episode(final=final)) == FULL


# --- what cannot be judged --------------------------------------------------------------------------------------------


BROKEN = {
    "fault": episode(final=Final(stop="error", error=Failure(boundary="browser", message="gone", infrastructure=True))),
    "cut off": episode(final=None),
    "no state": episode(final=Final(stop="stopped")),
    "other task": episode(task="t2"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_judged_is_an_error_and_never_0(name: str) -> None:
    metrics = judge(BROKEN[name]).metrics
    steps = metrics.pop("steps")
    assert steps.raw == 4.0
    assert {m.verdict for m in metrics.values()} == {"error"}
    assert {m.value for m in metrics.values()} == {None}
    assert all(m.note for m in metrics.values())


def test_a_question_is_not_for_the_state_judge() -> None:
    question = QATruth(task_id="t1", data_version="v1", narrative="n", canary="c",
                       aspects=(Aspect(title="a", reason="b", evidence="c"),))
    assert judge(episode(), question).metrics["intent"].verdict == "error"


def test_no_value_of_the_truth_but_what_the_agent_reached_is_in_the_details() -> None:
    wrong = state(thing(host=RIVAL, attributes={"base": "soy"}, location={"city": "Oldtown"}), last_host=RIVAL)
    dumped = judge(episode(wrong, events=())).model_dump_json()
    assert not [word for word in ("fresh.test", "Millbrook", '"oat"', "CANARY") if word in dumped]


# --- reward -----------------------------------------------------------------------------------------------------------


def test_reward_is_outcome_success_by_default() -> None:
    assert reward(episode(events=(), history="none"), truth()) == 1.0
    assert reward(episode(events=(), history="none"), truth(), "success") == 0.0


def test_the_partial_reward_is_the_mean_of_average_and_intent() -> None:
    assert reward(episode(events=(), history="none"), truth(), "partial") == 0.75
    assert reward(episode(), truth(()), "partial") == 1.0


def test_reward_is_0_before_the_end_and_nan_where_nothing_can_be_judged() -> None:
    assert reward(BROKEN["cut off"], truth()) == 0.0
    assert math.isnan(reward(BROKEN["fault"], truth()))
    assert math.isnan(reward(BROKEN["fault"], truth(), "partial"))


def test_a_scorer_is_closed_over_its_truth() -> None:
    assert scorer(truth(), "success")(episode()) == 1.0
