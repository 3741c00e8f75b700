"""Hold a quotation against a text, word for word.

What printing changes does not count: blanks, the shape of quotation marks and dashes, marks of Markdown. Nor
does what quoting changes: “…” for words left out, [brackets] for words put in, the first letter, and the
sign at the end.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from search.words import RUN as UNBROKEN

TOKEN = re.compile(r"[^\W_]+(?:['’ʼ][^\W_]+)*|[^\w\s]")
LEFT_OUT = re.compile(r"\[\s*(?:…|\.\s?\.\s?\.)\s*\]|…|\.\s?\.\s?\.(?:\s?\.)?|\[(?!\w\])[^\[\]]{0,200}\]")
LETTER = re.compile(r"\[(\w)\](?=\w)")  # "[t]he", where the original has a capital.
MARKS = frozenset("*_#`|\\>~")  # Of Markdown; they are no part of the words.
SIGNS = str.maketrans(dict.fromkeys("“”„«»‘’‚`「」『』", '"') | dict.fromkeys("–—−‐‑", "-"))
APOSTROPHES = str.maketrans("’ʼ", "''")
AT_ENDS = frozenset('.,;:!?"-')
FURTHEST = 400  # Tokens that may have been left out.
MOST_TOKENS = 600  # Of a quotation that is held against something like it.
ALIKE = 0.6  # The share of words that make a passage the one that was meant.


@dataclass(frozen=True, slots=True)
class Token:
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Nearest:
    """A passage that says nearly the same."""

    span: tuple[int, int]
    share: float


def read_tokens(text: str) -> list[Token]:
    return [token for match in TOKEN.finditer(text) for token in _tokens(match) if token.value not in MARKS]


def _tokens(match: re.Match[str]) -> Iterator[Token]:
    """Yield a word; where nothing parts words, each of its characters."""
    word, start = match[0], match.start()
    if word.isascii() or not UNBROKEN.search(word):
        yield Token(_fold(word), start, match.end())
    else:
        yield from (Token(_fold(one), place, place + 1) for place, one in enumerate(word, start))


def _fold(word: str) -> str:
    if not word[0].isalnum():
        return word.translate(SIGNS)
    word = word.translate(APOSTROPHES)
    return word if word.isascii() else unicodedata.normalize("NFKC", word)


def part_quotation(quotation: str) -> list[str]:
    """Part a quotation where something was left out or put in."""
    return LEFT_OUT.split(LETTER.sub(r"\1", quotation))


def read_pieces(quotation: str) -> list[list[str]]:
    """Return the words of each part of a quotation."""
    parts = part_quotation(quotation)
    pieces = (_trimmed([token.value for token in read_tokens(part)]) for part in parts)
    return [piece for piece in pieces if piece]


def _trimmed(values: list[str]) -> list[str]:
    start, end = 0, len(values)
    while start < end and values[start] in AT_ENDS:
        start += 1
    while end > start and values[end - 1] in AT_ENDS:
        end -= 1
    return values[start:end]


def find_exact(pieces: Sequence[Sequence[str]], tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text that say all pieces, one behind the other."""
    values = [token.value for token in tokens]
    for first in _places(pieces[0], values, 0, len(values)):
        end: int | None = first + len(pieces[0])
        for piece in pieces[1:]:
            begin = end or 0
            places = _places(piece, values, begin, min(begin + FURTHEST + len(piece), len(values)))
            place = next(places, None)
            end = None if place is None else place + len(piece)
            if end is None:
                break
        if end is not None:
            yield tokens[first].start, tokens[end - 1].end


def _places(piece: Sequence[str], values: Sequence[str], start: int, end: int) -> Iterator[int]:
    """Yield where words stand; the first letter may be a capital in one place and not in the other."""
    wanted, heads = list(piece), {piece[0], _other_case(piece[0])}
    for place in range(start, end - len(wanted) + 1):
        if values[place] in heads and values[place + 1 : place + len(wanted)] == wanted[1:]:
            yield place


def _other_case(word: str) -> str:
    return word[:1].swapcase() + word[1:]


def find_nearest(pieces: Sequence[Sequence[str]], tokens: Sequence[Token]) -> Nearest | None:
    """Return the passage that has most of the words, if that is most of them."""
    wanted = [value for piece in pieces for value in piece][:MOST_TOKENS]
    begin = _densest(Counter(wanted), [token.value for token in tokens], len(wanted))
    margin = len(wanted) // 3 + 5
    around = tokens[max(begin - margin, 0) : begin + len(wanted) + margin]
    matcher = SequenceMatcher(None, wanted, [token.value for token in around], autojunk=False)
    blocks = _near(matcher)
    if not blocks:
        return None
    (before, start, _), (last, end, _) = blocks[0], blocks[-1]
    start, end = max(start - before, 0), min(end + len(wanted) - last, len(around))
    share = 2 * sum(size for _, _, size in blocks) / (len(wanted) + end - start)
    return Nearest((around[start].start, around[end - 1].end), share) if share >= ALIKE else None


def _near(matcher: SequenceMatcher[str]) -> list[tuple[int, int, int]]:
    """Return what both have, without single words far from the rest."""
    blocks = [(a, b, size) for a, b, size in matcher.get_matching_blocks() if size]
    while len(blocks) > 1 and _is_apart(blocks[0], blocks[1]):
        blocks = blocks[1:]
    while len(blocks) > 1 and _is_apart(blocks[-1], blocks[-2]):
        blocks = blocks[:-1]
    return blocks


def _is_apart(block: tuple[int, int, int], neighbour: tuple[int, int, int]) -> bool:
    """Tell a word or two that the gap to their neighbour is many times as long as."""
    first, second = sorted((block, neighbour))
    return second[1] - first[1] - first[2] > 3 * block[2] + (second[0] - first[0] - first[2])


def _densest(wanted: Counter[str], values: Sequence[str], length: int) -> int:
    """Return where as many tokens as are wanted have most of them."""
    left, best, best_begin, have = Counter(wanted), 0, 0, 0
    for place, value in enumerate(values):
        left[value] -= 1
        have += left[value] >= 0
        if place >= length:
            dropped = values[place - length]
            have -= left[dropped] >= 0
            left[dropped] += 1
        if have > best:
            best, best_begin = have, max(place - length + 1, 0)
    return best_begin
