"""`habitus doctor`: browser, embedding model, model endpoint; for each whether it works and what to do."""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.request
from base64 import b64encode
from typing import Annotated
from urllib.parse import unquote, urlsplit

import typer

from ..errors import HabitusError


def doctor(
    base_url: Annotated[str | None, typer.Option(help="OpenAI-compatible endpoint to ask.")] = None,
) -> None:
    """Check what this machine has. Status 1 where browser or embedding model do not work."""
    works = [_report("browser", _browser), _report("embedding model", _embedding)]
    _report("model endpoint", lambda: _endpoint(base_url))
    if not all(works):
        raise typer.Exit(1)


def _report(part: str, check: object) -> bool:
    try:
        found = check()  # type: ignore[operator]
    except HabitusError as error:
        typer.echo(f"✗ {part}: {error}")
        return False
    typer.echo(f"✓ {part}: {found}")
    return True


def _browser() -> str:
    from habitus.envs.browser import find_chromium
    from habitus.envs.runtime import Runtime

    path = find_chromium()
    with Runtime() as runtime:
        runtime.run(runtime.browser())
    return f"{path} starts"


def _embedding() -> str:
    from habitus.memory import MiniLM

    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    model = MiniLM()
    dimension = model.encode(["usual shoe size"]).shape[1]
    return f"all-MiniLM-L6-v2, {dimension} dimensions, no network"


def _endpoint(base_url: str | None) -> str:
    from ..llm import ModelSpec

    spec = ModelSpec(model="any", base_url=base_url)
    try:
        key = spec.key()
    except HabitusError:
        raise HabitusError(
            f"no key for {spec.address}. Only agents and judges with a model need one: set {spec.api_key_env}, "
            "give --base-url of a server of your own, or run with --model local."
        ) from None
    user, at, _ = urlsplit(spec.endpoint).netloc.rpartition("@")  # what a URL names goes before the key, as in a run
    headers = {"Authorization": f"Basic {b64encode(unquote(user).encode()).decode()}" if at else f"Bearer {key}"}
    try:
        request = urllib.request.Request(f"{spec.address}/models", headers=headers)  # noqa: S310 - the user's own
        with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310 - the user's own endpoint
            models = [str(entry.get("id")) for entry in json.load(reply).get("data", [])]
    except urllib.error.HTTPError as error:
        raise HabitusError(
            f"{spec.address} answers {error.code} {error.reason}: check that the URL ends in /v1, and "
            f"{spec.api_key_env}."
        ) from None
    except (OSError, ValueError, AttributeError, http.client.HTTPException) as error:
        found = spec.masked(str(error)) or type(error).__name__
        raise HabitusError(f"{spec.address} does not answer ({found}): is the server running?") from None
    return f"{spec.address} answers; models: {', '.join(models[:5]) or 'none named'}"
