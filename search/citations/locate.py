"""Find what was cited from one version of a text in another: the same words, or what became of their unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from documents.parse import Unit
from search.citations.align import map_span
from search.citations.edition import Edition, Span, find_words, trim
from search.citations.verification import Status

MOST_PLACES = 10
MOST_OCCURRENCES = 1_000  # Of the same words in one text.
TELLING = 8  # Words that nobody writes twice by chance.
FEW = 4  # Fewer words than these, “[Reserved]”, are somewhere in most texts, and have not moved there.
ALIKE = 0.6  # The share of words that make a unit the same unit under another number.
UNLIKE = 0.3  # Below it, the number was given to another unit.
SAME_TITLE = 0.3  # What a title counts that is still the same.
LONGEST_TITLE = 100  # Longer ones are sentences.
LONGEST_COMPARED = 60_000  # Characters of a unit.
MOST_COMPARED = 3_000  # Units.


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands, and in which unit."""

    span: Span
    unit: int


@dataclass(frozen=True, slots=True)
class Located:
    status: Status
    places: tuple[Place, ...] = ()
    count: int = 0  # Of all places, if not all are named.


@dataclass(frozen=True, slots=True)
class Cited:
    """A span of an old text, and the unit that it is cited by."""

    old: Edition
    span: Span
    unit: int

    @property
    def label(self) -> str:
        return self.old.label(self.unit)

    @property
    def is_whole(self) -> bool:
        """Whether all of the unit is cited, and not only a part."""
        return trim(self.old.text, self.old.span(self.unit)) == trim(self.old.text, self.span)


def locate_words(cited: Cited, new: Edition) -> Located:
    """Say whether the words stand where they stood, stand elsewhere, were changed, or are gone."""
    home = new.by_label.get(cited.label)
    if home is not None and (place := _at_home(cited, new, home)):
        return Located(Status.STANDS, (place,), 1)
    moved = list(_elsewhere(cited, new, home))
    if moved:
        return Located(Status.MOVED, tuple(moved[:MOST_PLACES]), len(moved))
    unit = _recognise(cited, new, home)
    if unit is None:
        return Located(Status.REMOVED)
    return Located(Status.CHANGED, (_changed(cited, new, unit),), 1)


def _at_home(cited: Cited, new: Edition, home: int) -> Place | None:
    """Return where the words stand in the unit of the same label: as all of it, if they were all of it."""
    words, span = cited.old.words(cited.span), new.span(home)
    if cited.is_whole:
        return Place(span, home) if new.words(span) == words else None
    begin = cited.span[0] - cited.old.span(cited.unit)[0]
    inside = [one for one in _occurrences(new.text, words) if span[0] <= one[0] < span[1]]
    if not inside:
        return None
    nearest = min(inside, key=lambda one: abs(one[0] - span[0] - begin))
    return Place(nearest, home)


def _elsewhere(cited: Cited, new: Edition, home: int | None) -> Iterator[Place]:
    """Yield other units that have the words, behind whatever number.

    While the unit is still there, only places count that did not have these words before: what is said
    twice and changed once has not moved. Nor has a unit to which something was added.
    """
    old = cited.old
    words = old.words(old.body(cited.span))
    if len(words) < FEW:
        return
    before = {old.label(old.innermost(span)) for span in _occurrences(old.text, words)}
    around = (0, 0) if home is None else new.span(home)
    for span in _occurrences(new.text, words):
        unit = new.innermost(span)
        if home and around[0] <= span[0] < around[1]:
            continue
        is_new = new.label(unit) not in before
        is_telling = home is None and len(words) >= TELLING
        if is_new or is_telling:
            is_unit = trim(new.text, new.body(new.span(unit))) == trim(new.text, span)
            yield Place(new.span(unit) if is_unit and cited.is_whole else span, unit)


def _occurrences(text: str, words: Sequence[str]) -> list[Span]:
    return list(islice(find_words(text, words), MOST_OCCURRENCES))


def _recognise(cited: Cited, new: Edition, home: int | None) -> int | None:
    """Return the unit of the same label, unless another one is what that was before."""
    if home is not None and (not cited.unit or _likeness(cited, new, home) >= UNLIKE):
        return home
    best = max(_candidates(cited, new), key=lambda one: _likeness(cited, new, one), default=None)
    if best is not None and _likeness(cited, new, best) >= ALIKE:
        return best
    return home


def _candidates(cited: Cited, new: Edition) -> Iterator[int]:
    """Yield units of the same title or about the same size that are not what they were before."""
    old, unit = cited.old, cited.old.units[cited.unit]
    length, title = unit.end - unit.start, _title(unit)
    if length > LONGEST_COMPARED:
        return
    alike = (
        index
        for index, other in enumerate(new.units)
        if index
        and other.end - other.start <= LONGEST_COMPARED
        and (length / 3 <= other.end - other.start <= 3 * length or (title and _title(other) == title))
    )
    for index in islice(alike, MOST_COMPARED):
        before = old.by_label.get(new.label(index))
        if before is None or old.words(old.span(before)) != new.words(new.span(index)):
            yield index


def _likeness(cited: Cited, new: Edition, index: int) -> float:
    """Return the share of words that two units have in common, more if their titles are the same."""
    old = cited.old
    before = Counter(old.words(old.body(old.span(cited.unit))))
    after = Counter(new.words(new.body(new.span(index))))
    total = before.total() + after.total()
    title = _title(old.units[cited.unit])
    is_titled = bool(title) and title == _title(new.units[index])
    return (2 * (before & after).total() / total if total else 0.0) + SAME_TITLE * is_titled


def _title(unit: Unit) -> str:
    """Return a heading by which a unit is known whatever its number."""
    return unit.title.strip(" .:").casefold() if len(unit.title) <= LONGEST_TITLE else ""


def _changed(cited: Cited, new: Edition, unit: int) -> Place:
    """Return what stands now in the place of the cited words."""
    if cited.is_whole:
        return Place(new.span(unit), unit)
    old_start, old_end = cited.old.span(cited.unit)
    start, end = new.span(unit)
    inner = cited.span[0] - old_start, min(cited.span[1], old_end) - old_start
    mapped = map_span(cited.old.text[old_start:old_end], new.text[start:end], inner)
    return Place((start + mapped[0], start + mapped[1]), unit)
