"""Controls are found by role and name on pages of unlike make."""

from __future__ import annotations

from habitus.agents.pages import Page

SHOP = """\
banner
  [e1] link "Meadow"
  search
    [e2] textbox "Anything you like?" type=search
    [e3] button "Go"
  navigation "Meadow"
    [e4] link "Trolley (1)"
  [e5] textbox "Town or code"
  [e6] button "Use it"
main
  complementary "Refine"
    heading "Sort" level=3
    list
      listitem
        [e7] link "Oat (3)"
      listitem
        [e8] link "Soya (2)" current
    heading "Maker" level=3
    list
      listitem
        [e9] link "Hollis (4)"
  list
    listitem
      [e10] link "Hollis oat milk £1.20"
    listitem
      [e11] link "Alder soya milk"
      text "£1.40"
  navigation "Pages"
    [e12] link "Onward"
"""
ITEM = """\
banner
  search
    [e2] textbox "Find" type=search
    [e3] button "Search"
main
  article
    heading "Hollis oat milk" level=1
    group "Size"
      [e20] radio "1 litre"
      [e21] radio "2 litre" checked
    [e22] select "Bottle" value="-" options="-|Glass|Carton"
    [e23] button "Put in trolley"
    [e24] button "Buy and pay"
"""


def test_search_box_and_place_are_told_apart() -> None:
    page = Page(SHOP)
    assert page.search_box is not None
    assert page.search_box.ref == "e2"
    assert page.location_field is not None
    assert page.location_field.ref == "e5"


def test_a_lone_field_is_the_search_box_whatever_it_asks() -> None:
    page = Page('main\n  search\n    [e1] textbox "Where are you going?"')
    assert page.search_box is not None
    assert page.location_field is None


def test_results_are_links_in_lists_outside_the_regions_beside_them() -> None:
    assert [(card.ref, card.text.split()[0]) for card in Page(SHOP).cards] == [("e10", "Hollis"), ("e11", "Alder")]
    assert "£1.40" in Page(SHOP).cards[1].text


def test_filter_links_belong_to_the_heading_above_them() -> None:
    assert [(o.group, o.label, o.chosen) for o in Page(SHOP).filter_links if o.ref != "e12"] == [
        ("Sort", "Oat", False), ("Sort", "Soya", True), ("Maker", "Hollis", False),
    ]


def test_the_way_to_further_results_is_found() -> None:
    for name in ("Next", "Fresh ground"):
        link = Page(SHOP.replace("Onward", name)).onward()
        assert link is not None
        assert link.ref == "e12"


def test_choices_are_grouped_with_what_is_chosen() -> None:
    size, bottle = Page(ITEM).choices
    assert [(option.label, option.chosen) for option in size] == [("1 litre", False), ("2 litre", True)]
    assert {option.group for option in bottle} == {"Bottle"}
    assert [option.label for option in bottle] == ["-", "Glass", "Carton"]


def test_the_decisive_button_takes_the_thing_and_nothing_final() -> None:
    button = Page(ITEM).decisive
    assert button is not None
    assert button.ref == "e23"
    assert Page('main\n  [e1] button "Confirm booking and pay"').decisive is None
    assert Page('main\n  [e1] button "Add" disabled').decisive is None


def test_a_button_of_unknown_words_takes_the_thing_where_it_ends_the_form() -> None:
    form = 'main\n  [e1] button "Zoom"\n  [e2] select "Size" options="S|M"\n  [e3] button "{}"\n  [e4] button "Share"'
    button = Page(form.format("Yes please")).decisive
    assert button is not None
    assert button.ref == "e3"
    assert Page(form.format("Pay at once")).decisive is None
    assert Page('main\n  form "Filters"\n    [e1] select "Size" options="S|M"\n  [e2] button "Show"').decisive is None


def test_the_place_goes_into_the_one_plain_field_beside_the_search_box() -> None:
    lone = 'banner\n  search\n    [e1] textbox "Search"\n  [e2] textbox "Whereabouts"\n'
    field = Page(lone).location_field
    assert field is not None
    assert field.ref == "e2"
    assert Page(lone + '  [e3] textbox "Name"').location_field is None
    assert Page(lone.replace('"Whereabouts"', '"E-mail" type=email')).location_field is None


def test_a_banner_over_the_page_is_agreed_to() -> None:
    page = Page('main\n  text "x"\ndialog "Cookies"\n  [e1] button "Settings"\n  [e2] button "Accept"')
    assert page.consent is not None
    assert page.consent.ref == "e2"


def test_ticked_boxes_come_into_force_by_the_button_after_them() -> None:
    page = Page('main\n  form "F"\n    group "Sort"\n      [e1] checkbox "Oat" checked\n    [e2] button "Show"')
    assert page.ticks[0].chosen
    assert page.apply_button is not None
    assert page.apply_button.ref == "e2"


def test_complaints_are_heard() -> None:
    assert Page('main\n  alert "Out of stock"').alert == "Out of stock"
    assert Page("main\n  alert\n    text \"Choose first\"").alert == "Choose first"
    assert Page("").alert == ""
