"""The live browser workspace: finds a Chromium, shares it between episodes, reads pages and acts on them."""

from .launch import CHROMIUM_FLAGS, find_chromium
from .pool import BrowserPool
from .view import Element, parse_page
from .workspace import BrowserWorkspace

__all__ = ["CHROMIUM_FLAGS", "BrowserPool", "BrowserWorkspace", "Element", "find_chromium", "parse_page"]
