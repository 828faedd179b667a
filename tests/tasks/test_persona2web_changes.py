"""Habits that changed within the year: how many, how cleanly, and that only what came after bears them out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import pytest

from habitus.memory import bm25
from habitus.tasks.persona2web import LocalPersona2Web, suite
from habitus.tasks.persona2web.changes import Change
from habitus.tasks.persona2web.personas import AS_OF, Persona
from habitus.tasks.persona2web.topics import serving
from habitus.types import Record

SEEDS = (0, 1, 2, 3, 7)
ACTS = ("purchase", "booking")
TOLD = re.compile(r"\b(switch\w*|chang\w*|no longer|instead|from now|used to|now|new habit|anymore)\b", re.IGNORECASE)
ASIDE = re.compile(r"hamper|gift|present|Birthday|Get-well|the (?:school )?fair|guests|dress party|colleagues|fence")


@pytest.fixture(params=SEEDS)
def local(request: pytest.FixtureRequest) -> LocalPersona2Web:
    return suite(world_seed=request.param)


def changed(local: LocalPersona2Web) -> Iterator[tuple[Persona, Change, str, str]]:
    """Yield person, change, and the values before and after."""
    for persona in local.people:
        for change in local.changes[persona.id]:
            [(old, new)] = [
                pair
                for pair in ((change.old.trait, change.new.trait), (change.old.choice, change.new.choice))
                if pair[0] != pair[1]
            ]
            yield persona, change, old, new


def showing(records: tuple[Record, ...], change: Change, value: str) -> list[Record]:
    """Return what tells of the thing with the value and is no gift or one-off, read from the texts alone."""
    thing = rf"(?<!\w){re.escape(change.topic.product)}(?!\w)"
    words = rf"(?<!\w){re.escape(value)}(?!\w)"
    if value in (change.old.trait, change.new.trait) and change.topic.trait == "brand":
        words += rf" {thing}"  # beside the thing there may be another brand's in the basket
    return [
        record
        for record in records
        if re.search(words, record.text.lower())
        and re.search(thing, record.text.lower())
        and not ASIDE.search(record.text)
    ]


def when(record: Record) -> timedelta:
    """Return how long before the asking an entry was made."""
    assert record.time is not None
    return AS_OF - record.time


def test_half_of_the_query_sets_are_about_a_habit_that_changed(local: LocalPersona2Web) -> None:
    sets = [(errand.persona.id, errand.topic) for errand in local.errands]
    about = [(persona.id, change.topic) for persona, change, *_ in changed(local)]
    assert len(about) == len(local.errands) // 2
    assert max(Counter(user for user, _ in about).values()) <= 2
    assert all(sets.count(one) == 1 for one in about)


def test_one_value_changed_ten_to_fourteen_weeks_before_the_asking(local: LocalPersona2Web) -> None:
    for persona, change, old, new in changed(local):
        assert timedelta(weeks=10) <= AS_OF - change.on <= timedelta(weeks=14)
        assert change.new == persona.habits[change.topic]
        assert old != new


def test_the_switch_is_clean_and_sustained(local: LocalPersona2Web) -> None:
    for persona, change, old, new in changed(local):
        history = local.user(persona.id).records
        age = AS_OF - change.on
        before, after = showing(history, change, old), showing(history, change, new)
        assert min(map(when, before)) > age >= max(map(when, after))
        acts = Counter(record.kind in ACTS for record in before)[True], Counter(r.kind in ACTS for r in after)[True]
        assert acts[1] >= 6
        assert 2 * acts[1] <= acts[0] <= 4 * acts[1]
        assert {record.kind for record in after} - set(ACTS)


def test_the_truth_is_what_the_person_does_now_and_only_that_bears_it_out(local: LocalPersona2Web) -> None:
    for persona, change, _, new in changed(local):
        times = {record.id: record.time for record in local.user(persona.id).records}
        [letter] = [e.letter for e in local.errands if (e.persona.id, e.topic) == (persona.id, change.topic)]
        for level in (0, 1, 2):
            truth = local.truth(f"p2w-{persona.id}-{letter}-L{level}")
            [slot] = [slot for slot in truth.slots if slot.kind == "preference" and slot.value == new]
            assert len(slot.evidence) >= 6
            assert all((times[entry] or AS_OF) >= change.on for entry in slot.evidence)


def test_no_entry_tells_of_the_change(local: LocalPersona2Web) -> None:
    for persona, change, old, new in changed(local):
        for record in local.user(persona.id).records:
            if change.topic.product in record.text.lower():
                assert not TOLD.search(record.text), record.text
                assert not (old in record.text.lower() and new in record.text.lower()) or change.topic.trait == "brand"


def test_the_profile_says_what_is_now(local: LocalPersona2Web) -> None:
    for persona, change, old, new in changed(local):
        lines = local.user(persona.id).profile.lower().splitlines()
        told = [line for line in lines if change.topic.product in line and new in line]
        assert told
        assert not any(re.search(rf"(?<!\w){re.escape(old)}(?!\w)", line) for line in told)


def test_both_sites_have_the_old_value_and_nobody_at_the_other_one_wants_it(local: LocalPersona2Web) -> None:
    for persona, change, old, _ in changed(local):
        topic = change.topic
        city = persona.home.city if topic.domain == "restaurants" else ""
        assert all(serving(site, topic, change.old, city=city) for site in local.world.rivals(topic.domain))
        for other in local.people:
            if other.sites[topic.domain] != persona.sites[topic.domain]:
                assert old not in (other.habits[topic].trait, other.habits[topic].choice)


def test_a_sensible_query_brings_up_old_and_new_entries(local: LocalPersona2Web) -> None:
    both: list[bool] = []
    for persona, change, old, new in changed(local):
        hits = bm25().over(local.user(persona.id)).search(change.topic.product, as_of=AS_OF)
        both.append(all(any(value in hit.text.lower() for hit in hits) for value in (old, new)))
    assert sum(both) >= 0.75 * len(both), both
