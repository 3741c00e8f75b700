"""The units that a query cites, in what may be read; or that there are none, and what there is instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from definitions.extract.found import Span, Target
from documents.models import Document, Section, VersionQuerySet
from search.retrieve.cited_documents import NamedDocuments, find_documents
from search.retrieve.cited_labels import Labelled, find_by_label
from search.retrieve.cited_outlines import CitedOutline, outlines_of, subtrees_of
from search.understand.citations import CitedPlace
from search.understand.cite_reasons import explain_document, explain_missing, explain_nowhere
from search.understand.cited_units import (
    Traced,
    family_of,
    is_control,
    is_year,
    measure_nearness,
    show_existing,
    trace_below,
    trace_target,
)

MOST_UNITS = 20  # Of one citation without a document: all have a section 1.
FEW_VERSIONS = 20  # So many outlines are looked through, where no label is met.
MOST_HEADS = 8  # Units with the first step that are looked into, where no label is met as a whole.


@dataclass(frozen=True, slots=True)
class CitedUnit:
    place: CitedPlace
    section: Section  # With its version, without the text, and its document.


@dataclass(frozen=True, slots=True)
class MissingUnit:
    place: CitedPlace
    document: Document | None
    reason: str  # For people, in whole sentences.
    existing: tuple[str, ...] = ()  # Labels of what there is nearby.


@dataclass(frozen=True, slots=True)
class Citations:
    units: tuple[CitedUnit, ...] = ()
    missing: tuple[MissingUnit, ...] = ()
    names: tuple[Span, ...] = ()  # Where the query names the documents that were found.


@dataclass(slots=True)
class _Found:
    """What was found so far; sections are loaded together at the end."""

    units: list[tuple[CitedPlace, UUID]] = field(default_factory=list)
    missing: list[MissingUnit] = field(default_factory=list)
    names: list[Span] = field(default_factory=list)
    labelled: dict[tuple[Target, frozenset[UUID]], Labelled] = field(default_factory=dict)


def resolve_citations(cited: Sequence[CitedPlace], versions: VersionQuerySet) -> Citations:
    """Look each place up in the versions given, and nowhere else; the likeliest unit of each is first."""
    if not cited:
        return Citations()
    documents = find_documents(cited, versions)
    found = _Found()
    for place in cited:
        _resolve(place, versions, documents, found)
    sections = _load_sections({pk for _, pk in found.units})
    units = dict.fromkeys((place, pk) for place, pk in found.units if pk in sections)
    return Citations(
        tuple(CitedUnit(place, sections[pk]) for place, pk in units),
        tuple(found.missing),
        tuple(dict.fromkeys(found.names)),
    )


def _resolve(place: CitedPlace, versions: VersionQuerySet, documents: NamedDocuments, found: _Found) -> None:
    named = documents.of(place)
    if named is not None:
        if not named.ids and not place.is_sure:
            return
        if not named.ids:
            found.missing.append(MissingUnit(place, None, explain_document(place.target.document)))
            return
        found.names.extend(named.spans)
        is_sure = place.is_sure or (named.is_all and not is_year(place.target))
        _resolve_in(place, versions.filter(document__in=named.ids), found, is_sure=is_sure)
    elif place.is_bound:
        return
    elif place.target.steps:
        _resolve_anywhere(place, versions, documents.preferred(place), found)


def _resolve_in(place: CitedPlace, versions: VersionQuerySet, found: _Found, *, is_sure: bool) -> None:
    """Look into the documents that the query names."""
    outlines = outlines_of(versions, MOST_UNITS)
    traced = [(outline, trace_target(outline.index, place.target)) for outline in outlines]
    sections = [outline.ids[one.unit] for outline, one in traced if one.unit is not None]
    found.units.extend((place, pk) for pk in sections)
    if not sections and is_sure and outlines:
        found.missing.append(_explain(place, [(outline, one.nearest) for outline, one in traced]))


def _resolve_anywhere(
    place: CitedPlace, versions: VersionQuerySet, preferred: frozenset[UUID], found: _Found
) -> None:
    """Look for a citation that names no document in all of them; those named elsewhere in the query first."""
    key = place.target, preferred
    if key not in found.labelled:  # Whoever cites the same place again means the same units.
        found.labelled[key] = find_by_label(place.target, versions, preferred, MOST_UNITS)
    labelled = found.labelled[key]
    if labelled.units:
        found.units.extend((place, pk) for pk in labelled.units)
        return
    heads = labelled.heads[:MOST_HEADS]
    steps = place.target.steps
    if labelled.is_wide:
        outlines = outlines_of(versions.filter(pk__in=[head.version for head in heads]), MOST_UNITS)
        traced = [(outline, trace_target(outline.index, place.target)) for outline in outlines]
    else:
        outlines = subtrees_of(heads, versions)
        traced = [(outline, trace_below(outline.index, 1, steps)) for outline in outlines]
    if not any(one.unit is not None for _, one in traced):
        others = _look_through(place, versions)
        is_found = any(one.unit is not None for _, one in others)
        traced = others if is_found else traced or others
    _add(place, traced, versions, found)


def _look_through(place: CitedPlace, versions: VersionQuerySet) -> list[tuple[CitedOutline, Traced]]:
    """Look into all outlines, if there are few: not every way to cite a unit is one of its labels."""
    outlines = outlines_of(versions, FEW_VERSIONS + 1)
    if len(outlines) > FEW_VERSIONS:
        return []
    return [(outline, trace_target(outline.index, place.target)) for outline in outlines]


def _add(
    place: CitedPlace,
    traced: Sequence[tuple[CitedOutline, Traced]],
    versions: VersionQuerySet,
    found: _Found,
) -> None:
    sections = [outline.ids[one.unit] for outline, one in traced if one.unit is not None]
    found.units.extend((place, pk) for pk in sections)
    is_sure = place.is_sure or _is_of_family(place, [outline for outline, _ in traced], versions)
    if sections or not is_sure:
        return
    if any(one.nearest for _, one in traced):
        found.missing.append(_explain(place, [(outline, one.nearest) for outline, one in traced]))
    else:
        found.missing.append(MissingUnit(place, None, explain_nowhere(place)))


def _is_of_family(place: CitedPlace, outlines: Sequence[CitedOutline], versions: VersionQuerySet) -> bool:
    """Tell a control that is missing, "AC-99" where there are such, from the name of anything: "IL-10"."""
    family = family_of(place.target) if place.is_alone else ""
    if not family:
        return False
    if any(is_control(unit.label, family) for outline in outlines for unit in outline.index.units):
        return True
    alike = Section.objects.filter(label__startswith=family, version__in=versions.values("pk"))
    return any(is_control(label, family) for label in alike.values_list("label", flat=True)[:MOST_UNITS])


def _explain(place: CitedPlace, nearby: Sequence[tuple[CitedOutline, int]]) -> MissingUnit:
    """Say what there is instead, in the document that has the most of what was cited."""
    outline, nearest = max(nearby, key=lambda one: measure_nearness(one[0].index, one[1], place.target))
    existing = show_existing(outline.index, nearest, place.target)
    document = outline.version.document
    reason = explain_missing(place, outline.index, nearest, existing, document.name)
    return MissingUnit(place, document, reason, existing)


def _load_sections(ids: Iterable[UUID]) -> dict[UUID, Section]:
    wanted = list(ids)
    if not wanted:
        return {}
    rows = Section.objects.filter(pk__in=wanted).select_related("version__document")
    return {row.pk: row for row in rows.defer("version__text", "version__pages")}
