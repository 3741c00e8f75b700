"""Versions that may be read, as a condition inside other queries, and whose they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from django.db import connection
from django.db.models.expressions import RawSQL

from documents.models import VersionQuerySet

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

    @classmethod
    def of(cls, versions: VersionQuerySet) -> Self:
        if versions.query.is_empty():
            return cls(versions, "false")
        subject = RawSQL("subject.version_id", [])
        sql, parameters = versions.order_by().filter(pk=subject).values("pk").query.sql_with_params()
        return cls(versions, f"EXISTS ({sql})", tuple(parameters))

    def of_documents(self, document_ids: Collection[UUID]) -> dict[UUID, Holder]:
        """Return the version that is read of each document; none for those that are not read."""
        if not document_ids:
            return {}
        statement = HOLDERS.format(which="document_id", readable=self.sql)
        return {one.document_id: one for one in _holders(statement, document_ids, self.parameters)}


def holders_of(version_ids: Iterable[UUID]) -> dict[UUID, Holder]:
    """Return whose versions are, if they are still there."""
    statement = HOLDERS.format(which="id", readable="true")
    return {one.version_id: one for one in _holders(statement, set(version_ids))}


def _holders(statement: str, ids: Iterable[UUID], parameters: tuple[Any, ...] = ()) -> list[Holder]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(ids), *parameters])
        return [Holder(*row) for row in cursor.fetchall()]
