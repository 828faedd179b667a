"""Acting on live pages: what works, what fails and how it says so, and what happens beside it."""

from __future__ import annotations

import json
import struct
import time

import pytest
from playwright.async_api import Error as PlaywrightError

from habitus.envs.browser import BrowserPool, act, tab
from habitus.envs.browser import settle as settling
from habitus.errors import BrowserError, SiteError

FORM = "<form action=/next><label>Name <input name=n></label><button>Send</button></form><a href=/next>On</a>"


@pytest.fixture
def visit(live, site):
    def opened(path="/", **options):
        return live.open(site.url + path, **options)

    return opened


def test_links_forms_and_back_wait_for_their_page(show, site):
    site.pages["/next"] = "<title>Next</title><a href='/slow?s=0.4&body=<title>Slow</title>done'>Slow</a>"
    page = show(FORM)
    assert page.click("link", "On").title == "Next"
    assert page.act("back()").title == "Test"
    page.fill("Name", "Zoë & co")
    assert page.click("button", "Send").title == "Next"
    assert page.view.url.endswith("/next?n=Zo%C3%AB+%26+co")
    assert page.act("back()").title == "Test"
    assert page.fill("Name", "x", submit=True).url.endswith("/next?n=x")
    assert page.click("link", "Slow").title == "Slow"
    assert 'text "done"' in page.view.text


def test_a_post_that_redirects_ends_on_the_last_page(show, site):
    site.pages["/next"] = "<title>Next</title>ok"
    page = show("<form method=post action='/redirect?to=/redirect?to=/next'><button>Send</button></form>")
    assert page.click("button").title == "Next"


def test_pages_that_scripts_go_to_are_waited_for(show, site):
    site.pages["/next"] = "<title>Next</title>"
    assert show("<button onclick=\"location.href='/next'\">Go</button>").click("button").title == "Next"
    page = show("<form action=/next id=f></form><button onclick='f.submit()'>Go</button>")
    assert page.click("button").title == "Next"
    site.pages["/hop"] = "<title>Hop</title><script>location.replace('/next')</script>"
    assert show("<a href=/hop>Go</a>").click("link").title == "Next"


def test_what_a_click_fetches_is_waited_for(look):
    page = look("<button "
                "onclick=\"fetch('/slow?s=0.3&body=arrived').then(r=>r.text()).then(t=>document.body.append(t))\">Go</button>")
    page.click("button")
    assert "arrived" in page.view.text


def test_a_change_after_a_short_timer_is_waited_for(look):
    page = look("<button onclick=\"setTimeout(()=>document.body.append('late'),30)\">Go</button>")
    page.click("button")
    assert "late" in page.view.text


def test_a_page_that_changes_for_ever_is_read_within_the_limit(look):
    page = look("<p id=p></p><button>Go</button><script>setInterval(()=>{p.textContent=Math.random()},10)</script>")
    begun = time.perf_counter()
    page.click("button")
    assert time.perf_counter() - begun < 3


def test_steps_on_a_page_without_scripts_do_not_wait(look):
    page = look("<label><input type=checkbox>A</label>")
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        page.click("checkbox")
        times.append(time.perf_counter() - begun)
    assert sorted(times)[1] < 0.3


def test_an_answer_without_a_document_leaves_the_page(show):
    begun = time.perf_counter()
    page = show("<a href=/nothing>No</a><a href=/file>File</a><a href=#x>Anchor</a>")
    assert page.click("link", "No").title == "Test"
    assert page.view.error == ""
    page.click("link", "File")
    assert any('"invoice 7.csv"' in notice for notice in page.view.notices)
    assert page.click("link", "Anchor").url.endswith("#x")
    assert page.view.notices == ()
    assert time.perf_counter() - begun < 8


