"""Versions that may be read, as a condition inside other queries, and whose they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models.expressions import RawSQL

from documents.models import Version, VersionQuerySet

HOLDERS = """
    SELECT subject.version_id, document.id, document.name, document.collection_id, subject.is_current
    FROM (
        SELECT id AS version_id, document_id, superseded_at IS NULL AS is_current FROM documents_version
        WHERE {which} = ANY(%s)
    ) AS subject
    JOIN documents_document AS document ON document.id = subject.document_id
    WHERE {readable}
"""


@dataclass(frozen=True, slots=True)
class Holder:
    """A version and whose it is."""

    version_id: UUID
    document_id: UUID
    document_name: str
    collection_id: UUID
    is_current: bool = True


@dataclass(frozen=True, slots=True)
class Readable:
    """Tells of `subject.version_id` whether it may be read, without listing all versions that may."""

    versions: VersionQuerySet
    sql: str
    parameters: tuple[Any, ...] = ()
    is_head: bool = False  # Every one of them is current. Where nobody can tell, it is taken not to be so.

    @classmethod
    def of(cls, versions: VersionQuerySet) -> Self:
        subject = RawSQL("subject.version_id", [])
        try:
            sql, parameters = versions.order_by().filter(pk=subject).values("pk").query.sql_with_params()
        except EmptyResultSet:
            return cls(versions, "false", is_head=True)
        return cls(versions, f"EXISTS ({sql})", tuple(parameters), versions.is_head)

    def named(self) -> tuple[str, dict[str, Any]]:
        """Return the condition with names for its parameters, for queries that it stands in twice."""
        first, *rest = self.sql.split("%s")
        names = [f"readable_{index}" for index in range(len(rest))]
        sql = first + "".join(f"%({name})s{piece}" for name, piece in zip(names, rest, strict=True))
        return sql, dict(zip(names, self.parameters, strict=True))

    def of_documents(self, document_ids: Collection[UUID]) -> dict[UUID, Holder]:
        """Return the version that is read of each document; none for those that are not read."""
        if not document_ids:
            return {}
        statement = HOLDERS.format(which="document_id", readable=self.sql)
        return {one.document_id: one for one in _holders(statement, document_ids, self.parameters)}


def holder_of(version: Version) -> Holder:
    """Return whose a version is that is loaded with its document."""
    document, is_current = version.document, version.superseded_at is None
    return Holder(version.pk, document.pk, document.name, document.collection_id, is_current)


def holders_of(version_ids: Iterable[UUID]) -> dict[UUID, Holder]:
    """Return whose versions are, if they are still there."""
    statement = HOLDERS.format(which="id", readable="true")
    return {one.version_id: one for one in _holders(statement, set(version_ids))}


def _holders(statement: str, ids: Iterable[UUID], parameters: tuple[Any, ...] = ()) -> list[Holder]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(ids), *parameters])
        return [Holder(*row) for row in cursor.fetchall()]
