"""Agents are written for any site: no site's name, address, brand or wording stands in their sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import habitus.agents
from habitus.agents.words import singular, tokens
from habitus.envs.world import build_world

SEEDS = (0, 1, 2, 3, 7)
MANY_SEEDS = range(24)
"""Enough to draw every word of the pools."""

ORDINARY = {
    "function words and adverbs, in any English text": "all any everything more next place time kind what when where",
    "what controls and regions of web pages are called": "accept delete filter find go option remove search sort type",
    "what shops collect things in": "bag basket cart trolley",
    "names of properties by which people ask for goods, in any dictionary of trade":
        "brand colour fabric label price product rating review size star style wear",
    "names of properties by which people ask for rooms and tables": "amenity arrival food guest meal room seat",
    "nouns for where somebody lives, which every delivery form asks for": "area city town",
    "common words that happen to be a value as well: `my regular size`, a suite of tasks": "regular suite",
}
"""Why a word is general, to the words that a site may say and an agent may know. Every other one is the generator's."""


def paths() -> list[Path]:
    folder = Path(habitus.agents.__file__).parent
    # Those that answer questions see no site.
    return [path for path in folder.rglob("*") if path.suffix in (".py", ".j2") and not path.name.startswith("qa")]


def sources() -> str:
    assert len(paths()) > 15
    return " ".join(re.sub(r"\s+", " ", path.read_text(encoding="utf-8").lower()) for path in paths())


def literals() -> Iterator[str]:
    """Yield every string that the code works with: all but docstrings."""
    for path in paths():
        if path.suffix == ".py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                    yield node.value


@cache
def said_by_sites() -> frozenset[str]:
    """Return wordings and attribute values of a single word, as `tokens` leaves it."""
    said: set[str] = set()
    for site in (site for seed in MANY_SEEDS for site in build_world(seed).sites):
        # Paths and parameters stand in addresses, which no agent reads.
        said |= {words for key, words in site.words.items() if not key.startswith(("path_", "param_"))}
        for item in site.items:
            for value in item.attributes.values():
                said |= {value} if isinstance(value, str) else set() if isinstance(value, float) else set(value)
            said |= {option for variant in item.variants for option in variant.options}
    found = map(tokens, said)
    return frozenset(words[0] for words in found if len(words) == 1 and not words[0][0].isdigit())


def names() -> set[str]:
    found: set[str] = set()
    for world in map(build_world, SEEDS):
        found |= {world.start_name, world.start_host}
        for site in world.sites:
            found |= {site.name, site.host}
            found |= {str(item.attributes["brand"]) for item in site.items if "brand" in item.attributes}
            found |= {words for words in site.words.values() if " " in words.strip()}
    return {name.lower() for name in found}


def test_no_name_or_phrase_of_any_site_stands_in_the_agents() -> None:
    text = sources()
    assert len(names()) > 200
    assert [name for name in sorted(names()) if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)] == []


def test_of_the_single_words_and_values_of_sites_the_agents_know_ordinary_english_alone() -> None:
    known = {word for literal in literals() for word in tokens(literal)}
    ordinary = {singular(word) for words in ORDINARY.values() for word in words.split()}
    assert len(said_by_sites()) > 250
    assert sorted(said_by_sites() & known - ordinary) == []
    assert sorted(ordinary - (said_by_sites() & known)) == [], "no longer needed in the list"


def test_nothing_of_the_world_or_the_truths_is_imported() -> None:
    text = sources()
    assert not re.search(r"import[^\n]*\bworld\b|envs\.world|from \.+tasks|habitus\.tasks", text)
    reflex = Path(habitus.agents.__file__).parent / "reflex"
    assert not any("truth" in path.read_text(encoding="utf-8").lower() for path in reflex.glob("*.py"))
