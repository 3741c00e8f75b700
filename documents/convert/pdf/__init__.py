"""Read the text of a PDF with its structure: columns, paragraphs, headings, tables, pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from documents.convert.converted import Converted
from documents.convert.pdf.furniture import drop_furniture
from documents.convert.pdf.headings import mark_headings, match_outline
from documents.convert.pdf.lines import Item, main_turn, read_lines, widen_columns
from documents.convert.pdf.paragraphs import build_paragraphs
from documents.convert.pdf.render import render_blocks
from documents.convert.pdf.rules import Rule, picture_share, read_rules
from documents.convert.pdf.source import UNREADABLE, open_pdf, read_outline, read_title
from documents.convert.pdf.words import Word, read_words, rotate_box
from documents.errors import NoText, OverLimit, Unreadable, Unsupported

MAX_PAGES = 5_000
FEW_CHARS = 20  # On a page that is a picture: a stamp or a program's name, not its text.
PICTURE = 0.4  # Of the page.
OCR = "Run it through OCR and upload the result."


@dataclass(frozen=True, slots=True)
class Page:
    """What stands on a page."""

    words: list[Word]
    rules: list[Rule]
    span: tuple[float, float] = (0.0, 0.0)
    is_picture: bool = False
    is_broken: bool = False


def convert_pdf(content: bytes, name: str) -> Converted:
    """Convert a PDF to Markdown with the places where its pages start."""
    document = open_pdf(content)
    try:
        pages = _read_pages(document)
        _check(document, pages)
        items = _read_items(pages)
        blocks = mark_headings(
            build_paragraphs(items, match_outline(items, read_outline(document))), len(pages)
        )
        text, starts = render_blocks(blocks, len(pages))
        return Converted(text=text, pages=starts, title=read_title(document), warnings=_warn(pages))
    finally:
        document.close()


def _read_pages(document: pdfium.PdfDocument) -> list[Page]:
    if len(document) > MAX_PAGES:
        raise OverLimit(
            f"The PDF has {len(document)} pages, and {MAX_PAGES} is the limit. Split it and upload the parts."
        )
    return [_read_page(document, number) for number in range(len(document))]


def _read_page(document: pdfium.PdfDocument, number: int) -> Page:
    try:
        page = document.get_page(number)
        words = read_words(page)
    except pdfium.PdfiumError:
        return Page([], [], is_broken=True)
    few = sum(len(word.text) for word in words) < FEW_CHARS
    turn = main_turn(words)
    left, bottom, right, top = page.get_cropbox()
    _, low, _, high = rotate_box(left, bottom, right, top, turn)
    is_picture = few and picture_share(page) >= PICTURE
    read = Page(words, read_rules(page, turn), (low, high), is_picture)
    page.close()
    return read


def _check(document: pdfium.PdfDocument, pages: Sequence[Page]) -> None:
    """Refuse a PDF that has no text to find anything in."""
    if all(page.is_broken for page in pages):
        raise Unreadable(UNREADABLE)
    if all(page.is_picture or not page.words for page in pages):
        if any(page.is_picture for page in pages):
            raise NoText(f"The PDF holds pictures of pages and no text. {OCR}")
        raise NoText(f"The PDF holds no text. If its pages show any, they are drawings. {OCR}")
    if document.get_formtype() == pdfium_c.FORMTYPE_XFA_FULL and _is_placeholder(pages):
        raise Unsupported(
            "The PDF is an XFA form that only Adobe Reader fills in. Print it to a PDF and upload that."
        )


def _is_placeholder(pages: Sequence[Page]) -> bool:
    text = " ".join(word.text for page in pages for word in page.words)
    return len(pages) == 1 and "please wait" in text.lower()


def _read_items(pages: Sequence[Page]) -> list[Item]:
    items: list[Item] = []
    in_contents = False
    without = drop_furniture([page.words for page in pages], [page.span for page in pages])
    for number, words in enumerate(without):
        found, in_contents = read_lines(words, number, pages[number].rules, in_contents)
        items += found
    return widen_columns(items)


def _warn(pages: Sequence[Page]) -> tuple[str, ...]:
    pictures = [n for n, page in enumerate(pages, start=1) if page.is_picture]
    broken = [n for n, page in enumerate(pages, start=1) if page.is_broken]
    warnings = []
    if pictures:
        warnings.append(f"{_list_pages(pictures)}: a picture without text. {OCR}")
    if broken:
        warnings.append(
            f"{_list_pages(broken)}: broken and left out. Save the PDF again and upload the new file."
        )
    return tuple(warnings)


def _list_pages(numbers: Sequence[int]) -> str:
    """Name pages in short: "Pages 3, 5–7"."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    listed = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)
    return f"Page{'s' if len(numbers) > 1 else ''} {listed}"
