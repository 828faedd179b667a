"""Agents are written for any site: no site's name, address, brand or phrase stands in their sources."""

from __future__ import annotations

import re
from pathlib import Path

import habitus.agents
from habitus.envs.world import build_world

SEEDS = (0, 1, 2, 3, 7)


def sources() -> str:
    folder = Path(habitus.agents.__file__).parent
    # Those that answer questions see no site.
    files = [path for path in folder.rglob("*") if path.suffix in (".py", ".j2") and not path.name.startswith("qa")]
    assert len(files) > 15
    return " ".join(re.sub(r"\s+", " ", path.read_text(encoding="utf-8").lower()) for path in files)


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


def test_nothing_of_the_world_or_the_truths_is_imported() -> None:
    text = sources()
    assert not re.search(r"import[^\n]*\bworld\b|envs\.world|from \.+tasks|habitus\.tasks", text)
    reflex = Path(habitus.agents.__file__).parent / "reflex"
    assert not any("truth" in path.read_text(encoding="utf-8").lower() for path in reflex.glob("*.py"))
