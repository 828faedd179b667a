"""One chat completion over HTTP, with the one layer of retries and an account of what it took."""

from __future__ import annotations

import asyncio
import email.utils
import json
import logging
import re
import time
from dataclasses import dataclass, field
from typing import Any

import openai
import stamina

from ..types import JsonObject, Usage
from ._reply import Completion, read_completion
from ._spec import OPENAI_URL, ModelSpec

# stamina logs each retry as a warning: for those who configured logging, not for the bare terminal.
logging.getLogger("stamina").addHandler(logging.NullHandler())

MAX_WAIT_S = 120.0
"""A server that asks for a longer wait is given up."""

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_REFUSALS = frozenset({400, 404, 405, 415, 422, 501})
"""Statuses with which servers refuse a response format they do not know, among other things."""
_OVERFLOW = re.compile(
    r"context_length_exceeded|maximum context length|context (window|length|size)|prompt is too long|input is too long"
    r"|too many (input )?tokens|exceeds? the (available|model'?s) context", re.IGNORECASE)


class Fault(Exception):  # noqa: N818 - the errors proper are made of it, with the calls that were spent
    """Why an attempt gave no completion.

    Attributes:
        retry: Whether the same request may go well later.
        wait_s: How long the server asked to wait, or None.
        empty: Whether a reply came and held nothing.
        overflow: Whether the prompt is longer than the window.
        refused: Whether the request was refused in a way that another response format may cure.
    """

    def __init__(
        self, message: str, *, retry: bool = False, wait_s: float | None = None, empty: bool = False,
        overflow: bool = False, refused: bool = False,
    ) -> None:
        super().__init__(message)
        self.retry, self.wait_s, self.empty, self.overflow, self.refused = retry, wait_s, empty, overflow, refused


@dataclass
class Account:
    """What a call took so far, over all its attempts; times in seconds, waits counted apart."""

    usage: Usage = field(default_factory=Usage)
    latency_s: float = 0.0
    waited_s: float = 0.0
    attempts: int = 0


