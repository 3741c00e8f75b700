"""Cut a long text into windows that a model can read, at word borders, with an overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

Span = tuple[int, int]


class Piece(NamedTuple):
    """A part of a text that becomes tokens by itself."""

    start: int
    end: int
    tokens: int


def cut_windows(text: str, pieces: Sequence[Piece], *, limit: int, overlap: int) -> list[Span]:
    """Return spans of at most `limit` tokens that cover all pieces; windows of one text are about as long."""
    words = list(_join_words(text, pieces, limit))
    size = _even_size(sum(word.tokens for word in words), limit, overlap)
    spans: list[Span] = []
    first = 0
    while first < len(words):
        end = _fill(words, first, size)
        spans.append((words[first].start, words[end - 1].end))
        if end == len(words):
            break
        first = max(_step_back(words, end, overlap), first + 1)
    return spans


def _join_words(text: str, pieces: Sequence[Piece], limit: int) -> Iterator[Piece]:
    """Join pieces up to the next blank; what is longer than a window stays in pieces."""
    word: list[Piece] = []
    for piece in pieces:
        if word and text[piece.start].isspace():
            yield from _join(word, limit)
            word = []
        word.append(piece)
    yield from _join(word, limit)


def _join(word: list[Piece], limit: int) -> list[Piece]:
    tokens = sum(piece.tokens for piece in word)
    return [Piece(word[0].start, word[-1].end, tokens)] if word and tokens <= limit else word


def _even_size(total: int, limit: int, overlap: int) -> int:
    """Return the size at which the fewest windows are equally full, so that none is a mere rest."""
    if total <= limit:
        return limit
    count = -(-(total - overlap) // (limit - overlap))
    return min(limit, -(-(total - overlap) // count) + overlap + overlap // 4)  # Words do not divide evenly.


def _fill(words: Sequence[Piece], first: int, size: int) -> int:
    """Return the end of the window that starts at a word: one word at least."""
    tokens, end = words[first].tokens, first + 1
    while end < len(words) and tokens + words[end].tokens <= size:
        tokens += words[end].tokens
        end += 1
    return end


def _step_back(words: Sequence[Piece], end: int, overlap: int) -> int:
    """Return the word at which the next window starts, so that it still advances."""
    tokens, first = 0, end
    while first and tokens + words[first - 1].tokens <= overlap:
        first -= 1
        tokens += words[first].tokens
    return first
