"""Highlights that show why a passage was found: snippets of it, and the spans in them to be marked.

No HTML: whoever shows a snippet escapes its pieces.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from search.words import CAPITALS, CHARACTER, PART, RUN, distinct

Span = tuple[int, int]
Stem = Callable[[str], str] | Mapping[str, str]

MOST_CHARACTERS = 200_000  # Of a content. No passage is nearly as long.
MOST_PHRASE_WORDS = 60
PHRASE_WEIGHT = 10.0  # Against 1 for a word whose weight nobody knows.
REPEATED = 0.01  # What a further occurrence counts, so that of two windows the denser one is shown.
ROUNDING = 1e-9
NEARLY = 2 / 3  # Of the width: a snippet that is so long may end with its sentence.

WORD = re.compile(r"[^\W_]+")
PLAIN = re.compile(r"[A-Za-z][a-z]*")  # An ordinary word, which has no parts.
# What a text search takes for one word and as its parts: 1013.2, cross-border, a/b.
JOINED = re.compile(r"[^\W_]+(?:[.,/:@'’‐‑-][^\W_]+)*+")
SENTENCE = re.compile(r"[.!?…;:][\"”’»)\]*_]{0,3}\s+(?=[^\s\d\W_a-z]|[“\"(\[«„])|[。！？]|\n+")
GAP = r"[\W_]{1,20}+"
BRACKETS = frozenset("()[]{}")
BLANKS = re.compile(r"\s+")
JOINERS = frozenset("\u200d\ufe0e\ufe0f")
LONGEST_WORD = 200
FEW = 50
FIRST_OTHER = "\u0370"  # From here on letters are not Latin.


@dataclass(frozen=True, slots=True)
class Highlight:
    """A snippet, its span in the content, and the spans inside the snippet to be marked."""

    text: str
    start: int
    end: int
    marks: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of the content and the words or phrases of the question that it is."""

    start: int
    end: int
    keys: tuple[str, ...]


def highlight(
    content: str,
    *,
    words: Collection[str],
    phrases: Sequence[str] = (),
    stem: Stem,
    weights: Mapping[str, float] | None = None,
    most: int = 3,
    width: int = 240,
) -> tuple[Highlight, ...]:
    """Return the snippets that show the most of a question's words, in the order of the text.

    `words` are lexemes, and `stem` makes them of the words of the content. Without any of them, as when only
    the meaning is near, it is the beginning, with nothing marked. A further snippet shows something new.
    """
    highlighter = Highlighter(words=words, phrases=phrases, stem=stem, weights=weights)
    return highlighter.highlight(content, most=most, width=width)


