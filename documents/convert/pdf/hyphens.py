"""Join words that were cut at the end of a line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

TOKEN = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*")
CUT = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)[-\u00ad]$")
START = re.compile(r"[^\W\d_]+")
WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef\u3000-\u303f]")
SHARED = re.compile(r"(?:and|or|und|oder|bis|et|ou|y|o|e|ed|to|en|of)\b")  # "pre- and post-trade"
LONGEST_WORD = 60  # Letters.
MIN_HALF = 4  # Letters: shorter halves ("in", "con") are words by accident.


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that a document writes within its lines, in lower case."""

    words: frozenset[str]

    def keeps_hyphen(self, before: str, after: str) -> bool:
        """Tell a compound ("cross-border") from a word that was cut ("regu-lation")."""
        if f"{before}-{after}" in self.words:
            return True
        last = before.rpartition("-")[2]
        if last + after in self.words or f"{before}{after}" in self.words:
            return False
        return min(len(last), len(after)) >= MIN_HALF and {last, after} <= self.words


def learn_words(lines: Iterable[str]) -> Vocabulary:
    """Collect the words of lines, leaving out the two that may be cut at either end."""
    words: set[str] = set()
    for line in lines:
        tokens = TOKEN.findall(line.lower())
        words.update(tokens[1:-1] if line.endswith(("-", "\u00ad")) else tokens[1:])
    return Vocabulary(frozenset(words))


def _is_cut(before: str, after: str, vocabulary: Vocabulary) -> bool:
    """Tell whether the hyphen at the end of a line stands there only because the line ends."""
    cut, start = CUT.search(before[-LONGEST_WORD:]), START.match(after)
    if not cut or not start:
        return False
    if before.endswith("\u00ad") or f"{cut.group(1)}{start.group()}".lower() in vocabulary.words:
        return True
    is_lower = start.group()[0].islower()
    return is_lower and not vocabulary.keeps_hyphen(cut.group(1).lower(), start.group().lower())


def join_lines(before: str, after: str, vocabulary: Vocabulary) -> str:
    """Continue a text with its next line."""
    if before.endswith("-") and SHARED.match(after):
        return f"{before} {after}"
    if _is_cut(before, after, vocabulary):
        return before[:-1] + after
    is_compound = re.search(r"\w[-/]$", before[-2:]) and re.match(r"\w", after)
    is_wide = WIDE.match(before[-1:]) and WIDE.match(after[:1])
    return before + after if is_compound or is_wide else f"{before} {after}"
