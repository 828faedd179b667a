"""Lexical retrieval with the real BM25."""

from __future__ import annotations

import math
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from habitus.memory import bm25
from habitus.memory.lexical import words
from habitus.types import Hit, Record, User

NOON = datetime(2026, 3, 1, tzinfo=UTC)


def search(texts: list[str], query: str, **given: datetime) -> list[Hit]:
    days = [NOON + timedelta(days=n) for n in range(len(texts))]
    records = tuple(Record(id=str(n), kind="buy", text=text, time=days[n]) for n, text in enumerate(texts))
    return bm25().over(User(id="u", records=records)).search(query, **given)


def test_the_score_is_bm25_in_lucenes_form() -> None:
    texts = ["oat milk", "cordless drill and drill bits", "oat biscuits"]
    hit = search(texts, "milk")[0]
    lengths = [3, 6, 3]  # with the type
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    norm = 1.5 * (1 - 0.75 + 0.75 * 3 / (sum(lengths) / 3))
    assert hit.score == pytest.approx(idf * 1 / (1 + norm), rel=1e-4)


def test_only_entries_that_share_a_word_are_offered_best_first_ties_by_entry_order() -> None:
    found = search(["oat biscuits", "drill", "oat milk", "oat biscuits", "Hafer"], "OAT milk")
    assert [hit.sources[0] for hit in found] == ["2", "0", "3"]
    assert all(hit.score > 0 for hit in found)
    assert found[0].record is not None
    assert found[0].text == "oat milk"


def test_at_most_twenty_are_offered_and_none_from_the_future() -> None:
    assert len(search(["milk"] * 30, "milk")) == 20
    assert [hit.sources[0] for hit in search(["milk"] * 30, "milk", as_of=NOON + timedelta(days=1))] == ["0", "1"]


@pytest.mark.parametrize("query", ["", "  ", "…", "zebra", "\ud800", "a" * 1_000_000])
def test_a_query_without_known_words_finds_nothing(query: str) -> None:
    assert search(["oat milk"], query) == []


def test_no_history_or_one_without_words_finds_nothing() -> None:
    assert search([], "milk") == []
    record = Record(id="1", kind="…", text="!!")
    assert bm25().over(User(id="u", records=(record,))).search("milk") == []


def test_words_are_split_without_regard_to_case_or_width() -> None:
    assert words("\uff2fat-MILK, 2 litre: Straße") == ["oat", "milk", "2", "litre", "strasse"]


def test_importing_memories_and_searching_words_loads_no_model() -> None:
    code = (
        "import sys, habitus, habitus.llm, habitus.memory as m; from habitus.types import Record, User\n"
        "m.bm25().over(User(id='u', records=(Record(id='1', kind='a', text='b'),))).search('b')\n"
        "print(sorted({'torch', 'faiss', 'sentence_transformers', 'playwright', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
