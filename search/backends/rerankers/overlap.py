"""A reranker for tests and for those who want no model: counts the words that question and passage share."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from search.backends.payment import Purse
from search.backends.rerankers.base import Reranker

WORD = re.compile(r"\w+")


class OverlapReranker(Reranker):
    """A word that few of the passages have counts more; pairs of words in their order count as words."""

    name = "overlap"

    def rate(self, question: str, passages: Sequence[str], purse: Purse | None) -> list[float]:
        asked = _words(question)
        contents = [_words(passage) for passage in passages]
        counts = Counter(word for content in contents for word in content)
        weights = {word: math.log(1 + len(passages) / counts[word]) for word in asked if counts[word]}
        total = math.fsum(weights.values()) or 1.0
        return [
            math.fsum(weights[word] for word in weights if word in content) / total for content in contents
        ]


def _words(text: str) -> dict[str, None]:
    """Return words and pairs of neighbours, each once, in the order of the text: sums come out the same."""
    words = WORD.findall(text.casefold())
    return dict.fromkeys([*words, *(f"{left} {right}" for left, right in pairwise(words))])
