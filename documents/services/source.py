"""Files as they came in: kept once, and forgotten when no version needs them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from uuid import UUID, uuid4

import psycopg
from django.db import connection
from django.db.models import Exists, OuterRef

from documents.models import Source, Version, VersionQuerySet
from tenants.models import Tenant


def keep_source(*, tenant: Tenant, content: bytes) -> Source:
    """Return the one row of a content, locked, so that nobody forgets it before it is used."""
    digest = sha256(content).hexdigest()
    own = Source.objects.filter(tenant=tenant, digest=digest).defer("content")
    if found := own.select_for_update().first():
        return found
    insert_source(tenant.pk, digest, content)
    return own.get()


def insert_source(tenant_id: UUID, digest: str, content: bytes) -> None:
    """Send the content as it is: Django would write it into the statement, in hexadecimal.

    Somebody may be adding the same content at this moment: then theirs is taken, and locked.
    """
    with connection.wrap_database_errors:
        psycopg.Cursor(connection.connection).execute(
            "INSERT INTO documents_source (id, tenant_id, digest, size, content, created_at)"
            " VALUES (%s, %s, %s, %s, %b, now())"
            " ON CONFLICT (tenant_id, digest) DO UPDATE SET size = excluded.size",
            [uuid4(), tenant_id, digest, len(content), content],
        )


def sources_of(versions: VersionQuerySet) -> list[UUID]:
    return list(
        Source.objects.filter(versions__in=versions.values("pk")).values_list("pk", flat=True).distinct()
    )


def forget_sources(ids: Sequence[UUID]) -> None:
    """Delete those of the sources that no version needs any more."""
    sources = Source.objects.filter(pk__in=ids).only("pk").order_by("pk")
    list(sources.select_for_update())  # Wait for whoever takes one up again; what they did is seen below.
    sources.exclude(Exists(Version.objects.filter(source=OuterRef("pk")))).delete()
