"""Words inside words: what a text search takes for one word and people search for in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_CHARACTERS = 20_000
# Names of code and of files. What underscores and hyphens join, PostgreSQL takes apart by itself.
JOINED = re.compile(r"\w+(?:[./:\\@]+\w+)+")
CAPITALS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
SHORTEST = 2


def extra_words(text: str) -> str:
    """Return the parts of identifiers: "get HTTP Response" for "getHTTPResponse"."""
    return " ".join(part for word in _identifiers(text) for part in _parts(word))[:MOST_CHARACTERS]


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
