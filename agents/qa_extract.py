"""An answer without a model: the asker's own sentences that matter most, stitched together."""

from __future__ import annotations

import math
import re
from collections import Counter

SENTENCES = 10
"""Sentences in an answer, at most."""
PER_POST = 2
"""Sentences of one post, at most."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[a-z]{4,}")


def stitched(question: str, posts: list[str]) -> str:
    """Return the question taken up, with the asker's most telling sentences from the given posts.

    A sentence counts by the rarity of its words among the posts, by the words it shares with the question, and by the
    rank of its post; a question the asker put then tells less than a statement.

    Limits: it advises nothing. It repeats what the asker said of themselves, which shows how far retrieval alone
    reaches under a measure of coverage, and nothing of the quality of an answer. Without posts it says only that
    nothing is known.

    Args:
        question: The question.
        posts: Texts, nearest first.
    """
    sentences = [
        (rank, sentence.strip())
        for rank, post in enumerate(posts)
        for sentence in _SENTENCE.split(post)
        if len(sentence.split()) >= 5
    ]
    if not sentences:
        return f"{question} Nothing is known about you that would tell, so the usual advice has to do."
    words = [set(_WORD.findall(sentence.lower())) for _, sentence in sentences]
    common = Counter(word for found in words for word in found)
    asked = set(_WORD.findall(question.lower()))

    def weight(i: int) -> float:
        rank, sentence = sentences[i]
        rarity = sum(math.log(1 + len(sentences) / common[word]) for word in words[i]) / math.sqrt(len(words[i]) or 1)
        statement = 0.5 if sentence.endswith("?") else 1.0
        return statement * (rarity + 2 * len(words[i] & asked)) / (1 + 0.1 * rank)

    taken: list[int] = []
    per_post: Counter[int] = Counter()
    for i in sorted(range(len(sentences)), key=lambda i: (-weight(i), i)):
        if per_post[sentences[i][0]] < PER_POST and len(taken) < SENTENCES:
            taken.append(i)
            per_post[sentences[i][0]] += 1
    told = "\n".join(f"- {sentences[i][1]}" for i in sorted(taken))
    return f"{question} An answer should go by what you have told before:\n{told}"
