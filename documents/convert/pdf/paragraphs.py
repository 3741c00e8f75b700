"""Join lines to paragraphs, also over the ends of columns and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from documents.convert.pdf.lines import Item
from documents.convert.pdf.numbering import (
    ends_in_unit,
    ends_open,
    ends_whole,
    find_mark,
    is_bullet,
    mark_follows,
    starts_list,
)
from documents.convert.pdf.rows import Line
from documents.convert.pdf.tables import Table

WIDE_GAP = 1.3  # Of the leading.
SAME_SIZE = 1.08
STEP = 0.8  # Of the type size: what counts as an indent.
FAR = 5.0  # Of the type size: how far a first line stands in or out.
SMALLER = 0.93  # Of the text's size: notes at the foot of the page.
MAX_NOTES = 30
MIN_SENTENCE = 40  # Characters in a line of running text.


@dataclass
class Paragraph:
    """Lines that belong together; a heading if it has a level."""

    lines: list[Line]
    level: int = 0

    @property
    def text(self) -> str:
        """Return the lines side by side, as they are printed."""
        return " ".join(line.text for line in self.lines)


Block = Paragraph | Table


def _is_full(line: Line, after: Line) -> bool:
    """Tell whether the next line's first word would not have found room."""
    word = after.words[-1] if after.is_right_to_left else after.words[0]
    return line.slack <= word.x1 - word.x0 + 0.5 * line.size


def _fills(line: Line, after: Line) -> bool:
    """Tell whether a line is set to the full width, or would be but for the length of the next word."""
    word = after.words[-1] if after.is_right_to_left else after.words[0]
    return line.slack <= min(word.x1 - word.x0 + 0.25 * line.size, 5 * line.size)


def _changes_type(before: Line, line: Line) -> bool:
    ratio = before.size / line.size
    if before.words[0].turn != line.words[0].turn:
        return True
    if ratio > SAME_SIZE or ratio < 1 / SAME_SIZE:
        return True
    leaves_bold = before.is_bold and not line.words[0].bold
    return leaves_bold or (line.is_bold and not before.words[-1].bold)


def _is_wrapped(mark: str, paragraph: Paragraph, line: Line, marks: Sequence[tuple[str, float]]) -> bool:
    """Tell whether what looks like numbering is a reference that goes on from the line above."""
    before = paragraph.lines[-1]
    if is_bullet(mark) and mark[0] not in "-–—":
        return False
    if not _is_full(before, line) or ends_whole(before.text):
        return False
    # Only the second line of a paragraph may be set in or out from the one above.
    step = line.start - before.start
    if abs(step) > (FAR if len(paragraph.lines) == 1 else STEP) * line.size:
        return False
    if ends_in_unit(before.text) or (
        ends_open(before.text) and (step <= STEP * line.size or not starts_list(mark))
    ):
        return True
    is_next = any(mark_follows(mark, last) and abs(x - line.start) < line.size for last, x in marks)
    return not is_next and not starts_list(mark)


def _is_broken_off(before: Line, line: Line) -> bool:
    """Tell whether the line above ended although there was room."""
    if _is_full(before, line):
        return False
    if ends_whole(before.text):
        return True
    # A quotation is set in on both sides and has a right edge of its own.
    is_set_in = (
        min(before.start, line.start) > STEP * line.size and abs(before.start - line.start) < line.size
    )
    return not (is_set_in and abs(before.slack - line.slack) < 2 * line.size)


def _is_indented_anew(paragraph: Paragraph, line: Line) -> bool:
    before = paragraph.lines[-1]
    step = line.start - before.start
    if abs(step) <= STEP * line.size:
        return False
    goes_on = _is_full(before, line) and not ends_whole(before.text)
    if len(paragraph.lines) > 1:
        return not (goes_on and line.text[:1].islower())
    return not (goes_on or (_is_full(before, line) and (step < 0 or bool(find_mark(before.text)))))


def _starts_anew(paragraph: Paragraph, line: Line, marks: Sequence[tuple[str, float]]) -> bool:
    before = paragraph.lines[-1]
    distance = before.y - line.y
    if distance > WIDE_GAP * max(line.leading, line.size) or _changes_type(before, line):
        return True
    mark = find_mark(line.text)
    if mark:
        return not _is_wrapped(mark, paragraph, line, marks)
    return _is_broken_off(before, line) or _is_indented_anew(paragraph, line)


def _continues_elsewhere(paragraph: Paragraph, line: Line) -> bool:
    """Tell whether the first line of a column or page goes on with a paragraph of the one before."""
    before = paragraph.lines[-1]
    if paragraph.level or _changes_type(before, line):
        return False
    if ends_whole(before.text):
        # The last line of a paragraph seldom fills its line; one in the middle of it often ends a sentence.
        ends_sentence = before.text[-1] in ".!?”’)" and len(before.text) > MIN_SENTENCE
        is_flush = abs(line.start - before.start) < STEP * line.size
        return ends_sentence and is_flush and _fills(before, line) and not find_mark(line.text)
    if before.text.endswith("-") and line.text[:1].islower():
        return True
    if find_mark(line.text):
        return ends_open(before.text) and _is_full(before, line)
    return line.text[:1].islower() or (
        _is_full(before, line) and (ends_open(before.text) or not before.is_bold)
    )


def _find_open(blocks: Sequence[Block], line: Line) -> Paragraph | None:
    """Return the paragraph above the notes that a new column or page may go on with."""
    for block in reversed(blocks[-MAX_NOTES:]):
        if isinstance(block, Table):
            return None
        last = block.lines[-1]
        if last.size >= SMALLER * line.size:
            return block if _continues_elsewhere(block, line) else None
        if last.page < line.page - 1:
            return None
    return None


def _is_next(before: Line, line: Line) -> bool:
    return before.page == line.page and before.column == line.column and before.y > line.y


def build_paragraphs(items: Sequence[Item], headings: Mapping[int, tuple[int, int]]) -> list[Block]:
    """Return paragraphs and tables; `headings` gives level and length of those that the outline names."""
    blocks: list[Block] = []
    marks: list[tuple[str, float]] = []
    open_paragraph: Paragraph | None = None
    until = 0
    for number, item in enumerate(items):
        if number < until:
            continue
        if isinstance(item, Table):
            _add_table(blocks, item)
            open_paragraph = None
        elif number in headings:
            level, length = headings[number]
            until = number + length
            blocks.append(Paragraph([line for line in items[number:until] if isinstance(line, Line)], level))
            open_paragraph = None
        else:
            open_paragraph = _add_line(blocks, open_paragraph, item, marks)
    return blocks


def _add_table(blocks: list[Block], table: Table) -> None:
    last = blocks[-1] if blocks else None
    if isinstance(last, Table) and table.continues(last):
        blocks[-1] = last.append(table)
    else:
        blocks.append(table)


def _add_line(
    blocks: list[Block], paragraph: Paragraph | None, line: Line, marks: list[tuple[str, float]]
) -> Paragraph:
    if paragraph and _is_next(paragraph.lines[-1], line):
        target = None if _starts_anew(paragraph, line, marks) else paragraph
    else:
        target = _find_open(blocks, line)
    if target is None:
        target = Paragraph([line])
        blocks.append(target)
        mark = find_mark(line.text)
        if mark:
            marks[:] = [*marks[-20:], (mark, line.start)]
    else:
        target.lines.append(line)
    return target
