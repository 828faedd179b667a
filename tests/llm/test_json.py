"""JSON out of a model's text, also where the text means harm."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from habitus.errors import ModelReplyError
from habitus.llm import parse_json
from habitus.llm._json import first_object, split_thinking


class Act(BaseModel):
    action: str


@pytest.mark.parametrize("text", [
    '{"action": "x"', '{"action": "x', '{"inner": {"action": "x"}, "more": ', "", "none", '["action"]', '{"action": 1}',
    "{'action': 'x'}", '{"action": NaN}', '{"action": ' + "9" * 5000 + "}", '<think>{"action": "x"}', '{"Action": "x"}',
])
def test_what_is_no_complete_fitting_object_is_refused(text: str) -> None:
    with pytest.raises(ModelReplyError):
        parse_json(text, Act)


@pytest.mark.parametrize("text", [
    "{" * 500_000, '{"a":' * 200_000, '{"a":[' * 100_000, '"' * 900_000, '{"' * 400_000, "{}" + "x" * 2_000_000,
    "{ " * 400_000, "```json\n" * 100_000, "<think>" * 100_000,
])
def test_hostile_size_and_depth_end_soon_in_an_error(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ModelReplyError):
        parse_json(text, Act)
    assert time.process_time() - started < 2


def test_a_fault_says_where_and_what() -> None:
    with pytest.raises(ModelReplyError, match=r"action: Input should be a valid string"):
        parse_json('{"action": 1}', Act)


def test_line_breaks_inside_a_string_are_forgiven() -> None:
    assert parse_json('{"action": "a\nb"}', Act).action == "a\nb"


def test_thinking_is_set_apart_and_text_that_speaks_of_it_is_not() -> None:
    assert split_thinking("<think>a</think> b") == ("a", "b")
    assert split_thinking("a</think>b") == ("a", "b")
    assert split_thinking("<think>never closed") == ("never closed", "")
    assert split_thinking('{"action": "</think>"}') == ("", '{"action": "</think>"}')


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(), st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)),
       st.text(alphabet=st.characters(exclude_characters="{", codec="utf-8")))
def test_any_object_is_found_behind_any_prose(value: dict[str, object], prose: str) -> None:
    import json

    assert first_object(prose + json.dumps(value) + prose) == value
