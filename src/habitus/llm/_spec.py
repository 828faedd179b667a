"""Which chat model is asked, where, and with what sampling: plain data that holds no key."""

from __future__ import annotations

import os
from typing import Literal
from urllib.parse import unquote, urlsplit

from pydantic import Field

from ..errors import MissingKeyError
from ..types import Data, JsonObject, Usage

OPENAI_URL = "https://api.openai.com/v1"

StructuredMode = Literal["json_schema", "json_object_schema", "json_object", "prompt"]
"""How a reply is held to a schema: OpenAI's form, llama.cpp's form, JSON of any shape, words alone."""


_SECRET_CHARS = 4
"""Shorter than this nothing is a secret, and to blot it out would only blur the text."""


def shown_url(url: str) -> str:
    """Return a URL as it may be shown and stored: without user, password, query and fragment."""
    bare = url.partition("#")[0].partition("?")[0]
    scheme, mark, rest = bare.rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


class Prices(Data):
    """US dollars for a million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    """For prompt tokens the server had cached; the input price where None."""

    def cost_usd(self, usage: Usage) -> float:
        """Price a usage: cached tokens are part of the prompt's and paid once, at their own price."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        cached_price = self.input if self.cached is None else self.cached
        fresh = usage.prompt_tokens - cached
        return (fresh * self.input + cached * cached_price + usage.completion_tokens * self.output) / 1e6


class ModelSpec(Data):
    """A chat model behind an OpenAI-compatible endpoint. It serialises; the key is only named.

    Raises:
        pydantic.ValidationError: A value out of its range.
    """

    model: str = Field(min_length=1)
    base_url: str | None = None
    """Up to and with `/v1`; None stands for OPENAI_BASE_URL, or OpenAI's own."""
    api_key_env: str = "OPENAI_API_KEY"
    """The environment variable that holds the key."""
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, gt=0)
    """Bound on the reply, thinking included."""
    seed: int | None = None
    extra_body: JsonObject = Field(default_factory=dict)
    """Further fields of the request, as the server knows them."""
    timeout_s: float = Field(default=120.0, gt=0)
    """Bound on one attempt, from the request to the last byte."""
    max_retries: int = Field(default=4, ge=0)
    """Attempts after the first, for rate limits, server errors, lost connections and empty replies."""
    structured: Literal["auto", "json_schema", "json_object", "prompt"] = "auto"
    """How a reply is held to a schema; `auto` steps down once where the server refuses, and remembers."""
    prices: Prices | None = None

    @property
    def endpoint(self) -> str:
        """The base URL in force."""
        return (self.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")

    @property
    def address(self) -> str:
        """The endpoint as messages show it: see `shown_url`."""
        return shown_url(self.endpoint)

    def masked(self, text: str) -> str:
        """Return a text of the server's, which may echo what it was sent, without the key and the URL's secrets."""
        key = os.environ.get(self.api_key_env, "").strip()
        parts = urlsplit(self.endpoint)
        for secret in (self.endpoint, key, parts.password or "", unquote(parts.password or ""), parts.query):
            if len(secret) >= _SECRET_CHARS and secret != self.address:
                text = text.replace(secret, self.address if secret == self.endpoint else "***")
        return text

    @property
    def is_local(self) -> bool:
        """Whether the endpoint is this machine, which needs no key."""
        return urlsplit(self.endpoint).hostname in ("127.0.0.1", "localhost", "::1")

    def key(self) -> str:
        """Read the key from the environment.

        Raises:
            MissingKeyError: The endpoint needs a key and the variable is unset or empty.
        """
        found = os.environ.get(self.api_key_env, "").strip()
        if found:
            return found
        if self.is_local:
            return "none"
        raise MissingKeyError(
            f"No key for model {self.model!r} at {self.address}: set {self.api_key_env}, "
            "or name a local server by its base URL (e.g. http://127.0.0.1:8000/v1)."
        )
