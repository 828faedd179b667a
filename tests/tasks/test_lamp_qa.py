"""The small question set holds what it promises, and official files are read as they are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from habitus.errors import UnknownNameError, UserError
from habitus.judges.words import content_words
from habitus.tasks.lamp_qa import LampQA, load_records, suite
from habitus.types import QATruth

MINI = suite()
OFFICIAL: dict[str, Any] = {
    "id": "0_2_0", "question": "Why?", "narrative": "Because I wonder.", "category": "cooking",
    "rubric_aspects": [{"aspect": "a", "reason": "b", "evidence": "I wonder"}],
    "profile": [{"id": "0_2_0_0", "text": "An old post.", "category": "law"}, {"id": "0_2_0_1", "text": "One more."}],
}


def write(path: Path, *records: Any) -> Path:
    path.write_text(json.dumps(list(records)), encoding="utf-8")
    return path


# --- the small set ----------------------------------------------------------------------------------------------------


def test_there_are_four_questions_in_each_of_three_categories_each_with_a_user_of_its_own() -> None:
    tasks = MINI.tasks()
    assert Counter(t.category for t in tasks) == {
        "Art_and_Entertainment": 4, "Lifestyle_and_Personal_Development": 4, "Society_and_Culture": 4}
    assert len({t.user for t in tasks}) == len({t.query for t in tasks}) == 12
    assert {(t.kind, t.suite, t.data_version) for t in tasks} == {("qa", "lamp-qa-mini", MINI.data_version)}


@pytest.mark.parametrize("brief", MINI.tasks(), ids=lambda brief: brief.id)
def test_each_question_has_posts_over_a_year_and_aspects_that_they_foretell(brief: Any) -> None:
    user, truth = MINI.user(brief.user), MINI.truth(brief.id)
    posts = {record.id: record for record in user.records}
    assert 10 <= len(posts) <= 12
    assert {record.kind for record in user.records} == {"post"}
    times = [record.time for record in user.records if record.time]
    assert len(times) == len(posts)
    assert times == sorted(times)
    assert (times[-1] - times[0]).days > 250
    assert times[-1] < brief.as_of
    assert all(40 <= len(record.text.split()) <= 95 for record in user.records)
    assert 4 <= len(truth.aspects) <= 5
    for aspect in truth.aspects:
        assert aspect.evidence in truth.narrative
    assert len(truth.evidence) >= len(truth.aspects)
    assert set(truth.evidence) < set(posts)
    assert brief.query not in " ".join(record.text for record in user.records)


@pytest.mark.parametrize("brief", MINI.tasks(), ids=lambda brief: brief.id)
def test_the_own_posts_touch_the_aspects_more_than_anybody_elses(brief: Any) -> None:
    def touched(user_id: str) -> float:
        said = content_words(" ".join(record.text for record in MINI.user(user_id).records))
        aspects = [content_words(f"{a.title} {a.evidence}") - content_words(brief.query) for a in truth.aspects]
        return sum(len(terms & said) / len(terms) for terms in aspects)

    truth = MINI.truth(brief.id)
    others = [touched(task.user) for task in MINI.tasks() if task.user != brief.user]
    assert touched(brief.user) > max(others)


def test_no_truth_stands_in_a_brief_or_in_a_users_posts() -> None:
    for brief in MINI.tasks():
        truth = MINI.truth(brief.id)
        seen = brief.model_dump_json() + "".join(MINI.user(t.user).model_dump_json() for t in MINI.tasks())
        assert truth.canary not in seen
        assert truth.narrative not in seen
        assert not [aspect for aspect in truth.aspects if aspect.evidence in seen or aspect.reason in seen]


def test_every_canary_is_of_its_own() -> None:
    assert len({MINI.truth(t.id).canary for t in MINI.tasks()}) == 12


@pytest.mark.parametrize("seed", range(5))
def test_another_users_history_is_a_seeded_derangement(seed: int) -> None:
    given = {t.user: MINI.other_user(t.id, seed=seed) for t in MINI.tasks()}
    assert set(given.values()) == set(given)
    assert not [user for user, other in given.items() if user == other]
    assert given == {t.user: MINI.other_user(t.id, seed=seed) for t in suite(world_seed=9).tasks()}
    assert seed == 0 or given != {t.user: MINI.other_user(t.id, seed=0) for t in MINI.tasks()}


def test_unknown_names_tell_what_there_is() -> None:
    with pytest.raises(UnknownNameError, match="mini_a1"):
        MINI.truth("mini_a11")
    with pytest.raises(UnknownNameError):
        MINI.user("nobody")


# --- official files ---------------------------------------------------------------------------------------------------


def test_official_records_are_read_with_text_ids_and_the_configuration_as_category(tmp_path: Path) -> None:
    write(tmp_path / "Society_and_Culture_test.json", OFFICIAL)
    write(tmp_path / "Art_and_Entertainment_test.json", OFFICIAL | {"id": "1_0_3"})
    (tmp_path / "notes.json").write_text("{}")
    found = suite(data=tmp_path)
    assert [(t.id, t.category) for t in found.tasks()] == [
        ("1_0_3", "Art_and_Entertainment"), ("0_2_0", "Society_and_Culture")]
    brief = found.tasks()[1]
    records = found.user(brief.user).records
    assert [(r.id, r.time, r.meta) for r in records] == [
        ("0_2_0_0", None, {"category": "law"}), ("0_2_0_1", None, {})]
    truth = found.truth("0_2_0")
    assert isinstance(truth, QATruth)
    assert truth.evidence == ()
    assert found.name == "lamp-qa"


def test_the_data_version_changes_with_the_data(tmp_path: Path) -> None:
    one = suite(data=write(tmp_path / "a.json", OFFICIAL)).data_version
    other = suite(data=write(tmp_path / "a.json", OFFICIAL | {"question": "How?"})).data_version
    assert one != other


@pytest.mark.parametrize(("content", "told"), [
    ("[{", "cannot be read as JSON"),
    ('{"id": 1}', "expected one JSON list"),
    (json.dumps([OFFICIAL, OFFICIAL | {"id": 20}]), "question 1, id"),
    (json.dumps([{k: v for k, v in OFFICIAL.items() if k != "narrative"}]), "question 0, narrative"),
    (json.dumps([OFFICIAL | {"rubric_aspects": []}]), "question 0, rubric_aspects"),
    (json.dumps([7]), "question 0, record"),
    (json.dumps([OFFICIAL, OFFICIAL]), "'0_2_0' stands twice"),
])
def test_broken_data_is_named(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(UserError, match=told):
        suite(data=path)


def test_missing_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Art_and_Entertainment_test\.json"):
        suite(data=tmp_path)
    with pytest.raises(UserError, match="nowhere"):
        suite(data=tmp_path / "nowhere.json")


def test_one_question_alone_has_no_other_user(tmp_path: Path) -> None:
    alone = LampQA("x", load_records(write(tmp_path / "a.json", OFFICIAL)), data_version="1")
    with pytest.raises(UserError, match="two users"):
        alone.other_user("0_2_0", seed=0)
