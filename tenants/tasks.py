"""Upkeep, scheduled by beat."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task
from django.core.management import call_command

from tenants.services import revoke_expired_keys, tenants_with_expired_keys


@shared_task
def clear_expired_sessions() -> None:
    call_command("clearsessions")


@shared_task
def sweep_expired_keys() -> None:
    for tenant_id in tenants_with_expired_keys():
        sweep_expired_keys_of.delay(str(tenant_id))


@shared_task
def sweep_expired_keys_of(tenant_id: str) -> None:
    revoke_expired_keys(tenant_id=UUID(tenant_id))
