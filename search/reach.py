"""The chunks that a search may find, and the passages that they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from documents.models import Chunk, Section, VersionQuerySet
from search.models import Passage, Placement
from search.request import Filters
from tenants.models import Tenant

# What may stand behind the label of a unit in that of a unit below it: "Article 6(1)", "Schedule 2/4", "1.1".
SIGNS = "(/.-:~ [“"

SAID = """
    SELECT said.passage_id FROM ({chunks}) AS chunk(version_id, position, id)
    JOIN search_placement AS said
        ON said.version_id = chunk.version_id AND said.position = chunk.position AND said.tenant_id = %s
"""
# Placements first, whatever the planner thinks of the filters: it may think that hardly a chunk is left.
# Documents behind OFFSET: among so many tables it would look longer for the best order than the query takes.
KEPT = """
    WITH said AS MATERIALIZED (
        SELECT passage_id, version_id, position FROM search_placement
        WHERE passage_id = ANY(%s) AND tenant_id = %s
    )
    SELECT DISTINCT ON (said.passage_id) said.passage_id, chunk.id, document.id,
        said.version_id, said.position
    FROM said JOIN ({chunks}) AS chunk(version_id, position, id)
        ON said.version_id = chunk.version_id AND said.position = chunk.position
    CROSS JOIN LATERAL (
        SELECT documents_document.id, documents_document.name FROM documents_version
        JOIN documents_document ON documents_document.id = documents_version.document_id
        WHERE documents_version.id = chunk.version_id OFFSET 0
    ) AS document
    ORDER BY said.passage_id, document.name, document.id, chunk.position
"""


@dataclass(frozen=True, slots=True)
class Placed:
    """A chunk that says a passage, its document, and where it stands."""

    chunk: UUID
    document: UUID
    version: UUID
    position: int


@dataclass(frozen=True)
class Reach:
    """The chunks that a search may find: of a tenant, at a read context, after filters.

    What was once asked is remembered, so it is made for one search and thrown away with it.
    """

    tenant_id: UUID
    chunks: QuerySet[Chunk]
    sections: QuerySet[Section] | None = None  # In one of these must begin a unit that was asked for by name.
    _asked: dict[UUID, Placed | None] = field(default_factory=dict, repr=False, compare=False)
    _expected: set[UUID] = field(default_factory=set, repr=False, compare=False)

    @property
    def kind(self) -> int:
        """What it has in common with others of its tenant that differ in values alone."""
        return hash((self.tenant_id, self._chunks and self._chunks[0]))

    def passages(self) -> QuerySet[Passage]:
        """Those that some chunk within reach says."""
        own = Passage.objects.filter(tenant=self.tenant_id)
        if self._chunks is None:
            return own.none()
        chunks, parameters = self._chunks
        said = RawSQL(SAID.format(chunks=chunks), [*parameters, self.tenant_id])  # noqa: S611
        return own.filter(pk__in=said)

    def expect(self, passages: Iterable[UUID]) -> None:
        """Say which passages will be asked about soon: the next query looks them up with its own."""
        self._expected.update(passages)

    def keep(self, passages: Sequence[UUID]) -> dict[UUID, Placed]:
        """Return those of some passages that are within reach, each with one chunk that says it.

        Of several, the one whose document's name is lowest, then the first.
        """
        new = [passage for passage in passages if passage not in self._asked]
        if new:
            wanted = self._expected.difference(self._asked).union(new)
            self._asked.update(dict.fromkeys(wanted) | self._place(list(wanted)))
        return {passage: placed for passage in passages if (placed := self._asked[passage]) is not None}

    def _place(self, passages: Sequence[UUID]) -> dict[UUID, Placed]:
        if self._chunks is None:
            return {}
        chunks, parameters = self._chunks
        with connection.cursor() as cursor:
            cursor.execute(KEPT.format(chunks=chunks), [list(passages), self.tenant_id, *parameters])
            return {passage: Placed(*place) for passage, *place in cursor.fetchall()}

    @cached_property
    def _chunks(self) -> tuple[str, tuple[Any, ...]] | None:
        """The chunks as SQL, if there can be any: no key leads to them that Django could join by."""
        try:
            return self.chunks.order_by().values_list("version_id", "position", "pk").query.sql_with_params()
        except EmptyResultSet:
            return None


def reach_of(tenant: Tenant, versions: VersionQuerySet, filters: Filters) -> Reach:
    """Narrow what may be read by filters; only what is ready can be."""
    chunks = Chunk.objects.filter(_lets_through(filters), tenant=tenant, version__in=versions.readable())
    if filters.languages:
        said = Placement.objects.filter(version=OuterRef("version"), position=OuterRef("position"))
        chunks = chunks.filter(Exists(said.filter(passage__language__in=filters.languages)))
    if not (label := filters.section_label.strip()):
        return Reach(tenant.pk, chunks)
    sections = Section.objects.filter(_is_below(label), tenant=tenant)
    # Small units share a chunk, which belongs to what is above all of them.
    shared = sections.filter(
        version=OuterRef("version"), start__lt=OuterRef("end"), end__gt=OuterRef("start")
    )
    return Reach(tenant.pk, chunks.filter(Exists(shared)), sections)


def _lets_through(filters: Filters) -> Q:
    condition = Q()
    if filters.documents:
        condition &= Q(version__document__in=filters.documents)
    if filters.chunk_types:
        condition &= Q(type__in=filters.chunk_types)
    if filters.file_types:
        condition &= _ends_with(filters.file_types)
    if filters.recorded_from is not None:
        condition &= Q(version__recorded_at__date__gte=filters.recorded_from)
    if filters.recorded_to is not None:
        condition &= Q(version__recorded_at__date__lte=filters.recorded_to)
    return condition


def _is_below(label: str) -> Q:
    """Match the unit of a label and whatever is below it: "Article 6(1)" and not "Article 60"."""
    condition = Q(label=label)
    for sign in SIGNS:
        condition |= Q(label__startswith=f"{label}{sign}")
    return condition


def _ends_with(file_types: Sequence[str]) -> Q:
    condition = Q()
    for file_type in file_types:
        condition |= Q(version__file_name__iendswith=f".{file_type.removeprefix('.')}")
    return condition
