"""Units that a query asks for by name: the one that it cites, the one that defines, those that refer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from django.db.models import Q, QuerySet

from definitions.models import CrossReference, Definition
from definitions.strays import reference_ids, strays_to
from documents.models import Section, VersionQuerySet
from search.answer import NotFound
from search.reach import Placed, Reach
from search.retrieve.citations import Citations, resolve_citations
from search.retrieve.definitions import find_definitions
from search.understand.citations import without_citations
from search.understand.query import QueryKind, Understood

MOST_UNITS = 100
SMALL = 2_000  # Characters of a unit that is shown whole as the place of a definition.


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that is a result, and what makes it one."""

    section: UUID
    version: UUID
    span: tuple[int, int]
    why: str


@dataclass(frozen=True, slots=True)
class Units:
    found: tuple[Unit, ...] = ()
    missing: tuple[NotFound, ...] = ()
    is_all: bool = False  # Whether the query says nothing but citations and the names of their documents.


def find_units(understood: Understood, versions: VersionQuerySet) -> Units:
    """Return the units that a query names, in the order of the query, and what it names in vain."""
    cited = resolve_citations(understood.cited, versions) if understood.cited else Citations((), ())
    missing = tuple(
        NotFound(one.place.text, one.reason, one.existing, one.document.name if one.document else "")
        for one in cited.missing
    )
    if understood.kind == QueryKind.CITING:
        sections = [unit.section for unit in cited.units]
        return Units(_distinct(referring(sections, versions)), missing)
    is_all = bool(understood.cited) and not without_citations(understood.query, understood.cited, cited.names)
    units = [cite(section, "citation") for section in plain_sections(cited, is_alone=is_all)]
    if understood.definition is not None:
        rows = find_definitions(understood.definition, versions)
        units = [*map(defining, rows), *units]
    return Units(_distinct(units), missing, is_all)


def plain_sections(cited: Citations, *, is_alone: bool) -> list[Section]:
    """Return the units that are cited. Beside other words, one that several documents have is none of them:

    "what must a licensee do under Rule 4.2" asks for more than every Rule 4.2 that there is.
    """
    counts = Counter(one.place for one in cited.units)
    return [one.section for one in cited.units if is_alone or counts[one.place] == 1]


def cite(section: Section, why: str) -> Unit:
    return Unit(section.pk, section.version_id, _span(section), why)


def defining(definition: Definition) -> Unit:
    """Return the place of a definition: its unit, or in a long one the sentence itself."""
    section = definition.section
    span = _span(section)
    if span[1] - span[0] > SMALL or not section.position:
        span = (min(definition.start, definition.text_start), max(definition.end, definition.text_end))
    return Unit(section.pk, definition.version_id, span, "definition")


def referring(sections: Sequence[Section], versions: VersionQuerySet) -> Iterator[Unit]:
    """Yield the units in which something refers to one of some units."""
    strays = strays_to({section.version_id for section in sections}, versions)
    for section in sections:
        also = reference_ids(strays, section)
        rows = CrossReference.objects.within(versions).made_to(section, strays=also).select_related("section")
        for reference in rows.order_by("version__document__name", "version_id", "start"):
            yield cite(reference.section, "reference")


def chunks_of(units: Sequence[Unit], reach: Reach) -> dict[tuple[UUID, int], Placed]:
    """Return the chunk within reach that each unit begins in, by version and start; without one, none."""
    if reach.sections is not None:
        units = units_below(units, reach.sections)
    if not units:
        return {}
    begins = Q()
    for unit in units:
        begins |= Q(version=unit.version, start__lte=unit.span[0], end__gt=unit.span[0])
    columns = ("version_id", "start", "end", "id", "version__document_id", "position")
    rows = reach.chunks.filter(begins).values_list(*columns)
    return {
        (unit.version, unit.span[0]): Placed(chunk, document, version, position)
        for version, start, end, chunk, document, position in rows
        for unit in units
        if version == unit.version and start <= unit.span[0] < end
    }


def units_below(units: Sequence[Unit], sections: QuerySet[Section]) -> list[Unit]:
    """Return the units that begin in one of some sections."""
    own = sections.filter(version__in={unit.version for unit in units})
    spans = list(own.values_list("version_id", "start", "end"))
    return [
        unit
        for unit in units
        if any(
            unit.version == version and start <= unit.span[0] < max(end, start + 1)
            for version, start, end in spans
        )
    ]


def _span(section: Section) -> tuple[int, int]:
    return section.start, section.end


def _distinct(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Keep the first of those that are the same words."""
    kept: dict[tuple[UUID, tuple[int, int]], Unit] = {}
    for unit in units:
        kept.setdefault((unit.version, unit.span), unit)
    return tuple(islice(kept.values(), MOST_UNITS))
