"""Reading documents in the background, and upkeep scheduled by beat."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task
from django.db import OperationalError

from documents import pipeline
from documents.reconcile import STUCK_AFTER, requeue_stuck_versions


@shared_task(
    autoretry_for=(OperationalError,),
    retry_backoff=True,
    max_retries=5,
    time_limit=int(STUCK_AFTER.total_seconds()),
)
def ingest_version(version_id: str, tenant_id: str) -> None:
    pipeline.ingest_version(UUID(version_id), UUID(tenant_id))


@shared_task
def reconcile_versions() -> None:
    for version_id, tenant_id in requeue_stuck_versions():
        ingest_version.delay(str(version_id), str(tenant_id))
