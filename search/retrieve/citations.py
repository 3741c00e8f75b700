"""The units that a query cites, in what may be read; or that there are none, and what there is instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from definitions.extract.found import Span, Target
from documents.models import Document, Section, VersionQuerySet
from search.retrieve.cited_documents import NamedDocuments, find_documents
from search.retrieve.cited_labels import find_by_label
from search.retrieve.cited_outlines import CitedOutline, outlines_of
from search.understand.citations import CitedPlace
from search.understand.cite_reasons import explain_document, explain_missing, explain_nowhere
from search.understand.cited_units import show_existing, trace_target

MOST_UNITS = 20  # Of one citation without a document: all have a section 1.


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
        _resolve_in(place, versions.filter(document__in=named.ids), found)
    elif place.is_bound:
        return
    elif place.target.steps:
        _resolve_anywhere(place, versions, documents.preferred(place), found)


def _resolve_in(place: CitedPlace, versions: VersionQuerySet, found: _Found) -> None:
    """Look into the documents that the query names."""
    outlines = outlines_of(versions, MOST_UNITS)
    sections = list(_trace(place.target, outlines))
    found.units.extend((place, pk) for pk in sections)
    if not sections and place.is_sure and outlines:
        found.missing.append(_missing(place, outlines))


def _trace(target: Target, outlines: Iterable[CitedOutline]) -> Iterator[UUID]:
    for outline in outlines:
        unit = trace_target(outline.index, target).unit
        if unit is not None:
            yield outline.ids[unit]


def _resolve_anywhere(
    place: CitedPlace, versions: VersionQuerySet, preferred: frozenset[UUID], found: _Found
) -> None:
    """Look for a citation that names no document in all of them; those named elsewhere in the query first."""
    labelled = find_by_label(place.target, versions, preferred, MOST_UNITS)
    exact = [pk for pk, _ in labelled.units]
    known = {version for _, version in labelled.units}
    others = [version for version in labelled.heads if version not in known][: MOST_UNITS - len(exact)]
    outlines = outlines_of(versions.filter(pk__in=others), MOST_UNITS) if others else []
    outlines.sort(key=lambda outline: others.index(outline.version.pk))
    sections = [*exact, *_trace(place.target, outlines)][:MOST_UNITS]
    found.units.extend((place, pk) for pk in sections)
    if not sections and place.is_sure:
        missing = _missing(place, outlines) if outlines else MissingUnit(place, None, explain_nowhere(place))
        found.missing.append(missing)


def _missing(place: CitedPlace, outlines: Sequence[CitedOutline]) -> MissingUnit:
    """Say what there is instead, in the document that has the most of what was cited."""
    traced = [(outline, trace_target(outline.index, place.target).nearest) for outline in outlines]
    outline, nearest = max(traced, key=lambda one: one[0].index.units[one[1]].level)
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
