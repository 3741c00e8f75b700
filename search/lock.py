"""One at a time: who places, sweeps or counts the passages of a tenant."""

from __future__ import annotations

from uuid import UUID

from django.db import connection


def lock_passages(tenant_id: UUID) -> None:
    """Wait until nobody else changes which passages a tenant has; hold that until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"passages {tenant_id}"])
