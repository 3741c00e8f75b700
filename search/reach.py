"""The chunks that a search may find, and the passages that they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db.models import BooleanField, Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from definitions.readable import Readable
from documents.models import Chunk, Section, VersionQuerySet
from search.models import Passage, Placement
from search.request import Filters
from search.round_trips import Asking, ask
from tenants.models import Tenant

# What may stand behind the label of a unit in that of a unit below it: "Article 6(1)", "Schedule 2/4", "1.1".
SIGNS = "(/.-:~ [“"
FEW = 10  # Documents that are looked through by themselves.
MOST_LISTED = 20_000

SAID = """
    SELECT said.passage_id FROM ({chunks}) AS chunk(version_id, position)
    JOIN search_placement AS said
        ON said.version_id = chunk.version_id AND said.position = chunk.position AND said.tenant_id = %s
"""
# In this order, whatever the planner thinks of the filters: it may think that hardly a chunk is left, and
# look at all of them. Of the versions that may be read, those alone are looked at that say some passage.
KEPT = """
    WITH said AS MATERIALIZED (
        SELECT passage_id, version_id, position FROM search_placement
        WHERE passage_id = ANY(%s) AND tenant_id = %s
    ), edition AS MATERIALIZED (
        SELECT subject.version_id, document.id AS document_id, document.name
        FROM (SELECT DISTINCT version_id FROM said) AS subject
        JOIN documents_version AS version ON version.id = subject.version_id AND version.tenant_id = %s
        JOIN documents_document AS document
            ON document.id = version.document_id AND document.tenant_id = %s
        WHERE {readable}
    )
    SELECT DISTINCT ON (said.passage_id) said.passage_id, chunk.id, edition.document_id,
        said.version_id, said.position
    FROM said JOIN edition ON edition.version_id = said.version_id
    CROSS JOIN LATERAL ({chunks} OFFSET 0) AS chunk(id)
    ORDER BY said.passage_id, edition.name, edition.document_id, said.position
"""
THERE = "documents_chunk.version_id = said.version_id AND documents_chunk.position = said.position"
SAID_THERE = RawSQL(THERE, [], output_field=BooleanField())  # noqa: S611
ANY_CHUNK = f"SELECT id FROM documents_chunk WHERE tenant_id = %s AND {THERE}"  # noqa: S608


class Placed(NamedTuple):
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
    versions: VersionQuerySet  # That may be read, after the filters that speak of versions.
    pieces: QuerySet[Chunk]  # Chunks of any version, after the filters that speak of chunks.
    is_any_chunk: bool = False  # No filter speaks of chunks.
    is_narrow: bool = False  # So little is left that it is best looked for there alone.
    sections: QuerySet[Section] | None = None  # In one of these must begin a unit that was asked for by name.
    _asked: dict[UUID, Placed | None] = field(default_factory=dict, repr=False, compare=False)
    _expected: set[UUID] = field(default_factory=set, repr=False, compare=False)

    @property
    def chunks(self) -> QuerySet[Chunk]:
        return self.pieces.filter(version__in=self.versions)

    @cached_property
    def readable(self) -> Readable:
        return Readable.of(self.versions)

    @property
    def is_head(self) -> bool:
        """Whether nothing within reach has been superseded."""
        return self.readable.is_head

    @cached_property
    def kind(self) -> int:
        """What it has in common with others of its tenant that differ in values alone."""
        return hash((self.tenant_id, self._kept and self._kept[0]))

    def passages(self) -> QuerySet[Passage]:
        """Those that some chunk within reach says."""
        own = Passage.objects.filter(tenant=self.tenant_id)
        try:
            rows = self.chunks.order_by().values_list("version_id", "position")
            chunks, parameters = rows.query.sql_with_params()
        except EmptyResultSet:
            return own.none()
        said = RawSQL(SAID.format(chunks=chunks), [*parameters, self.tenant_id])  # noqa: S611
        return own.filter(pk__in=said)

    @cached_property
    def listed(self) -> Sequence[UUID] | QuerySet[Passage]:
        """Those passages, by their ids if they are not too many, so that nothing else is looked at."""
        few = list(self.passages().values_list("pk", flat=True)[: MOST_LISTED + 1])
        return few if len(few) <= MOST_LISTED else self.passages()

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
            self._asked.update(dict.fromkeys(wanted) | ask(self._place(list(wanted))))
        return {passage: placed for passage in passages if (placed := self._asked[passage]) is not None}

    def _place(self, passages: Sequence[UUID]) -> Asking[dict[UUID, Placed]]:
        if self._kept is None:
            return {}
        statement, parameters = self._kept
        (rows,) = yield [(statement, [list(passages), *parameters])]
        return {passage: Placed(*place) for passage, *place in rows}

    @cached_property
    def _kept(self) -> tuple[str, tuple[Any, ...]] | None:
        """What asks where passages are said, if any can be.

        No key leads from them to chunks that Django could join by.
        """
        chunks, parameters = ANY_CHUNK, (self.tenant_id,)
        if not self.is_any_chunk:
            pieces = self.pieces.order_by().filter(SAID_THERE).values_list("pk")
            try:
                chunks, parameters = pieces.query.sql_with_params()
            except EmptyResultSet:
                return None
        statement = KEPT.format(readable=self.readable.sql, chunks=chunks)
        return statement, (*[self.tenant_id] * 3, *self.readable.parameters, *parameters)


def reach_of(tenant: Tenant, versions: VersionQuerySet, filters: Filters) -> Reach:
    """Narrow what may be read by filters; only what is ready can be."""
    versions = versions.readable()
    if filters.speak_of_versions:
        versions = versions.filter(_versions_let_through(filters))
    pieces = Chunk.objects.filter(tenant=tenant)
    if filters.chunk_types:
        pieces = pieces.filter(type__in=filters.chunk_types)
    if filters.languages:
        said = Placement.objects.filter(version=OuterRef("version"), position=OuterRef("position"))
        pieces = pieces.filter(Exists(said.filter(passage__language__in=filters.languages)))
    is_narrow = 0 < len(filters.documents) <= FEW
    label = filters.section_label.strip()
    if not label:
        is_any = not (filters.chunk_types or filters.languages)
        return Reach(tenant.pk, versions, pieces, is_any_chunk=is_any, is_narrow=is_narrow)
    sections = Section.objects.filter(_is_below(label), tenant=tenant)
    # Small units share a chunk, which belongs to what is above all of them.
    shared = sections.filter(
        version=OuterRef("version"), start__lt=OuterRef("end"), end__gt=OuterRef("start")
    )
    return Reach(tenant.pk, versions, pieces.filter(Exists(shared)), is_narrow=is_narrow, sections=sections)


def _versions_let_through(filters: Filters) -> Q:
    condition = Q()
    if filters.documents:
        condition &= Q(document__in=filters.documents)
    if filters.file_types:
        condition &= _ends_with(filters.file_types)
    if filters.recorded_from is not None:
        condition &= Q(recorded_at__date__gte=filters.recorded_from)
    if filters.recorded_to is not None:
        condition &= Q(recorded_at__date__lte=filters.recorded_to)
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
        condition |= Q(file_name__iendswith=f".{file_type.removeprefix('.')}")
    return condition
