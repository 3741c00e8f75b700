"""Cut a text into tokens as BERT does: words and signs first, then the longest pieces that are known.

Equal to the package `tokenizers`, which would bring a client of a model hub with it, except that marks like
`[SEP]` in a text are text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

CHARACTERS_PER_TOKEN = 32  # Of a text, so many for each token that is wanted are looked at.
LONGEST_WORD = 100  # Characters; longer ones are unknown.
NO_CONTROLS = frozenset("\t\n\r")
REPLACEMENT = "\ufffd"
CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),  # As in `tokenizers`; BERT itself starts at 2B820.
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """What a model reads of a question and a passage: tokens, and which of the two each belongs to."""

    ids: list[int]
    types: list[int]


class WordPiece:
    """Raises `KeyError` for a vocabulary without BERT's marks."""

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        *,
        is_lowercase: bool = True,
        has_accents: bool = False,
        prefix: str = "##",
    ) -> None:
        self._ids = vocabulary
        self._prefix = prefix
        self._cleaned = _Cleaned()
        self._folded = _Folded(is_lowercase=is_lowercase, has_accents=has_accents)
        self._has_accents = has_accents
        self._start, self._stop = vocabulary["[CLS]"], vocabulary["[SEP]"]
        self._unknown = vocabulary["[UNK]"]
        self._word_ids = lru_cache(maxsize=2**16)(self._cut)

    def pair(self, question: str, passage: str, *, max_length: int) -> Pair:
        """Join both, each cut where it must be: a question never takes more than half."""
        first = self.encode(question, (max_length - 3) // 2)
        second = self.encode(passage, max_length - 3 - len(first))
        ids = [self._start, *first, self._stop, *second, self._stop]
        return Pair(ids, [0] * (len(first) + 2) + [1] * (len(second) + 1))

    def encode(self, text: str, most: int) -> list[int]:
        """Return the first tokens of a text, without marks."""
        ids: list[int] = []
        for word in self._words(text[: most * CHARACTERS_PER_TOKEN]):
            ids += self._word_ids(word)
            if len(ids) >= most:
                break
        return ids[:most]

    def _words(self, text: str) -> Iterator[str]:
        cleaned = text.translate(self._cleaned)
        if not self._has_accents:
            cleaned = unicodedata.normalize("NFD", cleaned)
        return iter(cleaned.translate(self._folded).split())

    def _cut(self, word: str) -> tuple[int, ...]:
        """Take the longest piece that is known, again and again; a word with an unknown rest is unknown."""
        ids: list[int] = []
        start = 0
        while start < len(word) <= LONGEST_WORD:
            end, found = self._longest(word, start)
            if found is None:
                return (self._unknown,)
            ids.append(found)
            start = end
        return tuple(ids) or (self._unknown,)

    def _longest(self, word: str, start: int) -> tuple[int, int | None]:
        prefix = self._prefix if start else ""
        for end in range(len(word), start, -1):
            if (found := self._ids.get(prefix + word[start:end])) is not None:
                return end, found
        return start, None


class _Cleaned(dict[int, str]):
    """Each character as it is, as a blank, or gone; one that is a word in Chinese stands alone."""

    def __missing__(self, code: int) -> str:
        self[code] = _clean(chr(code))
        return self[code]


class _Folded(dict[int, str]):
    """Each character in small letters, if so wanted; signs stand alone, and accents are gone."""

    def __init__(self, *, is_lowercase: bool, has_accents: bool) -> None:
        super().__init__()
        self._is_lowercase = is_lowercase
        self._has_accents = has_accents

    def __missing__(self, code: int) -> str:
        self[code] = self._fold(chr(code))
        return self[code]

    def _fold(self, character: str) -> str:
        if not self._has_accents and unicodedata.category(character) == "Mn":
            return ""
        if _is_sign(character):
            return f" {character} "
        return character.lower() if self._is_lowercase else character


def _clean(character: str) -> str:
    if character in NO_CONTROLS:
        return " "
    if character == REPLACEMENT or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}:
        return ""
    if character.isspace():
        return " "
    is_chinese = any(first <= ord(character) <= last for first, last in CHINESE)
    return f" {character} " if is_chinese else character


def _is_sign(character: str) -> bool:
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character).startswith("P")
