"""LaMP-QA: questions whose best answer depends on who asks. A small set of the package's own, or the official files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from ..errors import UnknownNameError, UserError
from ..types import Aspect, QATruth, Record, TaskBrief, User

_MINI = Path(__file__).parent / "data" / "lamp_qa_mini.json"
_OFFICIAL = re.compile(r"(?P<category>[A-Za-z_]+)_(?:train|validation|test)\.json")
AS_OF = datetime(2025, 6, 1, 9, tzinfo=UTC)
"""The moment of asking of every question: after every post of the small set; official posts tell no time."""


class LampAspect(BaseModel):
    """One thing the asker expects, as LaMP-QA's files have it."""

    aspect: str
    reason: str
    evidence: str


class LampPost(BaseModel):
    """One past post of the asker. The official files have no `time`."""

    id: str
    text: str
    category: str = ""
    time: AwareDatetime | None = None


class LampRecord(BaseModel):
    """One question, as LaMP-QA's files have it. The official files have no `foretells`."""

    model_config = ConfigDict(strict=True)
    id: str
    """A text: `0_2_0` is no number."""
    question: str = Field(min_length=1)
    narrative: str
    category: str
    rubric_aspects: list[LampAspect] = Field(min_length=1)
    profile: list[LampPost]
    foretells: list[str] = []
    """Ids of the posts that foretell the aspects."""


class LampQA:
    """A suite of questions, each asked by a user of its own.

    Args:
        name: The registry name.
        records: The questions; their ids are unique.
        data_version: Changes with the data.

    Raises:
        UserError: An id stands twice.
    """

    def __init__(self, name: str, records: Iterable[LampRecord], *, data_version: str) -> None:
        self._name = name
        self._data_version = data_version
        self._records: dict[str, LampRecord] = {}
        for record in records:
            if record.id in self._records:
                raise UserError(f"The question id {record.id!r} stands twice in the data; load one file at a time.")
            self._records[record.id] = record
        self._askers = {_user_id(task): task for task in self._records}

    @property
    def name(self) -> str:
        """The registry name."""
        return self._name

    @property
    def data_version(self) -> str:
        """Changes whenever a question, a post or an aspect does."""
        return self._data_version

    def tasks(self) -> Sequence[TaskBrief]:
        """All briefs, in the order of the data."""
        return [
            TaskBrief(
                id=record.id, suite=self._name, data_version=self._data_version, kind="qa", query=record.question,
                user=_user_id(record.id), as_of=AS_OF, category=record.category,
            )
            for record in self._records.values()
        ]

    def truth(self, task_id: str) -> QATruth:
        """The narrative and aspects of one question.

        Raises:
            UnknownNameError: There is no such question.
        """
        record = self._record(task_id)
        return QATruth(
            task_id=record.id,
            data_version=self._data_version,
            narrative=record.narrative,
            aspects=tuple(Aspect(title=a.aspect, reason=a.reason, evidence=a.evidence) for a in record.rubric_aspects),
            evidence=tuple(record.foretells),
            canary=f"habitus-canary-{_digest(f'{self._name}/{record.id}')}",
        )

    def user(self, user_id: str) -> User:
        """The asker of one question, with all past posts. There is no explicit profile.

        Raises:
            UnknownNameError: There is no such user.
        """
        if user_id not in self._askers:
            raise UnknownNameError("user", user_id, self._askers)
        posts = self._records[self._askers[user_id]].profile
        return User(id=user_id, records=tuple(
            Record(id=post.id, kind="post", text=post.text, time=post.time,
                   meta={"category": post.category} if post.category else {})
            for post in posts
        ))

    def other_user(self, task_id: str, *, seed: int) -> str:
        """Return another asker: each is given to exactly one question, never to the own one.

        Every question has an asker and aspects of its own, so any other user's truth differs.

        Raises:
            UnknownNameError: There is no such question.
            UserError: There is only one question.
        """
        self._record(task_id)
        if len(self._records) < 2:
            raise UserError("Another user's history needs at least two users; this data holds one.")
        tasks = list(self._records)
        order = [tasks[i] for i in np.random.default_rng(seed).permutation(len(tasks))]
        # Next in one seeded cycle through all: a derangement whatever the order.
        return _user_id(order[(order.index(task_id) + 1) % len(order)])

    def _record(self, task_id: str) -> LampRecord:
        if task_id not in self._records:
            raise UnknownNameError("task", task_id, self._records)
        return self._records[task_id]


def suite(*, world_seed: int = 0, data: Path | None = None) -> LampQA:
    """Return the suite `lamp-qa-mini`, or the questions of official files under the name `lamp-qa`.

    Args:
        world_seed: Changes nothing: the questions are written, not generated.
        data: An official file `<Config>_<split>.json`, or a folder of such files.

    Raises:
        UserError: The data cannot be read; says which file, question and field.
    """
    if data is None:
        return LampQA("lamp-qa-mini", load_records(_MINI), data_version=f"1-{_file_digest([_MINI])}")
    files = sorted(f for f in data.iterdir() if _OFFICIAL.fullmatch(f.name)) if data.is_dir() else [data]
    if not files:
        raise UserError(f"{data} holds no LaMP-QA file; expected names such as Art_and_Entertainment_test.json.")
    records = [record for file in files for record in load_records(file)]
    return LampQA("lamp-qa", records, data_version=f"lamp-qa-{_file_digest(files)}")


def load_records(path: Path) -> list[LampRecord]:
    """Read a file in LaMP-QA's format: one JSON list of questions.

    The official category of a question is a site (`cooking`); where the file's name tells the configuration
    (`Lifestyle_and_Personal_Development_test.json`), that is taken in its place, as results are reported by it.

    Raises:
        UserError: The file cannot be read, or a question lacks a field; says which.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise UserError(f"{path} cannot be read as JSON: {error}.") from None
    if not isinstance(found, list):
        raise UserError(f"{path} holds a {type(found).__name__}; expected one JSON list of questions.")
    official = _OFFICIAL.fullmatch(path.name)
    records = [_read(path, number, item) for number, item in enumerate(found)]
    if official is None:
        return records
    return [record.model_copy(update={"category": official["category"]}) for record in records]


def _read(path: Path, number: int, item: object) -> LampRecord:
    try:
        # As JSON, so that strictness about text does not refuse the text of a time.
        return LampRecord.model_validate_json(json.dumps(item))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "record"
        raise UserError(f"{path}, question {number}, {where}: {first['msg']}.") from None


def _user_id(task_id: str) -> str:
    return f"asker-{_digest(task_id)[:8]}"


def _file_digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]
