"""Read a text line by line: which lines open a block, which are headings, and which to leave alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
HEAD = re.compile(r"[ \t]*(?:>[ \t]?)*(?P<hashes>#{1,6}[ \t]+)?(?P<bullet>[-*+•][ \t]+)?")
PLAIN_HEAD = re.compile(r"[ \t]*(?P<bullet>[•][ \t]+)?")
FENCE = re.compile(r"[ \t]*(```|~~~)")
UNDERLINE = re.compile(r"[ \t]*(={3,}|-{3,})[ \t]*$")
CONTENTS_LINE = re.compile(r"(?:\.[ ]?){4,}\s*\d*\s*$|\t\d+\s*$")
EMPHASIZED_LINE = re.compile(r"([*_]{1,3})(?P<text>[^\W_][^*_\n]{1,100})\1\.?\s*$")
CAPTION_LINE = re.compile(
    r"(?:figure|fig\.|table|abbildung|abb\.|tabelle|tableau|tabla|tabela|code)\s*\S", re.IGNORECASE
)
COLUMNS = re.compile(r"\S[ ]{3,}\S.*[ ]{3,}\S")  # The head of a page: left, middle and right.
UNHEADED = frozenset("_=|<>{}@/\\•[]\t")
ENUMERATED = re.compile(r"[(\d§]|[A-Za-z]{1,4}[.)]\s")
FIRST_OF_LIST = re.compile(r"\((?:a|1|i|A|I)\)\s|(?:1|a|i|A|I)[.)]\s")
ENDED = re.compile(r"(?:[.;:!?—–)”\"’。；：）]|\b(?:and|or|und|oder|et|ou|y|o|e))[ \t*_]*$")
WRAPPED_WIDTH = 200  # Texts with longer lines put a paragraph on a line.


@dataclass(frozen=True, slots=True)
class Line:
    """A line that may open a unit."""

    start: int  # Of its first character that is no blank.
    body: int  # Behind hashes and bullets.
    end: int  # Before its line break.
    level: int  # Of a Markdown heading, or 0.
    opens_block: bool
    after_blank: bool
    is_heading: bool  # Marked as one, or looking like one.
    may_be_heading: bool = False  # Too plain to tell; what follows will.


def read_lines(text: str, *, is_markdown: bool) -> Iterator[Line]:
    """Yield the lines of a text that are neither blank nor code nor part of a table."""
    spans = [match.span() for match in LINE.finditer(text)]
    width = _usual_width(spans)
    head = HEAD if is_markdown else PLAIN_HEAD
    before = ""  # The line above, without its blanks.
    fence = ""
    for index, (start, stop) in enumerate(spans):
        raw = text[start:stop]
        stripped = raw.strip()
        if is_markdown and (match := FENCE.match(raw)) and (not fence or match[1] == fence):
            fence = "" if fence else match[1]
            before = ""
            continue
        if fence or not stripped or stripped[0] == "|" or _is_contents_line(raw):
            before = "" if not stripped else before
            continue
        match = head.match(text, start, stop)
        if match is None:
            continue
        level = _level(match, raw, text, spans, index, is_markdown=is_markdown)
        first = start + len(raw) - len(raw.lstrip())
        end = start + len(raw.rstrip())
        opens = level > 0 or not before or width > WRAPPED_WIDTH or _has_ended(before, width)
        here = _Place(text, spans, index, raw, stripped)
        looks = level == 0 and opens and _looks_like_heading(here, is_markdown=is_markdown)
        may_be = not (level or looks or is_markdown) and opens and _may_be_heading(here)
        yield Line(first, min(match.end(), end), end, level, opens, not before, level > 0 or looks, may_be)
        before = stripped if not level else ""


def _is_contents_line(raw: str) -> bool:
    return ("..." in raw or ". ." in raw or "\t" in raw) and CONTENTS_LINE.search(raw) is not None


def _usual_width(spans: list[tuple[int, int]]) -> int:
    lengths = sorted(stop - start for start, stop in spans if stop - start > 1)
    return lengths[int(len(lengths) * 0.95)] if lengths else 0


def _has_ended(before: str, width: int) -> bool:
    return len(before) < 0.6 * width or bool(ENDED.search(before))


def _level(
    head: re.Match[str], raw: str, text: str, spans: list[tuple[int, int]], index: int, *, is_markdown: bool
) -> int:
    if not is_markdown:
        return 0
    if hashes := head["hashes"]:
        return len(hashes.strip())
    below = text[slice(*spans[index + 1])] if index + 1 < len(spans) else ""
    if (match := UNDERLINE.match(below.rstrip("\n"))) and len(raw.strip()) <= 160:  # noqa: PLR2004
        above_is_blank = index == 0 or not text[slice(*spans[index - 1])].strip()
        return (1 if match[1][0] == "=" else 2) if above_is_blank else 0
    return 0


@dataclass(frozen=True, slots=True)
class _Place:
    """A line among the others."""

    text: str
    spans: list[tuple[int, int]]
    index: int
    raw: str
    stripped: str

    def below(self) -> str:
        """Return the first line of the next block, if this line is a block of its own."""
        after = [self.text[start:stop].strip() for start, stop in self.spans[self.index + 1 : self.index + 4]]
        if not after or after[0]:
            return ""
        return next((line for line in after if line), "")


def _looks_like_heading(here: _Place, *, is_markdown: bool) -> bool:
    """Tell a heading without marks and number: a short line of its own, in capitals or title case."""
    stripped = here.stripped
    if is_markdown:
        return EMPHASIZED_LINE.match(stripped) is not None
    if not 3 <= len(stripped) <= 80 or here.raw[0] in " \t" or stripped[-1] in '.,;:!?_)]”"':  # noqa: PLR2004
        return False
    if (
        COLUMNS.search(stripped)
        or CAPTION_LINE.match(stripped)
        or not stripped[0].isupper()
        or not UNHEADED.isdisjoint(stripped)
    ):
        return False
    below = here.below()
    # A heading has something below it, and lines of forms have other such lines.
    follows = len(below) > 60 or ENUMERATED.match(below) is not None  # noqa: PLR2004
    return follows and _is_capitalized(stripped)


def _may_be_heading(here: _Place) -> bool:
    """Tell a short line over the first unit of a list, such as "Exempt institutions." """
    stripped = here.stripped
    if not stripped[0].isupper() or len(stripped) > 80 or not (stripped[-1] == "." or stripped[-1].isalnum()):  # noqa: PLR2004
        return False
    return len(stripped.split()) <= 8 and FIRST_OF_LIST.match(here.below()) is not None  # noqa: PLR2004


def _is_capitalized(line: str) -> bool:
    words = [word for word in re.findall(r"[^\W\d_][\w’'-]*", line) if len(word) > 3]  # noqa: PLR2004
    return bool(words) and sum(word[0].isupper() for word in words) >= 0.8 * len(words)
