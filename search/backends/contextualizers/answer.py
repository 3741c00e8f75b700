"""Make a context of what a model answered: one paragraph, nothing invisible, cut where a sentence ends."""

from __future__ import annotations

import re
import unicodedata

CHARACTERS_PER_TOKEN = 6  # More than prose has, so that what obeyed the limit is not cut.
SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)|[。！？]")
ELLIPSIS = "…"
WORD = re.compile(r"\w")
JOINERS = {"\u200c", "\u200d"}  # Invisible, and part of how words are written in Persian and Hindi.


def clean_context(answer: str, *, max_tokens: int, is_cut: bool = False) -> str:
    """Return the answer as one paragraph; if it was cut, or is too long, up to its last whole sentence.

    An answer without any word is none.
    """
    text = in_one_line(answer)
    if not WORD.search(text):
        return ""
    longest = max_tokens * CHARACTERS_PER_TOKEN
    if len(text) > longest:
        text, is_cut = text[:longest], True
    return _end_well(text) if is_cut else text


def in_one_line(text: str) -> str:
    """Return what can be seen of a text, with a blank between words."""
    return " ".join("".join(map(_visible, text)).split())


def _visible(character: str) -> str:
    """Return a blank for what breaks lines or controls, and nothing for what cannot be seen."""
    category = unicodedata.category(character)
    if character in JOINERS:
        return character
    if category in {"Cc", "Zl", "Zp"}:
        return " "
    return "" if category in {"Cf", "Cs", "Co", "Cn"} else character


def _end_well(text: str) -> str:
    """Cut after the last sentence if half of the text remains, else after the last word."""
    ends = [found.end() for found in SENTENCE_END.finditer(text)]
    if ends and ends[-1] * 2 >= len(text):
        return text[: ends[-1]]
    return (text.rpartition(" ")[0] or text).rstrip(" ,;:") + ELLIPSIS
