"""The query sets of the local population: levels, masking, evidence, solvability, opposites, determinism."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from habitus.envs.world import Item, build_world, find_items
from habitus.errors import UnknownNameError
from habitus.tasks.persona2web import LocalPersona2Web, suite
from habitus.types import AttributeValue, Slot, Suite, TaskBrief, WebTruth

SEEDS = (0, 1, 7)


@pytest.fixture(params=SEEDS)
def local(request: pytest.FixtureRequest) -> LocalPersona2Web:
    return suite(world_seed=request.param)


def pairs(local: LocalPersona2Web, level: int | None = None) -> list[tuple[TaskBrief, WebTruth]]:
    return [(brief, local.truth(brief.id)) for brief in local.tasks() if level in (None, brief.level)]


def preferences(truth: WebTruth) -> list[Slot]:
    return [slot for slot in truth.slots if slot.kind == "preference"]


def mentions(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value.lower())}(?!\w)", text.lower()) is not None


def test_there_are_three_sets_a_user_in_three_levels(local: LocalPersona2Web) -> None:
    accepted: Suite = local
    assert accepted.name == "persona2web"
    briefs = local.tasks()
    assert len(briefs) == len({brief.id for brief in briefs}) == 54
    assert Counter(brief.user for brief in briefs) == {f"u{n}": 9 for n in range(1, 7)}
    assert Counter(brief.level for brief in briefs) == {0: 18, 1: 18, 2: 18}
    assert all(count >= 12 for count in Counter(brief.category for brief in briefs).values())
    for brief in briefs:
        assert re.fullmatch(rf"p2w-{brief.user}-[abc]-L{brief.level}", brief.id)
        assert brief.data_version == local.data_version == local.truth(brief.id).data_version
        assert brief.start_url == local.world.start_url
        assert brief.world_seed == local.world.seed


def test_a_truth_has_a_site_two_preferences_and_a_location_where_needed(local: LocalPersona2Web) -> None:
    for brief, truth in pairs(local):
        kinds = [slot.kind for slot in truth.slots]
        located = brief.category in ("groceries", "restaurants")
        assert kinds == ["website", "preference", "preference", *(["location"] if located else [])]
        acts = {"groceries": "basket", "apparel": "basket", "hotels": "booking", "restaurants": "reservation"}
        assert truth.outcome.act == acts[brief.category]
        assert truth.outcome.wishes[0].attribute == "product"
        given = {0: kinds, 1: ["preference", "preference"], 2: []}[brief.level or 0]
        assert [slot.kind for slot in truth.slots if slot.given] == given


def test_level_two_masks_every_value_and_holds_every_phrase(local: LocalPersona2Web) -> None:
    for brief, truth in pairs(local, 2):
        for slot in truth.slots:
            assert not mentions(brief.query, slot.value), (brief.query, slot.value)
            assert slot.phrase.lower() in brief.query.lower()
        for place in local.world.places:
            assert not mentions(brief.query, place.city)
            assert place.postcode not in brief.query


def test_level_one_tells_the_preferences_but_no_site_and_no_place(local: LocalPersona2Web) -> None:
    for brief, truth in pairs(local, 1):
        for slot in preferences(truth):
            assert mentions(brief.query, slot.value)
        for site in local.world.sites:
            assert site.host not in brief.query
            assert not mentions(brief.query, site.name)
        for place in local.world.places:
            assert place.postcode not in brief.query


def test_level_zero_tells_everything(local: LocalPersona2Web) -> None:
    for brief, truth in pairs(local, 0):
        for slot in truth.slots:
            value = str(slot.conditions[0].value) if slot.kind == "website" else slot.value
            assert mentions(brief.query, value)
        location = [slot.value for slot in truth.slots if slot.kind == "location"]
        assert [value for value in location if not brief.query.endswith(f" ({value})")] == []
        assert bool(location) == brief.query.endswith(")")


def test_every_level_states_the_wishes_and_the_end(local: LocalPersona2Web) -> None:
    for brief, truth in pairs(local):
        for wish in truth.outcome.wishes:
            assert mentions(brief.query, str(wish.value))
        assert mentions(brief.query, "basket" if truth.outcome.act == "basket" else f"{truth.outcome.act} draft")


def test_no_canary_and_no_hash_of_the_truth_is_in_a_brief_or_a_history(local: LocalPersona2Web) -> None:
    canaries = [truth.canary for _, truth in pairs(local)]
    assert len(set(canaries)) == 54
    assert all(canary.startswith("habitus-canary-") for canary in canaries)
    seen = "".join(brief.model_dump_json() for brief in local.tasks())
    seen += "".join(local.user(persona.id).model_dump_json() for persona in local.people)
    assert "canary" not in seen


def test_evidence_names_product_and_value_and_is_no_later_than_the_asking(local: LocalPersona2Web) -> None:
    for brief, truth in pairs(local):
        by_id = {record.id: record for record in local.user(brief.user).records}
        product = str(truth.outcome.wishes[0].value)
        for slot in truth.slots:
            assert len(slot.evidence) >= 3
            assert len(set(slot.evidence)) == len(slot.evidence)
            for entry in slot.evidence:
                record = by_id[entry]
                assert record.time is not None
                assert record.time <= brief.as_of
                if slot.kind == "website":
                    assert record.meta["website"] == slot.conditions[0].value
                elif slot.kind == "preference":
                    assert mentions(record.text, product)
                    assert mentions(record.text, slot.value)
                else:
                    assert mentions(record.text, str(slot.conditions[0].value))


def test_no_entry_of_an_errand_for_oneself_with_the_value_is_missing_from_the_evidence(
    local: LocalPersona2Web,
) -> None:
    """Read again from the texts: what names product and trait outright and is no gift or one-off bears it out."""
    aside = re.compile(r"hamper|gift|present|Birthday|Get-well|fair|guests|party|colleagues|fence|, [A-Z]")
    for brief, truth in pairs(local, 2):
        product, slot = str(truth.outcome.wishes[0].value), preferences(truth)[0]
        if slot.conditions[0].attribute not in ("variety", "label", "fit", "colour", "material"):
            continue
        for record in local.user(brief.user).records:
            if f"{slot.value} {product}" in record.text.lower() and not aside.search(record.text):
                assert record.id in slot.evidence, record


def chosen(item: Item, options: dict[str, str]) -> dict[str, AttributeValue]:
    return {**item.attributes, **options}


def first_options(item: Item) -> dict[str, str]:
    return {variant.key: variant.options[0] for variant in item.variants}


def test_every_task_can_be_solved_on_the_expected_site(local: LocalPersona2Web) -> None:
    for _, truth in pairs(local):
        site = local.world.site(str(truth.slots[0].conditions[0].value))
        assert site is not None
        home = [slot.conditions[0].value for slot in truth.slots if slot.kind == "location"]
        place = next((place for place in local.world.places if [place.city] == home), None)
        wanted = [*truth.outcome.wishes, *(c for slot in preferences(truth) for c in slot.conditions)]
        options = {str(c.attribute): str(c.value) for c in wanted}
        solved = [
            item
            for item in find_items(site, str(truth.outcome.wishes[0].value), {}, location=place)
            for variants in [{v.key: options[v.key] for v in item.variants if options.get(v.key) in v.options}]
            if all(condition.holds(chosen(item, variants)) for condition in wanted)
        ]
        assert solved


def test_what_comes_first_with_its_first_options_solves_no_task(local: LocalPersona2Web) -> None:
    for brief, truth in pairs(local):
        trait, choice = (slot.conditions[0] for slot in preferences(truth))
        for site in local.world.rivals(brief.category):  # type: ignore[arg-type]
            for place in (None, *local.world.places):
                for item in find_items(site, str(truth.outcome.wishes[0].value), {}, location=place)[:1]:
                    assert not choice.holds(chosen(item, first_options(item)))
        home = next(p.home for p in local.people if p.id == brief.user)
        usual = local.world.site(str(truth.slots[0].conditions[0].value))
        assert usual is not None
        for item in find_items(usual, str(truth.outcome.wishes[0].value), {}, location=home)[:1]:
            assert not trait.holds(item.attributes)


@settings(max_examples=20, deadline=None)
@given(world_seed=st.integers(min_value=0, max_value=7), seed=st.integers())
def test_another_user_differs_in_every_slot_and_nobody_stands_in_twice(world_seed: int, seed: int) -> None:
    local = suite(world_seed=world_seed)
    people = {persona.id: persona for persona in local.people}
    errands = {f"p2w-{errand.persona.id}-{errand.letter}": errand for errand in local.errands}
    given_to: dict[str, list[str]] = {}
    for brief, truth in pairs(local):
        other = people[local.other_user(brief.id, seed=seed)]
        topic = errands[brief.id[:-3]].topic
        assert other.id != brief.user
        site, trait, choice, *location = truth.slots
        assert other.sites[topic.domain] != site.conditions[0].value
        assert other.habits[topic].trait != trait.value
        assert other.habits[topic].choice != choice.value
        assert all(other.home.city != slot.conditions[0].value for slot in location)
        records = " ".join(record.text.lower() for record in local.user(other.id).records)
        assert mentions(records, other.habits[topic].trait)
        given_to.setdefault(brief.id[6:], []).append(other.id)
    assert all(sorted(others) == sorted(people) for others in given_to.values())


def test_another_seed_gives_another_derangement() -> None:
    local = suite()
    asked = [brief.id for brief in local.tasks() if brief.level == 2]
    dealt = {tuple(local.other_user(task, seed=seed) for task in asked) for seed in range(6)}
    assert len(dealt) > 1


def test_an_unknown_task_or_user_is_named_with_what_exists() -> None:
    with pytest.raises(UnknownNameError, match="p2w-u1-a-L2"):
        suite().truth("p2w-u1-a-L9")
    with pytest.raises(UnknownNameError, match="u1"):
        suite().user("u9")


def test_the_same_seed_gives_the_same_bytes_in_another_process() -> None:
    code = (
        "from habitus.tasks.persona2web import suite; s = suite(world_seed=3);"
        "import hashlib; h = hashlib.sha256();"
        "[h.update((b.model_dump_json() + s.truth(b.id).model_dump_json() + s.other_user(b.id, seed=5)).encode())"
        " for b in s.tasks()]; [h.update(s.user(p.id).model_dump_json().encode()) for p in s.people];"
        "print(s.data_version, h.hexdigest())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(outputs) == 1
    assert suite(world_seed=3).data_version in outputs.pop()


def test_another_seed_changes_people_things_queries_and_version() -> None:
    one, other = suite(world_seed=0), suite(world_seed=1)
    assert one.data_version != other.data_version
    assert one.data_version.startswith("local-1-w0-")
    assert {persona.name for persona in one.people} != {persona.name for persona in other.people}
    assert not {brief.query for brief in one.tasks()} & {brief.query for brief in other.tasks()}


def test_the_suite_is_built_once_and_again_equal() -> None:
    assert suite(world_seed=2) is suite(world_seed=2)
    again = LocalPersona2Web(build_world(2))
    assert again.data_version == suite(world_seed=2).data_version
    assert again.tasks() == suite(world_seed=2).tasks()
