"""A request is read for what it asks, states and leaves open."""

from __future__ import annotations

import pytest

from habitus.agents.reflex.request import read_request
from habitus.agents.reflex.wants import questions

VAGUE = (
    "At my usual grocery shop, put the kind of milk I normally buy in my usual pack size into the basket. Do not pay."
)


def test_each_vague_phrase_is_a_need_of_its_kind() -> None:
    needs = read_request(VAGUE).needs
    assert [need.kind for need in needs] == ["website", "preference", "preference"]
    assert [need.phrase for need in needs] == [
        "my usual grocery shop", "put the kind of milk I normally buy", "my usual pack size",
    ]


def test_each_need_has_a_query_of_its_own_that_names_the_thing() -> None:
    queries = [question.query for question in questions(read_request(VAGUE))]
    assert len(queries) == len(set(queries)) == 4
    assert all("milk" in query for query in queries[:3])


@pytest.mark.parametrize(("text", "verb"), [
    ("Organise a picnic basket in my usual size", "organise"),
    ("At my usual shop, assemble the bookcase that matches my usual style", "assemble"),
    ("Find a menu that respects my usual diet", "respect"),
    ("Get tea in the strength I usually brew", "brew"),
    ("A room in Porto, checking in on 12 March", "checking"),
])
def test_a_verb_is_known_by_where_it_stands_and_never_asked_for(text: str, verb: str) -> None:
    request = read_request(text)
    assert verb not in {word for noun in request.nouns for word in noun}
    assert verb not in " ".join(question.query for question in questions(request)).split()


@pytest.mark.parametrize(("text", "noun"), [
    (VAGUE, ("milk",)),
    ("Book a hotel in Lisbon for 12 March with my usual amenity", ("hotel",)),
    ("Make a booking draft in Porto for a hotel with my usual meal plan", ("hotel",)),
    ("Order running shoes in my normal size on my go-to site", ("running", "shoe")),
    ("On my usual table booking site, reserve a table at a restaurant that suits my usual diet", ("restaurant",)),
    ("Find almond milk that matches my usual flavor, then add one to cart", ("almond", "milk")),
])
def test_the_thing_asked_for_is_found_wherever_it_stands(text: str, noun: tuple[str, ...]) -> None:
    assert read_request(text).nouns[0] == noun


def test_address_and_postcode_are_taken_from_the_text() -> None:
    request = read_request("At green.test, add oat milk in the 2 litre pack. Do not pay. (Leeds, LS1 4AP)")
    assert (request.host, request.postcode) == ("green.test", "LS1 4AP")
    assert ("the", "2litre", "pack") in request.stated
    assert not request.needs
    assert [q.need.kind for q in questions(request)] == [], "everything is said"


def test_a_shop_may_be_named_without_an_address() -> None:
    assert read_request("On Green Larder, put milk in the trolley").shops == ("Green Larder",)


@pytest.mark.parametrize("text", ["", "   ", "my usual", "?!", "x" * 5000, "\u202e\x00 at at at"])
def test_any_text_is_a_request(text: str) -> None:
    request = read_request(text)
    assert request.nouns
    questions(request)


def test_queries_are_in_the_words_of_the_request() -> None:
    queries = [question.query for question in questions(read_request("Add pyjamas in my usual size to the basket"))]
    assert queries[0] == "pyjamas size"
