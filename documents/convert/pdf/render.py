"""Write blocks as Markdown and note where each page starts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from documents.convert.pdf.hyphens import Vocabulary, join_lines, learn_words
from documents.convert.pdf.numbering import find_mark, is_bullet
from documents.convert.pdf.paragraphs import Block, Paragraph
from documents.convert.pdf.tables import Table

Starts = dict[int, int]  # Where a page's first character stands.


def collect_words(blocks: Iterable[Block]) -> Vocabulary:
    """Return the words of a whole document."""
    return learn_words(line for block in blocks for line in _texts(block))


def _texts(block: Block) -> Iterator[str]:
    yield from block.lines if isinstance(block, Table) else (line.text for line in block.lines)


def _dress(text: str, level: int) -> tuple[str, int]:
    """Return the Markdown that stands before a text, and how many characters of the text it replaces."""
    mark = find_mark(text)
    if level:
        return "#" * level + " ", 0
    if is_bullet(mark):
        return "- ", len(mark) + len(re.match(r"\s*", text[len(mark) :]).group())  # type: ignore[union-attr]
    return ("\\", 0) if text[:1] in "#>|" else ("", 0)


def _render_paragraph(paragraph: Paragraph, vocabulary: Vocabulary) -> tuple[str, Starts]:
    first = paragraph.lines[0]
    prefix, skipped = _dress(first.text, paragraph.level)
    text, starts = prefix + first.text[skipped:], {first.page: 0}
    for line in paragraph.lines[1:]:
        text = join_lines(text, line.text, vocabulary)
        starts.setdefault(line.page, len(text) - len(line.text))
    return text.replace("\u00ad", "-") if "\u00ad" in text else text, starts


def _render_table(table: Table, vocabulary: Vocabulary) -> tuple[str, Starts]:
    starts: Starts = {}
    text = ""
    for page, row in zip(table.pages, table.render(vocabulary), strict=True):
        text += "\n" if text else ""
        starts.setdefault(page, len(text))
        text += row
    return text, starts


def render_blocks(blocks: Sequence[Block], pages: int) -> tuple[str, tuple[int, ...]]:
    """Return the text and, for each page, where it begins in it."""
    vocabulary = collect_words(blocks)
    parts: list[str] = []
    offsets: Starts = {}
    at = 0
    for block in blocks:
        render = (
            _render_table(block, vocabulary)
            if isinstance(block, Table)
            else _render_paragraph(block, vocabulary)
        )
        for page, start in render[1].items():
            offsets.setdefault(page, at + start)
        parts.append(render[0])
        at += len(render[0]) + 2
    text = "\n\n".join(parts)
    return text + "\n" if text else "", _fill(offsets, pages, len(text))


def _fill(offsets: Starts, pages: int, end: int) -> tuple[int, ...]:
    """Let pages without text begin where the next one does, and keep the order of pages."""
    starts: list[int] = []
    following = end
    for page in reversed(range(pages)):
        following = min(following, offsets.get(page, following))
        starts.append(following)
    return (0, *starts[::-1][1:]) if pages else ()
