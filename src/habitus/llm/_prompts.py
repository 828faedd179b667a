"""The prompts of one folder: Jinja2 templates, each with a version that changes with its text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, meta


class Prompts:
    """Fills in the templates `*.j2` of a folder.

    Args:
        folder: Where they lie.
        filters: Filters for them, by name.

    Attributes:
        versions: Name of each template, without its ending, to a short hash of its text and of what it includes.
    """

    def __init__(self, folder: Path, filters: Mapping[str, Callable[..., str]] | None = None) -> None:
        self._folder = folder
        # Plain text for a model: HTML escapes would only blur it.
        self._environment = Environment(loader=FileSystemLoader(folder), undefined=StrictUndefined,
                                        trim_blocks=True, lstrip_blocks=True, autoescape=False)  # noqa: S701
        self._environment.filters.update(filters or {})
        self.versions = {
            path.stem: hashlib.sha256(self._source(path.name)).hexdigest()[:8] for path in sorted(folder.glob("*.j2"))
        }

    def render(self, name: str, /, **values: Any) -> str:
        """Return a prompt filled in.

        Args:
            name: Of the template, without `.j2`.
            values: Every variable it uses; a missing one raises `jinja2.UndefinedError`.
        """
        return self._environment.get_template(f"{name}.j2").render(**values).strip()

    def version(self, name: str) -> str:
        """Return name and version of a prompt, as a model call records it."""
        return f"{name}@{self.versions[name]}"

    def _source(self, file: str) -> bytes:
        text = (self._folder / file).read_bytes()
        included = meta.find_referenced_templates(self._environment.parse(text.decode()))
        return text + b"".join(self._source(other) for other in sorted(filter(None, included)))
