"""Tabs and popups: which one is active, what is told, what is left when one closes."""

from __future__ import annotations

import time

import pytest
from playwright.async_api import Error as PlaywrightError

from habitus.envs.browser import tab


def test_a_document_that_left_is_not_a_tab_that_closed(show, site, live):
    site.pages["/next"] = "<title>Next</title>"
    tab_ = show("<p>x").workspace._tabs.active
    leave = f"location.href='{site.url.replace('127.0.0.1', 'localhost')}/next'; new Promise(() => 0)"
    with pytest.raises(tab.PageChangedError):
        live.run(tab_.send("Runtime.evaluate", {"expression": leave, "awaitPromise": True}))
    for said, kind in (("Inspected target navigated or closed", tab.PageChangedError),
                       ("Target page, context or browser has been closed", tab.TabGoneError),
                       ("Target crashed", tab.TabGoneError)):
        assert type(tab_.lost(PlaywrightError(said))) is kind


def test_popups_by_script_are_followed_and_close_themselves(show, site):
    site.pages["/pop"] = "<title>Pop</title><button onclick='window.close()'>Done</button>"
    page = show("<button onclick=\"window.open('/pop')\">Pop</button>")
    page.click("button", "Pop")
    assert (page.view.title, len(page.view.tabs)) == ("Pop", 2)
    page.click("button", "Done")
    assert (page.view.title, page.view.tabs) == ("Test", ())


def test_a_popup_that_closes_itself_while_nobody_looks_leaves_the_page_behind_it(show, site):
    leave = "<script>setTimeout(() => window.close(), 400)</script>"
    site.pages["/brief"] = f"<title>Brief</title><button>Here</button>{leave}"
    page = show("<button onclick=\"window.open('/brief')\">Pop</button>")
    page.click("button", "Pop")
    assert page.view.title == "Brief"
    ref = page.find("button", "Here").ref
    time.sleep(1.0)
    page.act(f"click({ref})")
    assert (page.view.title, page.view.tabs) == ("Test", ())
    assert "not done" in page.view.error


def test_a_flood_of_popups_is_held_back(show):
    page = show("<button onclick=\"for(let i=0;i<40;i++)window.open('about:blank')\">Flood</button>")
    page.click("button")
    page.act("wait(1)")
    assert len(page.view.tabs) <= 12
