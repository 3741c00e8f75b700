"""Find what was cited from one version of a text in another: the same words, or what became of their unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from documents.parse import Unit
from search.citations.align import align_texts
from search.citations.edition import Edition, Extract, Span, trim
from search.citations.verification import Status

MOST_PLACES = 10
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


@dataclass(frozen=True)
class Cited:
    """A span of an old text, and the unit that it is cited by, which holds all of it."""

    old: Edition
    span: Span
    unit: int

    @property
    def label(self) -> str:
        return self.old.label(self.unit)

    @cached_property
    def words(self) -> list[str]:
        return self.old.words(self.span)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all of the unit is cited, and not only a part."""
        return trim(self.old.text, self.old.span(self.unit)) == trim(self.old.text, self.span)

    @cached_property
    def home(self) -> Extract:
        return self.old.extract(self.unit)

    @cached_property
    def innermost(self) -> int:
        """The smallest unit around it, which may be smaller than the one that it is cited by."""
        return self.old.innermost(self.span)

    @cached_property
    def place(self) -> Span:
        return trim(self.old.text, self.span)

    @cached_property
    def copies(self) -> list[Span]:
        """Where its unit says the same words: here, and perhaps elsewhere."""
        return sorted({self.place, *self.home.find(self.words)})


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
    if cited.is_whole:
        return Place(new.span(home), home) if new.words(new.span(home)) == cited.words else None
    own = new.by_label.get(cited.old.label(cited.innermost))
    found = find_part(cited, new.extract(home), None if own is None else new.extract(own))
    return None if found is None else Place(found, home)


def find_part(cited: Cited, home: Extract, own: Extract | None) -> Span | None:
    """Return where a part of a unit stands in that unit; `own` is the smallest one that was around it.

    It stands if it is between the words that it was between, whatever the number before them is now; or if
    it is in the same smallest unit, and not what was said twice before and changed once.
    """
    places = home.find(cited.words)
    inside = [] if own is None else [one for one in own.find(cited.words) if one in places]
    if len(cited.copies) == 1 and len(places) == 1 and inside:
        return inside[0]
    became = _align_copies(cited, home) if places else {}
    if cited.place in became:
        return became[cited.place]
    around = cited.old.extract(cited.innermost)
    lost = [one for one in cited.copies if around.holds(one) and one not in became]
    free = [one for one in inside if one not in became.values()]
    return dict(zip(lost, free, strict=False)).get(cited.place)


def _align_copies(cited: Cited, home: Extract) -> dict[Span, Span]:
    """Return what became of each place that says the words, if it says them between the same words still."""
    alignment = align_texts(cited.home.text, home.text)
    became = {}
    for number, place in enumerate(cited.copies):
        before, after = alignment.window(cited.home.within(place))
        between = cited.home.part(before)
        rank = sum(between.holds(one) for one in cited.copies[:number])
        found = home.part(after).find(cited.words)
        if rank < len(found):
            became[place] = found[rank]
    return became


def _elsewhere(cited: Cited, new: Edition, home: int | None) -> Iterator[Place]:
    """Yield other units that have the words, behind whatever number.

    While the unit is still there, only places count that did not have these words before: what is said
    twice and changed once has not moved. Nor has a unit to which something was added; but a part of one may
    have moved inside it.
    """
    old = cited.old
    words = old.words(old.body(cited.span))
    if len(words) < FEW:
        return
    before = {old.label(old.innermost(span)) for span in Extract(0, old.text).find(words)}
    around = (0, 0) if home is None else new.span(home)
    for span in Extract(0, new.text).find(words):
        unit = new.innermost(span)
        if home and cited.is_whole and around[0] <= span[0] < around[1]:
            continue
        is_new = new.label(unit) not in before
        is_telling = home is None and len(words) >= TELLING
        if is_new or is_telling:
            is_unit = trim(new.text, new.body(new.span(unit))) == trim(new.text, span)
            yield Place(new.span(unit) if is_unit and cited.is_whole else span, unit)


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
    start, end = map_part(cited, new.extract(unit))
    return Place((start, end) if start < end else _what_is_left(cited, new, unit), unit)


def map_part(cited: Cited, home: Extract) -> Span:
    """Return what stands in a unit where the cited part of it stood; it has no length if that is gone."""
    start, end = align_texts(cited.home.text, home.text).map(cited.home.within(cited.place))
    return home.start + start, home.start + end


def _what_is_left(cited: Cited, new: Edition, unit: int) -> Span:
    """Return the smallest unit around words that are gone which is still there."""
    index, home = cited.innermost, new.extract(unit)
    while index not in {0, cited.unit}:
        left = new.by_label.get(cited.old.label(index))
        if left is not None and home.holds(new.span(left)):
            return new.span(left)
        index = cited.old.units[index].parent or 0
    return new.span(unit)
