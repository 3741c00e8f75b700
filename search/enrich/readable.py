"""Versions that may be read, as a condition inside other queries and by their documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models.expressions import RawSQL

from documents.models import Version, VersionQuerySet


@dataclass(frozen=True, slots=True)
class Holder:
    """A version and whose it is."""

    version_id: UUID
    document_id: UUID
    document_name: str
    collection_id: UUID


def is_readable(versions: VersionQuerySet, column: str) -> tuple[str, tuple[Any, ...]]:
    """Return SQL that tells whether a column names one of some versions, which need not all be listed."""
    if versions.query.is_empty():
        return "false", ()
    one = versions.order_by().filter(pk=RawSQL(column, [])).values("pk")  # noqa: S611 - A name of ours.
    sql, parameters = one.query.sql_with_params()
    return f"EXISTS ({sql})", tuple(parameters)


def holders_of(version_ids: Iterable[UUID]) -> dict[UUID, Holder]:
    return {one.version_id: one for one in _holders(Version.objects.filter(pk__in=set(version_ids)))}


def read_holders(document_ids: Iterable[UUID], versions: VersionQuerySet) -> dict[UUID, Holder]:
    """Return the version that is read of each document; none for those that are not read."""
    wanted = set(document_ids)
    rows = _holders(versions.order_by().filter(document__in=wanted)) if wanted else []
    return {one.document_id: one for one in rows}


def _holders(versions: VersionQuerySet) -> list[Holder]:
    fields = ("pk", "document_id", "document__name", "document__collection_id")
    return [Holder(*row) for row in versions.values_list(*fields)]
