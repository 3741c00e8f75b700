"""Tell how far the best result can be trusted to be what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from search.answer import Confidence
from search.cite import Found
from search.retrieve.legs import Legs

ENOUGH = 0.5  # Of the weight of the question's words.


def judge_confidence(found: Sequence[Found], legs: Legs) -> Confidence:
    if not found:
        return Confidence.NONE
    if found[0].is_exact:
        return Confidence.EXACT
    return Confidence.HIGH
