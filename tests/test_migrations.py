"""Migrations: none is missing, each has a name that says what it does, and each runs backwards."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from tenants.isolation import tenant_models

OWN = sorted(
    config.label
    for config in apps.get_app_configs()
    if str(config.path).startswith(f"{settings.BASE_DIR}/") and ".venv" not in config.path
)

# The tenant that a session acts for, as policies named it until tenants/0006.
PLAIN = "(NULLIF(current_setting('pandect.tenant_id'::text, true), ''::text))::uuid"


def own_migrations() -> list[tuple[str, str]]:
    return [key for key in MigrationLoader(None).disk_migrations if key[0] in OWN]


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    said = StringIO()
    call_command("makemigrations", check=True, dry_run=True, stdout=said)
    assert said.getvalue() == "No changes detected\n"


def test_every_migration_is_named_for_its_effect() -> None:
    names = own_migrations()
    assert names
    assert [
        name for _, name in names if not re.fullmatch(r"\d{4}_[a-z][a-z_]+", name) or "auto" in name
    ] == []


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_every_migration_runs_backwards_and_forwards_again() -> None:
    recorder = MigrationRecorder(connections["owner"])
    before = set(recorder.applied_migrations())
    try:
        for label in OWN:
            if any(app == label for app, _ in own_migrations()):
                call_command("migrate", label, "zero", verbosity=0)
                assert not any(app == label for app, _ in recorder.applied_migrations())
    finally:
        call_command("migrate", verbosity=0)
    assert set(recorder.applied_migrations()) == before


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_policies_that_were_made_before_become_as_those_that_are_made_now() -> None:
    def conditions() -> dict[str, tuple[str, str]]:
        with connections["owner"].cursor() as cursor:
            cursor.execute(
                "SELECT polrelid::regclass::text, pg_get_expr(polqual, polrelid),"
                " pg_get_expr(polwithcheck, polrelid) FROM pg_policy WHERE polname = 'tenant'"
            )
            return {table: (read, written) for table, read, written in cursor.fetchall()}

    made = conditions()
    assert set(made) == {model._meta.db_table for model in tenant_models()}
    try:
        call_command("migrate", "tenants", "0005", verbosity=0)
        assert conditions() == {
            table: (f"({column} = {PLAIN})", f"({column} = {PLAIN})")
            for table in made
            for column in ["id" if table == "tenants_tenant" else "tenant_id"]
        }
    finally:
        call_command("migrate", verbosity=0)
    assert conditions() == made
    assert all(read == written and "( SELECT " in read for read, written in made.values())
