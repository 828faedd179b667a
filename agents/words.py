"""Words and numbers of a text without a model: plurals, units, what is vague, what means nothing by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Tokens = tuple[str, ...]


def words(text: str) -> frozenset[str]:
    """Return a list written with spaces as a set, each word as `tokens` leaves it."""
    return frozenset(singular(word) for word in text.split()) | frozenset(text.split())


def singular(word: str) -> str:
    """Return a word without its plural ending."""
    for ending, other in (("'s", ""), ("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + other
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


VAGUE = words(
    "usual usually normal normally typical typically prefer preferred preferable preference favourite favorite "
    "regularly always often customary accustomed habit habitually habitual ordinarily generally mostly trusted"
)
"""Words that say: as I do it otherwise."""
VAGUE_PHRASE = re.compile(
    r"\b(?:go-to|(?:my|our) (?:regular|standard|own)|as ever|as before|same|used to|(?:like|love|want) (?:best|most)|"
    r"tend to|of choice)\b"
)
"""Phrases that say so."""
FUNCTION = words(
    "a an the my me i we our us you your it its this that these those some any one ones of in on at to for from "
    "by with and or but as so is are be am was were been do does did have has had having please can could would should "
    "will shall may might there here where when which what who whose how than then too also just only up out into "
    "onto over via per not no ll ve re s d t get gets got getting go goes going myself something somewhere anything"
)
"""Words without a meaning of their own."""
VERBS = words(
    "add put buy order purchase pick choose select take find search look book reserve make need want like love bring "
    "send deliver shop use stay eat wear go try keep help pay"
)
"""Common verbs of errands: what is to be done, not the thing it is done to. `is_verb` knows their other forms."""
CONTAINERS = words(
    "basket bag cart trolley order booking reservation draft list pack packet carton bottle box pair piece table kind "
    "type sort way thing item option choice something product best most"
)
"""Nouns that hold or count the thing asked for, or stand for it."""
SHOP_WORDS = words("site website shop store page web online platform service app retailer seller supplier")
"""Nouns for where it is done."""
HOME_WORDS = words("address home town area location neighbourhood neighborhood city local postcode near nearby door")
"""Nouns for where the person is."""
RELATED = tuple(map(words, (
    "kind type sort variety", "brand make manufacturer", "colour color", "material fabric", "amenity facility",
    "cuisine food", "diet dietary", "seating seat",
)))
"""Plain synonyms and spellings. A name outside of them is no hindrance: a filter is known by its values."""

# Times, numbers, words; an apostrophe within a word may be a typographic one.
_WORD = re.compile(r"\d{1,2}:\d\d|\d+(?:[.,]\d+)?|[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_UNITS = {
    **dict.fromkeys(("l", "litre", "litres", "liter", "liters", "ltr"), "litre"),
    **dict.fromkeys(("ml", "millilitre", "millilitres"), "ml"),
    **dict.fromkeys(("g", "gr", "gram", "grams", "gramme", "grammes"), "g"),
    **dict.fromkeys(("kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"), "kg"),
    **dict.fromkeys(("star", "stars"), "star"),
    **dict.fromkeys(("person", "persons", "people", "guest", "guests"), "person"),
}
_NUMBERS = dict(zip(("one", "two", "three", "four", "five", "six", "seven", "eight"), "12345678", strict=True))


def tokens(text: str) -> Tokens:
    """Return words and numbers in lower case, plurals cut, each number joined to its unit: `2 l` is `2litre`."""
    out: list[str] = []
    for word in _WORD.findall(text.casefold().replace("-", " ")):
        if word in _UNITS and out and out[-1] in _NUMBERS:
            out[-1] = _NUMBERS[out[-1]]
        if word in _UNITS and out and out[-1][-1].isdigit():
            out[-1] += _UNITS[word]
        else:
            out.append(singular(word))
    return tuple(out)


def as_written(found: Iterable[str], text: str) -> str:
    """Return words of `tokens` as a text has them, for whoever searches by exact words."""
    written = {singular(word): word for word in _WORD.findall(text.casefold().replace("-", " "))}
    return " ".join(written.get(word, word) for word in found)


def content(found: Iterable[str]) -> Tokens:
    """Return the words that mean something by themselves, without the vague ones."""
    return tuple(word for word in found if word not in FUNCTION and word not in VAGUE and not is_verb(word))


def is_verb(word: str) -> bool:
    """Whether a word is of `VERBS`, in whatever form that is regular: `choosing`, `delivered`."""
    stems = [word.removesuffix("ing"), word.removesuffix("ed")]
    return any(stem in VERBS or f"{stem}e" in VERBS for stem in stems)


def related(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two names may be of one property: a word in common, or two words of one group of `RELATED`."""
    mine, others = set(one), set(other)
    return bool(mine & others) or any(mine & group and others & group for group in RELATED)


def contains(text: Sequence[str], part: Sequence[str]) -> bool:
    """Whether `part` stands in `text` as one run of words."""
    size = len(part)
    return size > 0 and any(tuple(text[i : i + size]) == tuple(part) for i in range(len(text) - size + 1))


def is_vague(text: str) -> bool:
    """Whether a piece of text leaves something to habit."""
    return bool(VAGUE_PHRASE.search(text.casefold())) or any(word in VAGUE for word in tokens(text))
