"""Set words side by side: the rows of a page, the lines of a column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from documents.convert.pdf.words import SUPERSCRIPTS, Word

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
LETTER = re.compile(r"[^\W\d_]")
CLOSING = ",.;:)]!?”’"
RAISED = 0.65  # Of the type size: how high the mark of a note stands at most.
RAISED_SIZE = 0.8
LONGEST_MARK = 4
SAME_ROW = 0.35  # Of the type size: baselines of one row differ by rounding, and by little more.


@dataclass(frozen=True)
class Line:
    """Words on one baseline within one column, from left to right, on page `page` (counted from 0)."""

    words: tuple[Word, ...]
    page: int
    column: tuple[float, float] = (0.0, 0.0)
    leading: float = 0.0

    @cached_property
    def text(self) -> str:
        """Return the words as they are read."""
        return spell_row(self.words)

    @cached_property
    def x0(self) -> float:
        """Return the left end."""
        return self.words[0].x0

    @cached_property
    def x1(self) -> float:
        """Return the right end."""
        return max(word.x1 for word in self.words)

    @cached_property
    def y(self) -> float:
        """Return the baseline."""
        return self.words[0].y

    @cached_property
    def start(self) -> float:
        """Return how far the line is indented from the side where reading starts."""
        return self.column[1] - self.x1 if self.is_right_to_left else self.x0 - self.column[0]

    @cached_property
    def slack(self) -> float:
        """Return the room left at the end of the line."""
        return self.x0 - self.column[0] if self.is_right_to_left else self.column[1] - self.x1

    @cached_property
    def size(self) -> float:
        """Return the size that most characters have, in half points."""
        sizes: Counter[float] = Counter()
        for word in self.words:
            sizes[round(word.size * 2) / 2] += len(word.text)
        return max(sizes.most_common(1)[0][0], 0.5)

    @cached_property
    def is_bold(self) -> bool:
        """Tell whether every word with a letter in it is bold."""
        with_letters = [word.bold for word in self.words if LETTER.search(word.text)]
        return all(with_letters or [word.bold for word in self.words])

    @cached_property
    def is_right_to_left(self) -> bool:
        """Tell whether the line is read from the right."""
        return reads_from_right(self.words)


def reads_from_right(words: Iterable[Word]) -> bool:
    """Tell whether most letters are Hebrew, Arabic or the like."""
    text = "".join(word.text for word in words)
    return 2 * len(RIGHT_TO_LEFT.findall(text)) > len(LETTER.findall(text)) > 0


def read_in_order(words: Sequence[Word]) -> list[Word]:
    """Return words that stand from left to right in the order in which they are read."""
    if not reads_from_right(words):
        return list(words)
    ordered: list[Word] = []
    foreign: list[Word] = []
    for word in reversed(words):
        if RIGHT_TO_LEFT.search(word.text) or not re.search(r"\w", word.text):
            ordered += [*reversed(foreign), word]
            foreign = []
        else:
            foreign.append(word)
    return ordered + foreign[::-1]


def spell_row(words: Sequence[Word]) -> str:
    """Return the words of a row as they are read, with no space before a comma that touches its word."""
    text = ""
    before: Word | None = None
    for word in read_in_order(words):
        touches = before and word.text[0] in CLOSING and 0 <= word.x0 - before.x1 + 1 < 1 + 0.12 * word.size
        text += word.text if touches or not before else f" {word.text}"
        before = word
    return text


def _is_raised(row: Sequence[Word], base: Sequence[Word]) -> bool:
    """Tell whether a row is marks of notes that stand a little above the row that they belong to."""
    size = max(word.size for word in base)
    if max(word.size for word in row) > RAISED_SIZE * size:
        return False
    if not 0 < row[0].y - base[0].y < RAISED * size or any(len(word.text) > LONGEST_MARK for word in row):
        return False
    reach = 0.6 * size
    return all(any(w.x0 - reach <= mark.x1 and mark.x0 <= w.x1 + reach for w in base) for mark in row)


def _lower(row: Sequence[Word], base: Sequence[Word]) -> list[Word]:
    """Set raised marks into their row, each at the end of the word that it touches."""
    words = sorted(base, key=lambda word: word.x0)
    for mark in row:
        text = mark.text.translate(SUPERSCRIPTS)
        at = max((n for n, word in enumerate(words) if word.x0 < mark.x0), default=-1)
        if at >= 0 and mark.x0 - words[at].x1 < 0.25 * words[at].size:
            words[at] = replace(words[at], text=words[at].text + text, x1=max(mark.x1, words[at].x1))
        else:
            words.insert(at + 1, replace(mark, text=text, y=words[0].y))
    return words


def group_rows(words: Iterable[Word]) -> list[list[Word]]:
    """Return the rows from top to bottom, each from left to right."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: -word.y):
        if rows and abs(rows[-1][0].y - word.y) <= SAME_ROW * min(rows[-1][0].size, word.size):
            rows[-1].append(word)
        else:
            rows.append([word])
    merged: list[list[Word]] = []
    for row in rows:
        if merged and _is_raised(merged[-1], row):
            merged[-1] = _lower(merged[-1], row)
        else:
            merged.append(sorted(row, key=lambda word: word.x0))
    return merged
