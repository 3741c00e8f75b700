"""What a text refers to, as citations that can be looked up."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat

from definitions.extract import extract_references
from definitions.extract.found import FoundReference, Span
from definitions.extract.references import words
from documents.parse import Unit
from search.understand.citations import PLAIN, CitedPlace
from search.understand.document_words import NameGuess, guess_names

BEFORE = "See "  # What stands at the beginning of a text would be taken for its heading.
SENTENCE = re.compile(r"(?<=[.!?])[\"”’)\]]*\s+(?=[\"“‘(\[A-ZÀ-ÞА-Я])|\n\s*\n")
LONGEST_NAME = 40  # Characters of a name in a sentence away from what it holds.
JOINT = re.compile(r"(?:of|in|to|under|des|der|de|du|la|le|the|[\s,(])*", re.IGNORECASE)
FURTHEST = 150  # Characters between a reference and the name of its document.
MOST_NAMES = 60
MOST_BESIDE = 20  # References in one sentence.
LONGEST_JOINT = 12


def find_references(text: str, *, most: int) -> list[CitedPlace]:
    """Return what is cited, in the order of the text; of those beyond the first, no names are guessed.

    What only a reader inside a document can follow, such as “paragraph (b)”, is left out.
    """
    plain = BEFORE + text.translate(PLAIN_LINES)
    mentions = extract_references(plain, [Unit(0, len(plain), None, 0, "document", "", "", "")])
    found = [one for one in mentions if one.start >= len(BEFORE) and not _is_relative(one)]
    merged = list(_merge(plain, found))
    spans = [(start - len(BEFORE), end - len(BEFORE)) for start, end, _ in merged]
    bounds = [match.end() for match in SENTENCE.finditer(text)]
    named = (_guess(text, span, spans, bounds) for span in spans[:most])
    return [
        CitedPlace(text[slice(*span)], *span, one.target, one.through, names=names)
        for span, (_, _, one), names in zip(spans, merged, chain(named, repeat(())), strict=False)
    ]


# Paragraphs part sentences here, so only what is no line is made plain.
PLAIN_LINES = {sign: plain for sign, plain in PLAIN.items() if sign not in map(ord, "\n\r\t")}


def _is_relative(one: FoundReference) -> bool:
    """Tell "paragraph (b)" and "of this section", which mean a place near their reader."""
    target = one.target
    if target.document:
        return False
    kinds = [step.kind for step in target.steps if step.kind]
    return bool(target.base) or all(words.RANK.get(kind, words.LOW) >= words.LOW for kind in kinds)


def _merge(text: str, found: Sequence[FoundReference]) -> Iterator[tuple[int, int, FoundReference]]:
    """Yield mentions with their places; the name of a document behind its units is a part of the last."""
    for index, one in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else None
        before = found[index - 1] if index else None
        if before is not None and _names(text, before, one):
            continue
        is_named = following is not None and _names(text, one, following)
        yield one.start, following.end if following and is_named else one.end, one


def _names(text: str, unit: FoundReference, document: FoundReference) -> bool:
    """Tell whether a mention of a document is that of the unit before it."""
    return (
        bool(unit.target.steps)
        and not document.target.steps
        and document.target.document == unit.target.document
        and document.start - unit.end <= LONGEST_JOINT
        and JOINT.fullmatch(text, unit.end, document.start) is not None
    )


def _guess(text: str, span: Span, spans: Sequence[Span], bounds: Sequence[int]) -> tuple[NameGuess, ...]:
    """Return words in the sentence around a reference that may name its document."""
    place = bisect_right(bounds, span[0])
    start = max(bounds[place - 1] if place else 0, span[0] - FURTHEST)
    end = max(min(bounds[place] if place < len(bounds) else len(text), span[1] + FURTHEST), span[1])
    first = bisect_left(spans, (start, 0))
    beside = islice(spans, first, first + MOST_BESIDE)
    inside = [(left - start, right - start) for left, right in beside if left < end]
    sentence = text[start:end].translate(PLAIN)
    guesses = guess_names(sentence, inside, (span[0] - start, span[1] - start))
    return tuple(one for one in guesses if one.is_near or len(one.key) <= LONGEST_NAME)[:MOST_NAMES]
