"""Find the document and the unit that somebody names, in what may be read; or say what there is instead."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from documents.models import Section, Version, VersionQuerySet
from search.errors import NoSuchDocument, NoSuchSection, PlaceRefused, SeveralSections
from search.read.reading import HEAVY, Reading
from search.retrieve.citations import Citations, resolve_citations
from search.understand.citations import find_citations

MOST_NAMED = 20
ALIKE = 6  # Characters of a label by which others are alike.
NO_DOCUMENT = "There is no such document here, or nothing of it can be read at this read context."
NO_PLACE = "Name a document, or cite a unit in words such as “Article 6(1) of the Harbour Safety Act”."


def find_version(reading: Reading, document: UUID | str) -> Version:
    """Return the version that is read of a document, which is named by its id or its name."""
    rows = reading.versions.select_related("document__collection").defer(*HEAVY)
    found = list(_named(rows, document).order_by("document__collection__name", "-number")[:MOST_NAMED])
    if not found:
        raise NoSuchDocument(NO_DOCUMENT)
    if len({version.document_id for version in found}) > 1:
        places = ", ".join(version.document.collection.name for version in found)
        raise NoSuchDocument(f"“{document}” is in several collections: {places}. Name one, or give its id.")
    return found[0]


def _named(versions: VersionQuerySet, document: UUID | str) -> VersionQuerySet:
    if isinstance(document, UUID):
        return versions.filter(document=document)
    try:
        return versions.filter(document=UUID(document))
    except ValueError:
        return versions.filter(document__name=document)


def find_section(
    reading: Reading, *, document: UUID | str | None = None, label: str = "", citation: str = ""
) -> Section:
    """Return a unit by its document and label, or by a citation in words; without either, the document."""
    if document is None and not citation:
        raise PlaceRefused(NO_PLACE)
    if document is None:
        return _cited(citation, reading.versions)
    version = find_version(reading, document)
    if not citation and (section := _labelled(version, label)) is not None:
        return section
    return _cited(citation or label, reading.versions.filter(pk=version.pk), version)


def _labelled(version: Version, label: str) -> Section | None:
    own = Section.objects.filter(version=version)
    section = own.filter(label=label).first() if label else own.filter(position=0).first()
    if section is not None:
        section.version = version
    return section


def _cited(words: str, versions: VersionQuerySet, version: Version | None = None) -> Section:
    cited = find_citations(words)
    found = resolve_citations(cited, versions) if cited else Citations()
    sections = list({unit.section.pk: unit.section for unit in found.units}.values())
    if not sections:
        raise _nothing(words, found, version)
    if len(sections) > 1:
        raise _several(words, sections)
    rows = Section.objects.select_related("version__document__collection")
    return rows.defer(*(f"version__{name}" for name in HEAVY)).get(pk=sections[0].pk)


def _nothing(words: str, found: Citations, version: Version | None) -> NoSuchSection:
    if found.missing:
        missing = found.missing[0]
        name = missing.document.name if missing.document else ""
        return NoSuchSection(missing.reason, existing=missing.existing, document=name)
    if version is None:
        return NoSuchSection(f"“{words}” cites no unit of what can be read here. {NO_PLACE}")
    name = version.document.name
    return NoSuchSection(f"{name} has no “{words}”.", existing=_alike(version, words), document=name)


def _alike(version: Version, words: str) -> tuple[str, ...]:
    own = Section.objects.filter(version=version, position__gt=0).order_by("position")
    alike = own.filter(label__istartswith=words[:ALIKE]) if words else own
    known = list(alike.values_list("label", flat=True)[:MOST_NAMED])
    return tuple(known or own.filter(level=1).values_list("label", flat=True)[:MOST_NAMED])


def _several(words: str, sections: Sequence[Section]) -> SeveralSections:
    candidates = [
        (section.version.document_id, section.version.document.name, section.label) for section in sections
    ]
    listed = "; ".join(f"{label} of {name}" for _, name, label in candidates)
    return SeveralSections(
        f"“{words}” is more than one unit: {listed}. Read one at a time.", candidates=tuple(candidates)
    )