class Endpoint:
    """Sends requests for one model. May be used from several event loops, one after the other or side by side.

    Raises:
        MissingKeyError: The endpoint needs a key and there is none.
    """

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec
        self._key = spec.key()
        self._clients: dict[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = {}

    def body(self, messages: list[JsonObject], response_format: JsonObject | None) -> JsonObject:
        """Return the request's body."""
        spec = self._spec
        # OpenAI's own reasoning models refuse the older name, other servers know no other.
        bound = "max_completion_tokens" if spec.endpoint == OPENAI_URL else "max_tokens"
        fields = {
            "model": spec.model, "messages": messages, "temperature": spec.temperature, bound: spec.max_tokens,
            "seed": spec.seed, "response_format": response_format,
        }
        return {name: value for name, value in fields.items() if value is not None} | spec.extra_body

    async def complete(self, body: JsonObject, account: Account) -> Completion:
        """Send a request until it succeeds, retries are spent or none would help; the account grows as it goes.

        Raises:
            Fault: The last attempt's.
        """
        ended = time.perf_counter()
        async for attempt in stamina.retry_context(
            on=_backoff, attempts=self._spec.max_retries + 1, timeout=None, wait_initial=0.25, wait_jitter=0.25,
            wait_max=20.0,
        ):
            with attempt:
                started = time.perf_counter()
                if account.attempts:
                    account.waited_s += started - ended
                account.attempts += 1
                try:
                    return await self._attempt(body, account)
                finally:
                    ended = time.perf_counter()
                    account.latency_s += ended - started
        raise AssertionError("a retry context either returns or raises")

    async def models(self) -> list[str]:
        """Ask which models the endpoint serves; an endpoint that does not tell gives an empty list.

        Raises:
            Fault: It cannot be reached, or refuses the key.
        """
        try:
            async with asyncio.timeout(min(self._spec.timeout_s, 15.0)):
                page = await self._client().models.list()
        except TimeoutError:
            raise Fault(f"No reply from {self._spec.address} within 15 s.") from None
        except openai.APIStatusError as error:
            if error.status_code in (401, 403):
                raise self._refused(error) from None
            return []
        except openai.APIConnectionError as error:
            raise self._lost(error) from None
        return [model.id for model in page.data]

    async def aclose(self) -> None:
        """Close the running loop's connections. May be called twice."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _attempt(self, body: JsonObject, account: Account) -> Completion:
        try:
            async with asyncio.timeout(self._spec.timeout_s):
                raw = await self._client().chat.completions.with_raw_response.create(**_arguments(body))
        except TimeoutError:
            raise Fault(f"No reply from {self._spec.address} within {self._spec.timeout_s:g} s.", retry=True) from None
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except openai.APIConnectionError as error:
            raise self._lost(error) from None
        try:
            answer = json.loads(raw.text)
        except (ValueError, RecursionError):
            found = self._spec.masked(raw.text)[:200]
            raise Fault(f"{self._spec.address} answered no JSON: {found!r}", retry=True) from None
        if isinstance(answer, dict) and answer.get("error") and not answer.get("choices"):
            said = self._spec.masked(str(answer["error"]))
            raise Fault(f"{self._spec.address} answered an error: {said[:300]}", retry=True,
                        overflow=bool(_OVERFLOW.search(said)))
        completion = read_completion(answer)
        account.usage = account.usage + self._priced(completion.usage)
        if not (completion.text or completion.refusal or completion.cut_off):
            raise Fault(f"{self._spec.model} gave an empty reply.", retry=True, empty=True)
        return completion

    def _client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            for other in [known for known in self._clients if known.is_closed()]:
                self._clients.pop(other, None)  # its sockets close when it is collected
            # An http client of our own: the one of openai closes itself on whatever loop runs when it is collected.
            self._clients[loop] = openai.AsyncOpenAI(
                base_url=self._spec.endpoint, api_key=self._key, max_retries=0, timeout=self._spec.timeout_s,
                http_client=openai.DefaultAsyncHttpxClient(),
            )
        return self._clients[loop]

    def _priced(self, usage: Usage) -> Usage:
        prices = self._spec.prices
        return usage if prices is None else usage.model_copy(update={"cost_usd": prices.cost_usd(usage)})

    def _refused(self, error: openai.APIStatusError) -> Fault:
        status, said = error.status_code, self._spec.masked(_said(error))
        overflow = status in (400, 413, 422) and bool(_OVERFLOW.search(said))
        message = f"{self._spec.address} answered {status} for model {self._spec.model!r}: {said[:300]}"
        if status in (401, 403):
            message += f" Check the key in {self._spec.api_key_env}."
        if status == 404:
            message += " Check the model's name and that the base URL ends in /v1."
        wait_s = retry_after_s(error.response.headers.get("retry-after")) if status in _RETRIED else None
        too_long = wait_s is not None and wait_s > MAX_WAIT_S
        if too_long:
            message += f" It asks to wait {wait_s:.0f} s; at most {MAX_WAIT_S:.0f} s are waited."
        # llama-cpp-python answers 500 to a response format it does not know.
        refused = status in _REFUSALS or (status == 500 and "response_format" in said)
        retry = status in _RETRIED and not too_long and not refused
        return Fault(message, retry=retry, wait_s=wait_s, overflow=overflow, refused=refused and not overflow)

    def _lost(self, error: openai.APIConnectionError) -> Fault:
        cause = error.__cause__ or error
        return Fault(
            f"No connection to {self._spec.address} ({type(cause).__name__}: {self._spec.masked(str(cause))[:200]}). "
            "Check that the server runs and that the base URL is right.", retry=True)


def retry_after_s(header: str | None) -> float | None:
    """Read a Retry-After header in either form; seconds from now, at least 0, or None where there is no such."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None


def _backoff(error: Exception) -> bool | float:
    if not isinstance(error, Fault) or not error.retry:
        return False
    return True if error.wait_s is None else error.wait_s


def _said(error: openai.APIStatusError) -> str:
    body = error.body
    found = body.get("message") if isinstance(body, dict) else body
    return str(found or error.response.text or error.message)


def _arguments(body: JsonObject) -> dict[str, Any]:
    """Name the two required fields; the rest goes through unread, in the server's own words."""
    rest = {name: value for name, value in body.items() if name not in ("model", "messages")}
    return {"model": body["model"], "messages": body["messages"], "extra_body": rest}
