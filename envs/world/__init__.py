"""The local web: sites, catalogues and per-episode state, served in the process."""

from __future__ import annotations

from .catalog import FACETS, build_world
from .model import ACTS, LOCATED, Domain, Facet, Item, Place, Site, Variant, World
from .search import find_items, search_web
from .serve import serve
from .server import WorldEpisode, WorldServer
from .state import FAULTS

__all__ = [
    "ACTS", "FACETS", "FAULTS", "LOCATED", "Domain", "Facet", "Item", "Place", "Site", "Variant", "World",
    "WorldEpisode", "WorldServer", "build_world", "find_items", "search_web", "serve",
]
