"""What the privileged schemes show: the entries behind the open slots, or the facts themselves."""

from __future__ import annotations

from habitus.tasks.persona2web import suite
from habitus.tasks.privileged import gold_hits, oracle_hits
from habitus.types import Aspect, QATruth, Record, User


def test_the_oracle_shows_exactly_the_entries_of_the_open_slots() -> None:
    local = suite()
    for brief in local.tasks():
        truth, user = local.truth(brief.id), local.user(brief.user)
        hits = oracle_hits(truth, user)
        wanted = {entry for slot in truth.slots if not slot.given for entry in slot.evidence}
        assert {hit.sources[0] for hit in hits} == wanted
        assert all(hit.record is not None and hit.record.text == hit.text for hit in hits)
        assert (hits == ()) == (brief.level == 0)


def test_gold_tells_the_value_of_every_open_slot() -> None:
    local = suite()
    for brief in local.tasks():
        truth = local.truth(brief.id)
        texts = [hit.text for hit in gold_hits(truth)]
        assert texts == [f"{slot.key}: {slot.value}" for slot in truth.slots if not slot.given]
        assert all(truth.canary not in text for text in texts)


def test_a_question_shows_its_posts_and_its_aspects() -> None:
    truth = QATruth(
        task_id="q", data_version="1", narrative="hidden", evidence=("p2",), canary="habitus-canary-x",
        aspects=(Aspect(title="Cost", reason="They count pennies.", evidence="short of money"),),
    )  # fmt: skip
    user = User(id="u", records=(Record(id="p1", kind="post", text="one"), Record(id="p2", kind="post", text="two")))
    assert [hit.text for hit in oracle_hits(truth, user)] == ["two"]
    assert [(hit.text, hit.sources) for hit in gold_hits(truth)] == [("Cost: They count pennies.", ("p2",))]
