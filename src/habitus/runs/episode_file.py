"""Episodes on disk: JSON Lines, appended and flushed as the episode runs, read back as far as they can be."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Discriminator, Tag, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from ..errors import EpisodeFileError, RunDirectoryError
from ..types import SCHEMA_VERSION, Data, Final, Header, Step, Trajectory


def _kind(line: Any) -> str:
    return str(line.get("line", "step")) if isinstance(line, dict) else "step"


_LINE: TypeAdapter[Header | Final | Step] = TypeAdapter(
    Annotated[
        Annotated[Header, Tag("header")] | Annotated[Final, Tag("final")] | Annotated[Step, Tag("step")],
        Discriminator(_kind),
    ]
)


@dataclass(frozen=True)
class Problem:
    """A line that could not be read.

    Attributes:
        path: The file.
        line: Its number, from 1.
        message: What was found.
    """

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class BrokenHeaderError(EpisodeFileError):
    """The first line is no header: there is no episode in the file.

    Attributes:
        problem: File and line, and what was found.
    """

    def __init__(self, path: Path, message: str) -> None:
        self.problem = Problem(path, 1, message)
        super().__init__(str(self.problem))


class EpisodeWriter:
    """Writes one episode, a line at a time; a session's sink. An older file of the same episode is replaced.

    Raises:
        RunDirectoryError: The disk is full or the file cannot be written; complete lines stay.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path):
            self._file = path.open("wb", buffering=0)

    def __call__(self, line: Data) -> None:
        """Append a line; it is on its way to the disk when this returns."""
        with writing(self._path):
            self._file.write(encode(line) + b"\n")

    def close(self) -> None:
        """Let the file go. May be called twice."""
        self._file.close()


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an `OSError` while a file is written into an error that names the file and the way on."""
    try:
        yield
    except OSError as error:
        raise RunDirectoryError(
            f"Cannot write {path}: {os.strerror(error.errno) if error.errno else error}. What is complete is kept; "
            "make room (or the directory writable) and run the same command again."
        ) from error


def encode(line: Data) -> bytes:
    """Return a line as JSON. A page may hold half of a surrogate pair, which no UTF-8 has: it becomes a `?`."""
    try:
        return line.model_dump_json().encode()
    except PydanticSerializationError:
        return json.dumps(line.model_dump(mode="json"), ensure_ascii=False).encode("utf-8", "replace")


def read_episode(path: Path) -> tuple[Trajectory, list[Problem]]:
    """Read a stored episode. A broken line is left out and named; a last line cut off in writing is passed over.

    Returns:
        The trajectory, `final` None where the episode has not ended, and the lines that could not be read.

    Raises:
        BrokenHeaderError: The header cannot be read.
        EpisodeFileError: There is no such file, or a newer version wrote it.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise EpisodeFileError(f"Cannot read episode {path}: {error.strerror}.") from error
    header = _header(path, lines[0])
    steps: list[Step] = []
    final: Final | None = None
    problems: list[Problem] = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        try:
            found = _LINE.validate_json(line)
        except ValidationError as error:
            if number < len(lines):  # the last piece has no newline: it was cut off in writing
                problems.append(Problem(path, number, f"no step and no final line: {first_fault(error)}"))
            continue
        if isinstance(found, Step):
            steps.append(found)
        elif isinstance(found, Final):
            final = found
        else:
            problems.append(Problem(path, number, "a second header"))
    return Trajectory(header=header, steps=tuple(steps), final=final), problems


def read_final(path: Path) -> Final | None:
    """Return a stored episode's end, or None where it has none: all that resuming needs, without reading the steps.

    Raises:
        BrokenHeaderError: The header cannot be read: an end without its beginning is none.
        EpisodeFileError: A newer version wrote it.
    """
    try:
        with path.open("rb") as file:
            first = file.readline()
            file.seek(0, os.SEEK_END)
            position, tail = file.tell(), b""
            while position > 0 and tail.rstrip(b"\n").count(b"\n") == 0:
                start = max(0, position - 65536)
                file.seek(start)
                tail, position = file.read(position - start) + tail, start
    except OSError:
        return None
    if not first.endswith(b"\n"):
        return None  # the run died before the header was down
    _header(path, first)
    if not tail.endswith(b"\n"):
        return None
    try:
        return Final.model_validate_json(tail.rstrip(b"\n").rsplit(b"\n", 1)[-1])
    except ValidationError:
        return None


def _header(path: Path, line: bytes) -> Header:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise BrokenHeaderError(path, "no header; the first line of an episode names task and agent.") from None
    version = found.get("schema_version") if isinstance(found, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise EpisodeFileError(
            f"{path}:1: schema version {version}, this habitus reads up to {SCHEMA_VERSION}: upgrade habitus."
        )
    try:
        return Header.model_validate_json(line)
    except ValidationError as error:
        raise BrokenHeaderError(path, f"the header cannot be read: {first_fault(error)}") from None


def first_fault(error: ValidationError) -> str:
    """Return the first of what a line was refused for, without the line's own text."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
