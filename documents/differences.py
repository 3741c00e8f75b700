"""What became of documents from one version, or one baseline, to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Length

from documents.compare import LOUD, Change, Kind, Place, compare_outlines, cut_units
from documents.models import Baseline, Document, Section, Version

MOST_UNITS = 20_000  # Of a version. Where there are more, the deepest ones are left to those above them.
MOST_DOCUMENTS = 20  # Of two baselines, that are compared unit by unit at once,
MOST_CHARACTERS = 10_000_000  # and what their versions may say in all.


class Outline(NamedTuple):
    """The text of a version and the places of its units."""

    text: str
    places: Sequence[Place]


@dataclass(frozen=True, slots=True)
class Differences:
    """What became of each unit from one version to another. It is coarse if there are too many."""

    old: Version
    new: Version
    changes: tuple[Change, ...]
    is_coarse: bool = False

    @property
    def counts(self) -> Mapping[Kind, int]:
        counts = Counter(change.kind for change in self.changes)
        return {kind: counts[kind] for kind in Kind}

    @property
    def loud(self) -> list[Change]:
        """What has other words than before."""
        return [change for change in self.changes if change.kind in LOUD]


def compare_versions(old: Version, new: Version) -> Differences:
    """Compare two versions unit by unit. Their texts are read here, once."""
    outlines = read_outlines({old.pk, new.pk})
    return compare_read(old, new, outlines)


def compare_read(old: Version, new: Version, outlines: Mapping[UUID, Outline]) -> Differences:
    one, other = outlines[old.pk], outlines[new.pk]
    depth = min(readable_depth(one), readable_depth(other))
    units = [
        cut_units(outline.text, [place for place in outline.places if place.level <= depth])
        for outline in (one, other)
    ]
    is_coarse = any(place.level > depth for outline in (one, other) for place in outline.places)
    return Differences(old, new, compare_outlines(*units), is_coarse)


def readable_depth(outline: Outline) -> int:
    """Return the deepest level down to which there are not too many units."""
    depth, count = 0, 0
    for level, units in sorted(Counter(place.level for place in outline.places).items()):
        count += units
        if count <= MOST_UNITS:
            depth = level
    return depth


def read_outlines(versions: Collection[UUID]) -> dict[UUID, Outline]:
    """Read texts and units of versions, in two queries."""
    texts = dict(Version.objects.filter(pk__in=versions).values_list("pk", "text"))
    places: dict[UUID, list[Place]] = {pk: [] for pk in texts}
    rows = Section.objects.filter(version__in=versions).order_by("version", "position")
    for version, *place in rows.values_list("version", *Place._fields):
        places[version].append(Place(*place))
    return {pk: Outline(text, places[pk] or [Place(0, len(text), 0, "")]) for pk, text in texts.items()}


class Fate(StrEnum):
    """What became of a document from one baseline to another."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """What became of a document: which version was in the one baseline and which is in the other."""

    fate: Fate
    name: str
    old: Version | None
    new: Version | None


@dataclass(frozen=True, slots=True)
class BaselineDifferences:
    """What became of each document, by name, and of the units of as many as can be compared at once."""

    old: Baseline
    new: Baseline
    documents: tuple[DocumentChange, ...]
    units: Mapping[UUID, Differences] = field(default_factory=dict)

    def of(self, fate: Fate) -> list[DocumentChange]:
        return [change for change in self.documents if change.fate == fate]


def compare_baselines(old: Baseline, new: Baseline) -> BaselineDifferences:
    """Compare two baselines document by document, and the first that changed unit by unit.

    The differences of the others are left to whoever asks for them.
    """
    before, after = read_members(old), read_members(new)
    documents = sorted(
        (compare_members(before.get(pk), after.get(pk)) for pk in before.keys() | after.keys()),
        key=lambda change: (change.name, str((change.new or change.old).document_id)),  # type: ignore[union-attr]
    )
    changed = [change for change in documents if change.fate == Fate.CHANGED]
    return BaselineDifferences(old, new, tuple(documents), compare_units(changed))


def documents_of(*baselines: Baseline) -> QuerySet[Document]:
    """Return the documents of which one baseline or another has a version."""
    members = Version.objects.filter(baselines__baseline__in=baselines)
    return Document.objects.filter(pk__in=members.values("document"))


def compare_documents(old: Baseline, new: Baseline, documents: Sequence[Document]) -> BaselineDifferences:
    """Compare some documents of two baselines, in their order, and the first that changed unit by unit."""
    before, after = read_members(old, documents), read_members(new, documents)
    found = tuple(compare_members(before.get(one.pk), after.get(one.pk)) for one in documents)
    changed = [change for change in found if change.fate == Fate.CHANGED]
    return BaselineDifferences(old, new, found, compare_units(changed))


def read_members(baseline: Baseline, documents: Sequence[Document] | None = None) -> dict[UUID, Version]:
    """Return the versions of a baseline by the ids of their documents: of all of these, or of some."""
    versions = Version.objects.without_text().filter(baselines__baseline=baseline)
    if documents is not None:
        versions = versions.filter(document__in=documents)
    return {version.document_id: version for version in versions.select_related("document")}


def compare_members(old: Version | None, new: Version | None) -> DocumentChange:
    if old is not None and new is not None:
        fate = Fate.UNCHANGED if old.pk == new.pk else Fate.CHANGED
    else:
        fate = Fate.ADDED if old is None else Fate.REMOVED
    version = new or old
    return DocumentChange(fate, version.document.name if version else "", old, new)


def compare_units(changed: Sequence[DocumentChange]) -> dict[UUID, Differences]:
    """Compare the first of many documents unit by unit, by the id of the document."""
    pairs = [(one.old, one.new) for one in changed[:MOST_DOCUMENTS] if one.old and one.new]
    ids = {version.pk for pair in pairs for version in pair}
    lengths = dict(Version.objects.filter(pk__in=ids).values_list("pk", Length("text"))) if ids else {}
    chosen, total = [], 0
    for old, new in pairs:
        total += lengths[old.pk] + lengths[new.pk]
        if total <= MOST_CHARACTERS:
            chosen.append((old, new))
    outlines = read_outlines({version.pk for pair in chosen for version in pair}) if chosen else {}
    return {new.document_id: compare_read(old, new, outlines) for old, new in chosen}
