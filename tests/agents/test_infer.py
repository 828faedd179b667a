"""Habits are inferred from what recurs and is recent."""

from __future__ import annotations

from habitus.agents.parts import Entry, key_of
from habitus.agents.reflex.infer import Habits

TODAY = "2026-03-01"


def entry(number: int, text: str, *, day: str = "2026-02-01", kind: str = "purchase", website: str = "") -> Entry:
    return {"id": f"e{number}", "kind": kind, "text": text, "time": f"{day}T09:00:00+00:00", "website": website,
            "score": "0.5"}


def habits(*entries: Entry, noun: str = "milk") -> Habits:
    return Habits(entries, noun=(noun,), today=TODAY)


def best(found: Habits, *options: str) -> str:
    shares = found.bearing.shares(options)
    return options[shares.index(max(shares))] if any(shares) else ""


def test_what_recurs_wins() -> None:
    found = habits(entry(1, "Oat milk, 2 litre"), entry(2, "Soya milk, 1 litre"), entry(3, "Oat milk, 2 l, and bread"),
                   entry(4, "Soya milk, 500 ml"), entry(5, "Oat milk, 2 litres"))
    assert best(found, "Oat", "Soya", "Goat") == "Oat"
    assert best(found, "500 ml", "1 litre", "2 litre") == "2 litre"


def test_what_is_recent_wins_over_what_is_old() -> None:
    old = [entry(n, "Soya milk", day="2025-03-10") for n in range(4)]
    new = [entry(n + 9, "Oat milk", day="2026-02-10") for n in range(2)]
    assert best(habits(*old, *new), "Soya", "Oat") == "Oat"


def test_what_happened_once_is_no_habit() -> None:
    assert best(habits(entry(1, "Almond milk"), entry(2, "Milk, 1 litre")), "Almond", "Oat") == ""


def test_gifts_count_little() -> None:
    gifts = [entry(n, f"Almond milk, gift wrapped for friend {n}") for n in range(3)]
    assert best(habits(*gifts, entry(7, "Oat milk"), entry(8, "Oat milk")), "Almond", "Oat") == "Oat"


def test_other_things_say_nothing_of_this_one() -> None:
    juice = [entry(n, "Orange juice, 500 ml") for n in range(5)]
    milk = [entry(n, "Oat milk, 2 litre") for n in (7, 8)]
    assert best(habits(*juice, *milk), "500 ml", "2 litre") == "2 litre"


def test_the_longer_of_two_names_takes_the_entry() -> None:
    found = habits(entry(1, "Milk, extra large"), entry(2, "Milk, extra large"), entry(3, "Milk, large"))
    assert best(found, "large", "extra large") == "extra large"


def test_the_things_own_name_is_no_preference() -> None:
    assert best(habits(entry(1, "Oat milk"), entry(2, "Oat milk")), "Milk") == ""


def test_the_words_of_a_topic_tell_which_of_two_habits_is_meant() -> None:
    entries = [entry(n, "Hotel Aurora, twin room, amenity pool", kind="booking") for n in range(3)]
    near = habits(*entries, noun="hotel").bearing.about(("amenity",))
    assert near.shares(["Pool", "Aurora"]) == [1.0, 0.0]


def test_recurring_terms_leave_out_what_all_entries_say() -> None:
    found = habits(entry(1, "Oat milk delivered"), entry(2, "Oat milk delivered"), entry(3, "Rye bread delivered"),
                   entry(4, "White rice delivered"))
    assert [term for term, _ in found.bearing.recurring(found.rest)] == ["oat"]
    assert found.bearing.support("oat") == ("e1", "e2")


def test_the_usual_website_is_where_such_things_were_taken() -> None:
    found = habits(
        *[entry(n, "Oat milk offers", kind="web visit", website="other.test") for n in range(3)],
        *[entry(n + 5, "Oat milk", website="green.test") for n in range(2)],
        entry(9, "Rye bread", website="third.test"),
    )
    assert [host for host, _ in found.websites()] == ["green.test"]


def test_the_home_is_where_things_went_lately() -> None:
    before = [entry(n, "Milk, delivered to Leeds, LS1 4AP", day="2025-04-01") for n in range(4)]
    after = [entry(n + 9, "Milk, delivered to York, YO1 7HH", day="2026-02-01") for n in range(2)]
    gift = entry(20, "Milk, gift for a friend, sent to Hull, HU1 1AA", day="2026-02-27")
    assert habits(*before, *after, gift).places()[0][0] == "YO1 7HH"


def test_facts_stated_outright_count_without_recurring() -> None:
    fact: Entry = {"id": "e1", "kind": "fact", "text": "pack size: 2 litre", "time": "", "website": "", "score": ""}
    assert best(habits(fact), "1 litre", "2 litre") == "2 litre"
    shop: Entry = {**fact, "text": "grocery shop: Green Larder"}
    assert habits(fact, shop).shops(("grocery",)) == ["Green Larder"]


def test_two_facts_of_one_record_are_two() -> None:
    one: Entry = {"id": "e1", "kind": "fact", "text": "size: small", "time": "", "website": "", "score": ""}
    assert key_of(one) != key_of({**one, "text": "colour: navy"})


def test_an_empty_history_tells_nothing() -> None:
    nothing = habits()
    assert best(nothing, "Oat") == ""
    assert nothing.websites() == nothing.places() == nothing.bearing.recurring() == []
