"""Words inside words: what a text search takes for one word and people search for in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

MOST_CHARACTERS = 20_000
# Names of code and of files. What underscores and hyphens join, PostgreSQL takes apart by itself.
JOINED = re.compile(r"(?<!\w)\w++(?:[./:\\@]++\w++)++")
CAPITALS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
SHORTEST = 2
# Thai, Lao, Burmese, Khmer, Japanese and Chinese are written without blanks, and Korean with few.
_UNBROKEN = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
RUN = re.compile(rf"[{_UNBROKEN}\d]{{2,}}")
CHARACTER = re.compile(r"\d+|\D")  # A number counts as one.
MOST_PAIRS = 20_000  # All different, they still fit into a tsvector.


def distinct(words: re.Pattern[str], text: str) -> set[str]:
    """Return the distinct words of a text, by a pattern for runs of letters and digits, joined or not.

    Most of them stand between blanks, and need not be looked for inside.
    """
    pieces = set(text.split())
    plain = {piece for piece in pieces if piece.isalnum()}
    return plain.union(*map(words.findall, pieces - plain))


def extra_words(text: str) -> str:
    """Return the parts of identifiers, "get HTTP Response" for "getHTTPResponse", and pairs of characters."""
    parts = " ".join(part for word in _identifiers(text) for part in _parts(word))[:MOST_CHARACTERS]
    return " ".join(filter(None, [parts, *islice(pairs_of(text), MOST_PAIRS)]))


def pairs_of(text: str) -> Iterator[str]:
    """Yield all neighbours in what is written without blanks: each word in it is made of some."""
    for run in RUN.finditer(text):
        yield from map("".join, pairwise(CHARACTER.findall(run[0])))


def _identifiers(text: str) -> Iterator[str]:
    for word in text.split():
        if word.isalpha() and word[1:].islower():
            continue  # As most words are.
        if CAPITALS.search(word):
            yield word
        elif found := JOINED.search(word):
            yield found[0]


def _parts(word: str) -> list[str]:
    """Return parts that say something; a number such as 1.2.3 has none."""
    parts = [part for part in PART.findall(word) if len(part) >= SHORTEST]
    return parts if any(part.isalpha() for part in parts) else []
