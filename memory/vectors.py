"""Vectors on disk: by the hash of the text, one SQLite file for each embedding model. No pickle, no user names."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import sqlite3
import sys
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import IndexMismatchError

Vector = NDArray[np.float32]
"""Shape (dimension,), float32, of length 1 or 0."""

log = logging.getLogger(__name__)

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def cache_dir() -> Path:
    """The folder for what can be made again: $HABITUS_CACHE, or `habitus` in the platform's cache folder."""
    given = os.environ.get("HABITUS_CACHE")
    if given:
        return Path(given).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "habitus"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/habitus"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "habitus"


class VectorStore:
    """Keeps the vectors one model gave. Several threads and processes may share a file.

    It is a cache: where the file cannot be opened or written, it keeps nothing and says so in the log. A damaged file
    is put aside and begun anew, and a vector that is not of length 1 or 0 is taken for missing.

    Args:
        model: The model's fingerprint; the file bears its hash.
        folder: Where the file lies.
    """

    def __init__(self, model: str, *, folder: Path | None = None) -> None:
        self.model = model
        slug = re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")[:40]
        name = f"{slug}-{hashlib.sha256(model.encode()).hexdigest()[:12]}.db"
        self.path = (cache_dir() / "vectors" if folder is None else folder) / name
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def get(self, texts: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors that are kept; a text without one is left out.

        Raises:
            IndexMismatchError: The file was written by another model.
        """
        wanted = {_hash(text): text for text in texts}
        with self._lock:
            try:
                rows = self._rows(list(wanted))
            except (sqlite3.DatabaseError, OSError) as error:
                self._go_without(error)
                return {}
        found = {wanted[key]: np.frombuffer(blob, dtype="<f4") for key, blob in rows if len(blob) % 4 == 0}
        return {text: vector for text, vector in found.items() if _sound(vector)}

    def put(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors by their texts.

        Raises:
            IndexMismatchError: The file was written by another model.
        """
        rows = [(_hash(text), vector.astype("<f4").tobytes()) for text, vector in vectors.items()]
        with self._lock:
            try:
                with self._open() as db:
                    db.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
            except (sqlite3.DatabaseError, OSError) as error:
                self._go_without(error)

    def close(self) -> None:
        """Close the file. May be called twice; it opens again at need."""
        with self._lock:
            self._close()

    def _rows(self, keys: list[bytes]) -> list[tuple[bytes, bytes]]:
        rows: list[tuple[bytes, bytes]] = []
        db = self._open()
        for start in range(0, len(keys), 500):  # SQLite bounds the parameters of a statement
            part = keys[start:start + 500]
            marks = ",".join("?" * len(part))
            rows += db.execute(f"SELECT key, value FROM vector WHERE key IN ({marks})", part).fetchall()  # noqa: S608
        return rows

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, check_same_thread=False, timeout=30)
            try:
                with db:
                    db.execute("CREATE TABLE IF NOT EXISTS model (fingerprint TEXT PRIMARY KEY)")
                    db.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB NOT NULL)")
                    if db.execute("SELECT 1 FROM model").fetchone() is None:
                        # Another process may be at the same: whoever comes first writes the row, and both read it.
                        db.execute("INSERT INTO model SELECT ? WHERE NOT EXISTS (SELECT 1 FROM model)", (self.model,))
                    (found,) = db.execute("SELECT fingerprint FROM model").fetchone()
            except sqlite3.DatabaseError:
                db.close()
                raise
            if found != self.model:
                db.close()
                raise IndexMismatchError(
                    f"{self.path} holds vectors of {found!r}, not of {self.model!r}; delete it to build them again.")
            self._db = db
        return self._db

    def _go_without(self, error: Exception) -> None:
        self._close()
        log.warning("The vector cache %s cannot be used: %s", self.path, error)
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:  # else the file itself may be whole
            with contextlib.suppress(OSError):
                self.path.replace(self.path.with_suffix(".broken"))

    def _close(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            db.close()


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _sound(vector: Vector) -> bool:
    length = float(np.linalg.norm(vector))
    return abs(length - 1.0) < 1e-3 or length == 0.0
