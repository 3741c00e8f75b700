"""Open a PDF and read what it says about itself."""

from __future__ import annotations

import re

import pypdfium2 as pdfium

from documents.convert.pdf.headings import Bookmark
from documents.errors import Encrypted, Unreadable

MAX_BOOKMARKS = 5_000
MIN_TITLE, MAX_TITLE = 3, 300
UNREADABLE = "The PDF is broken or cut short. Open it in a PDF reader, save it again and upload the new file."
FILE_NAME = re.compile(
    r"\S*\.(?:docx?|pdf|odt|rtf|indd|fm|tex|dvi|ps|pptx?|xlsx?|html?|txt|wpd|p65|qxd|book|xml|pub)",
    re.IGNORECASE,
)
FILE_STEM = re.compile(r"\S*[\d_]\S*")  # One word with digits in it: "L13709", "act_final".
PROGRAM = re.compile(
    r"^(?:microsoft (?:word|powerpoint|excel) - .*|untitled.*|document\d*|title|\W*)$", re.IGNORECASE
)


def open_pdf(content: bytes) -> pdfium.PdfDocument:
    """Open a PDF that needs no password; pypdfium2 tries none, which is the empty one."""
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        # pdfium leaves the error of an earlier file standing when it has none for this one.
        if b"/Encrypt" in content and "password" in str(error).lower():
            raise Encrypted(
                "The PDF is protected by a password. Remove the password and upload it again."
            ) from error
        raise Unreadable(UNREADABLE) from error
    if len(document) == 0:
        document.close()
        raise Unreadable("The PDF has no pages. " + UNREADABLE)
    return document


def read_title(document: pdfium.PdfDocument) -> str:
    """Return the title that the PDF declares, unless a program put a file name there."""
    title = " ".join(document.get_metadata_value("Title").replace("\x00", "").split())
    if (
        PROGRAM.match(title)
        or FILE_STEM.fullmatch(title)
        or FILE_NAME.fullmatch(title)
        or "\ufffd" in title
        or len(title) > MAX_TITLE
    ):
        return ""
    return title if len(title) >= MIN_TITLE else ""


def read_outline(document: pdfium.PdfDocument) -> list[Bookmark]:
    """Return the bookmarks that lead to a page."""
    bookmarks: list[Bookmark] = []
    for number, entry in enumerate(document.get_toc(max_depth=10)):
        if number >= MAX_BOOKMARKS:
            break
        target = entry.get_dest()
        page = target.get_index() if target else None
        if page is not None and page >= 0:
            bookmarks.append(Bookmark(entry.get_title(), page, entry.level + 1))
    return bookmarks
