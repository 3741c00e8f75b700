"""`manage.py check` refuses a table with a tenant and no wall around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections, models

from config.prepare import LEAKPROOF_REFUSED, PLATFORM_ROLE
from tenants.isolation import (
    TieToTenant,
    is_tenant_model,
    isolated_models,
    keys_within_tenants,
    tenant_models,
    tie_name,
    tied_keys,
)


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
    errors += [
        Error(
            f"{model._meta.label}.{field.name} points to rows of a tenant, and the model has no tenant.",
            hint="Give it a `tenant` of its own: row-level security looks at each table by itself.",
            obj=model,
            id="tenants.E005",
        )
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey)
        and is_tenant_model(field.related_model)
        and not is_tenant_model(model)
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


@register(Tags.security)
def check_keys_stay_within_their_tenant(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    tied = tied_keys()
    return [
        Error(
            f"{field} points to rows of a tenant, and nothing holds it to its own.",
            hint=f"Add TieToTenant({field.model.__name__!r}, {field.name!r}) to a migration, and a unique "
            f"constraint on tenant and id to {field.related_model.__name__}.",
            obj=field.model,
            id="tenants.E007",
        )
        for field in keys_within_tenants()
        if _key(field) not in tied
    ]


def _key(field: models.ForeignKey[Any, Any]) -> tuple[str, str, str]:
    return field.model._meta.app_label, str(field.model._meta.model_name), field.name


@register(Tags.database)
def check_database_isolates(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Ask the database itself, when `check --database default` asks for it."""
    if not databases or "default" not in databases:
        return []
    return [*_role_errors(), *_table_errors(), *_tie_errors(), *_leakproof_warnings()]


def is_bare(field: models.ManyToManyField[Any, Any]) -> bool:
    through = field.remote_field.through
    return through is not None and bool(through._meta.auto_created) and not is_tenant_model(through)


def _role_errors() -> list[CheckMessage]:
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT rolname, rolsuper OR rolbypassrls OR pg_has_role(oid, %s, 'USAGE') FROM pg_roles"
            " WHERE rolname = current_user",
            [PLATFORM_ROLE],
        )
        role, bypasses = cursor.fetchone()
        cursor.execute("SELECT has_table_privilege('tenants_auditevent', 'UPDATE, DELETE, TRUNCATE')")
        rewrites = cursor.fetchone()[0]
    hint = "Connect as the role that `manage.py prepare_database` makes, and run that again."
    errors: list[CheckMessage] = []
    if bypasses:
        text = f"DATABASE_URL connects as {role}, which row-level security does not hold."
        errors.append(Error(text, hint=hint, id="tenants.E003"))
    if rewrites:
        text = f"DATABASE_URL connects as {role}, which can rewrite the record of who did what."
        errors.append(Error(text, hint=hint, id="tenants.E006"))
    return errors


def _table_errors() -> list[CheckMessage]:
    """Compare each table's policies with those that its migration made: one more would be a hole."""
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT c.relname, array_agg(p.polname::text) FROM pg_class c"
            " JOIN pg_policy p ON p.polrelid = c.oid"
            " WHERE c.relrowsecurity AND c.relforcerowsecurity GROUP BY c.relname"
        )
        found = {table: set(policies) for table, policies in cursor.fetchall()}
    operations = isolated_models()
    expected = {
        model: operations[model._meta.app_label, str(model._meta.model_name)].policies
        for model in tenant_models()
    }
    return [
        Error(
            f"The policies on {model._meta.db_table} are {sorted(found.get(model._meta.db_table, []))}, "
            f"not {sorted(policies)}, or they are not forced.",
            hint="Run `manage.py migrate`. Drop a policy that somebody has added by hand.",
            obj=model,
            id="tenants.E004",
        )
        for model, policies in expected.items()
        if found.get(model._meta.db_table) != policies
    ]


def _tie_errors() -> list[CheckMessage]:
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT conname, confdeltype::text || coalesce(cardinality(confdelsetcols), 0) FROM pg_constraint"
            " WHERE contype = 'f' AND convalidated AND cardinality(conkey) = 2"
        )
        found = dict(cursor.fetchall())
    operations = tied_keys()
    return [
        Error(
            f"{field} is not held to its tenant in this database.",
            hint=f"Run `manage.py migrate`. The constraint {tie_name(field)} is missing or another one.",
            obj=field.model,
            id="tenants.E008",
        )
        for field in keys_within_tenants()
        if found.get(tie_name(field)) != _on_delete(operations.get(_key(field)))
    ]


def _on_delete(tie: TieToTenant | None) -> str:
    """Return what PostgreSQL does when the target goes, and how many columns of a row it empties."""
    if tie is None:
        return "missing"
    return "n1" if tie.is_clearing else "c0" if tie.is_cascading else "a0"


def _leakproof_warnings() -> list[CheckMessage]:
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT proleakproof FROM pg_proc"
            " WHERE oid = 'pg_catalog.ts_match_vq(tsvector, tsquery)'::regprocedure"
        )
        is_leakproof = cursor.fetchone()[0]
    return [] if is_leakproof else [checks.Warning(LEAKPROOF_REFUSED, id="tenants.W001")]
