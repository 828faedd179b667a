"""Memories: what a user did, found by meaning or by words. A memory knows no schemes, no budget, no task."""

from .dense import Dense, DenseRetriever
from .embedders import Embedder, MiniLM, SentenceTransformerEmbedder
from .lexical import Lexical, LexicalRetriever
from .vectors import VectorStore, cache_dir

__all__ = [
    "Dense",
    "DenseRetriever",
    "Embedder",
    "Lexical",
    "LexicalRetriever",
    "MiniLM",
    "SentenceTransformerEmbedder",
    "VectorStore",
    "bm25",
    "cache_dir",
    "minilm",
    "sentence_transformer",
]


def minilm() -> Dense:
    """Return the default memory: all-MiniLM-L6-v2 from its package, no network.

    Raises:
        MissingDependencyError: The extras `retrieval` and `offline` are not installed.
    """
    return Dense(MiniLM())


def sentence_transformer(name: str, *, trust_remote_code: bool = False) -> Dense:
    """Return a dense memory with another model.

    Args:
        name: A name on the model hub, or a folder.
        trust_remote_code: Run the code that comes with the model; some, Stella among them, need it.

    Raises:
        MissingDependencyError: The extra `retrieval` is not installed.
    """
    return Dense(SentenceTransformerEmbedder(name, trust_remote_code=trust_remote_code))


def bm25() -> Lexical:
    """Return the memory that needs no model."""
    return Lexical()
