"""A run's directory: a manifest, an episode file per spec, scores per judge, a summary that can be rebuilt."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import AwareDatetime, Field, ValidationError

from ..errors import EpisodeFileError, RunDirectoryError
from ..types import SCHEMA_VERSION, Data, Final, ModelCall, Score, Trajectory
from .episode_file import (
    BrokenHeaderError,
    EpisodeWriter,
    Problem,
    encode,
    first_fault,
    read_episode,
    read_final,
    writing,
)
from .spec import RunConfig

try:
    import fcntl

    LOCKS = True
except ImportError:  # Windows has none: there, nothing keeps two processes out of one directory
    LOCKS = False

_PACKAGES = ("habitus", "gymnasium", "numpy", "playwright", "pydantic", "openai", "faiss-cpu", "sentence-transformers",
             "torch")


class Manifest(Data):
    """The run's first file: what was asked for, on which data, with which packages."""

    schema_version: int = Field(default=SCHEMA_VERSION, alias="schema")
    config: RunConfig
    data_version: str
    planned: int
    """Episodes the run has when it is done."""
    versions: dict[str, str]
    created: AwareDatetime


class RunStore:
    """A run directory. Make one with `RunStore.start`, open a stored one with `RunStore.load`."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    def start(cls, path: Path, config: RunConfig, *, data_version: str, planned: int) -> RunStore:
        """Begin a run in a new or empty directory, or go on with the same one.

        Raises:
            RunDirectoryError: The directory holds another run or something else, or cannot be written.
        """
        if (path / "manifest.json").exists():
            store = cls.load(path)
            store._same_or_raise(config, data_version)
            return store
        if path.is_file():
            raise RunDirectoryError(f"{path} is a file, and a run needs a directory: name another with --out.")
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
            strangers = sorted({entry.name for entry in path.iterdir()} - {".lock", "manifest.json.new"})
        if strangers:
            raise RunDirectoryError(
                f"{path} holds no run (no manifest.json) but is not empty ({strangers[0]}, ...): "
                "name another directory with --out."
            )
        manifest = Manifest(
            schema=SCHEMA_VERSION, config=config.without_secrets(), data_version=data_version, planned=planned,
            versions=_versions(), created=datetime.now(UTC),
        )
        store = cls(path, manifest)
        store.write("manifest.json", manifest.model_dump_json(indent=2, by_alias=True))
        return store

    @classmethod
    def load(cls, path: Path) -> RunStore:
        """Open a stored run to read it.

        Raises:
            RunDirectoryError: There is no run, or a newer version wrote it.
        """
        try:
            text = (path / "manifest.json").read_bytes()
        except OSError:
            raise RunDirectoryError(
                f"{path} holds no run: there is no manifest.json in it. `habitus run` makes one."
            ) from None
        try:
            schema = json.loads(text).get("schema", 0)
            if isinstance(schema, int) and schema > SCHEMA_VERSION:
                raise RunDirectoryError(
                    f"{path} is of schema {schema}, this habitus reads up to {SCHEMA_VERSION}: upgrade habitus."
                )
            return cls(path, Manifest.model_validate_json(text))
        except (ValueError, AttributeError, RecursionError) as error:
            raise RunDirectoryError(
                f"{path}/manifest.json cannot be read ({str(error).splitlines()[0]}): name another directory."
            ) from None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the directory: no other process runs or judges in it meanwhile. Windows knows no such lock.

        Raises:
            RunDirectoryError: Another process holds it.
        """
        if not LOCKS:
            yield
            return
        with writing(self.path):
            descriptor = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
                raise RunDirectoryError(
                    f"{self.path} is in use by process {holder}: wait for it, or name another directory with --out."
                ) from None
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
            yield
        finally:
            os.close(descriptor)

    def episode_path(self, key: str) -> Path:
        """Return where the episode of a resume key lies."""
        return self.path / "episodes" / f"{key}.jsonl"

    def writer(self, key: str) -> EpisodeWriter:
        """Return a sink for an episode; an earlier, unfinished file of it is replaced."""
        path = self.episode_path(key)
        with writing(path):
            path.parent.mkdir(exist_ok=True)
        return EpisodeWriter(path)

    def finished(self, key: str, problems: list[Problem] | None = None) -> bool:
        """Whether an episode is done for good: see `done`. One whose header cannot be read is not.

        Args:
            key: Its resume key.
            problems: Takes the header that could not be read.

        Raises:
            EpisodeFileError: A newer version wrote it.
        """
        try:
            return done(read_final(self.episode_path(key)))
        except BrokenHeaderError as error:
            if problems is not None:
                problems.append(error.problem)
            return False

    def spent(self, key: str) -> tuple[ModelCall, ...]:
        """Return the model calls of an earlier, failed attempt at an episode, without what was said in them."""
        path = self.episode_path(key)
        if not path.exists():
            return ()
        try:
            trajectory, _ = read_episode(path)
        except EpisodeFileError:
            return ()  # it never had a header: there were no calls
        calls = [call for step in trajectory.steps for call in step.calls]
        calls += trajectory.final.calls if trajectory.final else ()
        return tuple(call.model_copy(update={"messages": ()}) for call in calls)

    def episodes(self, problems: list[Problem] | None = None) -> Iterator[Trajectory]:
        """Read the stored episodes, in the order of their keys; one whose header cannot be read is passed over.

        Args:
            problems: Takes the lines that could not be read.

        Raises:
            EpisodeFileError: A newer version wrote an episode.
        """
        for path in sorted((self.path / "episodes").glob("*.jsonl")):
            with path.open("rb") as file:
                if not file.readline().endswith(b"\n"):
                    continue  # the run died before the header was down: there is no episode yet
            try:
                trajectory, found = read_episode(path)
            except BrokenHeaderError as error:
                if problems is not None:
                    problems.append(error.problem)
                continue
            if problems is not None:
                problems.extend(found)
            yield trajectory

    def judges(self) -> list[str]:
        """Return the names of the judges that have scored here, sorted."""
        return list(self.all_scores())

    def scores(self, judge: str) -> dict[str, Score]:
        """Return one judge's scores by episode; of several the last."""
        found, _ = _read_scores(self._score_path(judge))
        return {score.episode: score for score in found if score.judge == judge}

    def all_scores(self, problems: list[Problem] | None = None) -> dict[str, dict[str, Score]]:
        """Return every judge's scores by episode, judges sorted by name.

        Args:
            problems: Takes the lines that could not be read; an episode whose score was there counts as not judged.
        """
        by_judge: dict[str, dict[str, Score]] = {}
        for path in sorted((self.path / "scores").glob("*.jsonl")):
            scores, broken = _read_scores(path)
            for score in scores:
                by_judge.setdefault(score.judge, {})[score.episode] = score
            if problems is not None:
                problems.extend(broken)
        return dict(sorted(by_judge.items()))

    def add_score(self, score: Score) -> None:
        """Append a score.

        Raises:
            RunDirectoryError: The disk is full or the file cannot be written.
        """
        path = self._score_path(score.judge)
        with writing(path):
            path.parent.mkdir(exist_ok=True)
            with path.open("ab+", buffering=0) as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":  # an earlier line was cut off: begin a fresh one
                        file.write(b"\n")
                file.write(encode(score) + b"\n")

    def write(self, name: str, text: str) -> Path:
        """Write a file whole or not at all.

        Raises:
            RunDirectoryError: The disk is full or the file cannot be written.
        """
        path, fresh = self.path / name, self.path / f"{name}.new"
        with writing(path):
            try:
                fresh.write_text(text, encoding="utf-8", errors="backslashreplace")
                fresh.replace(path)
            except OSError:
                fresh.unlink(missing_ok=True)
                raise
        return path

    def _same_or_raise(self, config: RunConfig, data_version: str) -> None:
        differences = self.manifest.config.differences(config)
        if data_version != self.manifest.data_version:
            differences.append(f"data is {self.manifest.data_version!r} there and {data_version!r} here")
        if differences:
            raise RunDirectoryError(
                f"{self.path} holds another run: {'; '.join(differences)}. "
                "Name another directory with --out, or delete it."
            )

    def _score_path(self, judge: str) -> Path:
        return self.path / "scores" / f"{re.sub(r'[^A-Za-z0-9._-]+', '_', judge).strip('.') or 'judge'}.jsonl"


def done(final: Final | None) -> bool:
    """Whether an episode's end is one to keep: not left midway, not an infrastructure failure."""
    if final is None or final.stop == "closed":
        return False
    return not (final.error is not None and final.error.infrastructure)


def _read_scores(path: Path) -> tuple[list[Score], list[Problem]]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return [], []
    scores, problems = [], []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            scores.append(Score.model_validate_json(line))
        except ValidationError as error:
            problems.append(Problem(path, number, f"no score: {first_fault(error)}"))
    return scores, problems


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
