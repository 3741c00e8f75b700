"""Requests that are sent again get the answer that they got, and nothing is done twice.

The answer is kept in the transaction that does what was asked: both hold, or neither does.
"""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from django.utils import timezone

from documents.errors import AnotherRequest, UnderWay
from documents.models import AnsweredRequest
from tenants.models import Tenant
from tenants.scope import tenant_scope


def find_answer(*, tenant: Tenant, program_id: UUID, key: str, request_hash: str) -> AnsweredRequest | None:
    """Return what was answered before, or nothing; then the key is the caller's until the end."""
    with tenant_scope(tenant.pk):
        if not _take(f"request {tenant.pk} {program_id} {key}"):
            raise UnderWay("The same request is being answered at this moment. Ask again in a second.")
        own = AnsweredRequest.objects.for_tenant(tenant).filter(program_id=program_id, key=key)
        own.expired(timezone.now()).delete()
        found = own.first()
        if found is not None and found.request_hash != request_hash:
            raise AnotherRequest("This key was sent with another request. Make a new key for each request.")
        return found


def keep_answer(
    *,
    tenant: Tenant,
    program_id: UUID,
    key: str,
    request_hash: str,
    status: int,
    headers: dict[str, str],
    body: str,
) -> None:
    """Keep an answer beside what was done for it; no more of the request than a hash."""
    with tenant_scope(tenant.pk):
        AnsweredRequest.objects.create(
            tenant=tenant,
            program_id=program_id,
            key=key,
            request_hash=request_hash,
            status=status,
            headers=headers,
            body=body,
        )


def _take(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        return bool(cursor.fetchone()[0])