@pytest.mark.parametrize(
    ("action", "error"),
    [
        ("click(e99)", "there is no element e99"),
        ("fill(e99, 'x')", "there is no element e99"),
        ("click(e1)", "e1 is disabled"),
        ("fill(e1, 'x')", 'e1 is a button "Off", no text field'),
        ("click(e2)", "use select"),
        ("select(e2, 'Large')", 'e2 has no option "Large"; it has: "S", "M"'),
        ("select(e2, 'M')", 'the option "M" of e2 is disabled'),
        ("select(e3, 'M')", "no select"),
        ("fill(e3, 'x')", "no text field"),
        ("fill(e4, 'x')", "read-only"),
        ("fill(e5, 'abc')", "took nothing"),
        ("fill(e6, '99')", "a number from 1 to 5"),
        ("press(Nokey)", "Nokey"),
        ("scroll(up)", "nothing to scroll"),
        ("switch_tab(3)", "there is no tab 3"),
        ("close_tab()", "the only tab"),
        ("goto('file:///etc/passwd')", "only http and https"),
        ("goto('javascript:alert(1)')", "only http and https"),
        ("goto('chrome://version')", "only http and https"),
        ("goto('http://127.0.0.1:9/')", "navigation failed"),
        ("goto('http://')", "names no host"),
    ],
)
def test_what_cannot_be_done_says_why(look, action, error):
    page = look("<button disabled>Off</button><select aria-label=Size><option>S<option disabled>M</select>"
                "<button>On</button>"
                "<input aria-label=Fixed readonly value=1><input aria-label=Count type=number><input "
                "aria-label=Rank type=range min=1 max=5>")
    page.act(action)
    assert error in page.view.error
    assert "\n" not in page.view.error
    assert page.view.text or "goto" in action


def test_the_first_page_has_none_before_it(show):
    assert "no earlier page" in show("x").act("back()").error


def test_disabled_options_and_missing_refs_leave_the_page_usable(look):
    page = look("<input type=text aria-label=A disabled><button onclick=\"this.remove()\">Once</button>"
                "<button>Other</button>")
    once = page.find("button", "Once").ref
    page.click("button", "Once")
    page.act(f"click({once})")
    assert "no longer on the page" in page.view.error
    assert page.click("button", "Other").error == ""


def test_a_ref_of_a_page_that_went_away_by_itself_acts_on_nothing(show, site):
    site.pages["/next"] = "<title>Next</title><button onclick=\"document.title='wrong'\">Trap</button>"
    page = show("<button>Fine</button><script>setTimeout(()=>location.href='/next',300)</script>")
    time.sleep(0.8)
    view = page.act("click(e1)")
    assert "changed" in view.error
    assert view.title == "Next"


def test_a_select_fires_its_events_and_shows_the_choice(look):
    page = look("<select aria-label=S onchange=\"document.title=value\"><option value=a>Alpha<option "
                "value=b>Beta</select>")
    page.act(f'select({page.find("select").ref}, "beta")')
    assert (page.view.title, page.find("select").value, page.view.error) == ("b", "Beta", "")


def test_filling_replaces_and_fires_real_events(look):
    page = look("<input aria-label=A value=old><div contenteditable aria-label=B>old</div><p id=o></p>"
                "<script>for (const t of ['beforeinput','input','change']) document.querySelector('input')"
                ".addEventListener(t,e=>{o.textContent+=t+(e.isTrusted?'!':'')+' '})</script>")
    page.fill("A", "new")
    assert page.find("textbox", "A").value == "new"
    assert "beforeinput! input! change" in page.view.text
    page.fill("B", "new too")
    assert page.find("textbox", "B").value == "new too"


def test_a_longer_text_than_fits_is_told(look):
    page = look("<input aria-label=Code maxlength=3>")
    page.fill("Code", "12345")
    assert page.view.notices == ('e1 now holds "123"',)


def test_passwords_are_not_shown(look):
    page = look("<input type=password aria-label=Secret>")
    page.fill("Secret", "hunter2")
    assert "hunter2" not in json.dumps(page.view.model_dump(mode="json"))
    assert page.find("textbox", "Secret").value == "•" * 7


def test_keys_go_to_what_has_the_focus(look):
    page = look("<input aria-label=A onkeydown=\"document.title=event.key\">")
    page.fill("A", "abc")
    assert page.act("press(Escape)").title == "Escape"
    page.act("press('Control+a')")
    page.act("press(Delete)")
    assert page.find("textbox", "A").value == ""


def test_scrolling_reaches_an_inner_scroller(look):
    page = look("<style>html,body{height:100%;margin:0;overflow:hidden}main{height:100%;overflow:auto}</style>"
                "<main onscroll=\"document.title='moved'\"><div style='height:3000px'>x</div></main>")
    assert page.act("scroll(down)").error == ""
    assert page.view.title == "moved"


