"""Words as they are compared: whole ones, numbers, and what stands between them."""

from __future__ import annotations

import re

# Thai, Lao, Burmese, Khmer, Japanese and Chinese have no blanks between words: each character is one.
UNBROKEN = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
# Accents and vowel signs that are characters of their own: of Latin, Cyrillic, Hebrew, Arabic, and India.
SIGNS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0981-\u0983"
    "\u09bc-\u09cd\u0a3c-\u0a4d\u0abc-\u0acd\u0b3c-\u0b57\u0bbe-\u0bcd\u0c3e-\u0c56\u0cbc-\u0cd6\u0d3b-\u0d4d"
)
LETTERS = rf"[^\W{UNBROKEN}]+(?:[{SIGNS}'’]+[^\W{UNBROKEN}]+|[{SIGNS}]+)*"
WORD = re.compile(rf"(\d+(?:[.,]\d+)+|{LETTERS}|\S)(\s*)")


def words_of(text: str) -> set[str]:
    """Return the different words of a text, without regard to capitals."""
    return {word for word, _ in WORD.findall(text.lower()) if word[0].isalnum()}


def split_words(text: str) -> tuple[list[str], list[str]]:
    """Cut a text into words and marks, and the blanks behind each. A first empty one has those before all."""
    begin = text[: len(text) - len(text.lstrip())]
    found = WORD.findall(text, len(begin))
    words, blanks = [word for word, _ in found], [blank for _, blank in found]
    return (["", *words], [begin, *blanks]) if begin else (words, blanks)
