"""Tell headings from text: by the outline, then by size, weight and capitals."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from documents.convert.pdf.contents import has_leaders
from documents.convert.pdf.lines import Item
from documents.convert.pdf.numbering import find_mark, is_bullet
from documents.convert.pdf.paragraphs import Block, Paragraph
from documents.convert.pdf.rows import Line

LARGER = 1.12  # Than the text.
MUCH_LARGER = 1.3
MAX_LINES = 6
MAX_CHARS = 200
MAX_TITLE_CHARS = 500
MAX_BOLD_CHARS = 120
MAX_SENTENCE = 60  # "1. Definitions." is a heading, a sentence of this length is not.
MIN_CAPITALS = 4
MAX_LEVEL = 6
COMMON = 0.3  # A style that so much of the text has marks nothing.
FEW_PAGES = 3  # With headings: in a longer document a style that is used once is no level of its own.
REPEATED = 0.05  # Of the pages.

CODE = re.compile(r"[{}<>=\\]")

Style = tuple[float, bool, bool]


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the document's outline; pages count from 0, levels from 1."""

    title: str
    page: int
    level: int


def squeeze(text: str) -> str:
    """Return letters and digits only, so that spacing and punctuation do not matter."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


def _strip_mark(text: str) -> str:
    mark = find_mark(text) or re.match(r"(?:\d{1,3}[a-zA-Z]?\s)?", text).group()  # type: ignore[union-attr]
    return text[len(mark) :]


def _match_at(items: Sequence[Item], at: int, wanted: set[str]) -> int:
    """Return how many lines from here make up the title, or 0."""
    text, has_title = "", False
    longest = max(map(len, wanted))
    for length, item in enumerate(items[at : at + MAX_LINES], start=1):
        if not isinstance(item, Line):
            return 0
        text = f"{text} {item.text}".strip()
        if length == 1:
            has_title = bool(_strip_mark(text))  # "Paragraph 2" alone is no number of the line below.
        stripped = _strip_mark(text) if has_title else text
        if squeeze(text) in wanted or squeeze(stripped) in wanted:
            return length
        if len(squeeze(_strip_mark(text))) > longest:
            return 0
    return 0


def match_outline(items: Sequence[Item], outline: Sequence[Bookmark]) -> dict[int, tuple[int, int]]:
    """Find the lines that bookmarks name: their level and how many lines they are."""
    pages: dict[int, list[int]] = defaultdict(list)
    for number, item in enumerate(items):
        if isinstance(item, Line):
            pages[item.page].append(number)
    found: dict[int, tuple[int, int]] = {}
    taken: set[int] = set()
    for bookmark in outline:
        wanted = {title for title in (squeeze(bookmark.title), squeeze(_strip_mark(bookmark.title))) if title}
        nearby = [at for page in (0, 1, -1) for at in pages[bookmark.page + page] if at not in taken]
        for at in nearby if wanted else []:
            length = _match_at(items, at, wanted)
            if length and taken.isdisjoint(range(at, at + length)):
                found[at] = (min(bookmark.level, MAX_LEVEL), length)
                taken.update(range(at, at + length))
                break
    return found


def _style(paragraph: Paragraph) -> Style:
    line = paragraph.lines[0]
    return line.size, line.is_bold, paragraph.text.isupper()


@dataclass(frozen=True, slots=True)
class Body:
    """What the running text of a document looks like."""

    size: float
    bold_is_common: bool
    capitals_are_common: bool


def measure_body(blocks: Sequence[Block]) -> Body:
    """Return the size that most characters have, and which marks of emphasis say nothing here."""
    sizes: Counter[float] = Counter()
    bold = capitals = 0
    for block in blocks:
        for line in block.lines if isinstance(block, Paragraph) else ():
            sizes[line.size] += len(line.text)
            bold += len(line.text) * line.is_bold
            capitals += len(line.text) * line.text.isupper()
    total = max(sizes.total(), 1)
    size = sizes.most_common(1)[0][0] if sizes else 0.0
    return Body(size, bold > COMMON * total, capitals > COMMON * total)


def _may_be_heading(text: str) -> bool:
    mark = find_mark(text)
    rest = text[len(mark) :].strip()
    if is_bullet(mark) or text[-1] in ",;" or has_leaders(text):
        return False
    letters = sum(char.isalpha() for char in text)
    return letters > 1 and 2 * letters >= len(text.replace(" ", "")) - len(mark) and bool(rest or mark)


def _looks_like_heading(paragraph: Paragraph, body: Body) -> bool:
    text, line = paragraph.text, paragraph.lines[0]
    longest = MAX_TITLE_CHARS if line.size >= MUCH_LARGER * body.size else MAX_CHARS
    if len(paragraph.lines) > MAX_LINES or len(text) > longest or not _may_be_heading(text):
        return False
    is_sentence = text[-1] in ".:!。！：" and (len(text) > MAX_SENTENCE or not find_mark(text))
    if all(each.size >= LARGER * body.size for each in paragraph.lines):
        return not (is_sentence and len(text) > MAX_SENTENCE)
    if is_sentence or len(text) > MAX_BOLD_CHARS or line.size < 0.95 * body.size:
        return False
    if not body.bold_is_common and all(each.is_bold for each in paragraph.lines):
        return True
    return (
        not body.capitals_are_common
        and text.isupper()
        and not CODE.search(text)
        and sum(map(str.isalpha, text)) >= MIN_CAPITALS
    )


def _repeated(paragraphs: Sequence[Paragraph], pages: int) -> set[str]:
    """Return the texts that stand on too many pages to be headings."""
    where: dict[str, set[int]] = defaultdict(set)
    for paragraph in paragraphs:
        where[paragraph.text].add(paragraph.lines[0].page)
    return {text for text, on in where.items() if len(on) >= max(3, REPEATED * pages)}


def _levels(known: Sequence[Paragraph], guessed: Sequence[Paragraph]) -> dict[Style, int]:
    """Rank styles from large to small, holding on to the levels that the outline gives."""
    given: dict[Style, Counter[int]] = defaultdict(Counter)
    for paragraph in known:
        given[_style(paragraph)][paragraph.level] += 1
    uses = Counter(_style(paragraph) for paragraph in guessed)
    on_pages = {paragraph.lines[0].page for paragraph in guessed}
    levels: dict[Style, int] = {}
    last = 0
    for style in sorted({*given, *uses}, key=lambda style: (-style[0], not style[1], not style[2])):
        is_rare = uses[style] == 1 and len(on_pages) > FEW_PAGES
        if style in given:
            last = given[style].most_common(1)[0][0]
        elif not (is_rare and last):
            last = last + 1
        levels[style] = min(max(last, 1), MAX_LEVEL)
    return levels


def _goes_on(heading: Paragraph, after: Block) -> bool:
    """Tell whether the next heading is the second line of this one."""
    if not isinstance(after, Paragraph) or after.level != heading.level or find_mark(after.text):
        return False
    last, line = heading.lines[-1], after.lines[0]
    is_close = last.page == line.page and 0 < last.y - line.y <= 1.5 * line.size
    return is_close and _style(heading) == _style(after)


def _join_headings(blocks: Sequence[Block], named: set[int]) -> list[Block]:
    joined: list[Block] = []
    for block in blocks:
        last = joined[-1] if joined else None
        can_join = (
            isinstance(last, Paragraph) and last.level and id(block) not in named and id(last) not in named
        )
        if (
            can_join
            and isinstance(last, Paragraph)
            and isinstance(block, Paragraph)
            and _goes_on(last, block)
        ):
            last.lines += block.lines
        else:
            joined.append(block)
    return joined


def mark_headings(blocks: Sequence[Block], pages: int) -> list[Block]:
    """Give levels to the paragraphs that are headings and join those that were cut in two."""
    paragraphs = [block for block in blocks if isinstance(block, Paragraph)]
    known = [paragraph for paragraph in paragraphs if paragraph.level]
    body = measure_body(blocks)
    rest = [paragraph for paragraph in paragraphs if not paragraph.level]
    likely = [paragraph for paragraph in rest if _looks_like_heading(paragraph, body)]
    repeated = _repeated(likely, pages)
    guessed = [paragraph for paragraph in likely if paragraph.text not in repeated]
    levels = _levels(known, guessed)
    named = {id(paragraph) for paragraph in known}
    for paragraph in guessed:
        paragraph.level = levels[_style(paragraph)]
    return _join_headings(blocks, named)
