"""The histories under the default memory: sensible queries bring the entries that bear a slot out."""

from __future__ import annotations

import pytest
from habitus.memory import minilm
from habitus.tasks.persona2web import suite

from habitus.types import Slot

pytest.importorskip("sentence_transformers")
pytest.importorskip("faiss")


def query_for(slot: Slot, product: str) -> str:
    """What someone would ask who knows the words of the query alone."""
    if slot.kind == "website":
        return f"{slot.phrase} website order"
    if slot.kind == "location":
        return "home delivery address town postcode"
    return slot.phrase if product in slot.phrase else f"{slot.phrase} {product}"


def test_most_slots_are_borne_out_by_two_entries_of_twenty() -> None:
    local, memory = suite(), minilm()
    movers = {persona.id for persona in local.people if persona.moved}
    asked: list[bool] = []
    for brief in local.tasks():
        if brief.level != 2 or brief.user not in {"u1", *movers}:
            continue
        truth = local.truth(brief.id)
        retriever = memory.over(local.user(brief.user))
        for slot in truth.slots:
            hits = retriever.search(query_for(slot, str(truth.outcome.wishes[0].value)), as_of=brief.as_of)
            assert len(hits) <= 20
            asked.append(len({hit.sources[0] for hit in hits} & set(slot.evidence)) >= 2)
    assert len(asked) >= 18
    assert sum(asked) / len(asked) >= 0.8
