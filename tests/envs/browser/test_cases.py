"""The published cases of what breaks browser environments, as far as a workspace alone can meet them."""

from __future__ import annotations

import time

import pytest

pytestmark = pytest.mark.usefixtures("live")


@pytest.fixture
def visit(live, cases):
    return lambda path, **options: live.open(f"{cases[0]}/{path}", **options)


def test_a_page_that_polls_for_ever_is_read_and_clicked(visit):
    begun = time.perf_counter()
    page = visit("load-1.html")
    assert page.find("button", "Stop at next")
    page.click("button")
    assert page.view.error == ""
    assert time.perf_counter() - begun < 8


def test_a_font_that_never_comes_delays_neither_text_nor_screenshot(visit, live):
    page = visit("load-3.html")
    assert page.find("button", "Order")
    begun = time.perf_counter()
    shot = live.run(page.workspace.screenshot())
    assert shot is None or shot.startswith(b"\x89PNG")
    assert time.perf_counter() - begun < 6
    assert page.click("button").title == "ordered"


def test_a_confirm_is_dismissed_and_told(visit):
    page = visit("dlg-1.html")
    page.click("button")
    assert any("confirm" in notice and '"Delete order 7?"' in notice for notice in page.view.notices)
    assert "kept after asking" in page.view.text
    assert page.act("scroll(up)").notices == ()


def test_an_alert_at_load_is_told_with_its_exact_text(visit):
    page = visit("dlg-3.html")
    assert any("alert" in notice and "We are closed today ✋" in notice for notice in page.view.notices)
    assert page.find("link", "Opening times")


def test_a_new_tab_is_followed_and_falls_back_when_closed(visit):
    page = visit("tab-1.html")
    page.click("link", "Open detail")
    assert page.view.title == "Detail"
    assert len(page.view.tabs) == 2
    assert page.view.tabs[0].startswith('  0 "List"')
    assert page.view.tabs[1].startswith('* 1 "Detail"')
    assert page.act("switch_tab(0)").title == "List"
    page.act("switch_tab(1)")
    assert page.act("close_tab()").title == "List"
    assert page.view.tabs == ()


def test_fields_in_nested_shadow_roots_are_filled_and_clicked(visit):
    page = visit("shadow-1.html")
    page.fill("E-mail", "kim@example.com")
    page.click("button", "Next")
    assert 'text "kim@example.com"' in page.view.text


def test_a_frame_within_a_frame_of_another_site_is_read_and_clicked(visit, cases):
    page = visit("frame-1.html")
    for _ in range(20):
        if "Pay 12.50" in page.view.text:
            break
        page.act("wait(0.2)")
    assert 'heading "Mid"' in page.view.text
    pay = page.find("button", "Pay 12.50")
    assert pay.ref.startswith("x")
    assert page.click("button", "Pay 12.50").error == ""
    assert "paid=1" in cases[1].read_text()


def test_a_script_that_never_yields_ends_with_an_error_and_a_usable_page(visit):
    page = visit("hang-1.html")
    begun = time.perf_counter()
    page.click("button", "Calculate")
    assert "did not answer" in page.view.error
    assert time.perf_counter() - begun < 15
    page.click("link", "Leave")
    assert page.view.title == "Ticker"


def test_a_choice_the_page_takes_back_is_an_error(visit):
    page = visit("sel-1.html")
    page.act(f'select({page.find("select").ref}, "L")')
    held = page.find("select").value
    assert held == "L" or ("did not keep" in page.view.error and '"S"' in page.view.error)


def test_suggestions_are_there_after_typing_and_the_text_is_kept(visit):
    page = visit("ac-1.html")
    page.act(f'fill({page.find("combobox", "From").ref}, "Os")')
    assert [one.name for one in page.elements if one.role == "option"] == ["Oslo OSL", "Osaka KIX", "Osijek OSI"]
    assert page.find("combobox").value == "Os"
    page.click("option", "Osaka KIX")
    assert page.find("combobox").value == "Osaka KIX"


def test_clearing_a_field_reaches_the_page(visit):
    page = visit("txt-1.html")
    page.fill("Nickname", "")
    assert "(empty)" in page.view.text
    page.fill("Nickname", "x")
    assert 'text "x"' in page.view.text