def test_what_lies_below_is_scrolled_to_and_clicked(look):
    page = look("<header style='position:sticky;top:0;height:90px;background:#ddd'>Head</header><div "
                "style='height:3000px'></div>"
                "<button onclick=\"document.title='hit'\">Low</button><div style='height:3000px'></div>")
    assert page.click("button", "Low").title == "hit"


def test_a_modal_over_the_page_is_named(look):
    page = look("<button>Under</button><div style='position:fixed;inset:0;background:#0008'><p>Choose your "
                "store</p><button>OK</button></div>")
    page.click("button", "Under")
    assert "covered by" in page.view.error
    assert "Choose your store" in page.view.error


def test_every_kind_of_dialog_is_answered_and_told(look):
    page = look("<button onclick=\"document.title=[alert('A&quot;"
                "b'),confirm('C'),prompt('P','d')].join()\">Ask</button>")
    page.click("button")
    assert page.view.title == ",false,"
    assert page.view.notices == (
        'alert dialog, accepted: "A"b"', 'confirm dialog, dismissed: "C"', 'prompt dialog, dismissed: "P"')


def test_a_flood_of_dialogs_is_told_in_five_lines_and_a_number(look):
    page = look("<button onclick=\"for(let i=0;i<40;i++)alert('A'+i)\">Flood</button>")
    page.click("button")
    assert page.view.notices == (*(f'alert dialog, accepted: "A{i}"' for i in range(5)), "... and 35 more")
    assert page.act("wait(0.01)").notices == ()


def test_downloads_are_told_and_nothing_lands_on_disk(show, live):
    page = show("<a href=/file>File</a>")
    downloads = []
    page.workspace._tabs.active.page.on("download", lambda download: downloads.append(download))
    page.click("link", "File")
    assert 'download: "invoice 7.csv"' in page.view.notices[0]
    with pytest.raises(PlaywrightError, match="accept_downloads"):
        live.run(downloads[0].path())


def test_what_navigates_at_once_is_no_failure(show, site):
    site.pages["/next"] = "<title>Next</title>"
    other = site.url.replace("127.0.0.1", "localhost")
    for event in ("onmousedown", "onmouseup", "onclick", "onmouseover"):
        view = show(f"<button {event}=\"location.href='{other}/next'\">Go</button>").click("button")
        assert (view.title, view.error) == ("Next", ""), event
    page = show(f"<input aria-label=A onkeydown=\"location.href='{other}/next'\">")
    page.fill("A", "x")
    view = page.act("press(Enter)")
    assert (view.title, view.error) == ("Next", "")


def test_a_click_whose_answer_is_lost_to_the_next_page_is_no_failure(show, site, monkeypatch):
    site.pages["/next"] = "<title>Next</title>"
    send = tab.Tab.send

    async def unanswered(self, method, parameters=None, **limits):
        answer = await send(self, method, parameters, **limits)
        if (parameters or {}).get("type") == "mouseReleased":
            raise tab.PageChangedError("Inspected target navigated or closed")
        return answer

    monkeypatch.setattr(tab.Tab, "send", unanswered)
    view = show("<a href=/next>On</a>").click("link")
    assert (view.title, view.error) == ("Next", "")


def test_a_page_may_be_left_although_it_asks(show, site):
    site.pages["/next"] = "<title>Next</title>"
    page = show("<a href=/next>On</a><input aria-label=A><script>onbeforeunload=e=>{e.preventDefault();"
                "return 1}</script>")
    page.fill("A", "x")
    assert page.click("link").title == "Next"
    assert "beforeunload" in page.view.notices[0]


def test_a_status_of_failure_is_told_once(visit):
    page = visit("/missing")
    assert "HTTP status 404" in page.view.notices[0]
    assert page.act("wait(0.01)").notices == ()


def test_headers_go_with_every_request(show, site):
    site.pages["/pop"] = "<title>Pop</title>"
    page = show("<iframe src=/pop></iframe><a href=/pop target=_blank>Pop</a>", headers={"X-Episode": "t0k3n"})
    page.click("link")
    assert page.view.title == "Pop"
    pages = [headers for path, headers in site.requests if path in ("/", "/pop")]
    assert len(pages) == 3
    assert all(headers.get("x-episode", headers.get("X-Episode")) == "t0k3n" for headers in pages)


