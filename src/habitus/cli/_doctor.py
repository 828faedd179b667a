"""`habitus doctor`: browser, embedding model, model endpoint; for each whether it works and what to do."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from typing import Annotated

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
            f"no key for {spec.endpoint}. Only agents and judges with a model need one: set {spec.api_key_env}, "
            "give --base-url of a server of your own, or run with --model local."
        ) from None
    request = urllib.request.Request(f"{spec.endpoint}/models", headers={"Authorization": f"Bearer {key}"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310 - the user's own endpoint
            models = [str(entry.get("id")) for entry in json.load(reply).get("data", [])]
    except urllib.error.HTTPError as error:
        raise HabitusError(f"{spec.endpoint} answers {error.code} {error.reason}: check {spec.api_key_env}.") from error
    except (OSError, ValueError, AttributeError) as error:
        raise HabitusError(f"{spec.endpoint} does not answer ({error}): is the server running?") from error
    return f"{spec.endpoint} answers; models: {', '.join(models[:5]) or 'none named'}"
