"""What a request asks for, states and leaves open, read from its words alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ..words import CONTAINERS, HOME_WORDS, SHOP_WORDS, VAGUE, Tokens, content, is_vague, tokens, words

NeedKind = Literal["preference", "website", "location"]

TOPICS = words(
    "size colour color fit style material fabric brand label flavour flavor variety quantity amenity facility "
    "meal plan room seat seating cuisine food diet price rating star time hour day date arrival departure guest "
    "party"
)
"""Nouns for a property of the thing, not the thing."""
_BOUNDARY = re.compile(
    r"[,;!?()]|[.:](?=\s|$)|"
    r"(?<![\w-])(?:with|in|from|for|at|on|to|and|then|but|by|via|near|that|which|so|please|into|using)(?![\w-])",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:that|which|who)\s+(\w+s)\b|"  # a menu that suits ...
    rf"\b(?:I|we)\s+(?:(?:{'|'.join(sorted(VAGUE))})\s+)*(\w+)|"  # the size I always take
    r"(?:^|[,;.]\s*|\b(?:and|then)\s+)(\w+)\s+(?:an?|the)\b|"  # ..., prepare a ...
    r"(?:^|[,;]\s*)(\w+ing)\s+(?:an?|the|my|our|on|at|in|with|for)\b",  # ..., staying at ...
    re.IGNORECASE,
)
"""Where a verb stands, whichever it is."""
_SENTENCE = re.compile(r"[.!?](?=\s|$)")
_HOST = re.compile(r"\b(?:https?://)?((?:[a-z0-9-]+\.)+[a-z]{2,})\b", re.IGNORECASE)
_NAMED_SHOP = re.compile(
    r"\b(?:[Aa]t|[Oo]n|[Ff]rom|[Vv]ia|[Uu]se|[Uu]sing|[Oo]pen|[Gg]o to)\s+(?:the\s+)?"
    r"((?:[A-Z][\w'&-]+)(?:\s+[A-Z][\w'&-]+)*)"
)
POSTCODE = re.compile(r"\b[A-Z]{1,2}\d{1,2}[A-Z]? ?\d[A-Z]{2}\b")


@dataclass(frozen=True)
class Need:
    """Something the request leaves open."""

    kind: NeedKind
    phrase: str
    """The words of the request that stand for it; empty where nothing does and it is needed all the same."""
    topic: Tokens = ()
    """The nouns in them."""


@dataclass(frozen=True)
class Request:
    """A request as far as words alone tell."""

    text: str
    needs: tuple[Need, ...]
    """In the order of the text."""
    nouns: tuple[Tokens, ...]
    """What may be the thing asked for, the likeliest first; never empty."""
    stated: tuple[Tokens, ...]
    """The pieces of the first sentence that leave nothing open, word by word."""
    keywords: Tokens
    """Words of those pieces that describe the thing; no numbers."""
    host: str
    """A web address in the text, or empty."""
    verbs: frozenset[str]
    """Words of the text that are verbs by where they stand."""
    shops: tuple[str, ...]
    """Names after `at`, `on`, `from` that may be a website's."""
    postcode: str


def read_request(text: str) -> Request:
    """Read a request."""
    host, code, shops = _HOST.search(text), POSTCODE.search(text), tuple(_NAMED_SHOP.findall(text))
    rest = POSTCODE.sub(" , ", _HOST.sub(" , ", text))
    for shop in shops:
        rest = rest.replace(shop, " , ")
    pieces = _pieces(rest)
    verbs = frozenset(word for groups in _VERB.findall(rest) for group in groups for word in tokens(group))
    needs = tuple(_need(piece, verbs) for piece in pieces if is_vague(piece))
    elsewhere = {need.phrase for need in needs if need.kind != "preference"}
    # A name in the middle of a sentence is where or whose, not what.
    names = frozenset(word for name in re.findall(r"(?<=\w )[A-Z]\w+", text) for word in tokens(name))
    first = " , ".join(piece for piece in _pieces(_SENTENCE.split(rest)[0]) if piece not in elsewhere)
    return Request(
        text=text,
        needs=needs,
        nouns=tuple(_nouns(first, verbs, names=names) or [tokens(text)[:1] or ("",)]),
        stated=tuple(tokens(piece) for piece in _pieces(first) if not is_vague(piece)),
        keywords=_keywords(first, verbs),
        host=host[1].lower() if host else "",
        verbs=verbs,
        shops=shops,
        postcode=code[0] if code else "",
    )


def _pieces(text: str) -> list[str]:
    """Cut a text at punctuation and prepositions; what is cut at is dropped."""
    return [piece.strip() for piece in _BOUNDARY.split(text) if piece.strip()]


def _need(piece: str, verbs: frozenset[str]) -> Need:
    found = tokens(piece)
    topic = tuple(word for word in content(found) if word not in CONTAINERS | SHOP_WORDS | verbs)
    if set(found) & SHOP_WORDS or (not topic and "where" in found):
        return Need("website", piece, topic)
    if set(topic) & HOME_WORDS:
        return Need("location", piece, topic)
    return Need("preference", piece, topic)


def _keywords(text: str, verbs: frozenset[str]) -> Tokens:
    pieces = [piece for piece in _pieces(text) if not is_vague(piece) and not any(map(str.isdigit, piece))]
    # A piece that names a property (`a twin room`) says how the thing is to be, not what to look for.
    pieces = [piece for piece in pieces if not TOPICS & set(tokens(piece))]
    skip = CONTAINERS | SHOP_WORDS | HOME_WORDS | verbs
    return tuple(dict.fromkeys(w for piece in pieces for w in content(tokens(piece)) if w not in skip))


def _nouns(text: str, verbs: frozenset[str], *, names: frozenset[str]) -> list[Tokens]:
    """Return runs of meaningful words as pairs and single words: the head of the first run first, names last."""
    found: list[Tokens] = []
    skip = {"query", "task"} | CONTAINERS | SHOP_WORDS | HOME_WORDS | TOPICS | verbs
    for piece in _pieces(text):
        run = [word for word in content(tokens(piece)) if word not in skip and not word[0].isdigit()]
        if run:
            found.append(tuple(run[-2:]))
            found += [(word,) for word in reversed(run)]
    return sorted(dict.fromkeys(found), key=lambda noun: noun[-1] in names)
