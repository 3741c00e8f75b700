"""Write a text as HTML: every character that is shown is one of the text, escaped, and in its place.

What comes from a document is never markup. Tags are written here and nowhere else; attributes are escaped.
Only the tools of a unit are HTML of whoever asks, who vouches for it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise
from typing import TypeVar

from documents.render.blocks import Block, Runs, Span, read_blocks, subtract, usual_width
from documents.render.inline import Style, read_inline
from documents.render.titles import Beginning, find_beginning

DEEPEST_HEADING = 6
DEEPEST = 8
MARKER = "marker"

T = TypeVar("T", "Wrap", "Mark")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownUnit:
    """A unit that begins in the text, or the one that goes on at its start."""

    start: int
    anchor: str = ""  # Its id on the page, if it has one.
    label: str = ""
    name: str = ""  # What it is called, where that is more than its label.
    level: int = 0
    kind: str = "document"
    marker: str = ""
    title: str = ""
    heading: int = 2  # Which of h1 to h6 its heading is.
    indent: int = 0
    is_current: bool = False
    is_rest: bool = False  # It began before the text.
    tools: str = ""


@dataclass(frozen=True, slots=True)
class Wrap:
    """A stretch inside one element, such as a link. No two overlap."""

    start: int
    end: int
    tag: str
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch that is marked, whatever else it is; its anchor is where it begins."""

    start: int
    end: int
    kind: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class PageMark:
    """Where a page of the file begins, and the address of its picture if there is one."""

    start: int
    number: int
    address: str = ""


def write_text(
    text: str,
    *,
    units: Sequence[ShownUnit],
    is_markdown: bool,
    wraps: Sequence[Wrap] = (),
    marks: Sequence[Mark] = (),
    pages: Sequence[PageMark] = (),
    table_name: str = "Table",
    page_name: str = "Page",
) -> str:
    """Return a text with its units, links, marks and the places where its pages begin."""
    writer = _Writer(
        text,
        is_markdown=is_markdown,
        wraps=apart(wraps),
        marks=apart(marks),
        pages=pages,
        names=(table_name, page_name),
    )
    ends = [*(unit.start for unit in units[1:]), len(text)]
    for unit, end in zip(units, ends, strict=True):
        writer.write_unit(unit, end)
    writer.write_pages(len(text) + 1)
    return "".join(writer.out)


def apart(spans: Sequence[T]) -> list[T]:
    """Leave out what overlaps something that begins before it."""
    kept: list[T] = []
    for one in sorted(spans, key=lambda one: (one.start, -one.end)):
        if one.start < one.end and (not kept or one.start >= kept[-1].end):
            kept.append(one)
    return kept


def write_tag(name: str, attributes: Mapping[str, str]) -> str:
    written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>"


