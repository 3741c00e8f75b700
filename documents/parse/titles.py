"""Find the title of a unit: in its line, in a caption at the start of its text, or below its number."""

from __future__ import annotations

import re

from documents.parse.marks import DECIMAL, HEADING, Mark, reads_like_title
from documents.parse.words import ANNEXES

CAPTION = re.compile(
    r"\s*(?P<mark>[*_]{1,3})(?P<marked>[^*_\n]{1,200}?)(?P=mark)|\s*(?P<plain>[^.\n]{1,80}\.)(?=\s+\S|\s?[—–])"
)
TITLE_LINE = re.compile(r"\s*?\n\s*(?:#{1,6}\s+)?([^\n|]{3,160})(?:\n\s*\n|\n?\Z)")
ASIDE = re.compile(r"\s*\([^)\n]*\)\s*")  # "(normative)"
BRACKETED = re.compile(r"\s*[(（]([^)）\n]{1,60})[)）]")  # 제2조(정의)
WRAPPED = re.compile(r"\n[ \t]*[a-zß-ÿ]")
MOST_CAPTION_WORDS = 10


def find_title(text: str, mark: Mark, style: str, marker: str) -> str:
    """Return the title of a unit, or nothing."""
    line = text[mark.title_start : mark.end]
    if style == HEADING:
        return clean_title(text[mark.start : mark.end].lstrip("#> \t") if mark.markers[0] else line)
    if not line.strip():
        return _title_below(text, mark.end, any_case=style == DECIMAL, with_aside=style[1:] in ANNEXES)
    if ASIDE.fullmatch(line):
        return _join(line.strip(), _title_below(text, mark.end))
    if marker.startswith(("第", "제")) and (caption := BRACKETED.match(line)):
        return clean_title(caption[1])
    return _title_in_line(text, mark, line)


def _title_in_line(text: str, mark: Mark, line: str) -> str:
    if not mark.is_keyword and not mark.level and WRAPPED.match(text, mark.end):
        return ""
    if mark.level or (mark.is_title and mark.is_heading):
        return clean_title(line)
    caption = CAPTION.match(line)
    if caption is not None:
        title = clean_title(caption["marked"] or caption["plain"])
        return title if len(title.split()) <= MOST_CAPTION_WORDS and title[:1].isupper() else ""
    return clean_title(line) if mark.is_keyword and mark.is_title else ""


def _title_below(text: str, end: int, *, any_case: bool = False, with_aside: bool = False) -> str:
    """Return the title that stands below its number, as in "Article 5" over "Principles"."""
    match = TITLE_LINE.match(text, end)
    if match is None or re.match(r"[\W_]*(?:\(?\w{1,4}[.)]|\d)", match[1]):
        return ""
    title = match[1].strip()
    if with_aside and ASIDE.fullmatch(title):
        return _join(title, _title_below(text, match.end(1)))
    is_title = reads_like_title(title[:1].upper() + title[1:] if any_case else title)
    return clean_title(title) if is_title and title[-1] != "." else ""


def _join(*parts: str) -> str:
    return " ".join(filter(None, parts))


def clean_title(title: str) -> str:
    """Return a title without emphasis and with single blanks."""
    return re.sub(r"\s+", " ", re.sub(r"[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}", "", title)).strip(" #—–")