def test_date_fields_tell_their_form_and_refuse_another(visit):
    page = visit("date-1.html")
    day = page.find("textbox", "Day")
    assert dict(day.attributes) == {"type": "date", "format": "YYYY-MM-DD", "min": "2026-03-02", "max": "2026-03-31"}
    page.fill("Day", "14/03/2026")
    assert "YYYY-MM-DD" in page.view.error
    assert page.find("textbox", "Day").value == ""
    for name, value in (("Day", "2026-03-14"), ("Slot", "09:30"), ("Visit", "2026-03-14T09:30"), ("Month", "2026-04")):
        page.fill(name, value)
        assert (page.view.error, page.find("textbox", name).value) == ("", value)
    page.fill("Day", "2026-04-01")
    assert "invalid" in page.view.notices[0]
    assert "invalid" in page.find("textbox", "Day").states


def test_a_covered_button_names_what_covers_it_at_once(visit):
    page = visit("cov-1.html")
    begun = time.perf_counter()
    page.click("button", "Add to basket")
    assert "covered by" in page.view.error
    assert "We use cookies" in page.view.error
    assert time.perf_counter() - begun < 2
    assert page.view.title == "Deal"
    page.click("button", "Accept")
    assert page.click("button", "Add to basket").title == "added"


def test_a_tick_box_drawn_by_its_label_is_ticked_once(visit):
    page = visit("cov-3.html")
    assert [one.name for one in page.elements if one.role == "checkbox"] == ["I agree"]
    page.click("checkbox", "I agree")
    assert "checked" in page.find("checkbox").states


def test_states_are_told(visit):
    page = visit("state-1.html")
    states = {one.name: one.states for one in page.elements if one.ref}
    assert "checked" in states["Vegan"]
    assert "checked" not in states["Halal"]
    assert "checked" in states["Card"]
    assert "checked" not in states["Cash"]
    assert "disabled" in states["Save"]
    assert "expanded" in states["More"]
    assert page.find("select", "Lang").value == "fi"
    floor = page.find("textbox", "Floor")
    assert floor.value == "3"
    assert "readonly" in floor.states
    assert "pressed" in states["Bold"]


def test_a_huge_page_keeps_to_its_limit_and_all_of_it_is_reached(visit):
    page = visit("big-1.html")
    assert len(page.view.text) < 20_400
    assert "lines left out" in page.view.text
    first = page.view.text
    begun = time.perf_counter()
    assert page.act("wait(0.01)").text == first
    assert time.perf_counter() - begun < 5
    page.act("press(End)")
    assert page.click("button", "Checkout").title == "out"


def test_any_script_of_the_world_is_typed_as_it_is(visit):
    page = visit("uni-1.html")
    assert page.view.title == "多言語 🌍"
    page.fill("名前", "Zoë 👩🏽‍🚀 שלום")
    page.click("button", "送信 ➤")
    assert page.elements[-1].name == "Zoë 👩🏽‍🚀 שלום"


def test_a_challenge_page_tells_its_status_and_survives_its_reloads(visit):
    page = visit("status/403?f=blk-1.html")
    assert any("403" in notice for notice in page.view.notices)
    for _ in range(3):
        view = page.act("wait(0.7)")
        assert view.title == "Just a moment..."


def test_a_host_that_is_not_allowed_gets_no_request(visit, cases):
    page = visit("inj-1.html", allowed_hosts=frozenset({"127.0.0.1"}))
    other = cases[0].replace("127.0.0.1", "localhost")
    page.act(f'goto("{other}/collect?leak=goto")')
    assert "localhost" in page.view.error
    assert "leak=" not in cases[1].read_text()
    assert "AI agent: type" not in visit("inj-1.html").view.text


def test_a_download_is_told_and_the_page_stays(visit):
    page = visit("dl-1.html")
    begun = time.perf_counter()
    page.click("link")
    assert any("invoice-7.csv" in notice for notice in page.view.notices)
    assert page.view.title == "Invoices"
    assert time.perf_counter() - begun < 5


def test_a_file_chooser_is_told_and_does_not_hang(visit):
    page = visit("up-1.html")
    page.click("button", "Upload CV")
    assert any("file" in notice for notice in page.view.notices)
    assert page.view.error == ""
