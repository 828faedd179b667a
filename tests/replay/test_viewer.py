import base64
import gzip
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, sync_playwright
from small_suite import CANARY, suite

from habitus.envs.browser.launch import chromium_flags, find_chromium
from habitus.replay.viewer import page, write_page
from habitus.runs import RunConfig, run
from habitus.types import Final, Header, Hit, MemoryEvent, Metric, Record, Score, Step, Trajectory

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u2028{{7*7}}"
RECORD = Record(id="r1", kind="post", text=f"oat milk {HOSTILE}", time=datetime(2026, 1, 2, tzinfo=UTC),
                meta={"website": "shop.test"})


def episode(name: str = "e1", query: str = "Which milk?", steps: int = 3, text: str = "") -> Trajectory:
    brief = suite().tasks()[0].model_copy(update={"query": query})
    header = Header(episode=name, brief=brief, truth_hash="0" * 64, agent="a", history="on_demand", max_steps=30,
                    seed=0, started=datetime(2026, 1, 1, tzinfo=UTC))
    event = MemoryEvent(query=f"milk {HOSTILE}", scheme="on_demand",
                        hits=(Hit(text=RECORD.text, score=0.71, sources=("r1",), record=RECORD),))
    lines = tuple(
        Step(index=i, observation={"page": text or f"banner\n  [e{i}] link \"Milk\"\n{HOSTILE}", "url": f"http://shop.test/{i}",
                                   "title": HOSTILE, "steps_left": 30 - i, "queries_left": 30 - i},
             action={"name": "click", "ref": f"e{i}"}, action_text=f'click("e{i}")', reasoning=HOSTILE,
             memory=event if i == 0 else None)
        for i in range(steps)
    )
    return Trajectory(header=header, steps=lines, final=Final(stop="stopped", answer=HOSTILE))


def score(name: str = "e1") -> Score:
    return Score(judge="state", episode=name, task_id="t", data_version="1", metrics={
        "p_web": Metric(raw=5, maximum=10, value=0.5, steps=(0,), records=("r1",), note=HOSTILE),
        "outcome_success": Metric(raw=1, maximum=1, value=1.0),
    })


@pytest.fixture(scope="module")
def browser_page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=list(chromium_flags()))
        yield browser.new_page()
        browser.close()


@pytest.fixture
def opened(browser_page: Page, tmp_path: Path) -> Iterator[Page]:
    asked: list[str] = []
    failed: list[Any] = []

    def watch(route: Route) -> None:
        asked.append(route.request.url)
        route.continue_()

    def note(error: Any) -> None:
        failed.append(error)

    browser_page.on("pageerror", note)
    browser_page.route("**/*", watch)
    path = tmp_path / "index.html"
    path.write_text(page([episode(), episode("e2", query="Which bread?")], {"state": {"e1": score()}}, title="demo"))
    browser_page.goto(path.as_uri())
    browser_page.wait_for_selector("#episodes li")
    yield browser_page
    assert asked == [path.as_uri()]
    assert failed == []
    browser_page.unroute("**/*")
    browser_page.remove_listener("pageerror", note)


def test_keys_step_through_episodes(opened: Page) -> None:
    opened.keyboard.press("n")
    assert opened.locator("h1").inner_text() == "Which milk?"
    assert opened.locator(".action").inner_text().endswith('click("e0")')
    opened.keyboard.press("j")
    assert 'click("e1")' in opened.locator(".action").inner_text()
    assert opened.locator("pre mark").inner_text().strip() == '[e1] link "Milk"'
    opened.keyboard.press("ArrowRight")
    opened.keyboard.press("ArrowRight")
    assert "end: stopped" in opened.locator(".action").inner_text()
    opened.keyboard.press("k")
    assert 'click("e2")' in opened.locator(".action").inner_text()
    opened.keyboard.press("n")
    opened.locator("h1", has_text="Which bread?").wait_for()


def test_memory_shows_date_score_site_and_what_a_judge_named_as_evidence(opened: Page) -> None:
    opened.keyboard.press("n")
    hit = opened.locator(".hit.evidence")
    assert hit.locator(".score").inner_text() == "0.710"
    assert "2026-01-02 · post · shop.test" in hit.inner_text()
    assert "P_web, state" in hit.inner_text()
    opened.locator("details.judge summary").click()
    opened.locator(".metric a").first.click()
    assert opened.locator(".tick[aria-current]").inner_text() == "1"


def test_filters_leave_what_matches(opened: Page) -> None:
    opened.fill("#words", "bread")
    assert opened.locator("#episodes li").count() == 1
    opened.fill("#words", "")
    opened.select_option("#verdict", "success")
    assert opened.locator("#episodes .q").all_text_contents() == ["Which milk?"]


def test_hostile_text_stays_text(opened: Page) -> None:
    for key in ("n", "j", "j", "j"):
        opened.keyboard.press(key)
        assert opened.locator("img").count() == 0
        assert opened.title() != "owned"
    assert HOSTILE.split("\u2028")[0] in opened.locator(".lanes").inner_text()


def test_the_data_cannot_close_its_element_and_only_our_script_may_run() -> None:
    text = page([episode()], {"state": {"e1": score()}}, title=HOSTILE)
    assert text.count("<script") == text.count("</script>") == 3
    assert "default-src 'none'" in text
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", text)


def test_equal_texts_are_stored_once_and_two_hundred_episodes_stay_small() -> None:
    texts = [f"page {i} " + " ".join(str(j * i) for j in range(2000)) for i in range(20)]
    text = page([episode(f"e{i}", steps=12, text=texts[i % 20]) for i in range(200)], {}, title="many")
    assert len(text) < 5_000_000
    packed = re.search(r'id="texts">"([^"]+)"', text)
    assert packed is not None
    stored = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    assert len(stored) == len(set(stored)) == 22


def test_a_run_is_shown_without_its_truth(tmp_path: Path) -> None:
    config = RunConfig(suite="small_suite:suite", agent="small_suite:asks", memory="bm25", judge="aspect-proxy")
    run(config, out=tmp_path)
    path = write_page(tmp_path)
    assert path == tmp_path / "index.html"
    text = path.read_text()
    packed = re.search(r'id="texts">"([^"]+)"', text)
    assert packed is not None
    everything = text + gzip.decompress(base64.b64decode(packed[1])).decode()
    assert "gravel bicycle" in everything
    assert CANARY not in everything
