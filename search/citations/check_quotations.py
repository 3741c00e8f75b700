"""Find what a text quotes, word for word or nearly, first of all in the unit that it is cited from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from django.db.models.functions import Substr

from documents.compare import mark_words
from documents.models import Chunk, Section, Version
from search.citations.checked import Checked, Kind, Outcome
from search.citations.compared import (
    Nearest,
    find_exact,
    find_nearest,
    part_quotation,
    read_pieces,
    read_tokens,
)
from search.citations.desk import Desk
from search.citations.edition import Span
from search.citations.lookup import with_most_words, with_parts, with_words
from search.citations.quotations import Quotation
from search.citations.verification import Reading

MOST_QUOTATIONS = 50
MOST_PLACES = 5
MOST_SPOTS = 100  # Of the same words in one window.
MOST_UNITS = 5  # That a quotation is held against.
LONGEST_UNIT = 200_000  # Characters of a unit that are looked through.
WIDEST = 20_000  # Characters around a chunk.
MARGIN = 200
TOO_MANY = f"Only the first {MOST_QUOTATIONS} quotations of a text are looked up."
NO_WORDS = "There is no word in it."
AT_ENDS = ' .,;:!?"“”'  # Signs that belong to who quotes.


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a version's text that a quotation is looked for in."""

    version_id: UUID
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Spot:
    version_id: UUID
    span: Span


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quotation with what it is cited from."""

    quotation: Quotation
    reference: str = ""
    units: tuple[Section, ...] = ()


def check_quotation(quoted: Quoted, desk: Desk) -> Checked:
    """Say whether words stand where they are said to stand, or anywhere."""
    pieces = read_pieces(quoted.quotation.text)
    if not pieces:
        return describe(quoted, Outcome.UNCHECKED, NO_WORDS)
    units = [unit_window(section) for section in quoted.units[:MOST_UNITS]]
    if spots := exact_spots(pieces, units):
        return found(quoted, Outcome.FOUND, spots, desk)
    windows, spots = look_everywhere(quoted.quotation.text, pieces, desk)
    if spots:
        return found(quoted, Outcome.ELSEWHERE if quoted.units else Outcome.FOUND, spots, desk)
    return find_nearly(quoted, pieces, [*units, *windows], desk)


def look_everywhere(
    text: str, pieces: Sequence[Sequence[str]], desk: Desk
) -> tuple[list[Window], list[Spot]]:
    """Look in chunks with all of the words in a row, then in those with parts of them and around them."""
    longest, windows = max(part_quotation(text), key=len), []
    for look in (with_words, with_parts):
        windows = [chunk_window(chunk, len(text)) for chunk in look(desk.reach, longest)]
        if spots := exact_spots(pieces, windows):
            return windows, spots
    return windows, []


def find_nearly(
    quoted: Quoted, pieces: Sequence[Sequence[str]], windows: Sequence[Window], desk: Desk
) -> Checked:
    """Return the passage that is most like a quotation, if one is."""
    text = quoted.quotation.text
    best = nearest_spot(pieces, windows)
    if best is None:
        chunks = with_most_words(desk.reach, text, desk.languages)
        best = nearest_spot(pieces, [chunk_window(chunk, len(text)) for chunk in chunks])
    reading = None if best is None else desk.read(best[0].version_id, best[0].span)
    if best is None or reading is None:
        return describe(quoted, Outcome.NOT_FOUND, "Nothing that may be read says this, or nearly this.")
    return describe(
        quoted,
        Outcome.NEARLY,
        f"{where(reading)} says nearly this: {best[1]:.0%} of the words are the same.",
        places=(reading,),
        place_count=1,
        difference=mark_words(reading.text, text.strip(AT_ENDS)),
        share=round(best[1], 3),
    )


def found(quoted: Quoted, status: Outcome, spots: Sequence[Spot], desk: Desk) -> Checked:
    readings = [desk.read(spot.version_id, spot.span) for spot in spots[:MOST_PLACES]]
    places = tuple(reading for reading in readings if reading is not None)
    sentence = f"Word for word in {where(places[0])}" if places else "Word for word"
    if status == Outcome.ELSEWHERE:
        sentence += f", and not in {quoted.reference}"
    return describe(quoted, status, f"{sentence}.", places=places, place_count=len(spots))


def describe(quoted: Quoted, status: Outcome, sentence: str, **facts: object) -> Checked:
    quotation = quoted.quotation
    return Checked(
        kind=Kind.QUOTATION,
        text=quotation.text,
        span=(quotation.start, quotation.end),
        status=status,
        sentence=sentence,
        reference=quoted.reference,
        **facts,  # type: ignore[arg-type]
    )


def where(reading: Reading) -> str:
    return f"{reading.section_label} of {reading.document}" if reading.section_label else reading.document


def exact_spots(pieces: Sequence[Sequence[str]], windows: Iterable[Window]) -> list[Spot]:
    """Return where all words stand; windows may overlap."""
    spots = (
        Spot(window.version_id, (window.start + start, window.start + end))
        for window in windows
        for start, end in islice(find_exact(pieces, read_tokens(window.text)), MOST_SPOTS)
    )
    return list(dict.fromkeys(spots))


def nearest_spot(pieces: Sequence[Sequence[str]], windows: Iterable[Window]) -> tuple[Spot, float] | None:
    """Return the place that is most like a quotation; of two, the first."""
    best: tuple[Window, Nearest] | None = None
    for window in windows:
        nearest = find_nearest(pieces, read_tokens(window.text))
        if nearest is not None and (best is None or nearest.share > best[1].share):
            best = window, nearest
    if best is None:
        return None
    (window, nearest), (start, end) = best, best[1].span
    return Spot(window.version_id, (window.start + start, window.start + end)), nearest.share


def unit_window(section: Section) -> Window:
    return open_window(section.version_id, section.start, min(section.end, section.start + LONGEST_UNIT))


def chunk_window(chunk: Chunk, length: int) -> Window:
    """Return a chunk with as much around it as a quotation that it has a part of can reach."""
    around = min(2 * length + MARGIN, WIDEST)
    return open_window(chunk.version_id, max(chunk.start - around, 0), chunk.end + around)


def open_window(version_id: UUID, start: int, end: int) -> Window:
    rows = Version.objects.filter(pk=version_id).values_list(
        Substr("text", start + 1, end - start), flat=True
    )
    return Window(version_id, start, rows.first() or "")
