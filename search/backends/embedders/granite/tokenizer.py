"""Cut a text into tokens as RoBERTa and GPT-2 do: words first, then pairs of bytes in learned order.

Equal to the package `tokenizers`, which would bring a client of a model hub with it, except that runs of
more than a hundred letters, digits, signs or blanks are cut: merging takes the square of their length.
Marks like `</s>` in a text are text.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

# One letter per kind of character, since `re` knows no \p{L}: L letter, N number, W blank, P other. Space,
# apostrophe and the letters of 's 't 'm 'd 'll 've 're stand for themselves.
KINDS = re.compile(
    r"'(?:[stmd]|ll|ve|re)| ?[Lstmdlver]{1,100}| ?N{1,100}| ?[P']{1,100}|[ W]{1,100}(?![^ W])|[ W]{1,100}"
)
THEMSELVES = frozenset(" 'stmdlver")
NO_BLANKS = frozenset("\x1c\x1d\x1e\x1f")  # Python says that they are.


class Word(NamedTuple):
    start: int
    end: int
    ids: tuple[int, ...]


class Tokenizer:
    def __init__(self, description: bytes) -> None:
        model = json.loads(description)["model"]
        self._ids: dict[str, int] = model["vocab"]
        self._order = {tuple(pair.split(" ")): rank for rank, pair in enumerate(model["merges"])}
        self.start, self.stop = self._ids["<s>"], self._ids["</s>"]
        self._word_ids = lru_cache(maxsize=2**16)(self._merge)

    def split(self, text: str) -> list[Word]:
        """Tile a text with words, each with the numbers of its tokens."""
        return [
            Word(*found.span(), self._word_ids(text[slice(*found.span())]))
            for found in KINDS.finditer(text.translate(_kinds))
        ]

    def encode(self, text: str) -> list[int]:
        """Return the numbers that the model reads, with its marks at both ends."""
        return [self.start, *(number for word in self.split(text) for number in word.ids), self.stop]

    def _merge(self, word: str) -> tuple[int, ...]:
        """Join the pair that was learned first, until no pair is known."""
        parts = [LETTERS[byte] for byte in word.encode("utf-8", "replace")]
        while len(parts) > 1:
            ranks = [self._order.get(pair, len(self._order)) for pair in pairwise(parts)]
            best = min(ranks)
            if best == len(self._order):
                break
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return tuple(self._ids[part] for part in parts)


class _Kinds(dict[int, str]):
    """The kind of each character, found out when it is first seen."""

    def __missing__(self, code: int) -> str:
        self[code] = _kind(chr(code))
        return self[code]


def _kind(character: str) -> str:
    if character in THEMSELVES:
        return character
    if character.isspace() and character not in NO_BLANKS:
        return "W"
    category = unicodedata.category(character)[0]
    return category if category in "LN" else "P"


def _letters() -> list[str]:
    """Return the visible letter that stands for each byte in the vocabulary, as GPT-2 chose them."""
    seen = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in seen else chr(next(others)) for byte in range(0x100)]


LETTERS = _letters()
_kinds = _Kinds()
