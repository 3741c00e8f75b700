"""Whose turn it is: the tenant that was served least recently, whatever the others have waiting."""

from __future__ import annotations

from uuid import UUID

from django.db import connection

from documents.models import State
from tenants.scope import platform_scope

# The versions that have waited longest of each tenant that has some, those tenants first that no worker has
# served for longest. What waits for a provider goes behind its like, lest it keep them waiting.
IN_TURN = """
WITH waiting AS (
    SELECT DISTINCT tenant_id FROM documents_version WHERE state = %(state)s AND claim IS NULL
)
SELECT oldest.id, waiting.tenant_id
FROM waiting
CROSS JOIN LATERAL (
    SELECT max(touched_at) AS at FROM documents_version
    WHERE tenant_id = waiting.tenant_id AND state <> 'queued'
) served
CROSS JOIN LATERAL (
    SELECT id FROM documents_version
    WHERE tenant_id = waiting.tenant_id AND state = %(state)s AND claim IS NULL
    ORDER BY CASE WHEN state = 'contextualizing' THEN touched_at ELSE queued_at END, id LIMIT %(each)s
) oldest
ORDER BY served.at NULLS FIRST, waiting.tenant_id
LIMIT %(most)s
"""
MOST = 10
EACH = 3


def versions_in_turn(state: State) -> list[tuple[UUID, UUID]]:
    """Return some versions that wait in a state, with their tenants, in the order to take them up."""
    with platform_scope(), connection.cursor() as cursor:
        cursor.execute(IN_TURN, {"state": str(state), "each": EACH, "most": MOST})
        return [(version_id, tenant_id) for version_id, tenant_id in cursor.fetchall()]


def is_any_waiting(state: State) -> bool:
    with platform_scope(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM documents_version WHERE state = %s AND claim IS NULL)", [str(state)]
        )
        return bool(cursor.fetchone()[0])
