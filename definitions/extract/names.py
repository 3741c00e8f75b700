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
FEWEST_INITIALS, MOST_INITIALS = 3, 6
WHOLE = re.compile(WHOLES, re.IGNORECASE)
# "known as Regulation C", "may be cited as the Harbour Safety Act 2021"
CALLED = re.compile(
    r"(?:known|cited|referred\sto)(?:\sfor\sall\spurposes)?\sas\s(?:the\s)?[“\"'‘«„]?"
    r"(?P<name>[A-ZÀ-Ý][^.,;:\n“”\"«»()]{2,100}?)[”\"'’»“]?(?=[.,;:\n(]|\s(?:is|and|which)\s|$)"
)
BRACKETED = re.compile(r"[(（](?P<name>[^()\n]{2,100})[)）]")
EMPTY = re.compile(r"[(（]\s*[)）]")
PIECES = re.compile(r"\s[—–-]\s|:\s|\s[|/]\s|[—–]")
LISTED = re.compile(r"\s[—–-]\s|[—–,;]\s?")  # "(Seilbahngesetz, SKG)"
# What names a part of a code behind its name: "Marlin Code Title 8".
DIVIDED = re.compile(r",?\s(?=(?:Title|Chapter|Part|Book|Volume)\s[\dIVX]+\b)")
INSTRUMENT = re.compile(r"\b(?:Regulations|Rules|Order|Scheme)\b", re.IGNORECASE)
NUMBERED = re.compile(r"(?P<year>(?:19|20)\d\d)\sNo\.\s(?P<number>\d{1,4})")
NUMBER = re.compile(r"^(?:no\.?\s*)?[\d./-]+$", re.IGNORECASE)
# The number of a house's own documents before their title: "HR-POL-007 Leave Policy", "SOP-12: Cleaning".
# What has one hyphen and a small number may be a word: "COVID-19 Measures".
CODE = re.compile(
    r"(?P<code>[A-Z][A-Za-z\d]*(?:(?:[-./_][A-Za-z\d]+)+[-./_]\d+[A-Za-z]?|[-./_](?:0\d+|\d{3,})|[-./_]\d+(?=:)))"
    r":?(?:\s+(?P<name>\S+(?:\s\S+)+)|\s+\S+)"
)
# And that of a council's or a ministry's: "BYLAW NO. 7741".
COUNTED = re.compile(
    rf"(?P<word>{WHOLES}|by-?law|resolution|circular)\s(?:no\.?|number|nr\.?|#)\s?(?P<number>\d[\w./-]*)",
    re.IGNORECASE,
)
GENERIC = re.compile(
    rf"(?:the\s|a\s)?(?:{WHOLES}|annex|appendix|schedule|draft|final|copy|version|index|main|readme|text)s?"
    r"|text with eea relevance|consolidated .*|as amended.*",
    re.IGNORECASE,
)
EXTENSION = re.compile(r"\.[A-Za-z]\w{0,4}$")
FIRST_LINES = 5  # Below the title a document may print its number.
MOST_WORDS = 14  # A longer piece of a title says what the document is about.


def find_names(text: str, *, title: str, file_name: str) -> tuple[str, ...]:
    """Return the names as printed; `document_key` makes them comparable."""
    first_line = text[:HEAD].lstrip("#*_ \n").partition("\n")[0].strip("*_ ")
    names = dict.fromkeys(
        [
            *_split_title(title),
            *_split_title(first_line),
            *_numbers_below(text[:HEAD], first_line),
            *(match["name"].strip() for match in CALLED.finditer(text[:HEAD])),
            *_initials(title),
            *_initials(first_line),
            *_from_file(file_name),
        ]
    )
    return tuple(name for name in names if _is_name(name))


def _split_title(title: str) -> Iterator[str]:
    """Yield a title, its number, what it has in brackets, and the parts between its dashes."""
    title = " ".join(title.split())
    if len(title) <= LONGEST:
        yield title
    yield from _counted(title)
    own = DOCUMENT.search(title)  # Others are what it amends or repeals.
    for spelled in _in_small_letters(title):
        own = own or DOCUMENT.match(spelled)
    if own is not None and form_of(own) is not None:
        yield own[0]
    yield from _coded(title)
    rest = EMPTY.sub(" ", DOCUMENT.sub(" ", title))
    for match in BRACKETED.finditer(rest):
        yield match["name"]
        yield from LISTED.split(match["name"])
    yield from DIVIDED.split(title)[:1]
    pieces = (piece.split() for piece in PIECES.split(BRACKETED.sub(" ", rest)))
    yield from (" ".join(piece) for piece in pieces if len(piece) <= MOST_WORDS)


def _in_small_letters(title: str) -> Iterator[str]:
    """Yield a title as the law's number is mentioned: "LEI Nº 9.123" as Lei nº, "LEGGE 5 giugno" as legge."""
    yield title[:1].lower() + title[1:]
    yield title.capitalize()
    yield title.lower()


def _initials(title: str) -> Iterator[str]:
    """Yield what people make of a title: "MSA" of "Master Services Agreement"."""
    year = re.search(r"\s(?:19|20)\d\d$", title)
    for words in (title, BRACKETED.sub(" ", title)):
        letters = [word[0] for word in re.findall(r"[^\W\d_][\w’'-]*", words) if word[0].isupper()]
        last = re.search(r"(\w+)[\W\d]*$", words)
        if last and FEWEST_INITIALS <= len(letters) <= MOST_INITIALS and WHOLE.fullmatch(last[1]):
            yield "".join(letters)
            yield "".join(letters) + (year[0] if year else "")


def _coded(title: str) -> Iterator[str]:
    """Yield the code before a title, and the title without it; a single word would be no name."""
    if match := CODE.fullmatch(title):
        yield match["code"]
        yield match["name"] or ""


def _counted(line: str) -> Iterator[str]:
    """Yield the ways to write the number that a line says, and nothing else."""
    if match := COUNTED.fullmatch(line):
        yield from (f"{match['word']} {no}{match['number']}" for no in ("", "No. ", "No "))


def _numbers_below(head: str, title: str) -> Iterator[str]:
    """Yield the number that a document bears in a line of its own: "SOR/2016-88", "2017 No. 612"."""
    lines = [line.strip("#*_() ") for line in head.lstrip().splitlines()[1:] if line.strip()]
    for line in lines[:FIRST_LINES]:
        yield from _counted(line)
        own = DOCUMENT.fullmatch(line)
        if own is None or form_of(own) is None:
            continue
        yield line
        if (match := NUMBERED.fullmatch(line)) and INSTRUMENT.search(title):
            yield f"SI {match['year']}/{match['number']}"


def _from_file(file_name: str) -> Iterator[str]:
    stem = EXTENSION.sub("", file_name.rsplit("/", 1)[-1])
    yield stem
    yield from _coded(stem)
    words = re.sub(r"[_-]+", " ", stem)
    yield words
    yield re.sub(r"(?<=[A-Za-z])(?=\d)", " ", words)  # "dpa2018"


def _is_name(name: str) -> bool:
    """Tell a name from what could be said of any document: "the Act", "12", "Final"."""
    letters = sum(character.isalpha() for character in name)
    return (
        letters >= FEWEST_LETTERS
        and len(name) <= LONGEST
        and NUMBER.match(name) is None
        and GENERIC.fullmatch(name) is None
    )
