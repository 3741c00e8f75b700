"""Find every line that may open a unit, and what its number may mean. Which of them do is solved later."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from documents.parse.lines import Line, read_lines
from documents.parse.numbers import SUFFIX, Value, read_heading_number, read_number
from documents.parse.words import ANNEXES, PREFIXES, WORDS, kind_of

Reading = tuple[str, Value]  # A style such as "(a)", "1." or "@article", and a value in it.

DECIMAL = "#"  # The style of 1, 1.1 and 1.1.1 together.
LETTERED = "A#"  # The style of A.1 and A.1.1.
HYPHENED = "A-1"
ANCHOR = "="  # The style of the 2 in "2(b)", if it names a unit that is open.
HEADING = "heading"  # The style of headings without a number.

CERTAIN = 50.0  # The doubt of what cannot be anything else.

TOKEN = r"\d{1,4}[A-Za-z]{0,2}|\d{1,3}[.-]\d{1,2}|[A-Za-z]{1,6}|[A-Za-z]{1,2}[.-]\d{1,2}|[α-ω]|[а-я]"  # noqa: S105
BEHIND = r"[º°ª]?"
HEADING_NUMBER = (
    r"(?:[A-Z]\.?[ ]?)?\d+[A-Za-z]{0,2}(?:[.-]\d+[A-Za-z]{0,2})*(?![A-Za-z])"
    r"|[IVXLCDM]+(?:[A-Z]|bis|ter|er|re)?(?![A-Za-z])|[A-Z](?![A-Za-z])"
)
NUMBER_WORD = (
    r"(?i:one|two|three|four|five|six|seven|eight|nine|ten|premi(?:er|ère)|unique|[uú]nic[oa]|primer[oa])\b"
)
KEYWORD = re.compile(
    rf"(?:\d+[ ](?:CFR|C\.F\.R\.|U\.S\.C\.)[ ])?(?P<word>(?i:{WORDS}))"
    rf"(?:(?<=§)\s*|\s+)(?:(?i:no\.?|nº|n°)\s*)?(?P<number>{HEADING_NUMBER}|{NUMBER_WORD}){BEHIND}"
)
FIRST = re.compile(
    rf"\((?P<paren>{TOKEN})\)"
    rf"|(?P<decimal>(?:\d{{1,4}}|[A-Z])(?:\.\d{{1,4}}){{1,8}})\.?(?=[\s(—–]|$)"
    rf"|(?P<closed>{TOKEN}){BEHIND}(?P<close>[.)])(?=[\s(—–]|$)"
    rf"|(?P<hyphened>[A-Z]-\d{{1,3}})(?=[\s(—–.:]|$)"
    rf"|(?P<dashed>\d{{1,3}}|[IVXLC]{{1,7}}|[A-Z])[ ]+[-–—][ ]"
    rf"|(?P<ordinal>\d{{1,3}})[º°ª](?=\s)"
    rf"|\.(?P<dotted>\d{{1,3}})(?=\s)"
    rf"|(?P<bare>\d{{1,4}}[A-Z]{{0,2}})(?=[\s(]|$)"
)
NEXT = re.compile(rf"[ ]?[—–]?[ ]?\((?P<token>{TOKEN})\)")
PREFIX = re.compile(rf"(?P<word>(?i:{PREFIXES}))\s+(?=[(\dA-Z])")
DELIMITER = re.compile(r"\s*(?:[.:—–]|-(?=\s))[.:—–]?\s*")
# "(a) In general.—(1) Each …": the first of the level below, in the same line.
CAPTION = re.compile(r"[^.;:()\n]{1,120}(?:\.[ ]?[—–]|[ ]?[—–])[ ]?(?=\((?:1|a|i|A|I)\)\s?\S)")
SECTION_CAPTION = re.compile(r"[^.;:()\n]{1,100}\.\s+(?=\((?:1|a)\)\s)")
DECORATION = re.compile(r"[*_]{1,3}")


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
    follows_text: bool = False  # Whether a block without a mark stands between it and the mark before.

    @property
    def is_keyword(self) -> bool:
        return bool(self.steps) and self.steps[0][0][0].startswith("@")


def find_marks(text: str, *, is_markdown: bool, most: int = sys.maxsize) -> list[Mark]:
    """Return the marks of a text in its order, and no more than so many."""
    marks: list[Mark] = []
    follows_text = False
    for line in read_lines(text, is_markdown=is_markdown):
        if len(marks) >= most:
            break
        found = list(_read_line(text, line))
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
    match = KEYWORD.match(text, position, line.end)
    if match is None:
        return None
    reading = read_heading_number(match["number"])
    if reading is None:
        return None
    kind = kind_of(match["word"])
    style = f"@{kind}"
    steps: list[tuple[Reading, ...]] = [((style, reading[1]),)]
    markers = [match[0].strip()]
    rest = _read_chain(text, match.end(), line.end, steps, markers)
    delimiter = DELIMITER.match(text, rest, line.end)
    title_start = delimiter.end() if delimiter else rest
    title = text[title_start : line.end].strip().strip("*_").strip()
    is_title = reads_like_title(title)
    doubt = _doubt_of_keyword(title, line, kind, is_title=is_title, is_delimited=bool(delimiter))
    if doubt <= 0:
        return None
    return Mark(
        line.start, title_start, line.end, line.level, tuple(steps), tuple(markers),
        is_title=is_title, is_heading=line.level > 0 or (is_title and title[-1] not in ".—–"), doubt=doubt,
    )  # fmt: skip


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
    prefix = PREFIX.match(text, position, line.end)
    match = FIRST.match(text, prefix.end() if prefix else position, line.end)
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
    title = text[title_start : line.end].strip().strip("*_").strip()
    is_title = reads_like_title(title)
    doubt = _doubt_of_enumerator(match, title, line, is_title=is_title, length=len(steps))
    if doubt <= 0:
        return None
    return Mark(
        line.start, title_start, line.end, line.level, tuple(steps), tuple(markers),
        is_title=is_title, is_heading=line.level > 0 or (is_title and title[-1] not in ".—–"), doubt=doubt,
    )  # fmt: skip


def _readings(match: re.Match[str]) -> tuple[Reading, ...]:
    group = match.lastgroup if match.lastgroup != "close" else "closed"
    if group is None:
        return ()
    token = match[group]
    match group:
        case "decimal":
            return _read_decimal(token)
        case "hyphened":
            letter, number = token.split("-")
            return ((HYPHENED, (float(ord(letter) - 64), float(number))),)
    frame = {"paren": "({})", "closed": "{}" + (match["close"] or ""), "dashed": "{}-", "ordinal": "{}°",
             "dotted": ".{}", "bare": "{}"}[group]  # fmt: skip
    readings = [(frame.format(alphabet), value) for alphabet, value in read_number(token)]
    is_single = group == "bare" or (group == "closed" and match["close"] == ".")
    if is_single and token.isdigit():
        readings.append((DECIMAL, readings[0][1]))
    if group == "bare" and match.string[match.end() : match.end() + 1] == "(":
        readings.insert(0, (ANCHOR, readings[0][1]))
    return tuple(readings)


def _read_decimal(token: str) -> tuple[Reading, ...]:
    first, *rest = token.split(".")
    tail = tuple(map(float, rest))
    if not first.isdigit():
        return ((LETTERED, (float(ord(first) - 64), *tail)),)
    readings: list[Reading] = [(DECIMAL, (float(first), *tail))]
    if len(tail) == 1:
        readings.append(("1", (float(first) + SUFFIX * tail[0],)))  # 3.1, inserted between 3 and 4.
    return tuple(readings)


def _read_chain(
    text: str, position: int, end: int, steps: list[tuple[Reading, ...]], markers: list[str]
) -> int:
    """Read "(1)(i)" behind a number; return where it ends."""
    while match := NEXT.match(text, position, end):
        readings = tuple((f"({alphabet})", value) for alphabet, value in read_number(match["token"]))
        is_apart = text[match.start()] == " "
        if not readings or (is_apart and not _is_small(readings)):  # "(a) (mm) wide" is no chain.
            break
        steps.append(readings)
        markers.append(f"({match['token']})")
        position = match.end()
    return position


def _is_small(readings: tuple[Reading, ...]) -> bool:
    return any(value[0] <= 20 for _, value in readings)  # noqa: PLR2004


def _doubt_of_enumerator(
    match: re.Match[str], title: str, line: Line, *, is_title: bool, length: int
) -> float:
    group = "closed" if match.lastgroup == "close" else match.lastgroup
    doubt = {"paren": 5.0, "closed": 4.0, "decimal": 4.0, "hyphened": 1.5, "dashed": 4.0, "ordinal": 3.0,
             "dotted": 3.0, "bare": 0.8}[group or "bare"]  # fmt: skip
    if group == "bare":
        doubt = _doubt_of_bare(title, is_title=is_title, length=length)
    elif group in {"decimal", "hyphened"} and title[:1].islower():
        doubt = 1.0
    elif group == "hyphened" and not is_title:
        doubt = 0.5
    if line.level:
        return doubt + 4.0
    return doubt if line.opens_block else doubt * 0.2


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
        return
    steps: list[tuple[Reading, ...]] = []
    markers: list[str] = []
    end = _read_chain(text, caption.end(), mark.end, steps, markers)
    if not steps:
        return
    inner = replace(mark, start=caption.end(), title_start=end, level=0, steps=tuple(steps),
                    markers=tuple(markers), is_title=False, is_heading=False, doubt=2.0)  # fmt: skip
    yield inner
    yield from _inline(text, inner)


def reads_like_title(title: str) -> bool:
    """Tell a title from a sentence."""
    if not title or len(title) > 160 or title[-1] in ",;:":  # noqa: PLR2004
        return False
    if title[0].islower() and not title.startswith(("to ", "of ")):
        return False
    if title[-1] == ".":
        return len(title.split()) <= 14 and ". " not in title[:-1]  # noqa: PLR2004
    return ". " not in title or len(title.split()) <= 12  # noqa: PLR2004
