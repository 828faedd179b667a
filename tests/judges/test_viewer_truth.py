"""What a judging model was shown never reaches the page of a run, whatever the model makes of it."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from episodes import MILK, PLACE, SIZE, WEBSITE, episode, truth

from chat_server import Answer, ChatServer, error
from habitus.judges import RubricJudge
from habitus.llm import ChatModel, ModelSpec
from habitus.replay.viewer import page
from habitus.types import Condition, Outcome

SECRETS = ("SECRET-SHOP", "SECRET-MILK", "SECRET-SIZE", "SECRET-TOWN", "SECRET-WISH")
KNOWN = truth(
    [slot.model_copy(update={"value": secret})
     for slot, secret in zip((WEBSITE, MILK, SIZE, PLACE), SECRETS[:4], strict=True)],
    outcome=Outcome(act="basket", wishes=(Condition(attribute="product", op="eq", value=SECRETS[4]),)),
)


def as_a_reason(request: dict[str, Any]) -> Answer:
    prompt = request["messages"][0]["content"]
    if "Choose one outcome" in prompt:
        return {"reason": prompt, "outcome": "complete", "steps": [3]}
    met = {"met": True, "steps": [0]}
    return {name: {"reason": prompt, "asked": met, "found": met, "used": met}
            for name in re.findall(r"^(?:website|preference|location)_\d", prompt, re.MULTILINE)}


def as_a_wrong_value(request: dict[str, Any]) -> Answer:
    return {"outcome": request["messages"][0]["content"], "website_1": request["messages"][0]["content"]}


def as_prose(request: dict[str, Any]) -> Answer:
    return str(request["messages"][0]["content"])


def as_an_error(request: dict[str, Any]) -> Answer:
    return error(400, str(request["messages"][0]["content"]))


@pytest.mark.parametrize(("echo", "verdict"), [
    (as_a_reason, "scored"), (as_a_wrong_value, "invalid"), (as_prose, "invalid"), (as_an_error, "error"),
])
def test_a_model_that_repeats_its_prompt_tells_the_page_nothing(
    echo: Callable[[dict[str, Any]], Answer], verdict: str
) -> None:
    with ChatServer(echo) as server:
        judge = RubricJudge(ChatModel(ModelSpec(model="echo", base_url=server.base_url, timeout_s=5, max_retries=0)))
        score = asyncio.run(judge.judge(episode(), KNOWN))
    assert score.metrics["p_pref"].verdict == verdict
    assert score.metrics["p_pref"].note
    spent = json.dumps([call.model_dump(mode="json") for call in score.calls])
    assert all(secret in spent for secret in SECRETS)  # the record has it all
    shown = page([episode()], {judge.name: {"e1": score}}, title="demo")
    packed = [gzip.decompress(base64.b64decode(text)).decode() for text in re.findall(r"H4sI[\w+/=]+", shown)]
    assert packed
    for text in (shown, *packed):
        assert not [secret for secret in SECRETS if secret in text]
    assert "rubric(echo)" in shown
