"""Finding a Chromium, and the hosts it may reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from habitus.envs.browser import CHROMIUM_FLAGS, find_chromium
from habitus.envs.browser.guard import Hosts, normalized
from habitus.errors import BrowserNotFoundError, UserError


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch, tmp_path):
    monkeypatch.delenv("HABITUS_CHROMIUM", raising=False)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "playwright"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def test_no_chromium_is_a_user_error_that_says_what_to_do(bare):
    with pytest.raises(BrowserNotFoundError, match="playwright install chromium") as caught:
        find_chromium()
    assert isinstance(caught.value, UserError)


def test_named_then_playwrights_newest_then_the_systems(bare, monkeypatch):
    chrome = executable(bare / "bin" / "google-chrome")
    assert find_chromium() == chrome
    chromium = executable(bare / "bin" / "chromium")
    assert find_chromium() == chromium
    executable(bare / "playwright" / "chromium-999" / "chrome-linux" / "chrome")
    newest = executable(bare / "playwright" / "chromium-1200" / "chrome-linux64" / "chrome")
    assert find_chromium() == newest
    mine = executable(bare / "mine")
    monkeypatch.setenv("HABITUS_CHROMIUM", str(mine))
    assert find_chromium() == mine
    assert find_chromium(chrome) == chrome


def test_a_headless_shell_goes_first_where_no_window_is_wanted(bare):
    chromium = executable(bare / "bin" / "chromium")
    shell = executable(bare / "bin" / "chromium-headless-shell")
    assert (find_chromium(), find_chromium(headless=False)) == (shell, chromium)
    whole = executable(bare / "playwright" / "chromium-1300" / "chrome-linux" / "chrome")
    small = executable(bare / "playwright" / "chromium_headless_shell-1200" / "chrome-linux" / "headless_shell")
    assert (find_chromium(), find_chromium(headless=False)) == (small, whole)


def test_a_named_chromium_that_is_none_is_not_replaced_by_another(bare):
    executable(bare / "bin" / "chromium")
    with pytest.raises(BrowserNotFoundError, match="no-such-file"):
        find_chromium(bare / "no-such-file")


def test_the_flags_keep_the_browser_to_itself():
    assert {"--disable-gpu", "--disable-background-networking", "--no-first-run"} <= set(CHROMIUM_FLAGS)


@pytest.mark.parametrize(
    ("url", "refused"),
    [
        ("http://shop.test/", ""),
        ("https://SHOP.test:8443/a", ""),
        ("http://a.cdn.test/", ""),
        ("about:blank", ""),
        ("http://shop.test./", ""),
        ("http://shop.test.evil.example/", "blocked host"),
        ("http://shop.test@evil.example/", "blocked host"),
        ("http://evilshop.test/", "blocked host"),
        ("http://cdn.test/", "blocked host"),
        ("http://[::1", "no URL"),
        ("ftp://shop.test/", "only http"),
        ("data:text/html,x", "only http"),
        ("", "only http"),
    ],
)
def test_hosts_are_compared_whole(url, refused):
    refusal = Hosts({"shop.test", "*.cdn.test"}).refusal(url)
    assert refused in refusal
    assert bool(refusal) == bool(refused)


def test_no_list_allows_all_and_an_empty_one_allows_none():
    assert Hosts(None).refusal("http://anything.example/") == ""
    assert Hosts(None).proxy() is None
    assert "blocked host" in Hosts(()).refusal("http://anything.example/")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("shop.test", "http://shop.test"),
        (" shop.test/a?b=http://c ", "http://shop.test/a?b=http://c"),
        ("localhost:8000/a", "http://localhost:8000/a"),
        ("https://a.test", "https://a.test"),
        ("about:blank", "about:blank"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("data:text/html,x", "data:text/html,x"),
    ],
)
def test_what_is_written_without_a_scheme_is_http(written, meant):
    assert normalized(written) == meant
