"""Which documents of a collection, or which units of a document, refer to which, small enough to draw."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count

from definitions.meant import Linked, find_meant
from definitions.models import CrossReference, ReferenceKind
from definitions.readable import Readable
from definitions.strays import strays_to
from documents.models import Document, Section, Version, VersionQuerySet

MOST_NODES = 60
MOST_EDGES = 240
MOST_DOCUMENTS = 12  # Beside the units of one document.
MOST_READ = 20_000
OTHERS = "others"


@dataclass(frozen=True, slots=True)
class Knot:
    """A document or a unit; `key` is an id, a label, or says that it stands for several others."""

    key: str
    label: str
    title: str = ""
    is_document: bool = False
    inside: int = 0  # References from it to itself.
    made: int = 0  # To others.
    met: int = 0  # From others.
    members: int = 1


@dataclass(frozen=True, slots=True)
class Bundle:
    """The references from one knot to another."""

    source: int
    target: int
    count: int


@dataclass(frozen=True, slots=True)
class Network:
    knots: tuple[Knot, ...]
    bundles: tuple[Bundle, ...]
    is_cut: bool = False  # Whether bundles were left out, or references not read.


Pairs = Counter[tuple[str, str]]


def document_network(versions: VersionQuerySet, *, most: int = MOST_NODES) -> Network:
    """Return the documents that refer to one another, by name; the least joined are summed up as others."""
    rows = (
        CrossReference.objects.resolved()
        .within(versions)
        .filter(target_document__in=versions.values("document"))
        .order_by()
        .values_list("version__document", "target_document")
        .annotate(Count("pk"))
    )
    pairs: Pairs = Counter({(str(one), str(other)): count for one, other, count in rows})
    ids = {end for pair in pairs for end in pair}
    names = {str(pk): name for pk, name in Document.objects.filter(pk__in=ids).values_list("pk", "name")}
    labels = {
        key: (name, "", True) for key, name in sorted(names.items(), key=lambda item: (item[1], item[0]))
    }
    return join(labels, pairs, most=most)


def unit_network(version: Version, versions: VersionQuerySet, *, most: int = MOST_NODES) -> Network:
    """Return the units of a document in its order, then the other documents that it is joined to."""
    sections = list(
        Section.objects.filter(version=version)
        .order_by("position")
        .values_list("label", "title", "level", "start", "end")
    )
    cut = cut_outline([(level, start, end) for _, _, level, start, end in sections], most - MOST_DOCUMENTS)
    owners = Owners(sections, cut)
    pairs, is_cut = pairs_of(version, versions, owners)
    ids = {end for pair in pairs for end in pair if end.startswith(DOCUMENT)}
    names = Document.objects.filter(pk__in=[end.removeprefix(DOCUMENT) for end in ids]).order_by("name", "pk")
    joined = {end for pair in pairs for end in pair}
    labels = {
        key: (key.removeprefix(UNIT), sections[one][1], False)
        for one in cut
        if (key := f"{UNIT}{sections[one][0] if one else ''}") in joined
    }
    labels |= {f"{DOCUMENT}{pk}": (name, "", True) for pk, name in names.values_list("pk", "name")}
    found = join(labels, pairs, most=most)
    return Network(found.knots, found.bundles, found.is_cut or is_cut)


UNIT, DOCUMENT = "unit:", "document:"


def cut_outline(spans: Sequence[tuple[int, int, int]], most: int) -> list[int]:
    """Return the positions of units that stand for all: as deep as fits, the whole document the first.

    Spans are those of a level, a start and an end, in the order of the document.
    """
    chosen = [0]
    deepest = max((level for level, _, _ in spans), default=0)
    for depth in range(1, deepest + 1):
        positions = [index for index, (level, _, _) in enumerate(spans) if level <= depth]
        if len(positions) > most:
            break
        chosen = positions
    return chosen


class Owners:
    """Which of the chosen units a place or a label of a version belongs to."""

    def __init__(self, sections: Sequence[tuple[str, str, int, int, int]], chosen: Sequence[int]) -> None:
        self.sections = sections
        self.chosen = chosen
        self.starts = [sections[one][3] for one in chosen]
        self.by_label = {label: start for label, _, _, start, _ in sections}

    def at(self, start: int) -> str:
        """Return the innermost chosen unit around a place."""
        index = max(0, bisect_right(self.starts, start) - 1)
        while index > 0 and self.sections[self.chosen[index]][4] <= start:
            index -= 1
        position = self.chosen[index]
        return f"{UNIT}{self.sections[position][0] if position else ''}"

    def of(self, label: str) -> str:
        return self.at(self.by_label[label]) if label in self.by_label else UNIT


def pairs_of(version: Version, versions: VersionQuerySet, owners: Owners) -> tuple[Pairs, bool]:
    """Count what the units of a version refer to, and what other documents refer to in it."""
    own: Any = CrossReference.objects.filter(version=version).order_by("position")
    inside = own.resolved().filter(kind=ReferenceKind.INTERNAL).values_list("start", "target_label")
    inner = list(inside[: MOST_READ + 1])
    outside = own.filter(kind=ReferenceKind.DOCUMENT).exclude(target_document=None)
    outer = list(outside[: MOST_READ + 1])
    pairs: Pairs = Counter((owners.at(start), owners.of(label)) for start, label in inner[:MOST_READ])
    pairs.update(_made(version, outer[:MOST_READ], versions, owners))
    met: Any = CrossReference.objects.linked().within(versions).filter(target_document=version.document_id)
    others = met.filter(kind=ReferenceKind.DOCUMENT).order_by()
    summed = others.values_list("version__document", "target_label").annotate(Count("pk"))
    for document, label, count in summed[:MOST_READ]:
        if not label or label in owners.by_label:
            pairs[f"{DOCUMENT}{document}", owners.of(label)] += count
    pairs.update(_strayed(version, versions, owners))
    return pairs, max(len(inner), len(outer)) > MOST_READ


def _made(
    version: Version, rows: Sequence[CrossReference], versions: VersionQuerySet, owners: Owners
) -> Iterator[tuple[str, str]]:
    """Yield what references to other documents join, of those that are read."""
    for row in rows:
        row.version = version
    meant = find_meant([Linked.of(row) for row in rows], Readable.of(versions)) if rows else []
    for row, one in zip(rows, meant, strict=True):
        if one.document is not None and one.section_id is not None:
            yield owners.at(row.start), f"{DOCUMENT}{one.document.document_id}"


def _strayed(version: Version, versions: VersionQuerySet, owners: Owners) -> Iterator[tuple[str, str]]:
    """Yield what references join that mean units of this version and are linked to none of them."""
    strays = {pk: one for one in strays_to({version.pk}, versions) for pk in one.reference_ids}
    if strays:
        rows = CrossReference.objects.filter(pk__in=strays).values_list("pk", "version__document")
        for pk, document in rows:
            yield f"{DOCUMENT}{document}", owners.of(strays[pk].label)


def join(labels: Mapping[str, tuple[str, str, bool]], pairs: Pairs, *, most: int) -> Network:
    """Make knots in the order of the labels; those that fewest references join become one, the last."""
    weights: Counter[str] = Counter()
    for (source, target), count in pairs.items():
        weights[source] += count
        weights[target] += count
    order = list(labels)
    kept = set(order)
    if len(order) > most:
        heavy = sorted(order, key=lambda key: (-weights[key], order.index(key)))
        kept = set(heavy[: most - 1])
    names = [key for key in order if key in kept]
    rest = len(order) - len(names)
    places: dict[Hashable, int] = {key: index for index, key in enumerate(names)}
    sums: Counter[tuple[int, int]] = Counter()
    for (source, target), count in pairs.items():
        if source in labels and target in labels:
            sums[places.get(source, len(names)), places.get(target, len(names))] += count
    return Network(tuple(_knots(names, labels, sums, rest)), *_bundles(sums))


def _knots(
    names: Sequence[str],
    labels: Mapping[str, tuple[str, str, bool]],
    sums: Counter[tuple[int, int]],
    rest: int,
) -> list[Knot]:
    knots = []
    for index in range(len(names) + (1 if rest else 0)):
        is_rest = index == len(names)
        label, title, is_document = ("", "", False) if is_rest else labels[names[index]]
        knots.append(
            Knot(
                key=OTHERS if is_rest else names[index],
                label=label,
                title=title,
                is_document=is_document,
                inside=sums[index, index],
                made=sum(count for (one, other), count in sums.items() if one == index != other),
                met=sum(count for (one, other), count in sums.items() if other == index != one),
                members=rest if is_rest else 1,
            )
        )
    return knots


def _bundles(sums: Counter[tuple[int, int]]) -> tuple[tuple[Bundle, ...], bool]:
    joined = [Bundle(one, other, count) for (one, other), count in sums.items() if one != other]
    joined.sort(key=lambda bundle: (-bundle.count, bundle.source, bundle.target))
    return tuple(joined[:MOST_EDGES]), len(joined) > MOST_EDGES


def head_of(document_id: UUID, versions: VersionQuerySet) -> Version | None:
    """Return the version of a document that is read."""
    found: Version | None = (
        versions.without_text().filter(document=document_id).select_related("document").first()
    )
    return found
