"""Cost, waits and schemas: what can be told without a server."""

from __future__ import annotations

import email.utils
import time
from typing import Literal

import pytest
from pydantic import BaseModel, ValidationError

from habitus.errors import MissingKeyError, UserError
from habitus.llm import ModelSpec, Prices, ResponseCache, shown_url
from habitus.llm._endpoint import Endpoint, retry_after_s
from habitus.llm._schema import strict_schema
from habitus.types import Usage


def test_cached_tokens_are_paid_once_at_their_own_price() -> None:
    usage = Usage(calls=1, prompt_tokens=5000, cached_tokens=4900, completion_tokens=100)
    assert Prices(input=3.0, cached=0.3, output=15.0).cost_usd(usage) == pytest.approx(0.00327)
    assert Prices(input=3.0, output=15.0).cost_usd(usage) == pytest.approx(0.0165)


def test_retry_after_is_read_in_both_forms() -> None:
    assert retry_after_s("2") == 2
    assert retry_after_s("-5") == 0
    assert retry_after_s(email.utils.formatdate(time.time() + 10, usegmt=True)) == pytest.approx(10, abs=1.5)
    assert retry_after_s(email.utils.formatdate(time.time() - 10, usegmt=True)) == 0
    assert [retry_after_s(text) for text in (None, "", "soon", "nan")] == [None] * 4


def test_a_spec_survives_json_and_refuses_what_it_does_not_know() -> None:
    spec = ModelSpec(model="m", temperature=0.2, extra_body={"top_k": 3}, prices=Prices(input=1, output=2))
    assert ModelSpec.model_validate_json(spec.model_dump_json()) == spec
    with pytest.raises(ValidationError):
        ModelSpec(model="m", temperature=-1)
    with pytest.raises(ValidationError):
        ModelSpec.model_validate({"model": "m", "api_key": "sk-1"})


def test_the_token_bound_bears_the_name_its_server_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    openai = Endpoint(ModelSpec(model="m", max_tokens=9)).body([], None)
    other = Endpoint(ModelSpec(model="m", max_tokens=9, base_url="http://127.0.0.1:1/v1")).body([], None)
    assert openai == {"model": "m", "messages": [], "max_completion_tokens": 9}
    assert other == {"model": "m", "messages": [], "max_tokens": 9}


class Inner(BaseModel):
    kind: Literal["a"] = "a"
    default: str = ""


class Outer(BaseModel):
    properties: list[Inner]
    note: str | None = None


class Free(BaseModel):
    options: dict[str, str]


def test_a_schema_becomes_strict_and_fields_named_like_keywords_stay() -> None:
    schema, strict = strict_schema(Outer.model_json_schema())
    assert strict
    assert schema["required"] == ["properties", "note"]
    assert schema["$defs"]["Inner"]["required"] == ["kind", "default"]
    assert schema["$defs"]["Inner"]["additionalProperties"] is False
    assert "default" not in schema["properties"]["note"]
    assert strict_schema(Free.model_json_schema())[1] is False


def test_a_file_that_is_no_cache_is_named(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "cache.db"
    path.write_text("not a database" * 100)
    with pytest.raises(UserError, match=r"cache\.db is no response cache"):
        ResponseCache(path)


@pytest.mark.parametrize(("url", "shown"), [
    ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
    ("https://ada:hunter2@models.test/v1?key=t0k3n#x", "https://models.test/v1"),
    ("https://ada:p@ss@models.test", "https://models.test"),
    ("https://models.test/users/a@b/v1", "https://models.test/users/a@b/v1"),
    ("ada:hunter2@models.test/v1", "models.test/v1"),
    ("http://ada:hunter2@[::1]:8000/v1", "http://[::1]:8000/v1"),
    ("http://[ada:hunter2@models.test", "http://models.test"),
])
def test_a_url_is_shown_without_user_password_and_query(url: str, shown: str) -> None:
    assert shown_url(url) == shown


def test_a_missing_key_is_told_without_the_urls_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(MissingKeyError, match=r"at https://models\.test/v1: set OPENAI_API_KEY"):
        ModelSpec(model="m", base_url="https://ada:hunter2@models.test/v1?key=t0k3n").key()
