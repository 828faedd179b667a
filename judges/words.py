"""Words as judges compare them: lower case, no accents, no stop words, plural and verb endings off."""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_STOP_WORDS = """
a about above after again all almost already also although always am an and another any anyone anything are
around as ask at away back be because become been before being below best better between both but by came can
cannot come could day did do does doing done down each either else enough even ever every few find first for
from get getting give go goes going good got great had has have having he help her here him his how however i
if in into is it its just keep kind know last least less let like little long look lot made make many may
maybe me mean might mine more most much must my myself need never new next no nor not nothing now of off often
on once one only or other our out over own part people perhaps please put quite rather really right said same
say see seem she should since so some someone something soon start still such take tell than that the their
them then there these they thing things think this those though through time to together too try two under
until up upon us use used using very want was way we well went were what when where whether which while who
whom whose why will with within without wonder would yes yet you your answer aspect asker mention mentions
question says suggest suggestion user
"""
_STOP = frozenset(_STOP_WORDS.split())


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text in order, lower case, accents off, possessives off."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return [token.split("'")[0] for token in _TOKEN.findall(plain)]


def stem(word: str) -> str:
    """Return a word without its commonest English endings: `scores`, `scored`, `scoring` give `scor`."""
    for ending, keep in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("ly", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            stemmed = word[: -len(ending)] + keep
            doubled = len(stemmed) > 3 and stemmed[-1] == stemmed[-2] and stemmed[-1] not in "aeiouls"
            return stemmed[:-1] if doubled and ending in ("ing", "ed") else stemmed
    return word


def content_words(text: str) -> set[str]:
    """Return the stems of a text's words that carry meaning: no stop words, nothing shorter than three letters."""
    return {stem(token) for token in tokens(text) if token not in _STOP and (len(token) > 2 or token.isdigit())}


def stands_in(phrase: str, text: str) -> bool:
    """Whether a phrase's words stand in a text, in order and side by side. An empty phrase stands nowhere."""
    wanted, found = tokens(phrase), tokens(text)
    return bool(wanted) and any(
        found[i : i + len(wanted)] == wanted for i in range(len(found) - len(wanted) + 1)
    )
