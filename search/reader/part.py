"""Read a part of a version: its words, the units in it, what its terms mean and what it refers to.

However long the document is, this looks at the units and the words of one part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models.functions import Substr

from definitions.readable import Readable
from documents.models import Section, Version
from search.enrich import DefinitionInForce, Place, ReferenceMade
from search.enrich.definitions import definitions_in_force
from search.enrich.references import references_made
from search.enrich.units import PlacedUnit
from search.reader.mentions import count_mentions
from search.reader.opened import Opened
from search.reader.parts import Parts
from search.round_trips import ask, together

FIELDS = ("id", "parent_id", "position", "level", "kind", "marker", "title", "label", "start", "end")
PLACE = 2_500  # Characters that are looked at as one result is: so many terms and references each may have.
UP = """
    WITH RECURSIVE up AS (
        SELECT id, parent_id, position, level, kind, marker, title, label, start, "end"
        FROM documents_section WHERE version_id = %s AND position = %s
        UNION ALL
        SELECT above.id, above.parent_id, above.position, above.level, above.kind, above.marker,
            above.title, above.label, above.start, above."end"
        FROM up JOIN documents_section AS above ON above.id = up.parent_id
    )
    SELECT * FROM up ORDER BY level
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRead:
    """A part. `above` are the units that it begins inside of, from the document down."""

    index: int
    span: tuple[int, int]
    text: str
    units: tuple[PlacedUnit, ...]
    above: tuple[PlacedUnit, ...]
    definitions: tuple[DefinitionInForce, ...]
    references: tuple[ReferenceMade, ...]
    mentions: dict[int, int]  # By the position of a unit: how often it is referred to.


def read_part(opened: Opened, parts: Parts, index: int) -> PartRead:
    """Return a part of the version that is open. In the tenant's scope."""
    version, span, inside = opened.version, parts.span(index), parts.units(index)
    text = read_words(version.pk, span)
    units = units_between(version.pk, inside)
    readable = Readable.of(opened.reading.versions)
    above = [unit for unit in units_up(version.pk, inside.start - 1) if unit.end > span[0]]
    places, within = cut_places(version.pk, span, text, units, above)
    holders = {version.pk: opened.holder}
    meanings, references = ask(
        together(
            definitions_in_force(places, holders, readable, units=within),
            references_made(places, holders, readable),
        )
    )
    return PartRead(
        index=index,
        span=span,
        text=text,
        units=tuple(units),
        above=tuple(above),
        definitions=tuple(one for own in meanings for one in own),
        references=tuple(one for own in references for one in own),
        mentions=count_mentions(opened.holder, inside, readable),
    )


def read_words(version_id: UUID, span: tuple[int, int]) -> str:
    words = Substr("text", span[0] + 1, span[1] - span[0])
    return str(Version.objects.filter(pk=version_id).values_list(words, flat=True).get())


def units_between(version_id: UUID, positions: range) -> list[PlacedUnit]:
    rows = Section.objects.filter(
        version=version_id, position__gte=positions.start, position__lt=positions.stop
    )
    return [PlacedUnit(*row) for row in rows.order_by("position").values_list(*FIELDS)]


def units_up(version_id: UUID, position: int) -> list[PlacedUnit]:
    """Return a unit with those around it, from the document down."""
    if position < 0:
        return []
    with connection.cursor() as cursor:
        cursor.execute(UP, [version_id, position])
        return [PlacedUnit(*row) for row in cursor.fetchall()]


def cut_places(
    version_id: UUID,
    span: tuple[int, int],
    text: str,
    units: Sequence[PlacedUnit],
    above: Sequence[PlacedUnit],
) -> tuple[list[Place], list[list[PlacedUnit]]]:
    """Cut a part where units begin, into places that are not long, each with its units."""
    places: list[Place] = []
    within: list[list[PlacedUnit]] = []
    for start, end, own in _stretches(span, units):
        around = own[0] if own else (above[-1] if above else None)
        if around is not None:
            words = text[start - span[0] : end - span[0]]
            places.append(Place(version_id, around.id, start, end, words))
            within.append(own)
    return places, within


def _stretches(
    span: tuple[int, int], units: Sequence[PlacedUnit]
) -> Iterator[tuple[int, int, list[PlacedUnit]]]:
    start, own = span[0], list[PlacedUnit]()
    for unit in units:
        if unit.start - start >= PLACE:
            yield start, unit.start, own
            start, own = unit.start, []
        own.append(unit)
    yield start, span[1], own
