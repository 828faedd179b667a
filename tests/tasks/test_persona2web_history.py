"""The histories of the local population: counts, fields, kinds, reality, implicitness, gifts and the move."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from habitus.envs.world import build_world
from habitus.tasks.persona2web import LocalPersona2Web, suite
from habitus.tasks.persona2web.entries import KINDS
from habitus.tasks.persona2web.personas import AS_OF, Persona
from habitus.types import Record

SEEDS = (0, 1, 7)
STATED = re.compile(r"\b(favou?rite|prefer\w*|usual\w*|always|normally|typical\w*|love\w*)\b", re.IGNORECASE)


@pytest.fixture(params=SEEDS)
def local(request: pytest.FixtureRequest) -> LocalPersona2Web:
    return suite(world_seed=request.param)


def records(local: LocalPersona2Web) -> list[tuple[Persona, tuple[Record, ...]]]:
    return [(persona, local.user(persona.id).records) for persona in local.people]


def test_six_users_have_four_hundred_entries_of_all_five_kinds(local: LocalPersona2Web) -> None:
    assert len(local.people) == 6
    for _, history in records(local):
        assert 420 <= len(history) <= 480
        assert {record.kind for record in history} == set(KINDS)
        assert len({record.id for record in history}) == len(history)


def test_entries_lie_within_the_year_before_the_asking_and_in_order(local: LocalPersona2Web) -> None:
    for _, history in records(local):
        times = [record.time for record in history]
        assert None not in times
        assert times == sorted(times, key=lambda time: time or AS_OF)
        assert times[0] is not None
        assert times[-1] is not None
        assert AS_OF - timedelta(days=366) <= times[0] < AS_OF - timedelta(days=330)
        assert AS_OF - timedelta(days=30) < times[-1] <= AS_OF


def test_every_entry_names_a_host_of_the_world(local: LocalPersona2Web) -> None:
    for _, history in records(local):
        for record in history:
            assert set(record.meta) == {"website"}
            assert record.meta["website"] in local.world.hosts


def test_entries_that_name_a_thing_name_one_that_its_site_has(local: LocalPersona2Web) -> None:
    titles = {site.host: [item.title for item in site.items] for site in local.world.sites}
    for _, history in records(local):
        named = 0
        for record in history:
            host = record.meta["website"]
            if record.kind != "web search" and host in titles:
                named += any(title in record.text for title in titles[host])
        assert named > 80


def test_no_entry_states_a_preference(local: LocalPersona2Web) -> None:
    for _, history in records(local):
        assert [record.text for record in history if STATED.search(record.text)] == []


def test_a_value_stands_in_a_small_share_of_the_entries(local: LocalPersona2Web) -> None:
    for persona, history in records(local):
        values = {value for habit in persona.habits.values() for value in (habit.trait, habit.choice)}
        shares = [
            sum(bool(re.search(rf"\b{re.escape(value)}\b", record.text.lower())) for record in history) / len(history)
            for value in values
        ]
        assert 0.01 < sum(shares) / len(shares) < 0.12


def test_texts_differ(local: LocalPersona2Web) -> None:
    for _, history in records(local):
        texts = [record.text for record in history]
        assert len(set(texts)) > 0.8 * len(texts)


def test_gifts_go_to_others_and_bear_no_preference_out(local: LocalPersona2Web) -> None:
    for persona, history in records(local):
        gifts = [record for record in history if re.search(r"hamper for|gift|present|Birthday|Get-well", record.text)]
        assert len(gifts) >= 4
        assert any(friend in record.text for record in gifts for friend in persona.friends)
        ids = {record.id for record in gifts}
        for brief in local.tasks():
            if brief.user == persona.id:
                for slot in local.truth(brief.id).slots:
                    assert slot.kind == "website" or not ids & set(slot.evidence)


def test_old_habits_show_early_and_seldom(local: LocalPersona2Web) -> None:
    for persona, history in records(local):
        for topic, habit in persona.habits.items():
            if topic.domain != "groceries" or topic in {change.topic for change in local.changes[persona.id]}:
                continue
            bought = [r for r in history if r.kind == "purchase" and f" {topic.product}" in r.text.lower()]
            own = [r for r in bought if habit.choice in r.text]
            assert len(own) >= 8
            assert len(own) > len(bought) / 2


def test_one_user_moves_in_mid_year_and_only_new_entries_bear_the_home_out(local: LocalPersona2Web) -> None:
    movers = [persona for persona in local.people if persona.moved]
    assert len(movers) == 1
    mover = movers[0]
    assert mover.old_home is not None
    assert mover.moved is not None
    assert mover.old_home != mover.home
    history = local.user(mover.id).records
    stale = [r for r in history if mover.old_home.postcode in r.text and r.time and r.time < mover.moved]
    assert len(stale) >= 10
    by_id = {record.id: record for record in history}
    for brief in local.tasks():
        for slot in local.truth(brief.id).slots:
            if brief.user == mover.id and slot.kind == "location":
                assert slot.value == f"{mover.home.city}, {mover.home.postcode}"
                assert all(mover.home.city in by_id[entry].text for entry in slot.evidence)
                assert len(slot.evidence) >= 10


def test_the_profile_says_outright_what_the_history_shows(local: LocalPersona2Web) -> None:
    for persona in local.people:
        profile = local.user(persona.id).profile.lower()
        assert persona.home.postcode.lower() in profile
        for host in persona.sites.values():
            assert host in profile
        for habit in persona.habits.values():
            assert habit.trait in profile
            assert habit.choice in profile


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(min_value=0, max_value=100_000))
def test_any_world_can_be_peopled(seed: int) -> None:
    local = LocalPersona2Web(build_world(seed))
    assert len({persona.name for persona in local.people}) == 6
    assert len({persona.home for persona in local.people}) == 6
    assert all(slot.evidence[2:] for brief in local.tasks() for slot in local.truth(brief.id).slots)
