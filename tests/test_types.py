"""The stored forms: round trips, ranges, schemas."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from habitus.types import (
    SCHEMA_VERSION,
    STORED,
    Condition,
    Metric,
    Record,
    Trajectory,
    Usage,
    User,
    WebTruth,
    json_schemas,
)

WORDS = st.text(max_size=30)
TIMES = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(st.none() | st.booleans() | st.integers(-1000, 1000) | WORDS,
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=6)
st.register_type_strategy(datetime, TIMES)


def values(form: type[BaseModel]) -> st.SearchStrategy[BaseModel]:
    """Values of a stored form, built field by field through its own validation."""
    def build(data: dict[str, object]) -> BaseModel | None:
        try:
            return form.model_validate(data)
        except ValidationError:
            return None

    fields = {}
    for name, info in form.model_fields.items():
        strategy = field_values(info.annotation)
        if not info.is_required():
            strategy = st.just(info.get_default(call_default_factory=True)) | strategy
        fields[name] = strategy
    return st.fixed_dictionaries(fields).map(build).filter(lambda value: value is not None)


def field_values(annotation: object) -> st.SearchStrategy[object]:
    """Values of one field's type."""
    origin, arguments = getattr(annotation, "__origin__", None), getattr(annotation, "__args__", ())
    if annotation in (float,):
        return NUMBERS
    if annotation is int:
        return st.integers(0, 10_000)
    if annotation is bool:
        return st.booleans()
    if annotation is str:
        return WORDS
    if annotation is datetime or "AwareDatetime" in str(annotation):
        return TIMES | st.none() if "None" in str(annotation) else TIMES
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return values(annotation)
    if origin is tuple:
        return st.lists(field_values(arguments[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(WORDS, JSON if "Any" in str(arguments[1]) else field_values(arguments[1]), max_size=3)
    if arguments and str(annotation).startswith("typing.Literal"):
        return st.sampled_from(arguments)
    if arguments:
        return st.one_of(*(field_values(argument) for argument in arguments))
    return st.none()


@pytest.mark.parametrize("form", STORED, ids=lambda form: form.__name__)
def test_a_stored_form_reads_back_equal(form: type[BaseModel]) -> None:
    @settings(max_examples=25, deadline=None)
    @given(values(form))
    def check(value: BaseModel) -> None:
        assert form.model_validate_json(value.model_dump_json()) == value

    check()


def test_every_stored_form_has_a_schema_with_its_version() -> None:
    schemas = json_schemas()
    assert set(schemas) == {form.__name__ for form in STORED}
    for schema in schemas.values():
        assert schema["type"] == "object"
        assert str(SCHEMA_VERSION) in schema["$comment"]
        json.dumps(schema)


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError):
        Record.model_validate({"id": "r1", "kind": "purchase", "text": "x", "truth": "leak"})


def test_a_brief_never_holds_a_truth() -> None:
    brief_fields = set(json_schemas()["TaskBrief"]["properties"])
    assert not brief_fields & {"slots", "truth", "outcome", "aspects", "narrative", "canary"}
    assert "Truth" not in json.dumps(Trajectory.model_json_schema()).replace("truth_hash", "").replace("Truth Hash", "")


@pytest.mark.parametrize(("op", "value", "found", "holds"), [
    ("eq", "oat", "oat", True), ("eq", "oat", "soya", False), ("eq", 1.0, True, False),
    ("in", ("a", "b"), "b", True), ("in", ("a", "b"), "c", False),
    ("le", 4.0, 3.5, True), ("le", 4.0, 4.5, False), ("ge", 4.0, 4.0, True), ("ge", 4.0, "5", False),
    ("has", "gym", ("gym", "pool"), True), ("has", "gym", ("pool",), False), ("has", "gym", "gym", True),
    ("lacks", "gym", ("pool",), True), ("lacks", "gym", ("gym",), False),
])
def test_a_condition_holds(op: str, value: object, found: object, holds: bool) -> None:
    condition = Condition.model_validate({"attribute": "a", "op": op, "value": value})
    assert condition.holds({"a": found}) is holds


def test_a_thing_without_the_attribute_passes_only_lacks() -> None:
    for op in ("eq", "in", "le", "ge", "has"):
        assert not Condition.model_validate({"attribute": "a", "op": op, "value": "x"}).holds({})
    assert Condition(attribute="a", op="lacks", value="x").holds({})


def test_a_metric_out_of_range_or_unscored_with_a_value_is_refused() -> None:
    with pytest.raises(ValidationError):
        Metric(value=1.2)
    with pytest.raises(ValidationError):
        Metric(verdict="invalid", value=0.0)
    assert Metric(verdict="invalid").value is None


def test_costs_add_up_and_unknown_stays_unknown() -> None:
    assert (Usage(calls=1) + Usage(calls=2)).cost_usd is None
    assert (Usage(cost_usd=0.5) + Usage()).cost_usd == 0.5


def test_the_embedded_key_is_type_and_object() -> None:
    assert Record(id="r", kind="purchase", text="oat milk", meta={"website": "x.test"}).key == "purchase: oat milk"
    assert User(id="u", records=()).profile == ""


def test_the_truth_needs_conditions() -> None:
    with pytest.raises(ValidationError):
        WebTruth.model_validate({"task_id": "t", "data_version": "1", "canary": "c", "outcome": {"act": "basket"},
                                 "slots": [{"kind": "website", "key": "k", "value": "v", "conditions": []}]})