class Highlighter:
    """As `highlight`, for many contents and one question: each distinct token is looked at once."""

    def __init__(
        self,
        *,
        words: Collection[str],
        phrases: Sequence[str],
        stem: Stem,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self._lexemes = _Lexemes(frozenset(words), stem)
        self._phrases = phrases
        self._weights = weights or {}

    def highlight(
        self, content: str, *, tokens: AbstractSet[str] | None = None, most: int = 3, width: int = 240
    ) -> tuple[Highlight, ...]:
        """Return the snippets of a content. Whoever knows its tokens already says so."""
        content = content[:MOST_CHARACTERS]
        marks = self.marks(content, tokens=tokens)
        windows = _choose_windows(marks, self._weights, most, width)
        if not windows:
            start, end = _opening(content, width)
            return (Highlight(content[start:end], start, end, ()),) if end > start else ()
        return tuple(_cut(content, marks, windows, width))

    def marks(self, content: str, *, tokens: AbstractSet[str] | None = None) -> list[Mark]:
        tokens = tokens_of(content) if tokens is None else tokens
        return find_marks(content, tokens, self._lexemes, self._phrases)


def tokens_of(content: str) -> set[str]:
    """Return what a text search takes for words, of those characters that are looked at."""
    return distinct(JOINED, content[:MOST_CHARACTERS])


def words_to_stem(tokens: AbstractSet[str], words: Collection[str]) -> set[str]:
    """Return the words of a content, in small letters, that can be one of some lexemes.

    A stem begins as its word does, at least in Latin letters without their accents; so most need no look-up.
    """
    initials = {_initial(word) for word in words if word}
    small = _small(tokens)
    found = {token for token in small if token[0] in initials}
    for token in tokens - small:
        if not PLAIN.fullmatch(token):
            found.update(word for word in _surfaces(token) if _may_begin(word, initials))
        elif (word := token.lower())[0] in initials:
            found.add(word)
    return {word for word in found if len(word) <= LONGEST_WORD}


def _small(tokens: AbstractSet[str]) -> set[str]:
    """Return the tokens that are ordinary words in small letters, as most are: these have no parts."""
    return set(filter(str.isascii, filter(str.isalpha, filter(str.islower, tokens))))


def _may_begin(word: str, initials: set[str]) -> bool:
    first = word[0]
    return first in initials or (not first.isascii() and (first >= FIRST_OTHER or _initial(word) in initials))


def _surfaces(token: str) -> Iterator[str]:
    """Yield a token, its words, and the parts of words such as getHTTPResponse."""
    yield token.lower()
    for word in WORD.findall(token):
        yield word.lower()
        if CAPITALS.search(word):
            yield from (part.lower() for part in PART.findall(word))


def _initial(word: str) -> str:
    return unicodedata.normalize("NFD", word[0].lower())[0]


def find_marks(
    content: str, tokens: AbstractSet[str], lexemes: _Lexemes, phrases: Sequence[str]
) -> list[Mark]:
    """Return what is to be marked, in the order of the text; a phrase is marked whole."""
    alone = _word_marks(content, tokens, lexemes) if lexemes.words else ()
    quoted = chain.from_iterable(_phrase_marks(content, phrase) for phrase in phrases)
    return _join([*alone, *quoted])


class _Lexemes:
    """The lexemes of a question, and what each token that was looked at has of them."""

    def __init__(self, words: frozenset[str], stem: Stem) -> None:
        self.words = words
        self.marks: dict[str, Sequence[Mark]] = {}
        self.few: Mapping[str, str] | None = None  # The words that are any, if all are known.
        self.of = self._from(stem) if isinstance(stem, Mapping) else self._by(stem)

    def _from(self, stems: Mapping[str, str]) -> Callable[[str], str]:
        """Return what tells the lexeme of the question that a word is, or nothing: few words are any."""
        own = {word: word for word in self.words if word not in stems}
        few = self.few = own | {word: lexeme for word, lexeme in stems.items() if lexeme in self.words}
        return lambda word: few.get(word.lower(), "")

    def _by(self, stem: Callable[[str], str]) -> Callable[[str], str]:
        return lambda word: lexeme if (lexeme := stem(word.lower())) in self.words else ""

    def marks_in(self, tokens: AbstractSet[str]) -> dict[str, Sequence[Mark]]:
        """Return the marks of those tokens that have any."""
        if self.few is not None:  # Most words are in small letters, and none of them.
            tokens = tokens - _small(tokens).difference(self.few)
        self.marks |= {token: _in_token(token, self) for token in tokens - self.marks.keys()}
        return {token: marks for token in tokens if (marks := self.marks[token])}


def _word_marks(content: str, tokens: AbstractSet[str], lexemes: _Lexemes) -> Iterator[Mark]:
    marked = lexemes.marks_in(tokens)
    for token, place in _places(content, marked):
        yield from (Mark(place + mark.start, place + mark.end, mark.keys) for mark in marked[token])


def _places(content: str, tokens: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    """Yield where tokens stand: few are searched for, since most words of a text are not asked for."""
    if len(tokens) > FEW:
        yield from ((match[0], match.start()) for match in JOINED.finditer(content) if match[0] in tokens)
        return
    for token in tokens:
        place = content.find(token)
        while place >= 0:
            end = place + len(token)
            if not content[place - 1 : place].isalnum() and not content[end : end + 1].isalnum():
                yield token, place
            place = content.find(token, end)


def _in_token(token: str, lexemes: _Lexemes) -> list[Mark]:
    """Return the marks in a token: the whole, or some of its words, or parts of these."""
    if lexeme := lexemes.of(token):
        return [Mark(0, len(token), (lexeme,))]
    if PLAIN.fullmatch(token):
        return []
    marks: list[Mark] = []
    for word in WORD.finditer(token):
        if lexeme := lexemes.of(word[0]):
            marks.append(Mark(*word.span(), (lexeme,)))
        else:
            marks += _part_marks(token, word.span(), lexemes)
    return marks


def _part_marks(content: str, span: Span, lexemes: _Lexemes) -> Iterator[Mark]:
    """Yield the parts of identifiers, and the pairs of characters in what is written without blanks."""
    if CAPITALS.search(content, *span):
        for part in PART.finditer(content, *span):
            if lexeme := lexemes.of(part[0]):
                yield Mark(*part.span(), (lexeme,))
    for run in RUN.finditer(content, *span):
        characters = list(CHARACTER.finditer(content, *run.span()))
        for first, second in pairwise(characters):
            pair = first[0] + second[0]
            if pair in lexemes.words:
                yield Mark(first.start(), second.end(), (pair,))


def _phrase_marks(content: str, phrase: str) -> Iterator[Mark]:
    """Yield where the words of a phrase stand side by side, whatever signs are between them.

    Signs around them are marked too where they are printed; of “(a)”, they must be.
    """
    words = WORD.findall(phrase)[:MOST_PHRASE_WORDS]
    if not words:
        return
    key = f'"{" ".join(words).casefold()}"'
    pattern = GAP.join(map(re.escape, words))
    lead, tail = (signs.strip() for signs in (WORD.split(phrase, maxsplit=1)[0], WORD.split(phrase)[-1]))
    must = len(words) == 1 and bool(BRACKETS.intersection(lead + tail))
    for match in re.finditer(rf"(?<![^\W_]){pattern}(?![^\W_])", content, re.IGNORECASE):
        start, end = match.span()
        has_lead, has_tail = content.endswith(lead, 0, start), content.startswith(tail, end)
        if not must or (has_lead and has_tail):
            yield Mark(start - len(lead) * has_lead, end + len(tail) * has_tail, (key,))


def _join(marks: Sequence[Mark]) -> list[Mark]:
    """Make one of marks that overlap."""
    joined: list[Mark] = []
    for mark in sorted(marks, key=lambda one: (one.start, -one.end)):
        if joined and mark.start < joined[-1].end:
            last = joined[-1]
            keys = last.keys if set(mark.keys) <= set(last.keys) else (*last.keys, *mark.keys)
            joined[-1] = Mark(last.start, max(last.end, mark.end), keys)
        else:
            joined.append(mark)
    return joined


def _choose_windows(marks: Sequence[Mark], weights: Mapping[str, float], most: int, width: int) -> list[Span]:
    """Return the first and last mark of each window, in the order of the text."""
    chosen: list[Span] = []
    shown: set[str] = set()
    while len(chosen) < most:
        free = pairwise([-1, *chain.from_iterable(sorted(chosen)), len(marks)])
        spaces = [(first + 1, last) for first, last in islice(free, 0, None, 2)]
        found = [_best_window(marks, space, weights, shown, width) for space in spaces]
        score, best = max(found, key=lambda one: one[0])  # Of equals the first.
        if not score:
            break
        chosen.append(_shrink(marks, best))
        shown |= {key for mark in marks[best[0] : best[1] + 1] for key in mark.keys}
    return sorted(chosen)


def _best_window(
    marks: Sequence[Mark], space: Span, weights: Mapping[str, float], shown: set[str], width: int
) -> tuple[float, Span]:
    """Slide over some of the marks; of windows that are worth the same, the first is the best."""
    best: tuple[float, Span] = (0.0, space)
    inside: Counter[str] = Counter()
    score, first = 0.0, space[0]
    for last in range(*space):
        for key in marks[last].keys:
            score += _gain(key, inside[key], weights, shown)
            inside[key] += 1
        while first < last and marks[last].end - marks[first].start > width:
            for key in marks[first].keys:
                inside[key] -= 1
                score -= _gain(key, inside[key], weights, shown)
            first += 1
        if score > best[0] + ROUNDING and not shown.issuperset(marks[last].keys):
            best = score, (first, last)
    return best


def _shrink(marks: Sequence[Mark], window: Span) -> Span:
    """Leave out marks at both ends that the window has elsewhere: there is more room for their sentences."""
    first, last = window
    inside = Counter(key for mark in marks[first : last + 1] for key in mark.keys)
    while first < last and all(inside[key] > 1 for key in marks[last].keys):
        inside.subtract(marks[last].keys)
        last -= 1
    while first < last and all(inside[key] > 1 for key in marks[first].keys):
        inside.subtract(marks[first].keys)
        first += 1
    return first, last


def _gain(key: str, already: int, weights: Mapping[str, float], shown: set[str]) -> float:
    if already or key in shown:
        return REPEATED
    return PHRASE_WEIGHT if key.startswith('"') else weights.get(key, 1.0)


def _cut(
    content: str, marks: Sequence[Mark], windows: Sequence[tuple[int, int]], width: int
) -> Iterator[Highlight]:
    """Yield a snippet around each window, none of which reaches into another."""
    behind = 0
    for index, (first, last) in enumerate(windows):
        limit = marks[windows[index + 1][0]].start if index + 1 < len(windows) else len(content)
        start, end = _around(content, (marks[first].start, marks[last].end), (behind, limit), width)
        inside = (
            (max(mark.start, start) - start, min(mark.end, end) - start)
            for mark in marks
            if mark.start >= start and mark.start < end
        )
        kept = tuple(span for span in inside if span[0] < span[1])
        yield Highlight(content[start:end], start, end, kept)
        behind = end


def _around(content: str, window: Span, limits: Span, width: int) -> Span:
    """Return a span around a window: its sentences if they fit, else as many words as do."""
    first, last = window
    last = min(last, first + width)
    lowest, highest = max(limits[0], last - width), min(limits[1], first + width)
    begin = _last_sentence(content, lowest, first)
    if begin is None:
        begin = _word_start(content, max(lowest, first - (width - (last - first)) // 2), first)
    end = _end(content, begin, max(last, begin), min(highest, begin + width))
    return _trim(content, begin, end)


def _last_sentence(content: str, lowest: int, place: int) -> int | None:
    """Return where the sentence around a place begins, if not before `lowest`."""
    starts = [match.end() for match in SENTENCE.finditer(content, lowest, place)]
    if starts:
        return starts[-1]
    return lowest if not content[:lowest].strip() else None


def _end(content: str, start: int, least: int, most: int) -> int:
    """Return where a snippet ends: with a sentence if that leaves it long enough, else with a word."""
    if most >= len(content):
        return len(content)
    ends = [match.end() for match in SENTENCE.finditer(content, max(least - 2, start), most)]
    if ends and ends[-1] - start >= (most - start) * NEARLY:
        return max(ends[-1], least)
    return _word_end(content, least, most)


def _word_start(content: str, place: int, last: int) -> int:
    """Return the first place between two where a word begins; in a word without end, where it may be cut."""
    if place == 0 or content[place - 1].isspace():
        return place
    if blank := BLANKS.search(content, place, last):
        return blank.end()
    while place < last and _continues(content, place):
        place += 1
    return place


def _word_end(content: str, least: int, most: int) -> int:
    if most >= len(content) or content[most].isspace():
        return most
    blanks = [match.start() for match in BLANKS.finditer(content, least, most)]
    return blanks[-1] if blanks else max(least, _whole(content, most))


def _whole(content: str, place: int) -> int:
    """Go back to where a character begins that is written with several: accents, emoji, surrogates."""
    lowest = max(0, place - 40)
    while lowest < place < len(content) and _continues(content, place):
        place -= 1
    return place


def _continues(content: str, place: int) -> bool:
    here, before = content[place], content[place - 1]
    is_joined = here in JOINERS or before == "\u200d" or unicodedata.combining(here) > 0
    return is_joined or ("\ud800" <= before <= "\udbff" and "\udc00" <= here <= "\udfff")


def _opening(content: str, width: int) -> Span:
    """Return the first sentences, as many as fit."""
    start = len(content) - len(content.lstrip())
    most = min(len(content), start + width)
    end = _end(content, start, start, most)
    return _trim(content, start, end if end > start else most)


def _trim(content: str, start: int, end: int) -> Span:
    while start < end and content[start].isspace():
        start += 1
    while end > start and content[end - 1].isspace():
        end -= 1
    return start, end
