"""The names by which other documents mention a document: "12 CFR part 1026", "RFC 7230", "GDPR"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from definitions.extract.references.documents import DOCUMENT, document_key, form_of
from definitions.extract.references.words import WHOLES

__all__ = ["document_key", "find_names"]

HEAD = 2_000  # Characters in which a document says what it is.
LONGEST = 200
FEWEST_LETTERS = 2
# "known as Regulation C", "may be cited as the Harbour Safety Act 2021"
CALLED = re.compile(
    r"(?:known|cited|referred\sto)(?:\sfor\sall\spurposes)?\sas\s(?:the\s)?[“\"'‘«„]?"
    r"(?P<name>[A-ZÀ-Ý][^.,;:\n“”\"«»()]{2,100}?)[”\"'’»“]?(?=[.,;:\n(]|\s(?:is|and|which)\s|$)"
)
BRACKETED = re.compile(r"[(（](?P<name>[^()\n]{2,100})[)）]")
EMPTY = re.compile(r"[(（]\s*[)）]")
PIECES = re.compile(r"\s[—–-]\s|:\s|\s[|/]\s|[—–]")
NUMBER = re.compile(r"^(?:no\.?\s*)?[\d./-]+$", re.IGNORECASE)
GENERIC = re.compile(
    rf"(?:the\s|a\s)?(?:{WHOLES}|annex|appendix|schedule|draft|final|copy|version|index|main|readme|text)s?"
    r"|text with eea relevance|consolidated .*|as amended.*",
    re.IGNORECASE,
)
EXTENSION = re.compile(r"\.[A-Za-z]\w{0,4}$")
MOST_WORDS = 14  # A longer piece of a title says what the document is about.


def find_names(text: str, *, title: str, file_name: str) -> tuple[str, ...]:
    """Return the names as printed; `document_key` makes them comparable."""
    first_line = text[:HEAD].lstrip("#*_ \n").partition("\n")[0].strip("*_ ")
    names = dict.fromkeys(
        [
            *_split_title(title),
            *_split_title(first_line),
            *(match["name"].strip() for match in CALLED.finditer(text[:HEAD])),
            *_from_file(file_name),
        ]
    )
    return tuple(name for name in names if _is_name(name))


def _split_title(title: str) -> Iterator[str]:
    """Yield a title, its number, what it has in brackets, and the parts between its dashes."""
    title = " ".join(title.split())
    if len(title) <= LONGEST:
        yield title
    own = DOCUMENT.search(title)  # Others are what it amends or repeals.
    if own is not None and form_of(own) is not None:
        yield own[0]
    rest = EMPTY.sub(" ", DOCUMENT.sub(" ", title))
    yield from (match["name"] for match in BRACKETED.finditer(rest))
    pieces = (piece.split() for piece in PIECES.split(BRACKETED.sub(" ", rest)))
    yield from (" ".join(piece) for piece in pieces if len(piece) <= MOST_WORDS)


def _from_file(file_name: str) -> Iterator[str]:
    stem = EXTENSION.sub("", file_name.rsplit("/", 1)[-1])
    yield stem
    yield re.sub(r"[_-]+", " ", stem)


def _is_name(name: str) -> bool:
    """Tell a name from what could be said of any document: "the Act", "12", "Final"."""
    letters = sum(character.isalpha() for character in name)
    return (
        letters >= FEWEST_LETTERS
        and len(name) <= LONGEST
        and NUMBER.match(name) is None
        and GENERIC.fullmatch(name) is None
    )
