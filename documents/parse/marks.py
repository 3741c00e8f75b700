"""Find every line that may open a unit, and what its number may mean. Which of them do is solved later."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from documents.parse.keywords import match_keyword
from documents.parse.lines import Line, read_lines
from documents.parse.numbers import SUFFIX, UNNUMBERED, Value, code_value, read_number, read_parts
from documents.parse.patterns import (
    CAPTION,
    CIRCLED,
    DECORATION,
    DELIMITER,
    FIRST,
    LETTERS_FIRST,
    NEXT,
    NEXT_CLOSED,
    NEXT_SIGN,
    PREFIX,
    SECTION_CAPTION,
    STRAY,
)
from documents.parse.quotes import find_quotations
from documents.parse.words import ANNEXES

Reading = tuple[str, Value]  # A style such as "(a)", "1." or "@article", and a value in it.

DECIMAL = "#"  # The style of 1, 1.1 and 1.1.1 together.
LETTERED = "A#"  # The style of A.1 and A.1.1.
HYPHENED = "A-1"
ANCHOR = "="  # The style of the 2 in "2(b)", if it names a unit that is open.
HEADING = "heading"  # The style of headings without a number.

CERTAIN = 50.0  # The doubt of what cannot be anything else.


@dataclass(frozen=True, slots=True)
class Mark:
    """A place where a unit may begin."""

    start: int
    title_start: int
    end: int  # Of its line.
    level: int  # Of its Markdown heading, or 0.
    steps: tuple[tuple[Reading, ...], ...]  # Of "(a)(1)(i)" three, each with its possible readings.
    markers: tuple[str, ...]  # As printed, one for each step.
    is_title: bool  # Whether what follows the number reads like a title.
    is_heading: bool  # Whether it stands like one, without a full stop.
    doubt: float  # What it costs to say that it opens no unit.
    number: str = ""  # Of a word with a number, as it is cited.
    follows_text: bool = False  # Whether a block without a mark stands between it and the mark before.

    @property
    def is_keyword(self) -> bool:
        return bool(self.steps) and self.steps[0][0][0].startswith("@")


def find_marks(text: str, *, is_markdown: bool, most: int = sys.maxsize) -> list[Mark]:
    """Return the marks of a text in its order, and no more than so many."""
    marks: list[Mark] = []
    follows_text = False
    quotations = find_quotations(text)
    for line in read_lines(text, is_markdown=is_markdown):
        if len(marks) >= most:
            break
        while quotations and quotations[-1][1] <= line.start:
            quotations.pop()
        is_quoted = bool(quotations) and quotations[-1][0] <= line.start
        found = [] if is_quoted else list(_read_line(text, line))
        if found:
            marks.extend([replace(found[0], follows_text=True), *found[1:]] if follows_text else found)
            follows_text = False
        elif line.after_blank:
            follows_text = True
    return marks


def _read_line(text: str, line: Line) -> Iterator[Mark]:
    position = line.body
    decoration = DECORATION.match(text, position)
    if decoration:
        position = decoration.end()
    mark = _read_keyword(text, line, position) or _read_enumerator(text, line, position)
    if mark is None:
        if line.is_heading or line.may_be_heading:
            yield _heading(line)
        return
    yield mark
    yield from _inline(text, mark)


def _heading(line: Line) -> Mark:
    return Mark(
        line.start, line.body, line.end, line.level, (((HEADING, ()),),), ("",),
        is_title=True, is_heading=True, doubt=CERTAIN if line.is_heading else 0.0,
    )  # fmt: skip


def _read_keyword(text: str, line: Line, position: int) -> Mark | None:
    keyword = match_keyword(text, position, line.end)
    if keyword is None:
        return None
    steps: list[tuple[Reading, ...]] = [((f"@{keyword.kind}", keyword.value),)]
    markers = [text[position : keyword.end].strip()]
    rest = _read_chain(text, keyword.end, line.end, steps, markers)
    delimiter = DELIMITER.match(text, rest, line.end)
    title_start = delimiter.end() if delimiter else rest
    title = _bare_title(text, title_start, line.end)
    is_title = reads_like_title(title)
    is_apart = len(steps) > 1 and text[keyword.end] != "("  # "Sec. 5. (a) …", and not "Section 29(a) of …"
    is_delimited = bool(delimiter) or keyword.is_sure or is_apart
    doubt = _doubt_of_keyword(title, line, keyword.kind, is_title=is_title, is_delimited=is_delimited)
    if doubt <= 0 or (keyword.value == UNNUMBERED and not _stands_alone(line, markers[0], title)):
        return None
    return Mark(
        line.start, title_start, line.end, line.level, tuple(steps), tuple(markers),
        is_title=is_title, is_heading=line.level > 0 or (is_title and title[-1] not in ".—–"), doubt=doubt,
        number=keyword.number,
    )  # fmt: skip


def _stands_alone(line: Line, word: str, title: str) -> bool:
    """Tell the heading "SCHEDULE" from a line that begins with the word: "Schedule: every Monday"."""
    is_plain = not title or title.startswith("(")
    return line.level > 0 or (line.after_blank and (word.isupper() or (is_plain and word[0].isupper())))


def _bare_title(text: str, start: int, end: int) -> str:
    return text[start:end].strip().strip("*_").strip()


def _doubt_of_keyword(title: str, line: Line, kind: str, *, is_title: bool, is_delimited: bool) -> float:
    """Tell "Article 6 Lawfulness" from "Article 6 of the Treaty provides …"; 0 is surely no heading."""
    if line.level:
        return CERTAIN
    if not line.opens_block:
        return 0.5 if is_delimited and is_title else 0.0
    is_of_part = kind in ANNEXES and title.startswith("to ")  # "Appendix A to Part 1003"
    if not title or (is_of_part and is_title):
        return 8.0
    if is_delimited:
        return 8.0 if is_title else 5.0
    if title[0].islower() or (title[0] in "(,;" and not is_title):
        return 0.0
    return 3.0 if is_title else 1.0


def _read_enumerator(text: str, line: Line, position: int) -> Mark | None:
    if stray := STRAY.match(text, position, line.end):
        position = stray.end()
    prefix = PREFIX.match(text, position, line.end)
    start = prefix.end() if prefix else position
    if text[start : start + 1].isalpha() and not LETTERS_FIRST.match(text, start, line.end):
        return None
    match = FIRST.match(text, start, line.end)
    if match is None:
        return None
    readings = _readings(match)
    if not readings:
        return None
    steps = [readings]
    markers = [match[0].strip()]
    rest = _read_chain(text, match.end(), line.end, steps, markers)
    if prefix and len(steps) == 1 and match["bare"] is not None:
        return None
    delimiter = DELIMITER.match(text, rest, line.end)
    title_start = delimiter.end() if delimiter else rest
    title = _bare_title(text, title_start, line.end)
    is_title = reads_like_title(title)
    doubt = _doubt_of_enumerator(match, title, line, is_title=is_title, length=len(steps))
    if doubt <= 0:
        return None
    return Mark(
        line.start, title_start, line.end, line.level, tuple(steps), tuple(markers),
        is_title=is_title, is_heading=line.level > 0 or (is_title and title[-1] not in ".—–"), doubt=doubt,
    )  # fmt: skip


NARROW = str.maketrans("．、", "..")
WIDE_BLANK = "\u3000"
DOUBTS = {"paren": 5.0, "closed": 4.0, "decimal": 4.0, "hyphened": 1.5, "dashed": 4.0, "ordinal": 3.0,
          "dotted": 3.0, "bare": 0.8, "sign": 4.0, "circled": 4.0, "compound": 5.0, "coded": 4.0}  # fmt: skip
FRAMES = {"paren": "({})", "dashed": "{}-", "ordinal": "{}°", "dotted": ".{}", "bare": "{}", "sign": "{}",
          "circled": "{}"}  # fmt: skip
SECTIONS_OF_CODES = 100  # Numbers from here on are no lists, and 1010.5 is what was inserted behind 1010.


def _readings(match: re.Match[str]) -> tuple[Reading, ...]:
    group = match.lastgroup if match.lastgroup != "close" else "closed"
    if group is None:
        return ()
    token = re.sub(r"[.º°ª]", "", match[group]) if group == "ordinal" else match[group]
    match group:
        case "decimal":
            return _read_decimal(token, is_closed=match[0].endswith("."))
        case "compound":
            return ((DECIMAL, read_parts(re.findall(r"\d+|[A-Za-z]+", token))),)
        case "hyphened":
            letters, number = token.split("-")
            return ((HYPHENED, (float(code_value(letters)), float(number))),)
        case "coded":
            return ((LETTERED, read_parts(re.findall(r"\d+|[A-Za-z]+", token))),)
    return _read_simple(match, group, token)


def _read_simple(match: re.Match[str], group: str, token: str) -> tuple[Reading, ...]:
    frame = "{}" + match["close"].translate(NARROW) if group == "closed" else FRAMES[group]
    readings = [(frame.format(alphabet), value) for alphabet, value in read_number(token)]
    is_single = group == "bare" or (group == "closed" and match["close"] == ".")
    if is_single and token[0].isdigit():
        readings.append((DECIMAL, readings[0][1]))
    if group == "bare" and match.string[match.end() : match.end() + 1] == "(":
        readings.insert(0, (ANCHOR, readings[0][1]))
    return tuple(readings)


def _read_decimal(token: str, *, is_closed: bool) -> tuple[Reading, ...]:
    value = read_parts(re.findall(r"\d+|[A-Z]+", token))
    if not token[0].isdigit():
        return ((LETTERED, value),)
    readings: list[Reading] = [(DECIMAL, value)]
    if len(value) == 2:  # noqa: PLR2004
        inserted = (value[0] + SUFFIX * value[1],)  # 3.1, inserted between 3 and 4.
        readings.append(("1", inserted))
        if is_closed and value[0] >= SECTIONS_OF_CODES:
            readings.append(("1.", inserted))
    return tuple(readings)


def _read_chain(
    text: str, position: int, end: int, steps: list[tuple[Reading, ...]], markers: list[str]
) -> int:
    """Read "(1)(i)" behind a number; return where it ends."""
    while match := NEXT.match(text, position, end):
        readings = tuple((f"({alphabet})", value) for alphabet, value in read_number(match["token"]))
        is_apart = match["gap"] == " " and text[match.start()] != "."
        if not readings or (is_apart and not _is_small(readings)):  # "(a) (mm) wide" is no chain.
            break
        steps.append(readings)
        markers.append(f"({match['token']})")
        position = match.end()
    if len(steps) == 1 and steps[0][0][0] == "@article":
        return _read_first_paragraph(text, position, end, steps, markers)
    return position


def _read_first_paragraph(
    text: str, position: int, end: int, steps: list[tuple[Reading, ...]], markers: list[str]
) -> int:
    for pattern, style, marker in ((NEXT_CLOSED, "1.", "1."), (NEXT_SIGN, "@sign", "§ 1")):
        if match := pattern.match(text, position, end):
            steps.append(((style, (1.0,)),))
            markers.append(marker)
            return match.end()
    return position


def _is_small(readings: tuple[Reading, ...]) -> bool:
    return any(value[0] <= 20 for _, value in readings)  # noqa: PLR2004


def _doubt_of_enumerator(
    match: re.Match[str], title: str, line: Line, *, is_title: bool, length: int
) -> float:
    group = ("closed" if match.lastgroup == "close" else match.lastgroup) or "bare"
    doubt = DOUBTS[group]
    if group == "bare":
        is_wide = match.string[match.end() : match.end() + 1] == WIDE_BLANK
        doubt = 4.0 if is_wide else _doubt_of_bare(title, is_title=is_title, length=length)
    elif group == "hyphened" and length > 1 and is_title:
        doubt = 5.0  # "AC-2(3) Disable accounts"
    elif group in {"decimal", "hyphened"} and title[:1].islower():
        doubt = 1.0
    elif group == "hyphened" and not is_title:
        doubt = 0.5
    elif group in {"compound", "coded"}:
        doubt = _doubt_of_code(match[0], title, is_title=is_title)
    if line.level:
        return doubt + 4.0
    return doubt if line.opens_block else doubt * 0.2


def _doubt_of_code(number: str, title: str, *, is_title: bool) -> float:
    """Tell "25-7-102. Fees" and "CRE20.1 Banks" from "10-20 people" and "A4 paper"."""
    if title[:1].islower() or not (title or "." in number):
        return 0.0
    if not (is_title or "." in number):
        return 0.9 if number[0].isalpha() else 0.0
    if "." in number or "-" in number:
        return 5.0
    return 0.9  # One alone is none: to open a list costs more.


def _doubt_of_bare(title: str, *, is_title: bool, length: int) -> float:
    """Tell "12 Powers of the board" and "2(b) Lessee" from "12 days after …"."""
    if length > 1 and (not title or is_title):
        return 5.0
    if not title or title[0].islower() or title[0] in "%°,.;:/":
        return 0.0
    return 1.8 if is_title or length > 1 else 1.2


def _inline(text: str, mark: Mark) -> Iterator[Mark]:
    """Find the first unit of the level below when it stands behind a caption in the same line."""
    caption = CAPTION.match(text, mark.title_start, mark.end)
    if caption is None and mark.is_keyword:
        caption = SECTION_CAPTION.match(text, mark.title_start, mark.end)
    if caption is None:
        circled = CIRCLED.match(text, mark.title_start, mark.end)
        if circled is not None:
            start, end = circled.span("one")
            yield _below_caption(mark, start, end, [(("①", (1.0,)),)], ["①"])
        return
    steps: list[tuple[Reading, ...]] = []
    markers: list[str] = []
    end = _read_chain(text, caption.end(), mark.end, steps, markers)
    if steps:
        inner = _below_caption(mark, caption.end(), end, steps, markers)
        yield inner
        yield from _inline(text, inner)


def _below_caption(
    mark: Mark, start: int, title_start: int, steps: list[tuple[Reading, ...]], markers: list[str]
) -> Mark:
    return replace(
        mark, start=start, title_start=title_start, level=0, steps=tuple(steps), markers=tuple(markers),
        is_title=False, is_heading=False, doubt=2.0, number="",
    )  # fmt: skip


def reads_like_title(title: str) -> bool:
    """Tell a title from a sentence."""
    if not title or len(title) > 160 or title[-1] in ",;:。；：，、":  # noqa: PLR2004
        return False
    if title[0].islower() and not title.startswith(("to ", "of ")):
        return False
    if title[-1] == ".":
        return len(title.split()) <= 14 and ". " not in title[:-1]  # noqa: PLR2004
    return ". " not in title or len(title.split()) <= 12  # noqa: PLR2004
