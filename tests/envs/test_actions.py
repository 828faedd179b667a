"""Actions: one definition, three forms; whatever else arrives is told what was wrong."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habitus.envs.actions import (
    ActionBase,
    ActionSet,
    Back,
    Click,
    CloseTab,
    Fill,
    Goto,
    InvalidActionError,
    Press,
    QueryHistory,
    Scroll,
    Select,
    Stop,
    SwitchTab,
    Wait,
    parse_action,
)

TEXT = st.text(max_size=60)
REF = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,15}", fullmatch=True)
ACTIONS = st.one_of(
    st.builds(Click, ref=REF),
    st.builds(Fill, ref=REF, text=TEXT, submit=st.booleans()),
    st.builds(Select, ref=REF, option=TEXT),
    st.builds(Press, key=st.text(min_size=1, max_size=20)),
    st.builds(Scroll, direction=st.sampled_from(["up", "down"])),
    st.builds(Goto, url=st.text(min_size=1, max_size=60)),
    st.just(Back()), st.just(CloseTab()),
    st.builds(SwitchTab, index=st.integers(0, 100)),
    st.builds(Wait, seconds=st.floats(0.1, 10)),
    st.builds(QueryHistory, query=st.text(min_size=1, max_size=60)),
    st.builds(Stop, answer=TEXT),
)


@given(ACTIONS)
def test_text_mapping_and_tool_call_read_back_equal(action: ActionBase) -> None:
    fields = action.model_dump()
    arguments = {key: value for key, value in fields.items() if key != "name"}
    assert parse_action(str(action)) == action
    assert parse_action(fields) == action
    assert parse_action({"function": {"name": action.name, "arguments": json.dumps(arguments)}}) == action
    assert parse_action({"name": action.name, "arguments": arguments}) == action
    assert parse_action(action) is action


@given(st.one_of(TEXT, st.integers(), st.none(), st.lists(TEXT), st.dictionaries(TEXT, TEXT), st.binary()))
def test_whatever_else_arrives_is_an_invalid_action_and_nothing_else(raw: object) -> None:
    try:
        action = parse_action(raw)
    except InvalidActionError:
        return
    assert isinstance(action, ActionBase)


@pytest.mark.parametrize(("text", "says"), [
    ("click(e1", "write one call"),
    ("clik(e1)", "there is: click"),
    ("click()", "write click(ref)"),
    ("click(e1, e2)", "1 arguments at most"),
    ('fill(e1, "x", colour="red")', "no free argument 'colour'"),
    ("click(__import__('os').system('true'))", "text in quotes"),
    ("click('not a ref!')", "ref"),
    ("switch_tab(-1)", "greater than or equal"),
    ("click(e1); click(e2)", "write one call"),
    ("(" * 3000, "write one call"),
    ("[" * 500 + "]" * 500, "write one call"),
])
def test_a_broken_text_is_told_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(InvalidActionError, match=says.replace("(", r"\(").replace(")", r"\)")):
        parse_action(text)


def test_a_bare_ref_needs_no_quotes() -> None:
    assert parse_action("click(e12)") == Click(ref="e12")


def test_a_set_refuses_what_it_does_not_offer() -> None:
    with pytest.raises(InvalidActionError, match="not offered"):
        ActionSet.question().parse("click(e1)")


def test_every_offered_action_has_a_tool_and_a_line() -> None:
    actions = ActionSet.web()
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in actions.tools()}
    assert set(tools) == set(actions.offered)
    assert all("name" not in schema["properties"] for schema in tools.values())
    assert tools["fill"]["required"] == ["ref", "text"]
    assert len(actions.describe().splitlines()) == len(actions.offered)