class _Writer:
    def __init__(
        self,
        text: str,
        *,
        is_markdown: bool,
        wraps: Sequence[Wrap],
        marks: Sequence[Mark],
        pages: Sequence[PageMark],
        names: tuple[str, str],
    ) -> None:
        self.text = text
        self.is_markdown = is_markdown
        self.wraps = wraps
        self.wrap_starts = [wrap.start for wrap in wraps]
        self.marks = marks
        self.mark_starts = [mark.start for mark in marks]
        self.pages = pages
        self.page = 0  # The next one to be written.
        self.table_name, self.page_name = names
        self.width = usual_width(text)
        self.anchored: Mark | None = None
        self.out: list[str] = []

    def write_unit(self, unit: ShownUnit, end: int) -> None:
        names = ["unit", f"indent-{min(unit.indent, DEEPEST)}"]
        if unit.is_current:
            names.append("current")
        attributes = {"class": " ".join(names), "data-at": unit.label, "data-level": str(unit.level)}
        if unit.name:
            attributes["data-name"] = unit.name
        if unit.anchor:
            attributes["id"] = unit.anchor
        self.out.append(write_tag("div", attributes))
        self.write_blocks(unit, (unit.start, end))
        self.out += [unit.tools, "</div>"]

    def write_blocks(self, unit: ShownUnit, span: Span) -> None:
        begins = Beginning()
        if not unit.is_rest:
            begins = find_beginning(self.text, span, kind=unit.kind, marker=unit.marker, title=unit.title)
        blocks = read_blocks(
            self.text,
            span,
            is_markdown=self.is_markdown,
            width=self.width,
            heading_end=begins.heading_end,
        )
        for kind, several in groupby(blocks, key=lambda block: block.kind):
            if kind == "item":
                self.out.append("<ul>")
            for index, block in enumerate(several):
                is_own = index == 0 and block is blocks[0] and not unit.is_rest
                self.write_block(block, unit.heading + (not is_own), begins)
            if kind == "item":
                self.out.append("</ul>")

    def write_block(self, block: Block, heading: int, begins: Beginning) -> None:
        if block.is_quoted:
            self.out.append("<blockquote>")
        match block.kind:
            case "heading":
                name = f"h{min(heading, DEEPEST_HEADING)}"
                self.write_element(name, {}, block.runs, begins)
            case "item":
                self.write_element("li", {"class": f"depth-{block.depth + 1}"}, block.runs, begins)
            case "table":
                self.write_table(block)
            case "verbatim":
                attributes = {"tabindex": "0", "role": "group", "aria-label": self.table_name}
                self.write_element("pre", attributes, block.runs, begins, is_plain=True)
            case "rule":
                self.out.append("<hr>")
            case _:
                self.write_element("p", self.paragraph_of(block, begins), block.runs, begins)
        if block.is_quoted:
            self.out.append("</blockquote>")

    def paragraph_of(self, block: Block, begins: Beginning) -> dict[str, str]:
        is_first = begins.marker is not None and block.runs[0][0] <= begins.marker[0] < block.runs[-1][1]
        names = ["hang"] * is_first + ["lines"] * block.keeps_lines
        return {"class": " ".join(names)} if names else {}

    def write_element(
        self,
        name: str,
        attributes: Mapping[str, str],
        runs: Runs,
        begins: Beginning,
        *,
        is_plain: bool = False,
    ) -> None:
        if runs:
            self.out.append(write_tag(name, attributes))
            self.write_runs(runs, begins, is_plain=is_plain)
            self.out.append(f"</{name}>")

    def write_table(self, block: Block) -> None:
        attributes = {"class": "grid", "tabindex": "0", "role": "group", "aria-label": self.table_name}
        self.out += [write_tag("div", attributes), "<table>"]
        rows = list(block.rows)
        if block.has_header and rows:
            self.out.append("<thead>")
            self.write_row(rows.pop(0), "th", {"scope": "col"})
            self.out.append("</thead>")
        self.out.append("<tbody>")
        for row in rows:
            self.write_row(row, "td", {})
        self.out.append("</tbody></table></div>")

    def write_row(self, row: Sequence[Runs], name: str, attributes: Mapping[str, str]) -> None:
        self.out.append("<tr>")
        for runs in row:
            self.out.append(write_tag(name, attributes))
            self.write_runs(runs, Beginning())
            self.out.append(f"</{name}>")
        self.out.append("</tr>")

    def write_runs(self, runs: Runs, begins: Beginning, *, is_plain: bool = False) -> None:
        """Write what is shown of a block, piece by piece between the places where anything changes."""
        if not runs:
            return
        span = (runs[0][0], runs[-1][1])
        styles = list(_styles_of(begins, span))
        if self.is_markdown and not is_plain:
            inline = read_inline(self.text, span)
            runs = subtract(runs, inline.hidden)
            styles += inline.styles
        links = [_link(style) for style in styles if style.tag == "a"]
        wraps = apart([*links, *self._within(self.wraps, self.wrap_starts, span, links)])
        marks = self._within(self.marks, self.mark_starts, span, ())
        plain = sorted((style for style in styles if style.tag != "a"), key=lambda one: (one.start, -one.end))
        self._write_pieces(runs, wraps, marks, plain)

    def _within(
        self, spans: Sequence[T], starts: Sequence[int], span: Span, others: Sequence[Wrap]
    ) -> list[T]:
        """Return those that reach into a stretch, but none across a link that the text has itself."""
        first = max(0, bisect_right(starts, span[0]) - 1)
        found = spans[first : bisect_right(starts, span[1])]
        return [
            one
            for one in found
            if one.end > span[0]
            and one.start < span[1]
            and not any(other.start < one.end and one.start < other.end for other in others)
        ]

    def _write_pieces(
        self, runs: Runs, wraps: Sequence[Wrap], marks: Sequence[Mark], styles: Sequence[Style]
    ) -> None:
        spans: list[Wrap | Mark | Style] = [*wraps, *marks, *styles]
        cuts = sorted(
            {place for one in spans for place in (one.start, one.end)}
            | {page.start for page in self.pages[self.page :]}
        )
        covers = _Covers(wraps, marks, styles)
        current: Wrap | None = None
        for start, end in runs:
            inside = cuts[bisect_right(cuts, start) : bisect_right(cuts, end - 1)]
            for first, last in pairwise([start, *inside, end]):
                wrap, mark, around = covers.at(first)
                if wrap is not current or self._is_page_due(first):
                    self.out.append(f"</{current.tag}>" if current else "")
                    self.write_pages(first + 1)
                    self.out.append(write_tag(wrap.tag, wrap.attributes) if wrap else "")
                current = wrap
                html = _dress(escape(self.text[first:last], quote=False), around)
                self.out.append(self._write_mark(mark, html) if mark else html)
        self.out.append(f"</{current.tag}>" if current else "")

    def _write_mark(self, mark: Mark, html: str) -> str:
        """Mark a piece. Where links and styles cut a mark, its first piece has its anchor."""
        attributes = {"class": mark.kind} if mark.kind else {}
        if mark.anchor and mark is not self.anchored:
            attributes["id"] = mark.anchor
            self.anchored = mark
        return f"{write_tag('mark', attributes)}{html}</mark>"

    def _is_page_due(self, place: int) -> bool:
        return self.page < len(self.pages) and self.pages[self.page].start <= place

    def write_pages(self, before: int) -> None:
        """Write where pages begin that have begun before some place."""
        while self.page < len(self.pages) and self.pages[self.page].start < before:
            page = self.pages[self.page]
            attributes = {"class": "page", "data-page": str(page.number)}
            if page.address:
                attributes |= {"href": page.address, "aria-label": f"{self.page_name} {page.number}"}
            name = "a" if page.address else "span"
            self.out.append(f"{write_tag(name, attributes)}</{name}>")
            self.page += 1


