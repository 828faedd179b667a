"""A cache of model replies in SQLite: off unless one is given, JSON inside, no key and no prompt stored."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from pathlib import Path

from ..errors import UserError
from ..types import JsonObject


class ResponseCache:
    """Usable replies by the hash of what was asked: endpoint, model, messages, sampling.

    Several threads may share one object, several processes one file.

    Args:
        path: The file; made with its folders where missing.

    Raises:
        UserError: The file is no SQLite database.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(self.path, check_same_thread=False, timeout=30, isolation_level=None)
        try:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("CREATE TABLE IF NOT EXISTS reply (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise UserError(f"{self.path} is no response cache ({error}); delete it or name another file.") from error

    @staticmethod
    def key(asked: JsonObject) -> str:
        """Hash what was asked."""
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    def get(self, key: str) -> JsonObject | None:
        """Return a stored reply, or None."""
        with self._lock:
            row = self._db.execute("SELECT value FROM reply WHERE key = ?", (key,)).fetchone()
        found = json.loads(row[0]) if row else None
        return found if isinstance(found, dict) else None

    def put(self, key: str, value: JsonObject) -> None:
        """Store a reply."""
        with self._lock:
            self._db.execute("INSERT OR REPLACE INTO reply VALUES (?, ?)", (key, json.dumps(value)))

    def close(self) -> None:
        """Close the file. May be called twice."""
        with self._lock:
            self._db.close()
