"""The chat model against a local server that speaks the OpenAI protocol, well and badly."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from chat_server import ChatServer, Step, error, tool_call
from habitus.errors import ContextOverflowError, MissingKeyError, ModelError, ModelReplyError, UnknownNameError
from habitus.llm import Budget, BudgetSpentError, ChatModel, ModelSpec, Prices, Reply, ResponseCache, calls_of


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    action: str
    score: int = Field(ge=0, le=3)
    sure: Literal["yes", "no"] = "yes"


GOOD = {"action": "stop()", "score": 2, "sure": "no"}
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Judge this."}]


def spec(server: ChatServer, **fields: Any) -> ModelSpec:
    return ModelSpec(model="scripted", base_url=server.base_url, timeout_s=30, **fields)


def ask(server: ChatServer, **fields: Any) -> Reply[Verdict]:
    return asyncio.run(ChatModel(spec(server, **fields)).ask(MESSAGES, role="judge", schema=Verdict, prompt="p@1"))


@pytest.mark.parametrize("reply", [
    json.dumps(GOOD),
    f"```json\n{json.dumps(GOOD)}\n```",
    f"Here it is, with {{braces}}:\n```\n{json.dumps(GOOD)}\n```\nGood luck!",
    f"<think>\nThe user wants {{braces}} and \"quotes\".\n</think>\n{json.dumps(GOOD)}",
    f"so, {{\"action\": 1}} will not do</think>{json.dumps(GOOD)}",
    f"{json.dumps(GOOD)}\n{json.dumps(GOOD | {'action': 'noop()'})}",
])
def test_the_first_complete_object_is_taken_whatever_surrounds_it(reply: str) -> None:
    with ChatServer([reply]) as server:
        got = ask(server)
        assert got.value == Verdict(**GOOD)
        assert len(server.requests) == 1


def test_a_tool_call_answers_with_its_arguments() -> None:
    with ChatServer([tool_call("verdict", GOOD)]) as server:
        assert ask(server).value == Verdict(**GOOD)


def test_the_call_is_recorded_whole() -> None:
    with ChatServer(["<think>hm</think>" + json.dumps(GOOD)]) as server:
        (call,) = ask(server, prices=Prices(input=3.0, output=15.0)).calls
    assert (call.role, call.model, call.prompt) == ("judge", "scripted", "p@1")
    assert call.messages == tuple(MESSAGES)
    assert (call.reply, call.reasoning) == (json.dumps(GOOD), "hm")
    assert (call.usage.calls, call.usage.prompt_tokens, call.usage.completion_tokens) == (1, 100, 10)
    assert call.usage.cost_usd == pytest.approx((100 * 3 + 10 * 15) / 1e6)
    assert call.latency_s > 0
    assert call.retries == 0


@pytest.mark.parametrize("form", ["1", "date+2"])
def test_a_rate_limit_is_waited_for_as_told_and_not_counted_as_work(form: str) -> None:
    limited = error(429, "Rate limit reached", headers={"Retry-After": form})
    with ChatServer([limited, GOOD]) as server:
        started = time.perf_counter()
        (call,) = ask(server).calls
        wall_s = time.perf_counter() - started
        gap = server.times[1] - server.times[0]
    assert gap >= 0.95
    assert call.waited_s > 0.5
    assert call.latency_s + call.waited_s <= wall_s
    assert call.retries == 1


def test_a_wait_longer_than_is_sensible_is_not_waited() -> None:
    with ChatServer([error(429, "come back tomorrow", headers={"Retry-After": "86400"})]) as server:
        with pytest.raises(ModelError, match="asks to wait 86400 s"):
            ask(server)
        assert len(server.requests) == 1


@pytest.mark.parametrize("bad", [
    error(500, "oops"), Step(status=503, body="overloaded"), Step(reset=True), Step(raw="<html>proxy</html>"),
    Step(choices=[]), Step(reply=""), Step(body={"error": {"message": "upstream died", "code": 502}}),
    Step(message={"role": "assistant", "content": None, "reasoning_content": json.dumps(GOOD), "tool_calls": []}),
])
def test_a_passing_fault_is_retried(bad: Step) -> None:
    with ChatServer([bad, GOOD]) as server:
        (call,) = ask(server).calls
        assert call.retries == 1
        assert len(server.requests) == 2


def test_empty_replies_are_counted_and_thinking_is_never_the_answer() -> None:
    thought = Step(message={"role": "assistant", "content": None, "reasoning_content": json.dumps(GOOD)})
    with ChatServer([thought, thought, GOOD | {"action": "third"}]) as server:
        got = ask(server)
    assert got.value.action == "third"
    assert got.calls[0].usage.calls == 3
    assert got.calls[0].usage.prompt_tokens == 300


def test_reply_that_stays_empty_is_the_models_failure() -> None:
    with ChatServer([Step(message={"role": "assistant", "content": None})]) as server:
        with pytest.raises(ModelReplyError, match="empty reply") as caught:
            ask(server, max_retries=1)
        assert len(server.requests) == 2
    assert caught.value.failure().infrastructure is False
    assert calls_of(caught.value)[0].usage.calls == 2


def test_a_server_error_that_stays_is_an_infrastructure_failure_with_its_calls() -> None:
    with ChatServer([error(500, "oops")]) as server:
        with pytest.raises(ModelError, match="answered 500") as caught:
            ask(server, max_retries=1)
        assert len(server.requests) == 2
    assert caught.value.failure().infrastructure is True
    (call,) = calls_of(caught.value)
    assert (call.retries, call.reply) == (1, "")
    assert "500" in call.error


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refused_request_is_not_sent_again(status: int) -> None:
    with ChatServer([error(status, "no")]) as server:
        with pytest.raises(ModelError, match=f"answered {status}"):
            asyncio.run(ChatModel(spec(server)).text(MESSAGES, role="judge"))
        assert len(server.requests) == 1


def test_a_hang_ends_by_the_timeout() -> None:
    with ChatServer([Step(reply="late", delay=3)]) as server:
        model = ChatModel(ModelSpec(model="m", base_url=server.base_url, timeout_s=0.3, max_retries=1))
        with pytest.raises(ModelError, match=r"within 0\.3 s") as caught:
            asyncio.run(model.text(MESSAGES, role="judge"))
        assert len(server.requests) == 2
    assert calls_of(caught.value)[0].latency_s < 5


def test_a_cut_off_reply_is_asked_for_once_more_and_then_an_error() -> None:
    cut = Step(reply='{"action": "stop()", "sco', finish_reason="length")
    with ChatServer([cut, GOOD]) as server:
        assert len(ask(server).calls) == 2
        assert server.requests[0] == server.requests[1]
    with ChatServer([cut]) as server:
        with pytest.raises(ModelReplyError, match="max_tokens is 7") as caught:
            ask(server, max_tokens=7)
        assert len(server.requests) == 2
    assert [bool(call.error) for call in calls_of(caught.value)] == [True, True]


def test_a_refusal_is_an_error_at_once() -> None:
    with ChatServer([Step(message={"role": "assistant", "content": None, "refusal": "I cannot help."})]) as server:
        with pytest.raises(ModelReplyError, match="refused: I cannot help"):
            ask(server)
        assert len(server.requests) == 1


@pytest.mark.parametrize("wrong", [
    GOOD | {"score": "2"}, GOOD | {"score": True}, GOOD | {"score": 9}, GOOD | {"sure": "maybe"}, {"action": {}},
    GOOD | {"more": 1}, "I think we should click.", "[1, 2]",
])
def test_a_reply_against_the_schema_is_told_what_was_wrong_and_asked_once_more(wrong: Any) -> None:
    with ChatServer([wrong, GOOD]) as server:
        got = ask(server)
        assert got.value == Verdict(**GOOD)
        assert got.calls[0].error
        assert server.requests[1]["messages"][-2]["role"] == "assistant"
        assert got.calls[0].error in server.requests[1]["messages"][-1]["content"]
    with ChatServer([wrong]) as server:
        with pytest.raises(ModelReplyError, match="no usable Verdict") as caught:
            ask(server)
        assert len(server.requests) == 2
    assert len(calls_of(caught.value)) == 2


def refuses(*kinds: str) -> Callable[[dict[str, Any]], Any]:
    """A server that knows no response format of these kinds."""
    def answer(request: dict[str, Any]) -> Any:
        form = request.get("response_format")
        kind = "none" if form is None else form["type"] + ("+schema" if "schema" in form else "")
        return error(400, "The provided JSON schema is not supported.") if kind in kinds else GOOD
    return answer


@pytest.mark.parametrize(("refused", "settled"), [
    ((), "json_schema"),
    (("json_schema",), "json_object"),
    (("json_schema", "json_object+schema"), "json_object"),
    (("json_schema", "json_object+schema", "json_object"), None),
])
def test_a_refused_schema_steps_down_once_and_is_remembered(refused: tuple[str, ...], settled: str | None) -> None:
    with ChatServer(refuses(*refused)) as server:
        model = ChatModel(spec(server))

        async def twice() -> None:
            await model.ask(MESSAGES, role="judge", schema=Verdict)
            await model.ask(MESSAGES, role="judge", schema=Verdict)

        asyncio.run(twice())
        assert len(server.requests) == len(refused) + 2
        last = server.requests[-1]
    assert (last.get("response_format") or {}).get("type") == settled
    told_in_words = "JSON Schema" in last["messages"][-1]["content"]
    assert told_in_words == (settled != "json_schema")


def test_a_request_refused_in_every_form_is_an_error_with_all_calls_and_nothing_is_remembered() -> None:
    with ChatServer([error(400, "bad"), error(400, "bad"), error(400, "bad"), error(400, "bad"), GOOD]) as server:
        model = ChatModel(spec(server))
        with pytest.raises(ModelError) as caught:
            asyncio.run(model.ask(MESSAGES, role="judge", schema=Verdict))
        assert len(calls_of(caught.value)) == 4
        asyncio.run(model.ask(MESSAGES, role="judge", schema=Verdict))
        assert server.requests[-1]["response_format"]["type"] == "json_schema"


def test_the_schema_sent_is_strict() -> None:
    with ChatServer([GOOD]) as server:
        ask(server)
        sent = server.requests[0]["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert sent["schema"]["additionalProperties"] is False
    assert sorted(sent["schema"]["required"]) == ["action", "score", "sure"]


@pytest.mark.parametrize("message", [
    "This model's maximum context length is 4096 tokens. However, your messages resulted in 9034 tokens.",
    "Requested tokens (9034) exceed context window of 4096",
])
def test_a_prompt_too_long_is_named_so_and_not_sent_again(message: str) -> None:
    with ChatServer([error(400, message)]) as server:
        with pytest.raises(ContextOverflowError, match="longer than the model's window") as caught:
            ask(server)
        assert len(server.requests) == 1
    assert calls_of(caught.value)


def test_no_server_is_an_error_that_says_where_and_what_to_do() -> None:
    with ChatServer(["x"]) as server:
        gone = server.base_url
    model = ChatModel(ModelSpec(model="m", base_url=gone, max_retries=1))
    with pytest.raises(ModelError, match="Check that the server runs") as caught:
        asyncio.run(model.text(MESSAGES, role="judge"))
    assert gone in str(caught.value)
    with pytest.raises(MissingKeyError, match="Check that the server runs"):
        asyncio.run(model.check())


def test_a_model_the_server_does_not_serve_names_the_near_one() -> None:
    with ChatServer(["hi"], models=("llama3:latest", "qwen3-8b")) as server:
        for known in ("llama3", "qwen3-8b"):
            asyncio.run(ChatModel(ModelSpec(model=known, base_url=server.base_url)).check())
        with pytest.raises(UnknownNameError, match="Did you mean 'qwen3-8b'"):
            asyncio.run(ChatModel(ModelSpec(model="qwen3-9b", base_url=server.base_url)).check())


def test_a_missing_key_names_its_variable_and_a_local_server_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(MissingKeyError, match="set SOME_KEY"):
        ChatModel(ModelSpec(model="m", base_url="https://api.example.test/v1", api_key_env="SOME_KEY"))
    with ChatServer(["hi"]) as server:
        model = ChatModel(spec(server, api_key_env="SOME_KEY"))
        asyncio.run(model.check())
        assert asyncio.run(model.text(MESSAGES, role="agent")).value == "hi"


def test_the_key_is_sent_and_stands_in_no_record(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-secret-123")
    cache = ResponseCache(tmp_path / "cache.db")
    with ChatServer([GOOD]) as server:
        model = ChatModel(spec(server, api_key_env="SOME_KEY"), cache=cache)
        got = asyncio.run(model.ask(MESSAGES, role="judge", schema=Verdict))
        assert server.headers[0]["authorization"] == "Bearer sk-secret-123"
    cache.close()
    assert "sk-secret" not in got.calls[0].model_dump_json() + model.spec.model_dump_json()
    assert all(b"sk-secret" not in file.read_bytes() for file in tmp_path.iterdir())


def test_a_cached_reply_costs_nothing_and_an_unusable_one_is_never_kept(tmp_path: Any) -> None:
    cache = ResponseCache(tmp_path / "cache.db")
    with ChatServer(["nonsense", GOOD]) as server:
        model = ChatModel(spec(server), cache=cache)
        first = asyncio.run(model.ask(MESSAGES, role="judge", schema=Verdict))
        again = asyncio.run(model.ask(first.calls[1].messages, role="judge", schema=Verdict))
        assert len(server.requests) == 2
        assert again.value == first.value
        assert again.calls[0].usage.calls == 0
        asyncio.run(model.ask(MESSAGES, role="judge", schema=Verdict))
        assert len(server.requests) == 3
        asyncio.run(ChatModel(spec(server, temperature=0.5), cache=cache).text(MESSAGES, role="judge"))
        assert len(server.requests) == 4
    cache.close()


def test_a_spent_budget_stops_the_next_call_before_it_is_sent() -> None:
    with ChatServer(["hi"]) as server:
        budget = Budget(max_tokens=150)
        model = ChatModel(spec(server), budget=budget)

        async def three() -> None:
            for _ in range(3):
                await model.text(MESSAGES, role="agent")

        with pytest.raises(BudgetSpentError, match="220 of 150"):
            asyncio.run(three())
        assert len(server.requests) == 2
    assert budget.spent.prompt_tokens == 200


def test_one_model_serves_several_loops_and_many_calls_at_once() -> None:
    with ChatServer(lambda request: request["messages"][-1]["content"]) as server:
        model = ChatModel(spec(server))

        async def many() -> list[str]:
            asked = [[{"role": "user", "content": str(number)}] for number in range(20)]
            return [got.value for got in await asyncio.gather(*(model.text(m, role="agent") for m in asked))]

        for _ in range(3):
            assert asyncio.run(many()) == [str(number) for number in range(20)]
        assert len(model._endpoint._clients) == 1


def test_lone_surrogates_neither_break_the_request_nor_the_record() -> None:
    with ChatServer([Step(raw='{"choices": [{"message": {"content": "a\\ud800b"}}]}')]) as server:
        messages = [{"role": "user", "content": "page \udcff text"}]
        got = asyncio.run(ChatModel(spec(server)).text(messages, role="agent"))
    assert got.value == "a?b"
    assert got.calls[0].messages[0]["content"] == "page ? text"
    got.calls[0].model_dump_json()


def test_no_secret_of_the_request_is_told_and_the_key_a_server_echoes_is_masked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-1")

    def echoes(request: dict[str, Any]) -> Step:
        return error(401, f"bad key sk-canary-1 {'x' * 400}")

    with ChatServer(echoes) as server:
        url = server.base_url.replace("//", "//ada:hunter2@")
        model = ChatModel(ModelSpec(model="m", base_url=url, max_retries=0))
        with pytest.raises(ModelError, match=r"answered 401 .* bad key \*\*\*") as refused:
            asyncio.run(model.ask(MESSAGES, role="judge", schema=Verdict))
        assert server.base_url in str(refused.value)
    with pytest.raises(MissingKeyError, match="No connection") as lost:
        asyncio.run(model.check())
    told = f"{refused.value} {lost.value} {calls_of(refused.value)}"
    assert not [secret for secret in ("sk-canary-1", "hunter2", "ada") if secret in told]


@pytest.mark.parametrize("bad", [Step(raw="<p>sk-canary-1</p>"), Step(body={"error": "no sk-canary-1 here"})])
def test_the_key_in_a_reply_that_is_none_is_masked(bad: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-1")
    with ChatServer([bad]) as server, pytest.raises(ModelError, match=r"\*\*\*") as caught:
        ask(server, max_retries=0)
    assert "sk-canary-1" not in f"{caught.value} {calls_of(caught.value)}"
