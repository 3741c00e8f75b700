"""`manage.py check` refuses a table with a tenant and no wall around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections, models

from config.prepare import LEAKPROOF_REFUSED
from tenants.isolation import is_tenant_model, isolated_models, tenant_models


@register(Tags.security)
def check_tenant_models_are_isolated(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    isolated = isolated_models()
    errors: list[CheckMessage] = [
        Error(
            f"{model._meta.label} has a tenant, and no migration isolates it.",
            hint="Run `manage.py makemigrations --skip-checks` if the model is new, then add "
            f"EnableTenantIsolation({model.__name__!r}) to its migration.",
            obj=model,
            id="tenants.E001",
        )
        for model in tenant_models()
        if (model._meta.app_label, model._meta.model_name) not in isolated
    ]
    return errors + [
        Error(
            f"{field} keeps its rows in a table without a tenant.",
            hint="Give the field a `through` model that has a tenant.",
            obj=model,
            id="tenants.E002",
        )
        for model in apps.get_models()
        for field in model._meta.local_many_to_many
        if is_tenant_model(model) and is_bare(field)
    ]


@register(Tags.database)
def check_database_isolates(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Ask the database itself, when `check --database default` asks for it."""
    if not databases or "default" not in databases:
        return []
    return [*_role_errors(), *_table_errors(), *_leakproof_warnings()]


def is_bare(field: models.ManyToManyField[Any, Any]) -> bool:
    through = field.remote_field.through
    return through is not None and bool(through._meta.auto_created) and not is_tenant_model(through)


def _role_errors() -> list[CheckMessage]:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT rolname, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        role, bypasses = cursor.fetchone()
    if not bypasses:
        return []
    return [
        Error(
            f"DATABASE_URL connects as {role}, which row-level security does not hold.",
            hint="Connect as the role that `manage.py prepare_database` makes.",
            id="tenants.E003",
        )
    ]


def _table_errors() -> list[CheckMessage]:
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity AND EXISTS"
            " (SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid)"
        )
        walled = {name for (name,) in cursor.fetchall()}
    return [
        Error(
            f"The table {model._meta.db_table} has a tenant and no forced row-level security.",
            hint="Run `manage.py migrate`.",
            obj=model,
            id="tenants.E004",
        )
        for model in tenant_models()
        if model._meta.db_table not in walled
    ]


def _leakproof_warnings() -> list[CheckMessage]:
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT proleakproof FROM pg_proc"
            " WHERE oid = 'pg_catalog.ts_match_vq(tsvector, tsquery)'::regprocedure"
        )
        is_leakproof = cursor.fetchone()[0]
    return [] if is_leakproof else [checks.Warning(LEAKPROOF_REFUSED, id="tenants.W001")]
