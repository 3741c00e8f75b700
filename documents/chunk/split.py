"""Cut text that has no structure of its own: at paragraphs, then rows, sentences and words."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from documents.tokens import count_tokens

PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
LINE_END = re.compile(r"\n+")
SENTENCE_END = re.compile(
    r"(?<![.\s][A-Z])(?<!\b[A-Z])(?<!\b(?:No|Nr|Mr|Dr|St|cf|vs|ss|pp))(?<!\b(?:Sec|Art|Abs|Inc|Ltd|Rev|Vol|Fig|seq|e\.g|i\.e|U\.S))"
    r"[.!?;:][\"'”’)\]]*\s+(?=[\"'“‘(\[§A-ZÀ-ÞА-Я0-9])|[。！？]\s*"
)
IDEOGRAPH = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]")
LAST_BLANK = re.compile(r"\S*\s")
TABLE_HEADER = re.compile(r"[ \t]*\|[^\n]*\|[ \t]*\n[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?:\n|\Z)")
SEAM = 1  # Tokens may break otherwise where two pieces meet.
BYTES_PER_CHARACTER = 4
CHARACTERS_PER_TOKEN = 6  # More than any language has, so that the first guess is never too short.


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of flat text, and of the table it continues the header."""

    start: int
    end: int
    tokens: int
    header: tuple[int, int] | None = None


def split_text(text: str, start: int, end: int, limit: int) -> list[Cut]:
    """Return cuts of at most `limit` tokens that together are the span, as few as sentences allow."""
    cuts: list[Cut] = []
    for block_start, block_end in _between(PARAGRAPH_END, text, start, end, limit):
        cuts.extend(_split_block(text, block_start, block_end, limit))
    return _join(cuts, limit)


def _between(
    pattern: re.Pattern[str], text: str, start: int, end: int, limit: int
) -> Iterator[tuple[int, int]]:
    """Yield spans that end where a pattern ends and tile the whole; those that surely fit stay together.

    A text has no more tokens than bytes, so that short lines need not be counted one by one.
    """
    begun = last = start
    for match in pattern.finditer(text, start, end):
        position = match.end()
        if not last < position < end:
            continue
        if begun < last and _most_tokens(text, begun, position) > limit:
            yield begun, last
            begun = last
        last = position
    if begun < last and _most_tokens(text, begun, end) > limit:
        yield begun, last
        begun = last
    if begun < end:
        yield begun, end


def _most_tokens(text: str, start: int, end: int) -> int:
    length = end - start
    return length if text[start:end].isascii() else length * BYTES_PER_CHARACTER


def _split_block(text: str, start: int, end: int, limit: int) -> Iterator[Cut]:
    tokens = count_tokens(text[start:end])
    if tokens <= limit:
        yield Cut(start, end, tokens)
    elif header := TABLE_HEADER.match(text, start, end):
        yield from _split_table(text, header.span(), end, limit)
    else:
        yield from _split_finer(text, start, end, limit, (LINE_END, SENTENCE_END))


def _split_table(text: str, header: tuple[int, int], end: int, limit: int) -> Iterator[Cut]:
    """Cut a table between rows; each piece after the first knows its header."""
    header_tokens = count_tokens(text[slice(*header)])
    room = limit - header_tokens
    if room < limit // 4:  # The header leaves no room for rows.
        yield from _split_finer(text, header[0], end, limit, (LINE_END, SENTENCE_END))
        return
    rows = list(_split_finer(text, header[1], end, room, (LINE_END, SENTENCE_END)))
    for index, cut in enumerate(_join(rows, room)):
        if index == 0:
            yield Cut(header[0], cut.end, header_tokens + cut.tokens)
        else:
            yield Cut(cut.start, cut.end, header_tokens + cut.tokens, header)


def _split_finer(
    text: str, start: int, end: int, limit: int, patterns: tuple[re.Pattern[str], ...]
) -> Iterator[Cut]:
    if not patterns:
        yield from _split_words(text, start, end, limit)
        return
    for piece_start, piece_end in _between(patterns[0], text, start, end, limit):
        tokens = count_tokens(text[piece_start:piece_end])
        if tokens <= limit:
            yield Cut(piece_start, piece_end, tokens)
        else:
            yield from _split_finer(text, piece_start, piece_end, limit, patterns[1:])


def _split_words(text: str, start: int, end: int, limit: int) -> Iterator[Cut]:
    """Cut an endless sentence between words, guessing how many fit and guessing again."""
    while start < end:
        length = limit * CHARACTERS_PER_TOKEN
        while True:
            stop = _word_end(text, start, min(start + length, end))
            tokens = count_tokens(text[start:stop])
            if tokens <= limit or stop - start == 1:
                break
            length = max(1, min(length - 1, (stop - start) * limit // (tokens + 1)))
        yield Cut(start, stop, tokens)
        start = stop


def _word_end(text: str, start: int, stop: int) -> int:
    """Return the last end of a word up to a place, or that place itself inside an endless word."""
    if stop >= len(text) or text[stop - 1].isspace() or IDEOGRAPH.match(text, stop - 1):
        return stop
    blank = LAST_BLANK.match(text[start:stop][::-1])
    return stop - blank.end() + 1 if blank else stop


def _join(cuts: list[Cut], limit: int) -> list[Cut]:
    """Join neighbours as long as they fit."""
    joined: list[Cut] = []
    for cut in cuts:
        last = joined[-1] if joined else None
        if last and cut.header is None and last.header is None and last.tokens + cut.tokens + SEAM <= limit:
            joined[-1] = Cut(last.start, cut.end, last.tokens + cut.tokens + SEAM)
        elif last and last.header and cut.header == last.header and _fits(last, cut, limit):
            joined[-1] = Cut(last.start, cut.end, last.tokens + cut.tokens, last.header)
        else:
            joined.append(cut)
    return joined


def _fits(last: Cut, cut: Cut, limit: int) -> bool:
    """Pieces of a table count its header each, so joined they need less than their sum."""
    return last.tokens + cut.tokens <= limit


def overlap_start(text: str, start: int, floor: int, tokens: int) -> int:
    """Return where the last `tokens` tokens before a cut begin, at a word, and not before `floor`."""
    if tokens <= 0:
        return start
    window = text[max(floor, start - tokens * 8) : start]
    offset = start - len(window)
    starts = [offset + match.end() for match in re.finditer(r"\s+", window) if match.end() < len(window)]
    first = bisect_left(starts, True, key=lambda position: count_tokens(text[position:start]) <= tokens)
    return starts[first] if first < len(starts) else start
