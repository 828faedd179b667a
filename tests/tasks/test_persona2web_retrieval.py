"""The histories under both memories: sensible queries bring the entries that bear a slot out."""

from __future__ import annotations

import pytest

from habitus.memory import bm25, minilm
from habitus.tasks.persona2web import suite
from habitus.types import Memory, Slot


def query_for(slot: Slot, product: str) -> str:
    """What someone would ask who knows the words of the query alone."""
    if slot.kind == "website":
        return f"{slot.phrase} website order"
    if slot.kind == "location":
        return "home delivery address town postcode"
    return slot.phrase if product in slot.phrase else f"{slot.phrase} {product}"


def test_most_slots_are_borne_out_by_two_entries_found_by_words() -> None:
    assert share_borne_out(bm25()) >= 0.8


@pytest.mark.slow
def test_most_slots_are_borne_out_by_two_entries_found_by_meaning() -> None:
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("faiss")
    assert share_borne_out(minilm()) >= 0.8


def share_borne_out(memory: Memory) -> float:
    local = suite()
    asked: list[bool] = []
    for brief in local.tasks():
        if brief.level != 2:
            continue
        truth = local.truth(brief.id)
        retriever = memory.over(local.user(brief.user))
        for slot in truth.slots:
            hits = retriever.search(query_for(slot, str(truth.outcome.wishes[0].value)), as_of=brief.as_of)
            assert len(hits) <= 20
            asked.append(len({hit.sources[0] for hit in hits} & set(slot.evidence)) >= 2)
    assert len(asked) == 18 * 3 + sum(brief.category in ("groceries", "restaurants") for brief in local.tasks()) // 3
    return sum(asked) / len(asked)
