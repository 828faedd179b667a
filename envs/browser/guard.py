"""Which hosts a workspace may reach: enforced in the network, explained before an action goes there.

Interception (`context.route`, CDP Fetch) breaks form redirects or misses the first request of a popup. A context of
Chromium has its own proxy settings instead: every host that is not allowed is sent to a proxy that does not exist,
allowed hosts go past it. That holds for links, redirects, forms, popups, frames, scripts and sockets alike, and a
driver cannot step around it. The local web needs none of it: there every name but `.test` does not resolve.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from playwright.async_api import ProxySettings

NOWHERE = "http://127.0.0.1:9"
"""The proxy for what is not allowed: the discard port, where nothing listens."""


class Hosts:
    """The hosts that may be reached.

    Args:
        allowed: Host names, each exact or `*.name` for all below it; None allows all.
    """

    def __init__(self, allowed: Iterable[str] | None) -> None:
        self.allowed = None if allowed is None else tuple(sorted(host.lower().rstrip(".") for host in allowed))

    def refusal(self, url: str) -> str:
        """Return why the URL may not be opened, or empty text where it may."""
        if url == "about:blank":
            return ""
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").rstrip(".")
        except ValueError:
            return f"{url[:200]!r} is no URL"
        if parts.scheme not in ("http", "https"):
            return f"only http and https are opened, not {parts.scheme or 'nothing'}:"
        if not host:
            return f"{url[:200]!r} names no host"
        if self.allowed is None or any(_matches(host, pattern) for pattern in self.allowed):
            return ""
        return f"blocked host: {host} is not among the allowed hosts ({', '.join(self.allowed) or 'none'})"

    def proxy(self) -> ProxySettings | None:
        """Return the context's proxy settings, or None where all hosts are allowed."""
        if self.allowed is None:
            return None
        # Chromium goes past every proxy to loopback addresses, unless it is told that this rule does not hold.
        return {"server": NOWHERE, "bypass": ",".join(("<-loopback>", *self.allowed))}


def normalized(url: str) -> str:
    """Return the URL with a scheme: what is written without one is meant as http."""
    url = url.strip()
    head = url.split("/", 1)[0].split("?", 1)[0]
    if "://" in head + "//" and url.startswith(("http://", "https://", "about:")):
        return url
    scheme, colon, rest = head.partition(":")
    if "://" in url[: len(scheme) + 3] or (colon and scheme.isalpha() and not rest.isdigit() and not _is_address(head)):
        return url
    return f"http://{url}"


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _matches(host: str, pattern: str) -> bool:
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern
