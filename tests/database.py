"""Look at tables as they are, past every queryset."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import connection, models

from search.models import QueryRecord
from tenants.isolation import tenant_models
from tenants.models import Tenant
from tenants.scope import platform_scope


def tenant_column(model: type[models.Model]) -> str:
    return "id" if model is Tenant else "tenant_id"


def rows(model: type[models.Model], tenant_id: UUID) -> list[dict[str, Any]]:
    """All rows of a tenant in a table, as the platform sees them."""
    with platform_scope():
        return _read(model, tenant_id)


def _read(model: type[models.Model], tenant_id: UUID) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        table, column = model._meta.db_table, tenant_column(model)
        cursor.execute(f"SELECT * FROM {table} WHERE {column} = %s ORDER BY id", [tenant_id])
        names = [part.name for part in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def everything_of(tenant: Tenant) -> dict[str, list[dict[str, Any]]]:
    """What a tenant has in every table, to compare before with after."""
    with platform_scope():
        return {model._meta.label: _read(model, tenant.pk) for model in tenant_models()}


def everything_but_searches(tenant: Tenant) -> dict[str, list[dict[str, Any]]]:
    """What a tenant has, but for the record of what was searched for: who only reads is counted there."""
    return {label: rows for label, rows in everything_of(tenant).items() if label != QueryRecord._meta.label}
