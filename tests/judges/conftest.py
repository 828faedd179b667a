"""Hand-built web episodes: a truth with a website, two preferences and a location, and the means to vary an episode."""

from __future__ import annotations

import sys
from pathlib import Path

# As in the root's conftest: `from episodes import ...` works through this under --import-mode=importlib.
sys.path.insert(0, str(Path(__file__).parent))
