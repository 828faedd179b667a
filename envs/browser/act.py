"""The actions on a tab, with real input. What cannot be done is one line that says why and what to do."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from playwright.async_api import Error as PlaywrightError

from ..actions import Fill, Select
from .guard import Hosts, normalized
from .settle import NAVIGATION_LIMIT_S
from .tab import CALL_LIMIT_S, PageChangedError, Tab, TabGoneError, TabStuckError
from .view import one_line

SUGGESTIONS_MS = 300
"""How long a field that offers suggestions may take to show the first."""


class ActionFailedError(Exception):
    """An action had no effect; the message is `View.error`."""


async def click(tab: Tab, ref: str) -> None:
    """Click an element where it is seen.

    Raises:
        ActionFailedError: It is not there, not visible, disabled or covered.
    """
    found = await _ask(tab, "place", ref)
    mouse = {"x": found["x"], "y": found["y"], "button": "left", "clickCount": 1}
    with contextlib.suppress(PageChangedError):  # The click itself led to another page: it is done.
        await asyncio.gather(
            tab.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": found["x"], "y": found["y"]}),
            tab.send("Input.dispatchMouseEvent", {"type": "mousePressed", **mouse}),
            tab.send("Input.dispatchMouseEvent", {"type": "mouseReleased", **mouse}),
        )


async def fill(tab: Tab, action: Fill) -> str:
    """Replace the text of a field; with `submit`, press Enter.

    Returns:
        What is to be told beside: the field holds something else than was typed, or finds it invalid.

    Raises:
        ActionFailedError: It is no field one can type into, or its type takes another form.
    """
    ready = await _ask(tab, "ready", action.ref, action.text)
    note = ""
    if ready.get("wrong"):
        note = f"{action.ref} now holds {action.text} and is invalid: {one_line(ready['wrong'])}"
    if ready["typed"]:
        if action.text:
            with contextlib.suppress(PageChangedError):  # Typing itself led to another page.
                await tab.send("Input.insertText", {"text": action.text})
        elif ready["filled"]:
            await press(tab, "Delete")
        note = await _typed(tab, action)
    if action.submit:
        await press(tab, "Enter")
    return note


async def offers_suggestions(tab: Tab, ref: str) -> bool:
    """Whether a field offers suggestions while one types."""
    try:
        return bool((await tab.call("suggests", ref)).get("offers"))
    except PageChangedError:
        return False


async def select(tab: Tab, action: Select) -> str:
    """Choose an option by its label; return the label in full.

    Raises:
        ActionFailedError: It is no select, or has no such option; the message lists those it has.
    """
    chosen: str = (await _ask(tab, "choose", action.ref, action.option))["chosen"]
    return chosen


async def check_selected(tab: Tab, ref: str, label: str) -> str:
    """Return an error where the page has put another option back, else empty text."""
    try:
        chosen = (await tab.call("chosen", ref))["chosen"]
    except PageChangedError:
        return ""
    if chosen is None or label in chosen:
        return ""
    held = ", ".join(chosen) or "nothing"
    return f'the page did not keep "{one_line(label, 60)}": {ref} holds "{one_line(held, 100)}"'


async def press(tab: Tab, key: str) -> None:
    """Press a key or chord on what has the focus.

    Raises:
        ActionFailedError: There is no such key.
    """
    try:
        async with asyncio.timeout(CALL_LIMIT_S):
            await tab.page.keyboard.press(key)
    except TimeoutError:
        raise TabStuckError(
            f"the page did not take the key within {CALL_LIMIT_S:g} s: a script of it does not yield"
        ) from None
    except PlaywrightError as error:
        lost = tab.lost(error)
        if isinstance(lost, TabGoneError):
            raise lost from None
        if "navigated" in str(lost):
            return  # The key itself led to another page: it is done.
        raise ActionFailedError(f"{one_line(str(lost))}; keys are e.g. Enter, Escape, ArrowDown, Control+a") from None


async def scroll(tab: Tab, direction: str) -> None:
    """Scroll by most of a screen.

    Raises:
        ActionFailedError: There is nothing left to scroll to.
    """
    answer = await tab.scroll(down=direction == "down")
    if "error" in answer:
        raise ActionFailedError(answer["error"])


async def goto(tab: Tab, url: str, hosts: Hosts) -> None:
    """Open a URL.

    Raises:
        ActionFailedError: It may not be opened, or did not open.
    """
    url = normalized(url)
    refusal = hosts.refusal(url)
    if refusal:
        raise ActionFailedError(one_line(refusal))
    tab.ready = tab.loaded = False
    before = tab.documents
    try:
        answer = await tab.send("Page.navigate", {"url": url}, limit_s=NAVIGATION_LIMIT_S)
    except TabStuckError:
        await _stop(tab)
        raise ActionFailedError(
            f"timeout: {one_line(url, 200)} did not answer within {NAVIGATION_LIMIT_S:g} s"
        ) from None
    except PageChangedError as refused:
        tab.ready = tab.loaded = True
        raise ActionFailedError(f"{one_line(url, 200)} could not be opened: {one_line(str(refused), 100)}") from None
    error = answer.get("errorText", "")
    if answer.get("isDownload") or error == "net::ERR_ABORTED" or not answer.get("loaderId"):
        # A download, an answer without a document, or a place in the same document: the page stays.
        tab.leaving, tab.ready, tab.loaded = False, True, True
    elif tab.documents == before:
        tab.leaving = True
    if error and error != "net::ERR_ABORTED":
        raise ActionFailedError(_unreachable(url, error))


async def back(tab: Tab) -> None:
    """Go back in the tab's history.

    Raises:
        ActionFailedError: There is no earlier page.
    """
    history = await tab.send("Page.getNavigationHistory")
    index = history["currentIndex"] - 1
    if index < 0 or history["entries"][index]["url"] == "about:blank":
        raise ActionFailedError("there is no earlier page to go back to")
    tab.leaving = True  # No event asks for it beforehand; the answer comes before the page does.
    await tab.send("Page.navigateToHistoryEntry", {"entryId": history["entries"][index]["id"]})


def explain_failure(tab: Tab, hosts: Hosts) -> str:
    """Return why the browser shows an error page, or empty text where it shows none."""
    if not tab.failed_url:
        return ""
    return one_line(hosts.refusal(tab.failed_url)) or f"navigation failed: {one_line(tab.failed_url, 200)} did not open"


async def _typed(tab: Tab, action: Fill) -> str:
    try:
        after = await tab.call("filled", action.ref, action.text)
    except PageChangedError:
        return ""  # Typing itself led to another page.
    if "error" in after or after["same"]:
        return ""
    if action.text and not after["value"]:
        raise ActionFailedError(f"{action.ref} took nothing of that text: it may be of another type, e.g. a number")
    return f'{action.ref} now holds "{one_line(after["value"], 100)}"' if after["value"] else ""


async def _ask(tab: Tab, name: str, ref: str, *values: object) -> dict[str, Any]:
    answer = await tab.call(name, ref, *values)
    if "error" in answer:
        raise ActionFailedError(one_line(answer["error"], 2500))
    return answer


async def _stop(tab: Tab) -> None:
    tab.leaving, tab.ready, tab.loaded = False, True, True
    await tab.send("Page.stopLoading")


def _unreachable(url: str, error: str) -> str:
    reason = {
        "net::ERR_NAME_NOT_RESOLVED": "the host name does not resolve",
        "net::ERR_CONNECTION_REFUSED": "the host refused the connection",
        "net::ERR_PROXY_CONNECTION_FAILED": "the host is blocked",
        "net::ERR_TOO_MANY_REDIRECTS": "it redirects for ever",
    }.get(error, error)
    return f"navigation failed: {one_line(url, 200)}: {reason}"
