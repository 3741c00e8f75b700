"""Read plain text and Markdown: the characters as they are, with LF line ends and without controls."""

from __future__ import annotations

import codecs
import re
from itertools import accumulate

from documents.convert.charset import guess_encoding
from documents.convert.converted import Converted
from documents.convert.formats import UNKNOWN, is_binary, unsupported, wide_encoding
from documents.errors import NoText

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
DROPPED = dict.fromkeys((*range(9), *range(14, 32), 127))
UNCLEAN = re.compile("[\x00-\x08\x0b\x0d-\x1f\x7f]")
PAGE_BREAK = re.compile(r"(?:(?<=\n)|^)\f|\f(?=\n|$)")  # Inside a line it is a character that went astray.


def convert_markdown(content: bytes, name: str) -> Converted:
    return convert_characters(content, is_markdown=True)


def convert_text(content: bytes, name: str) -> Converted:
    return convert_characters(content, is_markdown=False)


def convert_characters(content: bytes, *, is_markdown: bool) -> Converted:
    text, pages = split_pages(clean(decode(content)))
    if not text.strip():
        raise NoText("The file is empty. Upload one with text in it.")
    return Converted(text=text, is_markdown=is_markdown, pages=pages)


def decode(content: bytes) -> str:
    """Turn bytes into characters: by their mark, as UTF-8, or by the likeliest older encoding."""
    if is_binary(content):
        raise unsupported(UNKNOWN, "Save it in another format")
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace")
    if wide := wide_encoding(content):
        return content.decode(wide, "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return decode_older(content)


def decode_older(content: bytes) -> str:
    """Keep UTF-8 with a few broken places; choose an older encoding for everything else."""
    text = content.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if broken * 10 < count_beyond_ascii(text) - broken:
        return text
    return content.decode(guess_encoding(content), "replace")


def count_beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def clean(text: str) -> str:
    """End lines in LF and drop what no reader sees; a clean text comes back as it is."""
    if not UNCLEAN.search(text):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\v", "\n")
    return text.translate(DROPPED)


def split_pages(text: str) -> tuple[str, tuple[int, ...]]:
    """Take out form feeds and tell where each page begins."""
    if "\f" not in text:
        return text, ()
    sheets = [sheet.replace("\f", "") for sheet in PAGE_BREAK.split(text.strip("\f"))]
    if len(sheets) == 1:
        return sheets[0], ()
    starts = accumulate((len(sheet) for sheet in sheets[:-1]), initial=0)
    return "".join(sheets), tuple(starts)
