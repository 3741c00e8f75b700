"""The words of a stretch of text, and those among them that are a term's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from definitions.extract.found import Span
from definitions.uses.forms import WORD, Form

JOINTS = frozenset({"", "-", "‐", "‑", "–", "/", "'", "’"})  # What may stand between the words of a term.
AMID = frozenset({"", ",", "(", "“", '"', "‘", "«", "„", "-"})  # And between those of a sentence.


@dataclass(frozen=True, slots=True)
class Match:
    """Words that are those of one or more terms, by their places among the words."""

    first: int
    last: int
    forms: tuple[Form, ...]


def _lowered(text: str, start: int, end: int, spans: Sequence[Span]) -> list[str]:
    """Return the words in small letters: all at once, unless there are letters that grow when made small."""
    lowered = text[start:end].lower()
    words = WORD.findall(lowered)
    if len(words) == len(spans) and len(lowered) == end - start:
        return words
    return [text[first:last].lower() for first, last in spans]


class Words:
    """The words of a stretch of text, as spans and in small letters."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.end = end
        self.spans = [match.span() for match in WORD.finditer(text, start, end)]
        self.lowered = _lowered(text, start, end, self.spans)

    def span(self, match: Match) -> Span:
        return self.spans[match.first][0], self.spans[match.last][1]

    def end_of(self, match: Match, tail: str) -> int:
        """Return where a term ends, with the signs that are a part of it."""
        end = self.spans[match.last][1]
        return end + len(tail) if self.text.startswith(tail, end, self.end) else end

    def word(self, index: int) -> str:
        """Return a word as it is printed, or nothing beyond the stretch."""
        return self.text[slice(*self.spans[index])] if 0 <= index < len(self.spans) else ""

    def is_capital(self, index: int) -> bool:
        return self.text[self.spans[index][0]].isupper()

    def gap(self, index: int) -> str:
        """Return what stands between a word and the one before it."""
        if not 0 < index < len(self.spans):
            return "\n\n"
        return self.text[self.spans[index - 1][1] : self.spans[index][0]]

    def before(self, index: int) -> str:
        """Return the word before another, if only a blank parts them."""
        return self.word(index - 1) if self.gap(index) in {" ", "\n"} else ""

    def behind(self, index: int) -> str:
        return self.word(index + 1) if self.gap(index + 1) in {" ", "\n"} else ""

    def is_amid_sentence(self, index: int) -> bool:
        gap = self.gap(index)
        return "\n\n" not in gap and gap.strip() in AMID

    def longest(self, candidates: Sequence[tuple[Form, ...]], index: int) -> Match | None:
        """Return the first of the candidates whose words stand here."""
        for forms in candidates:
            words = forms[0].words
            last = index + len(words) - 1
            if tuple(self.lowered[index : last + 1]) == words and self._is_joined(index, forms[0].gaps):
                return Match(index, last, forms)
        return None

    def _is_joined(self, first: int, gaps: Sequence[str]) -> bool:
        here = (self.gap(index) for index in range(first + 1, first + 1 + len(gaps)))
        return all(
            gap == " " or ("\n\n" not in gap and (gap.strip() in JOINTS or gap.strip() == printed))
            for gap, printed in zip(here, gaps, strict=True)
        )

    def has_capitals(self, match: Match, form: Form) -> bool:
        """Tell whether the words have all capitals of a form."""
        here = (self.word(index) for index in range(match.first, match.last + 1))
        return all(
            mine.isupper() or not theirs.isupper()
            for word, model in zip(here, form.printed, strict=True)
            for mine, theirs in zip(word, model, strict=False)
        )
