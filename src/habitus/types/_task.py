"""What is asked, of whom, and, apart from it, what would be right."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from ._base import Data

AttributeValue = str | float | bool | tuple[str, ...]
"""What a thing's attribute may hold: a word, a number, a yes or no, or several words."""

TaskKind = Literal["web", "qa"]
"""The workspace a task is done in."""


class Record(Data):
    """One entry of a user's history: a browsing entry, a past post, a persona fragment."""

    id: str
    """Unique within the user."""
    kind: str
    """The type, e.g. `purchase` or `post`."""
    text: str
    """What was seen, bought, booked, written."""
    time: AwareDatetime | None = None
    """When, or None where the source tells no time."""
    meta: dict[str, str] = Field(default_factory=dict)
    """Further fields of the source, e.g. `website`."""

    @property
    def key(self) -> str:
        """The text that is embedded: `type: object` (Persona2Web, appendix C.2)."""
        return f"{self.kind}: {self.text}"


class User(Data):
    """A person as the history desk knows them."""

    id: str
    records: tuple[Record, ...]
    profile: str = ""
    """The explicit profile, shown under the scheme `profile` alone."""


class Hit(Data):
    """What a memory answers: a record, or a fact derived from records."""

    text: str
    score: float
    """Similarity as the memory counts it; higher is nearer. Cosine lies in [-1, 1], BM25 in [0, inf)."""
    sources: tuple[str, ...]
    """Ids of the records it came from."""
    record: Record | None = None
    """The record itself, where the hit is one."""


class TaskBrief(Data):
    """What may be seen of a task."""

    id: str
    suite: str
    data_version: str
    kind: TaskKind
    query: str
    user: str
    """Opaque id of the user whose history answers the query."""
    as_of: AwareDatetime
    """The moment of asking: no later record is offered."""
    level: int | None = None
    """Ambiguity, where the suite has it: 0 clear, 1 website masked, 2 website and preferences masked."""
    category: str = ""
    start_url: str = ""
    world_seed: int | None = None
    """The seed of the local web the task lives in, or None."""


class Condition(Data):
    """One test on the attributes of a thing; a conjunction of them is a predicate."""

    attribute: str
    op: Literal["eq", "in", "le", "ge", "has", "lacks"]
    """`eq` equal, `in` one of, `le`/`ge` number at most/at least, `has`/`lacks` a word among several."""
    value: AttributeValue

    def holds(self, attributes: Mapping[str, AttributeValue]) -> bool:
        """Whether the thing passes. A thing without the attribute passes nothing but `lacks`."""
        found = attributes.get(self.attribute)
        if self.op == "lacks":
            return found is None or self.value not in _words(found)
        if found is None:
            return False
        if self.op == "has":
            return self.value in _words(found)
        if self.op == "in":
            return isinstance(self.value, tuple) and found in self.value
        if self.op == "eq":
            return type(found) is type(self.value) and found == self.value
        if isinstance(found, str | bool | tuple) or isinstance(self.value, str | bool | tuple):
            return False
        return found <= self.value if self.op == "le" else found >= self.value


def _words(value: AttributeValue) -> tuple[AttributeValue, ...]:
    return value if isinstance(value, tuple) else (value,)


class Slot(Data):
    """One thing the query leaves open and the history tells."""

    kind: Literal["website", "preference", "location"]
    key: str
    """The category, e.g. `kind of milk`."""
    value: str
    """The value in people's words, e.g. `oat`."""
    phrase: str = ""
    """The words of the level 2 query that stand for it."""
    conditions: tuple[Condition, ...] = Field(min_length=1)
    """The predicate: a website's over `host`, a preference's over the thing, a location's over `city`."""
    evidence: tuple[str, ...] = ()
    """Ids of the records that bear the value out at `as_of`; empty where unknown (official data)."""
    given: bool = False
    """The query states the value: nothing has to be retrieved."""


class Outcome(Data):
    """The kind of end asked for and every wish the query states outright."""

    act: str
    """The decisive act: `basket`, `booking` or `reservation`."""
    wishes: tuple[Condition, ...] = ()


class WebTruth(Data):
    """What a web task is judged by."""

    kind: Literal["web"] = "web"
    task_id: str
    data_version: str
    slots: tuple[Slot, ...]
    outcome: Outcome
    canary: str
    """Found in anything an agent or judge prompt's reader outside may see, it proves a leak."""


class Aspect(Data):
    """One thing the asker expects an answer to cover (LaMP-QA, section 3)."""

    title: str
    reason: str
    evidence: str
    """The words of the narrative it was drawn from."""


class QATruth(Data):
    """What an answer is judged by."""

    kind: Literal["qa"] = "qa"
    task_id: str
    data_version: str
    narrative: str
    """The asker's own description of the need, hidden while answering."""
    aspects: tuple[Aspect, ...] = Field(min_length=1)
    evidence: tuple[str, ...] = ()
    """Ids of the posts that foretell the aspects, where known."""
    canary: str


Truth = Annotated[WebTruth | QATruth, Field(discriminator="kind")]
"""The truth of a task, kept apart from its brief and joined to it only when an episode is judged."""


def truth_hash(truth: WebTruth | QATruth) -> str:
    """Return the SHA-256 of a truth: what environment, trajectory and viewer may know of it."""
    return hashlib.sha256(truth.model_dump_json().encode()).hexdigest()
