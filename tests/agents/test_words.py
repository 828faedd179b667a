"""Words and numbers are read alike however they are written."""

from __future__ import annotations

import pytest

from habitus.agents.words import contains, is_vague, is_verb, related, singular, tokens


@pytest.mark.parametrize("text", ["2 litre", "2 litres", "2l", "2 L", "two litres"])
def test_a_number_and_its_unit_are_one_word_in_any_spelling(text: str) -> None:
    assert tokens(text) == ("2litre",)


@pytest.mark.parametrize(("text", "expected"), [
    ("Running shoes, EU 42!", ("running", "shoe", "eu", "42")),
    ("at 19:30 for two people", ("at", "19:30", "for", "2person")),
    ("gluten-free options", ("gluten", "free", "option")),
    ("two options", ("two", "option")),
    ("", ()),
])
def test_text_becomes_words_without_case_plural_or_punctuation(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(("word", "expected"), [
    ("berries", "berry"), ("dishes", "dish"), ("boxes", "box"), ("glasses", "glass"), ("jeans", "jean"),
    ("bus", "bus"), ("chassis", "chassis"), ("gas", "gas"),
])
def test_plurals_are_cut_and_other_words_are_not(word: str, expected: str) -> None:
    assert singular(word) == expected


@pytest.mark.parametrize("text", ["my usual milk", "the size I always take", "my go-to place", "in my regular size",
                                  "the one I like best"])
def test_a_habit_spoken_of_is_vague(text: str) -> None:
    assert is_vague(text)


@pytest.mark.parametrize("text", ["a regular shirt in size medium", "oat milk", ""])
def test_what_is_said_outright_is_not_vague(text: str) -> None:
    assert not is_vague(text)


def test_a_part_must_stand_in_one_run() -> None:
    assert contains(tokens("an extra large shirt"), tokens("extra large"))
    assert not contains(tokens("a large, extra soft shirt"), tokens("extra large"))
    assert not contains(tokens("anything"), ())


def test_names_of_one_property_are_related_in_either_spelling() -> None:
    assert related(["cuisine"], ["food"])
    assert related(["colour"], ["color"])
    assert not related(["cuisine"], ["colour"])


@pytest.mark.parametrize("word", ["choose", "choosing", "adding", "delivered", "ordered"])
def test_a_common_verb_is_known_in_its_regular_forms(word: str) -> None:
    assert is_verb(word)


@pytest.mark.parametrize("word", ["seating", "running", "bread", "seeded"])
def test_a_word_that_only_ends_like_one_is_no_verb(word: str) -> None:
    assert not is_verb(word)
