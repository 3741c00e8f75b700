"""The history of one unit of a document, through all its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F
from django.db.models.functions import MD5, Substr

from documents.compare import Change, Kind, Unit
from documents.differences import Outline, compare_read, read_outlines
from documents.models import Document, Section, Version, VersionQuerySet

MOST_COMPARED = 40  # Versions; what lies before them is left out, and the history says so.
WHOLE = Substr("version__text", F("start") + 1, F("end") - F("start"))


@dataclass(frozen=True, slots=True)
class Step:
    """What became of a unit, with all that is below it, in one version."""

    version: Version
    kind: Kind
    label: str
    old_label: str
    text: str
    old_text: str


@dataclass(frozen=True, slots=True)
class History:
    """The versions in which a unit became another, the newest first. It ends early if there are too many."""

    steps: tuple[Step, ...]
    is_complete: bool = True


def section_history(document: Document, label: str, versions: VersionQuerySet | None = None) -> History:
    """Follow a unit through the ready versions of a document, or those of them that are given.

    Its label is the one that it has in the newest version, or had in the last version with such a unit. Most
    versions say the same of it, which is seen without reading them.
    """
    own = Version.objects.all() if versions is None else versions
    ready = own.filter(document=document).readable().without_text().order_by("-number")
    walk = Walk(list(ready), label)
    begin = walk.find_newest()
    if begin is None:
        return History(())
    end, last = walk.go_forward(begin)
    steps = ([] if last is None else [last]) + list(walk.go_back(end))
    return History(tuple(steps), walk.is_complete)


class Walk:
    """A unit on its way through versions, of which the newest is the first."""

    def __init__(self, versions: Sequence[Version], label: str) -> None:
        self.versions = versions
        self.is_complete = True
        self._compared = 0
        self._outlines: dict[UUID, Outline] = {}
        self._label = label
        self._digests = self._read_digests()

    def find_newest(self) -> int | None:
        places = (index for index, version in enumerate(self.versions) if version.pk in self._digests)
        return next(places, None)

    def go_forward(self, index: int) -> tuple[int, Step | None]:
        """Return the newest version that has the unit, and how it ended if another came then."""
        while index:
            if not self._is_same(index, index - 1):
                change = self._compare(index, index - 1, lambda change: change.old)
                if change is None or change.new is None:
                    return index, None if change is None else self._end(index - 1, change)
                self._follow(change.new.label)
            index -= 1
        return index, None

    def go_back(self, index: int) -> Iterator[Step]:
        """Yield what became of the unit, down to where it begins."""
        while index + 1 < len(self.versions):
            if not self._is_same(index, index + 1):
                change = self._compare(index + 1, index, lambda change: change.new)
                if change is None:
                    return
                yield from describe_change(self.versions[index], change)
                if change.old is None:
                    return
                self._follow(change.old.label)
            index += 1
        first = self.versions[index]
        yield Step(first, Kind.ADDED, self._label, "", read_text(first, self._label), "")

    def _follow(self, label: str) -> None:
        if label != self._label:
            self._label = label
            self._digests = self._read_digests()

    def _read_digests(self) -> dict[UUID, str]:
        """Return what each version says under the present label, in short."""
        rows = Section.objects.filter(version__in=self.versions, label=self._label)
        return dict(rows.values_list("version", MD5(WHOLE)))

    def _is_same(self, one: int, other: int) -> bool:
        """Tell whether two versions have the same unit by this label, to the letter."""
        digests = [self._digests.get(self.versions[index].pk) for index in (one, other)]
        return digests[0] is not None and digests[0] == digests[1]

    def _compare(self, old: int, new: int, side: Callable[[Change], Unit | None]) -> Change | None:
        """Return what became of the unit between two neighbours. Each text is read once."""
        if self._compared < MOST_COMPARED:
            self._compared += 1
            pair = self.versions[old], self.versions[new]
            kept = {one.pk: self._outlines[one.pk] for one in pair if one.pk in self._outlines}
            self._outlines = kept | read_outlines({one.pk for one in pair} - kept.keys())
            for change in compare_read(*pair, self._outlines).changes:
                unit = side(change)
                if unit is not None and unit.label == self._label:
                    return change
        self.is_complete = False
        return None

    def _end(self, index: int, change: Change) -> Step:
        text = change.unit.whole
        return Step(self.versions[index], Kind.REMOVED, self._label, self._label, "", text)


def describe_change(version: Version, change: Change) -> Iterator[Step]:
    """Yield what became of a unit with all that is below it; nothing if only blanks are others."""
    old, new = change.old, change.unit
    if old is None:
        yield Step(version, Kind.ADDED, new.label, "", new.whole, "")
    elif old.label != new.label:
        is_moved = change.kind == Kind.MOVED and not change.below
        kind = Kind.MOVED if is_moved else Kind.MOVED_AND_CHANGED
        yield Step(version, kind, new.label, old.label, new.whole, old.whole)
    elif old.whole.split() != new.whole.split():
        yield Step(version, Kind.CHANGED, new.label, old.label, new.whole, old.whole)


def read_text(version: Version, label: str) -> str:
    return str(Section.objects.filter(version=version, label=label).values_list(WHOLE, flat=True).get())
