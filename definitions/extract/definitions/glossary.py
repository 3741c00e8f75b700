"""Terms of glossaries: "X: …" and "X — …" among definitions, a term on its own line, tables of terms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.page import MARKER, Page
from definitions.extract.definitions.sections import Sections
from definitions.extract.definitions.terms import is_plain_term, split_terms
from definitions.extract.definitions.words import either
from definitions.extract.found import Span

ITEM = "(•-*·"  # Opens an item of a list, which is no term.
FARTHEST = 3  # Paragraphs between two entries of a list that has no title.
FEWEST = 2  # One entry alone is no glossary.
LONGEST_TERM = 70
ENTRY = re.compile(
    r"(?P<term>[^\s:—–|“”\"«»;.][^:—–|“”\"«»;\n]{0,68}?)\s*(?::|—|\s[–-]|\t)\s*(?P<meaning>[^\W\d_]|\()"
)
NO_ENTRY = re.compile(
    r"(?:\d+|notes?|examples?|repealed|reserved|omitted|source|see|remarque|hinweis|anmerkung|section"
    r"|article|part|chapter|rule)\b",
    re.IGNORECASE,
)
TABLE = re.compile(
    r"^\|[ *]*(?P<head>terms?|definitions?|expressions?|words?|abbreviations?|acronyms?|termes?|begriffe?"
    r"|término|termine|termo|begrip)"
    r"[ *]*\|[^\n]*\n\|[ :|-]+\|[^\n]*\n(?P<rows>(?:\|[^\n]*(?:\n|$)){1,2000})",
    re.IGNORECASE | re.MULTILINE,
)
# Word and spreadsheets give tables as lines with tabs.
TABS = re.compile(
    r"^(?:defined )?(?:terms?|expressions?|words?|abbreviations?|acronyms?)[ \t]*\t[ \t]*(?:definitions?"
    r"|meanings?|descriptions?)[^\n]*\n"
    r"(?P<rows>(?:[^\n]*\S[^\n]*(?:\n|$)){1,5000})",
    re.IGNORECASE | re.MULTILINE,
)
TAB_ROW = re.compile(r"^(?P<term>[^\s(][^\t\n]{0,100}?)[ ]*\t\s*(?P<meaning>[^\s(])", re.MULTILINE)
TAB_VERB = re.compile(
    rf"^(?P<term>[^\s(][^\t\n]{{0,100}}?)[ ]*\t+[ ]*(?P<meaning>(?:{either('means')}|{either('given')}))",
    re.MULTILINE | re.IGNORECASE,
)
VERB_ALONE = re.compile(rf"\n[ \t]*(?P<verb>{either('bare_means')})(?! (?:of|by)\b)")
ROW = re.compile(r"^\|[ *_“\"]*(?P<term>[^|\n]{1,120}?)[ *_”\"]*\|(?P<meaning>[^|\n]*\S)", re.MULTILINE)


def find_glossed(page: Page, sections: Sections) -> Iterator[Candidate]:
    """Yield the entries of all glossaries of a text."""
    yield from _in_tables(page)
    roots = {root for index in range(len(page.units)) if (root := sections.root(index)) is not None}
    yield from _verbs_alone(page)
    for root in sorted(roots):
        is_titled = sections.is_titled(root)
        entries = list(_entries(page, root))
        yield from _many(entries if is_titled else _adjacent(page, entries))
        yield from _many([*_lines(page, root), *_first_lines(page, root)] if is_titled else [])


def _many(entries: list[Candidate]) -> list[Candidate]:
    return entries if len(entries) >= FEWEST else []


def _adjacent(page: Page, entries: list[Candidate]) -> list[Candidate]:
    """Return the entries that have another a few paragraphs before or behind."""
    blocks = [page.block_at(each.start) for each in entries]
    return [
        each
        for each, block in zip(entries, blocks, strict=True)
        if any(0 < abs(block - other) <= FARTHEST for other in blocks)
    ]


def _in_tables(page: Page) -> Iterator[Candidate]:
    for table in TABLE.finditer(page.text):
        for row in ROW.finditer(page.text, *table.span("rows")):
            yield from _candidates(page.text, row.span("term"), row.start("meaning"), "table", 0.85)
    if "\t" in page.text:
        yield from _in_tabs(page)


def _in_tabs(page: Page) -> Iterator[Candidate]:
    for table in TABS.finditer(page.text):
        for row in TAB_ROW.finditer(page.text, *table.span("rows")):
            if len(row["term"]) > 1 and not MARKER.match(row["term"] + " "):
                yield from _candidates(page.text, row.span("term"), row.start("meaning"), "table", 0.85)
    for row in TAB_VERB.finditer(page.text):
        if is_plain_term(row["term"]):
            yield from _candidates(page.text, row.span("term"), row.end("meaning"), "table", 0.85)


def _verbs_alone(page: Page) -> Iterator[Candidate]:
    """A paragraph that begins with the verb: the line above it is the term."""
    for verb in VERB_ALONE.finditer(page.text):
        block = page.block_at(verb.start("verb"))
        start, end = page.head(block - 1) if block else 0, verb.start()
        if (
            block
            and page.block_starts[block] <= verb.start("verb")
            and _is_term_line(page.text[start:end].strip())
        ):
            yield from _candidates(page.text, (start, end), verb.end(), "term-line", 0.85)


def _blocks(page: Page, root: int) -> range:
    """Return the blocks of a section behind its heading."""
    unit = page.units[root]
    return range(page.block_at(unit.start) + 1, page.block_at(max(unit.start, unit.end - 1)) + 1)


def _entries(page: Page, root: int) -> Iterator[Candidate]:
    for block in _blocks(page, root):
        head = page.head(block)
        match = ENTRY.match(page.text, head, page.block_span(block)[1])
        if match and not NO_ENTRY.match(match["term"]) and is_plain_term(match["term"].lstrip("*_")):
            yield from _candidates(page.text, match.span("term"), match.start("meaning"), "entry", 0.7)


def _lines(page: Page, root: int) -> Iterator[Candidate]:
    """A short line without a full stop and a paragraph with one behind it."""
    blocks = _blocks(page, root)
    for block, after in pairwise(blocks):
        start, (_, end) = page.head(block), page.block_span(block)
        phrase = page.text[start:end]
        if (
            page.text[page.block_starts[block]] not in ITEM
            and _is_term_line(phrase)
            and _is_meaning(page.text[slice(*page.block_span(after))])
        ):
            yield from _candidates(page.text, (start, end), page.head(after), "term-line", 0.65)


def _first_lines(page: Page, root: int) -> Iterator[Candidate]:
    """A number alone, the term on the next line and the meaning on those below, as ISO prints it."""
    for block in _blocks(page, root):
        start, end = page.block_span(block)
        head = page.head(block)
        line = page.text.find("\n", head, end)
        if line > 0 and "\n" in page.text[start:head] and _is_term_line(page.text[head:line]):
            yield from _candidates(page.text, (head, line), line + 1, "term-line", 0.7)


def _is_term_line(phrase: str) -> bool:
    bare = phrase.strip("*_ ")
    is_short = len(bare) <= LONGEST_TERM and not any(char in bare for char in ";:,|")
    return is_short and (bare[-1:].isalnum() or bare[-1:] == ")") and is_plain_term(bare)


def _is_meaning(paragraph: str) -> bool:
    return len(paragraph.split()) > 3 and paragraph[0] not in "#|(•-"  # noqa: PLR2004


def _candidates(text: str, span: Span, turn: int, style: str, confidence: float) -> Iterator[Candidate]:
    spans = tuple(split_terms(text, span, plural=False))
    yield from Candidate(*span, span[0], turn, style, confidence).of_terms(spans)
