"""Dense retrieval with the real model and the real index."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from habitus.errors import IndexMismatchError, MemoryFailure, TaskError
from habitus.memory import Dense, MiniLM, VectorStore, minilm
from habitus.memory.embedders import unit
from habitus.types import Record, User

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXTS = ["Alder oat milk, 2 litre", "Cordless drill, 18 V", "Hafer oat drink, 1 litre", "Running shoe Swift, size 43"]


class Given:
    """An embedder of given vectors: arithmetic can be checked by hand."""

    def __init__(self, vectors: dict[str, Any], name: str = "given") -> None:
        self.vectors = vectors
        self.fingerprint = name
        self.encoded = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += len(texts)
        return unit([self.vectors[text] for text in texts], rows=len(texts))


def user(*records: Record) -> User:
    return User(id="u", records=records)


def record(number: int, text: str, *, time: datetime | None = NOON) -> Record:
    return Record(id=str(number), kind="purchase", text=text, time=time)


def groceries() -> User:
    return user(*(record(number, text) for number, text in enumerate(TEXTS)))


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def test_the_nearest_entries_come_first_with_their_records_and_cosines(model: MiniLM) -> None:
    hits = Dense(model).over(groceries()).search("usual kind of milk")
    assert [hit.sources for hit in hits] == [("0",), ("2",)]
    assert hits[0].record == groceries().records[0]
    assert hits[0].text == TEXTS[0]
    assert 0.25 < hits[1].score < hits[0].score <= 1.0


def test_the_score_is_the_cosine_of_key_and_query(model: MiniLM) -> None:
    (best, *_) = Dense(model).over(groceries()).search("usual kind of milk")
    key, query = model.encode(["purchase: Alder oat milk, 2 litre", "usual kind of milk"])
    assert best.score == pytest.approx(float(key @ query), abs=1e-5)


def test_at_the_threshold_every_question_finds_two_right_entries(model: MiniLM) -> None:
    sample = json.loads((Path(__file__).parent / "sample.json").read_text(encoding="utf-8"))
    records = []
    for topic, entries in sample["entries"].items():
        for number, entry in enumerate(entries):
            kind, text = entry.split(": ", 1)
            records.append(Record(id=f"{topic}/{number}", kind=kind, text=text))
    retriever = Dense(model).over(user(*records))
    for query, topics in sample["questions"].items():
        hits = retriever.search(query)
        right = [hit for hit in hits if hit.sources[0].split("/")[0] in topics]
        assert len(right) >= 2, query
        assert len(hits) <= 20


def test_more_asked_than_stored_gives_each_once_and_equal_scores_keep_entry_order(tmp_path: Path) -> None:
    vectors = {"t: a": [1, 0, 0, 0], "t: b": [0, 1, 0, 0], "t: c": [0.6, 0.8, 0, 0], "q": [2, 0, 0, 0]}
    records = [Record(id=i, kind="t", text=x) for i, x in (("1", "a"), ("2", "b"), ("3", "c"), ("4", "a"), ("5", "c"))]
    memory = Dense(Given(vectors), threshold=-1.0, top_k=10, store=VectorStore("given", folder=tmp_path))
    hits = memory.over(user(*records)).search("q")
    assert [(hit.sources[0], hit.score) for hit in hits] == [
        ("1", 1.0), ("4", 1.0), ("3", pytest.approx(0.6)), ("5", pytest.approx(0.6)), ("2", 0.0)]
    few = Dense(Given(vectors), threshold=0.6, top_k=1, store=VectorStore("given", folder=tmp_path))
    assert [hit.sources[0] for hit in few.over(user(*records)).search("q")] == ["1"]
    with pytest.raises(ValueError, match="top_k"):
        Dense(Given({}), top_k=0)


def test_a_zero_vector_scores_nothing_and_never_outranks(tmp_path: Path) -> None:
    given = Given({"t: empty": [0, 0, 0, 0], "t: a": [3, 0, 0, 0], "q": [2, 0, 0, 0]})
    records = [Record(id="e", kind="t", text="empty"), Record(id="a", kind="t", text="a")]
    hits = Dense(given, store=VectorStore("given", folder=tmp_path)).over(user(*records)).search("q")
    assert [(hit.sources[0], hit.score) for hit in hits] == [("a", 1.0)]


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_a_blank_query_finds_nothing(model: MiniLM, query: str) -> None:
    assert Dense(model).over(groceries()).search(query) == []


@pytest.mark.parametrize("query", ["\u200b", "…", "\ud800", "x" * 2_000_000, "💡"])
def test_a_strange_query_is_a_search_like_any_other(model: MiniLM, query: str) -> None:
    assert all(0.25 < hit.score <= 1.0 for hit in Dense(model).over(groceries()).search(query))


def test_no_history_finds_nothing(model: MiniLM) -> None:
    assert Dense(model).over(user()).search("milk") == []


def test_nothing_later_than_the_moment_of_asking_is_offered(model: MiniLM) -> None:
    new_york = timezone(timedelta(hours=-5))
    records = (
        record(1, "looked at oat milk", time=datetime(2026, 3, 8, 23, 30, tzinfo=new_york)),  # 04:30 UTC, next day
        record(2, "oat milk", time=datetime(2026, 3, 9, 5, 0, tzinfo=UTC)),
        record(3, "oat milk, no date", time=None),
        record(4, "oat milk, far ahead", time=datetime(2027, 1, 1, tzinfo=UTC)),
    )
    retriever = Dense(model).over(user(*records))

    def found(as_of: datetime | None) -> set[str]:
        return {hit.sources[0] for hit in retriever.search("oat milk", as_of=as_of)}

    assert found(datetime(2026, 3, 9, 4, 0, tzinfo=UTC)) == {"3"}
    assert found(datetime(2026, 3, 9, 4, 30, tzinfo=UTC)) == {"1", "3"}
    assert found(datetime(2026, 3, 10, tzinfo=UTC)) == {"1", "2", "3"}
    assert found(None) == {"1", "2", "3", "4"}
    with pytest.raises(ValueError, match="time zone"):
        found(datetime(2026, 3, 9))  # noqa: DTZ001 - the mistake under test


def test_later_entries_take_no_place_among_the_best(tmp_path: Path) -> None:
    given = Given({"t: near": [1, 0], "t: far": [0.8, 0.6], "q": [1, 0]})
    late = [Record(id=f"late{n}", kind="t", text="near", time=NOON + timedelta(days=1)) for n in range(30)]
    early = Record(id="early", kind="t", text="far", time=NOON)
    memory = Dense(given, store=VectorStore("given", folder=tmp_path))
    assert [hit.sources[0] for hit in memory.over(user(*late, early)).search("q", as_of=NOON)] == ["early"]


def test_an_exact_repeat_is_one_entry_and_two_records_of_one_id_are_an_error(model: MiniLM) -> None:
    first, second = record(1, "oat milk"), record(2, "oat milk", time=NOON - timedelta(days=30))
    hits = Dense(model).over(user(first, first, second)).search("oat milk")
    assert [hit.sources[0] for hit in hits] == ["1", "2"]
    with pytest.raises(TaskError, match="two different records with the id '1'"):
        Dense(model).over(user(first, record(1, "oat milk, 2 packs")))


def test_stored_vectors_are_not_made_again_and_changed_content_is(tmp_path: Path) -> None:
    vectors = {f"purchase: {text}": [n + 1, 1, 0] for n, text in enumerate(TEXTS)}
    vectors |= {"q": [1, 0, 0], "purchase: new": [0, 0, 1]}
    first = Given(vectors)
    Dense(first, store=VectorStore("given", folder=tmp_path)).over(groceries()).search("q")
    assert first.encoded == 5
    again = Given(vectors)
    memory = Dense(again, store=VectorStore("given", folder=tmp_path))
    assert len(memory.over(groceries()).search("q")) == 4
    assert again.encoded == 0
    assert memory.over(groceries()) is memory.over(groceries())
    grown = user(*groceries().records, record(9, "new"))
    assert memory.over(grown) is not memory.over(groceries())
    memory.over(grown).search("q")
    assert again.encoded == 1


def test_a_repeated_run_needs_no_model_at_all(
    model: MiniLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HABITUS_CACHE", str(tmp_path))
    (first,) = Dense(model).over(user(record(1, "oat milk"))).search("milk")
    code = (
        "import sys; from habitus.memory import minilm; from habitus.types import Record, User\n"
        "user = User(id='u', records=(Record(id='1', kind='purchase', text='oat milk'),))\n"
        "(hit,) = minilm().over(user).search('milk'); print(hit.score, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(first.score), "False"]


def test_a_broken_file_is_put_aside_and_built_again(tmp_path: Path) -> None:
    vectors = {f"purchase: {text}": [n + 1, 1, 0] for n, text in enumerate(TEXTS)} | {"q": [1, 0, 0]}
    store = VectorStore("given", folder=tmp_path)
    whole = Dense(Given(vectors), store=store).over(groceries()).search("q")
    store.close()
    for damage in (b"", b"not a database, but long enough to be taken for one" * 40, store.path.read_bytes()[:5000]):
        store.path.write_bytes(damage)
        given = Given(vectors)
        fresh = VectorStore("given", folder=tmp_path)
        assert Dense(given, store=fresh).over(groceries()).search("q") == whole
        assert given.encoded == 5
        fresh.close()
        assert store.path.with_suffix(".broken").exists() == bool(damage)


def test_two_processes_that_begin_one_file_together_share_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = VectorStore("given", folder=tmp_path), VectorStore("given", folder=tmp_path)
    plain = sqlite3.connect

    class Overtaken(sqlite3.Connection):
        """The other process writes its row just before this one does."""

        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if sql.startswith("INSERT INTO model"):
                monkeypatch.setattr(sqlite3, "connect", plain)
                first.put({"a": np.array([1, 0], dtype=np.float32)})
            return super().execute(sql, *values)

    monkeypatch.setattr(sqlite3, "connect", partial(plain, factory=Overtaken))
    second.put({"b": np.array([0, 1], dtype=np.float32)})
    assert set(second.get(["a", "b"])) == {"a", "b"}
    assert [path.name for path in tmp_path.iterdir()] == [first.path.name]


def test_a_file_that_refuses_a_row_is_not_put_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = VectorStore("given", folder=tmp_path)
    with sqlite3.connect(store.path) as db:
        db.execute("CREATE TABLE vector (key BLOB PRIMARY KEY, value BLOB NOT NULL CHECK (value = 0))")
    db.close()
    store.put({"a": np.array([1, 0], dtype=np.float32)})
    assert "cannot be used" in caplog.text
    assert [path.name for path in tmp_path.iterdir()] == [store.path.name]


def test_without_a_place_for_vectors_the_search_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    given = Given({f"purchase: {text}": [1, 1, 0] for text in TEXTS} | {"q": [1, 0, 0]})
    memory = Dense(given, store=VectorStore("given", folder=tmp_path / "file"))
    assert len(memory.over(groceries()).search("q")) == 4
    assert "cannot be used" in caplog.text


def test_a_stored_vector_of_another_length_is_made_again(tmp_path: Path) -> None:
    vectors = {f"purchase: {text}": [n + 1, 1, 0] for n, text in enumerate(TEXTS)} | {"q": [1, 0, 0]}
    store = VectorStore("given", folder=tmp_path)
    Dense(Given(vectors), store=store).over(groceries()).search("q")
    store.close()
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE vector SET value = substr(value, 1, 5)")
    db.close()
    given = Given(vectors)
    assert len(Dense(given, store=VectorStore("given", folder=tmp_path)).over(groceries()).search("q")) == 4
    assert given.encoded == 5


def test_vectors_of_another_model_are_refused_by_both_names_and_left_as_they_are(tmp_path: Path) -> None:
    old = VectorStore("m8", folder=tmp_path)
    Dense(Given({"purchase: a": [1] * 8, "q": [1] * 8}, "m8"), store=old).over(user(record(1, "a"))).search("q")
    old.close()
    new = VectorStore("m16", folder=tmp_path)
    old.path.replace(new.path)
    before = new.path.read_bytes()
    memory = Dense(Given({"purchase: a": [1] * 16, "q": [1] * 16}, "m16"), store=new)
    with pytest.raises(IndexMismatchError, match="'m8', not of 'm16'"):
        memory.over(user(record(1, "a"))).search("q")
    assert new.path.read_bytes() == before


@pytest.mark.parametrize("value", [
    [[0.6, 0.8, 0, 0]], np.array([[0.6, 0.8, 0, 0]]), np.asfortranarray([[0.6, 0.8, 0, 0]]),
    np.array([[0.6, 0.8, 0, 0]], dtype=np.float16), np.array([[3, 4, 0, 0]], dtype=np.int64),
    np.array([[0.6, 9, 0.8, 9, 0, 9, 0, 9]], dtype=np.float32)[:, ::2],
])
def test_vectors_of_any_number_type_and_layout_are_read_alike(value: Any) -> None:
    got = unit(value, rows=1)
    assert got.dtype == np.float32
    assert got.flags["C_CONTIGUOUS"]
    assert got == pytest.approx(np.array([[0.6, 0.8, 0, 0]]), abs=1e-3)


@pytest.mark.parametrize("value", [[0.6, 0.8], [[1.0, float("nan")]], [[float("inf"), 0]], [[1.0], [2.0]]])
def test_vectors_of_no_use_are_a_failure_and_no_empty_answer(value: Any) -> None:
    with pytest.raises(MemoryFailure):
        unit(value, rows=1)


def test_many_threads_may_search_at_once(model: MiniLM) -> None:
    retriever = Dense(model).over(groceries())
    queries = [f"oat milk number {number}" for number in range(8)]
    found: dict[str, list[str]] = {}

    def search(query: str) -> None:
        found[query] = [hit.sources[0] for hit in retriever.search(query)]

    threads = [threading.Thread(target=search, args=(query,)) for query in queries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {query: [hit.sources[0] for hit in retriever.search(query)] for query in queries}


def test_the_threads_of_torch_stay_as_the_user_set_them() -> None:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(7)
    try:
        MiniLM().encode(["oat milk"])
        assert torch.get_num_threads() == 7
    finally:
        torch.set_num_threads(before)


def test_the_fingerprint_tells_model_index_k_and_threshold() -> None:
    assert minilm().over(user()).fingerprint == "dense:all-MiniLM-L6-v2@53aa51172d14/256/unit;flat-ip;k=20;above=0.25"
    assert Dense(Given({}, "NovaSearch/stella_en_400M_v5@abc")).threshold == 0.5


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    changed = MiniLM()
    changed.name = str(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(MemoryFailure, match="expected 53aa51172d14"):
        changed.encode(["x"])
