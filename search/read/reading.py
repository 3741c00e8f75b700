"""Open what may be read: the versions that a read context shows, in some collections or in all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from documents.models import VersionQuerySet
from documents.read_context import ReadContext
from documents.visible import visible_versions
from search.ask import find_collections
from tenants.models import Tenant
from tenants.scope import within_tenant

HEAVY = ("text", "pages", "warnings")


@dataclass(frozen=True, slots=True)
class Reading:
    """What may be read, by what it is described, and when."""

    tenant: Tenant
    versions: VersionQuerySet
    context: ReadContext
    described: Mapping[str, Any]
    read_at: datetime


@contextmanager
def opened(
    *, tenant: Tenant, read_context: ReadContext, collections: Sequence[str] = ()
) -> Iterator[Reading]:
    """Be in the tenant's scope, with what may be read there."""
    read_at = timezone.now()
    with within_tenant(tenant.pk):
        chosen = find_collections(tenant, collections) if collections else None
        visible = visible_versions(tenant=tenant, context=read_context, collections=chosen)
        yield Reading(tenant, visible.versions, read_context, visible.describe(), read_at)