def test_hosts_that_are_not_allowed_get_no_request(show, site):
    other = site.url.replace("127.0.0.1", "localhost")
    html = (f"<a href='{other}/leak?link'>Link</a><a target=_blank href='{other}/leak?pop'>Pop</a><img "
            f"src='{other}/leak?img'>"
            f"<a href='/redirect?to={other}/leak?redirect'>Hop</a><form method=post "
            f"action='{other}/leak?form'><button>Form</button></form>")
    page = show(html, allowed_hosts=frozenset({"127.0.0.1"}))
    for role, name in (("link", "Link"), ("link", "Hop"), ("button", "Form")):
        page.click(role, name)
        assert "blocked host: localhost" in page.view.error
        page.act(f'goto("{site.url}/")')
        assert page.view.error == ""
    page.click("link", "Pop")
    page.act(f'goto("{other}/leak?goto")')
    assert "blocked host: localhost" in page.view.error
    assert not [path for path, _ in site.requests if path.startswith("/leak")]


def test_nothing_is_left_of_an_episode_in_the_next_or_its_neighbour(show):
    html = ("<p id=p></p><script>p.textContent='kept: '+localStorage.k+' '+document.cookie;"
            "localStorage.k='v';document.cookie='c=v'</script>")
    first = show(html)
    assert "kept: undefined" in first.view.text
    assert "kept: undefined" in show(html).view.text
    assert "kept: v c=v" in first.act("goto('" + first.view.url + "')").text
    first.close()
    assert "kept: undefined" in show(html).view.text


def test_a_screenshot_is_a_png_of_the_window(show, live):
    shot = live.run(show("<p>x", viewport=(400, 300)).workspace.screenshot())
    assert shot.startswith(b"\x89PNG")
    assert struct.unpack(">II", shot[16:24]) == (400, 300)


def test_a_crashed_page_is_told_and_opened_anew(show, live):
    page = show("<button>Fine</button>")
    live.run(page.workspace._tabs.active.kill())
    view = page.act("click(e1)")
    assert "crashed" in view.error
    assert page.click("button", "Fine").error == ""


def test_a_page_that_hangs_while_loading_leaves_a_usable_workspace(show, site, monkeypatch):
    monkeypatch.setattr(tab, "CALL_LIMIT_S", 1.0)
    monkeypatch.setattr(settling, "NAVIGATION_LIMIT_S", 2.0)
    site.pages["/loop"] = "<title>Loop</title><p>x</p><script>for(;;);</script>"
    page = show("<a href=/loop>Loop</a>")
    begun = time.perf_counter()
    page.click("link")
    assert page.view.error
    assert page.act(f'goto("{site.url}/")').title == "Test"
    assert time.perf_counter() - begun < 30


def test_a_server_that_never_answers_is_a_timeout(show, site, monkeypatch):
    monkeypatch.setattr(act, "NAVIGATION_LIMIT_S", 1.0)
    page = show("<p>x")
    begun = time.perf_counter()
    page.act(f'goto("{site.url}/hang")')
    assert "timeout" in page.view.error
    assert time.perf_counter() - begun < 10
    assert page.act(f'goto("{site.url}/")').error == ""


def test_a_start_page_that_is_not_there_is_the_sites_failure(live):
    with pytest.raises(SiteError, match="could not be opened"):
        live.open("http://127.0.0.1:9/")


def test_closing_twice_is_fine_and_says_so_once(live, site):
    closed = []
    page = live.open(site.url, on_close=lambda: closed.append(1))
    page.close()
    page.close()
    assert closed == [1]
    with pytest.raises(BrowserError, match="not open"):
        page.act("scroll(down)")


def test_a_dead_browser_is_an_error_and_the_next_episode_has_a_new_one(live, site):
    site.pages["/"] = "<title>Test</title><p>x"
    pool = BrowserPool()
    page = live.open(site.url, pool=pool)
    live.run(pool._browser.close())
    with pytest.raises(BrowserError):
        page.act("scroll(down)")
    page.close()
    assert live.open(site.url, pool=pool).view.title == "Test"
    live.run(pool.close())
    live.run(pool.close())