class _Covers:
    """What covers a place of a block. Places are asked for in their order."""

    def __init__(self, wraps: Sequence[Wrap], marks: Sequence[Mark], styles: Sequence[Style]) -> None:
        self.wraps, self.wrap = wraps, 0
        self.marks, self.mark = marks, 0
        self.styles, self.style = styles, 0
        self.around: list[Style] = []

    def at(self, place: int) -> tuple[Wrap | None, Mark | None, list[Style]]:
        while self.wrap < len(self.wraps) and self.wraps[self.wrap].end <= place:
            self.wrap += 1
        while self.mark < len(self.marks) and self.marks[self.mark].end <= place:
            self.mark += 1
        while self.style < len(self.styles) and self.styles[self.style].start <= place:
            self.around.append(self.styles[self.style])
            self.style += 1
        self.around = [style for style in self.around if style.end > place]
        wrap = self.wraps[self.wrap] if self.wrap < len(self.wraps) else None
        mark = self.marks[self.mark] if self.mark < len(self.marks) else None
        return (
            wrap if wrap and wrap.start <= place else None,
            mark if mark and mark.start <= place else None,
            self.around,
        )


def _dress(html: str, styles: Sequence[Style]) -> str:
    for style in reversed(styles):
        opening = '<span class="marker">' if style.tag == MARKER else f"<{style.tag}>"
        html = f"{opening}{html}</{'span' if style.tag == MARKER else style.tag}>"
    return html


def _styles_of(begins: Beginning, span: Span) -> Iterator[Style]:
    for place, tag in ((begins.marker, MARKER), (begins.caption, "b")):
        if place is not None and span[0] <= place[0] < span[1]:
            yield Style(*place, tag)


def _link(style: Style) -> Wrap:
    rel = "noopener noreferrer nofollow"
    return Wrap(style.start, style.end, "a", {"href": style.address, "rel": rel, "class": "out"})
