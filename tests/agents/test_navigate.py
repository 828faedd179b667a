"""The walk over pages: what failed is done again once, what leads nowhere is given up."""

from __future__ import annotations

from collections.abc import Sequence

from habitus.agents.navigate import Group, Navigator
from habitus.types import Observation

HOME = 'banner\n  search\n    [e1] textbox "Find"\n  [e2] textbox "Deliver to"\nmain\n  heading "Hello"'
RESULTS = """\
banner
  search
    [e1] textbox "Find"
main
  form "Filters"
    group "Kind"
      [e3] checkbox "Oat"
      [e4] checkbox "Soya"
    [e5] button "Apply"
  list
    listitem
      [e6] link "Hollis soya milk 1.20"
    listitem
      [e7] link "Alder oat milk 1.30"
"""
NOTHING = 'banner\n  search\n    [e1] textbox "Find"\nmain\n  text "No luck."'
ITEM = """\
main
  group "Size"
    [e8] radio "1 litre"
    [e9] radio "2 litre"
  [e10] button "Add"
"""


class Wanted:
    hosts = ("green.test",)
    shops: Sequence[str] = ()
    places = ("Leeds", "LS1 4AP")
    searches = ("oat milk", "milk")

    def prefers(self, group: Group) -> list[float]:
        return [float(label == "2 litre") for label in group.labels]

    def narrows(self, groups: Sequence[Group]) -> list[tuple[int, int]]:
        return [(g, n) for g, group in enumerate(groups) for n, label in enumerate(group.labels) if label == "Oat"]

    def fits(self, text: str) -> float:
        return float("oat" in text)


class Nowhere(Wanted):
    hosts: tuple[str, ...] = ()  # type: ignore[assignment]
    shops = ("Green Larder",)


def seen(page: str, url: str = "http://green.test/", error: str = "") -> Observation:
    return {"page": page, "url": url, "error": error}


def walk(*pages: Observation, errand: Wanted | None = None) -> list[str]:
    navigator = Navigator()
    return [str(navigator.step(page, errand or Wanted()).action) for page in pages]


def test_the_whole_way() -> None:
    ticked = RESULTS.replace('"Oat"', '"Oat" checked')
    chosen = ITEM.replace('"2 litre"', '"2 litre" checked')
    assert walk(
        seen("", "http://start.test/"), seen(HOME), seen(HOME), seen(RESULTS), seen(ticked), seen(ticked),
        seen(ITEM, "http://green.test/i/1"), seen(chosen, "http://green.test/i/1"),
        seen('main\n  status "Added."', "http://green.test/basket"),
    ) == [
        'goto("http://green.test/")', 'fill("e2", "Leeds", submit=True)', 'fill("e1", "oat milk", submit=True)',
        'click("e3")', 'click("e5")', 'click("e7")', 'click("e9")', 'click("e10")', "stop()",
    ]


def test_what_failed_is_done_again_once_and_then_given_up() -> None:
    fill = 'fill("e2", "Leeds", submit=True)'
    actions = walk(seen(HOME), seen(HOME, error="gone"), seen(HOME, error="gone"))
    assert actions == [fill, fill, 'fill("e1", "oat milk", submit=True)']


def test_another_place_is_tried_where_the_first_is_refused() -> None:
    refused = HOME + '\n  alert "Unknown town"'
    actions = walk(seen(HOME), seen(refused))
    assert actions == ['fill("e2", "Leeds", submit=True)', 'fill("e2", "LS1 4AP", submit=True)']


def test_filters_that_leave_nothing_are_given_up_before_the_words_are() -> None:
    ticked = RESULTS.replace('"Oat"', '"Oat" checked')
    actions = walk(seen(NOTHING), seen(RESULTS), seen(ticked), seen(NOTHING), seen(RESULTS))
    assert actions == [
        'fill("e1", "oat milk", submit=True)', 'click("e3")', 'click("e5")', 'fill("e1", "oat milk", submit=True)',
        'click("e7")',
    ]


def test_where_nothing_is_found_it_stops() -> None:
    assert walk(*[seen(NOTHING)] * 4)[-1] == "stop()"


def test_a_thing_that_cannot_be_taken_is_left_for_the_next() -> None:
    sold_out = ITEM.replace('"2 litre"', '"2 litre" checked') + '\n  alert "Out of stock"'
    actions = walk(
        seen(NOTHING), seen(RESULTS), seen(RESULTS.replace('"Oat"', '"Oat" checked')),
        seen(RESULTS.replace('"Oat"', '"Oat" checked')), seen(sold_out.replace("alert", "text"), "http://green.test/i/1"),
        seen(sold_out, "http://green.test/basket"), seen(RESULTS.replace('"Oat"', '"Oat" checked')),
    )
    assert actions[4:] == ['click("e10")', "back()", 'click("e6")']


def test_it_ends_whatever_the_pages_do() -> None:
    for page in (HOME, RESULTS, NOTHING, ITEM, "", "main"):
        navigator = Navigator()
        actions = [str(navigator.step(seen(page), Wanted()).action) for _ in range(40)]
        assert "stop()" in actions or len(set(actions[-10:])) > 1, page


def test_an_unknown_site_is_looked_for_by_its_name() -> None:
    start = 'main\n  search\n    [e1] textbox "Search"'
    hits = ['[e2] link "Blue"', '[e3] link "Green Larder"']
    found = start + "\n  list" + "".join(f"\n    listitem\n      {hit}\n      text \"Fresh\"" for hit in hits)
    actions = walk(seen(start, "http://start.test/"), seen(found, "http://start.test/?q"), seen(HOME), errand=Nowhere())
    assert actions == ['fill("e1", "Green Larder", submit=True)', 'click("e3")', 'fill("e2", "Leeds", submit=True)']


def test_a_dead_address_is_given_up_for_the_engine() -> None:
    start = 'main\n  search\n    [e1] textbox "Search"'
    unreachable = seen(start, "http://start.test/", "no such host")
    actions = walk(seen(start, "http://start.test/"), unreachable, unreachable)
    assert actions[:2] == ['goto("http://green.test/")'] * 2
    assert actions[2].startswith('fill("e1"')
