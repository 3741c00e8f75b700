"""The wall in the database, tested with raw SQL as the application's role."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from threading import Event
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import DatabaseError, IntegrityError, connection, connections, migrations, models, transaction
from django.test.utils import isolate_apps
from psycopg.types.json import Jsonb

from documents.models import Baseline, BaselineVersion, Publication
from tenants import isolation
from tenants.checks import (
    check_database_isolates,
    check_keys_stay_within_their_tenant,
    check_tenant_models_are_isolated,
)
from tenants.isolation import EnableTenantIsolation, keys_within_tenants, tenant_models, tied_columns
from tenants.models import ApiKey, AuditEvent, Tenant
from tenants.scope import platform_scope, tenant_scope, user_scope, within_tenant
from tests import factories
from tests.database import everything_of, rows, tenant_column
from tests.passages import at_once

SEALED = (Baseline, BaselineVersion, Publication)  # Nobody changes these.
MODELS = [pytest.param(model, id=model._meta.label) for model in tenant_models()]


@pytest.fixture(params=["nobody", "another tenant", "no such tenant"])
def outside(request: pytest.FixtureRequest, meridian: Tenant) -> AbstractContextManager[None]:
    """Every way of not being the tenant."""
    ways: dict[str, AbstractContextManager[None]] = {
        "nobody": nullcontext(),
        "another tenant": tenant_scope(meridian.pk),
        "no such tenant": tenant_scope(uuid4()),
    }
    return ways[request.param]


def execute(statement: str, parameters: list[Any] | None = None) -> int:
    """Return the number of rows found or changed; a refusal is none."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            return int(cursor.rowcount)
    except DatabaseError as error:
        if not isinstance(error.__cause__, psycopg.errors.InsufficientPrivilege):
            raise
        return 0


def test_every_tenant_table_is_found_by_enumeration() -> None:
    names = {model._meta.label for model in tenant_models()}
    assert names >= {"tenants.Tenant", "tenants.Membership", "tenants.ApiKey", "tenants.AuditEvent"}


@pytest.mark.parametrize("model", MODELS)
def test_raw_sql_from_outside_sees_and_changes_nothing(
    model: type[models.Model], harbour: Tenant, outside: AbstractContextManager[None]
) -> None:
    row = factories.row_of(model, harbour)
    table, column = model._meta.db_table, tenant_column(model)
    before = rows(model, harbour.pk)
    assert len(before) >= 1
    with outside:
        assert execute(f"SELECT * FROM {table} WHERE id = %s", [row.pk]) == 0
        assert execute(f"SELECT * FROM {table} WHERE {column} = %s", [harbour.pk]) == 0
        assert execute(f"UPDATE {table} SET id = id WHERE id = %s", [row.pk]) == 0
        assert execute(f"UPDATE {table} SET id = id WHERE {column} = %s", [harbour.pk]) == 0
        assert execute(f"DELETE FROM {table} WHERE id = %s", [row.pk]) == 0
        assert execute(f"DELETE FROM {table} WHERE {column} = %s", [harbour.pk]) == 0
        assert execute(f"TRUNCATE {table} CASCADE") == 0
    assert rows(model, harbour.pk) == before


@pytest.mark.parametrize("model", MODELS)
def test_raw_sql_from_outside_cannot_add_a_row(
    model: type[models.Model], harbour: Tenant, outside: AbstractContextManager[None]
) -> None:
    factories.row_of(model, harbour)
    before = rows(model, harbour.pk)
    copy = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in before[0].items()}
    if model is not Tenant:
        copy["id"] = uuid4()
    names, places = ", ".join(f'"{name}"' for name in copy), ", ".join(["%s"] * len(copy))
    with outside:
        statement = f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({places})"
        assert execute(statement, list(copy.values())) == 0
    assert rows(model, harbour.pk) == before


@pytest.mark.parametrize("model", MODELS)
def test_a_tenant_cannot_push_its_rows_into_another(
    model: type[models.Model], harbour: Tenant, meridian: Tenant
) -> None:
    factories.row_of(model, meridian)
    before = rows(model, harbour.pk), rows(model, meridian.pk)
    with tenant_scope(meridian.pk):
        column = tenant_column(model)
        target = harbour.pk if model is not Tenant else uuid4()
        assert execute(f"UPDATE {model._meta.db_table} SET {column} = %s", [target]) == 0
    assert (rows(model, harbour.pk), rows(model, meridian.pk)) == before


@pytest.mark.parametrize("model", MODELS)
def test_a_tenant_sees_exactly_its_own_rows(
    model: type[models.Model], harbour: Tenant, meridian: Tenant
) -> None:
    factories.row_of(model, harbour)
    factories.row_of(model, meridian)
    with tenant_scope(harbour.pk):
        seen = set(model._default_manager.values_list(tenant_column(model), flat=True))
    assert seen == {harbour.pk}


def update_now(statement: str, *parameters: UUID) -> None:
    """Without waiting for the end of the transaction, which never comes in a test."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(statement, parameters)


KEYS = [pytest.param(field, id=str(field)) for field in keys_within_tenants()]


def test_every_key_that_could_leave_its_tenant_is_found_by_enumeration() -> None:
    names = {str(field) for field in keys_within_tenants()}
    assert names >= {"documents.Version.document", "documents.Section.parent", "documents.Chunk.section"}


@pytest.mark.parametrize("field", KEYS)
def test_no_row_can_point_into_another_tenant(
    field: models.ForeignKey[Any, Any], harbour: Tenant, meridian: Tenant
) -> None:
    own = factories.row_of(field.model, harbour)
    target = factories.row_of(field.related_model, meridian)
    before = rows(field.model, harbour.pk)
    table = field.model._meta.db_table
    statement = f"UPDATE {table} SET {field.column} = %s WHERE id = %s"
    if field.model in SEALED:  # What cannot be updated cannot be added either.
        statement = (
            f"INSERT INTO {table} SELECT (json_populate_record(own, json_build_object('id',"
            f" gen_random_uuid(), '{field.column}', %s::uuid, 'name', 'other', 'number', 7))).*"
            f" FROM {table} AS own WHERE id = %s"
        )
    for scope in (tenant_scope(harbour.pk), platform_scope()):
        with scope, pytest.raises(IntegrityError), transaction.atomic():
            update_now(statement, target.pk, own.pk)
    assert rows(field.model, harbour.pk) == before


@pytest.mark.django_db
@pytest.mark.parametrize("field", KEYS)
def test_a_tied_key_is_one_constraint_in_the_database(field: models.ForeignKey[Any, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT array(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS k(n, i)"
            " JOIN pg_attribute ON attrelid = conrelid AND attnum = n ORDER BY i),"
            " condeferrable AND condeferred FROM pg_constraint"
            " WHERE contype = 'f' AND conrelid = %s::regclass AND confrelid = %s::regclass",
            [field.model._meta.db_table, field.related_model._meta.db_table],
        )
        found = cursor.fetchall()
    assert (tied_columns(field)[0], True) in found
    assert [field.column] not in [columns for columns, _ in found]


@pytest.mark.parametrize("model", SEALED)
def test_a_tenant_with_baselines_is_not_deleted(model: type[models.Model], harbour: Tenant) -> None:
    factories.row_of(model, harbour)
    before = everything_of(harbour)
    for scope in (tenant_scope(harbour.pk), platform_scope()):
        with scope, pytest.raises(IntegrityError), transaction.atomic():
            update_now("DELETE FROM tenants_tenant WHERE id = %s", harbour.pk)
    assert everything_of(harbour) == before


@pytest.mark.parametrize("model", [model for model in tenant_models() if model not in SEALED])
def test_a_tenant_that_is_deleted_leaves_no_row_but_its_record(
    model: type[models.Model], harbour: Tenant, meridian: Tenant
) -> None:
    for tenant in (harbour, meridian):
        factories.row_of(model, tenant)
    kept, deleted_id = rows(model, meridian.pk), harbour.pk
    with platform_scope():
        harbour.delete()
        connection.check_constraints()
    assert rows(model, meridian.pk) == kept
    assert bool(rows(model, deleted_id)) == (model is AuditEvent)


@pytest.mark.django_db
@pytest.mark.parametrize("model", MODELS)
def test_the_owner_of_the_tables_is_held_too(model: type[models.Model]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relrowsecurity, relforcerowsecurity, pg_get_userbyid(relowner) FROM pg_class"
            " WHERE oid = %s::regclass",
            [model._meta.db_table],
        )
        enabled, forced, owner = cursor.fetchone()
        cursor.execute("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = %s", [owner])
        assert cursor.fetchone() == (False, False)
    assert (enabled, forced, owner) == (True, True, "pandect_owner")


@pytest.mark.django_db
def test_the_application_connects_as_a_role_without_privileges() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles"
            " WHERE rolname = current_user"
        )
        assert cursor.fetchone() == ("pandect_web", False, False, False, False)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE tenants_apikey DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE tenants_apikey NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY tenant ON tenants_apikey",
        "CREATE POLICY open ON tenants_apikey USING (true)",
        "CREATE TABLE loot (id int)",
        "SET ROLE pandect_owner",
        "SET SESSION AUTHORIZATION postgres",
    ],
)
def test_the_application_cannot_take_the_wall_down(statement: str) -> None:
    with (
        pytest.raises(DatabaseError) as refused,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert isinstance(refused.value.__cause__, psycopg.errors.InsufficientPrivilege)


def test_a_person_sees_their_own_tenants_and_cannot_change_them(harbour: Tenant, meridian: Tenant) -> None:
    own = factories.membership(harbour)
    factories.membership(meridian)
    with user_scope(own.user.pk):
        assert list(Tenant.objects.all()) == [harbour]
        assert execute("UPDATE tenants_tenant SET name = 'mine'") == 0
        assert execute("UPDATE tenants_membership SET role = 'admin'") == 0
        assert execute("DELETE FROM tenants_membership") == 0


def test_the_record_can_be_added_to_and_never_changed(harbour: Tenant) -> None:
    factories.audit_event(harbour)
    for scope in (tenant_scope(harbour.pk), platform_scope()):
        with scope:
            assert execute("SELECT * FROM tenants_auditevent") >= 1
            assert execute("UPDATE tenants_auditevent SET action = 'nothing'") == 0
            assert execute("DELETE FROM tenants_auditevent") == 0


def break_with(error: type[Exception]) -> None:
    if error is DatabaseError:
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM no_such_table")
    raise error


class TestScopes:
    def setting(self) -> tuple[str, str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT coalesce(current_setting('pandect.tenant_id', true), ''), current_user")
            tenant, role = cursor.fetchone()
            return tenant, role

    def test_end_with_their_block(self, harbour: Tenant) -> None:
        with tenant_scope(harbour.pk):
            assert self.setting() == (str(harbour.pk), "pandect_web")
        assert self.setting() == ("", "pandect_web")
        with platform_scope():
            assert self.setting() == ("", "pandect_platform")
        assert self.setting() == ("", "pandect_web")

    def test_give_back_what_was_around_them(self, harbour: Tenant, meridian: Tenant) -> None:
        with tenant_scope(harbour.pk):
            with tenant_scope(meridian.pk), platform_scope():
                assert self.setting() == (str(meridian.pk), "pandect_platform")
            assert self.setting() == (str(harbour.pk), "pandect_web")

    def test_of_a_tenant_narrow_even_the_platform(self, harbour: Tenant, meridian: Tenant) -> None:
        with platform_scope():
            assert Tenant.objects.count() == 2
            with tenant_scope(harbour.pk):
                assert list(Tenant.objects.all()) == [harbour]
            with user_scope(uuid4()):
                assert not Tenant.objects.exists()
            assert Tenant.objects.count() == 2

    @pytest.mark.parametrize("error", [ValueError, DatabaseError])
    def test_give_it_back_after_an_error_too(
        self, harbour: Tenant, meridian: Tenant, error: type[Exception]
    ) -> None:
        with tenant_scope(harbour.pk):
            with pytest.raises(error), tenant_scope(meridian.pk), platform_scope():
                break_with(error)
            assert self.setting() == (str(harbour.pk), "pandect_web")
        assert self.setting() == ("", "pandect_web")

    @pytest.mark.django_db(transaction=True)
    def test_do_not_leak_into_the_next_transaction_of_a_connection(self) -> None:
        with tenant_scope(uuid4()), platform_scope():
            pass
        assert self.setting() == ("", "pandect_web")


SECTION_TIE = (
    "ALTER TABLE documents_chunk ADD CONSTRAINT documents_chunk_section_id_tie"
    " FOREIGN KEY (tenant_id, section_id) REFERENCES documents_section (tenant_id, id)"
    " ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
)
# Whatever goes with its target, or empties the tenant too, is another constraint.
TARGET_TIE = (
    "ALTER TABLE definitions_crossreference"
    " DROP CONSTRAINT definitions_crossreference_target_document_id_tie,"
    " ADD CONSTRAINT definitions_crossreference_target_document_id_tie"
    " FOREIGN KEY (tenant_id, target_document_id) REFERENCES documents_document (tenant_id, id)"
    " ON DELETE {} DEFERRABLE INITIALLY DEFERRED"
)


class TestCheck:
    def test_passes_for_what_exists(self) -> None:
        assert check_tenant_models_are_isolated(None) == []

    @isolate_apps("tenants")
    def test_fails_for_a_model_with_a_tenant_and_no_policy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Paper(models.Model):  # noqa: DJ008
            tenant = models.ForeignKey(Tenant, models.CASCADE)

            class Meta:
                app_label = "tenants"

        monkeypatch.setattr("tenants.checks.tenant_models", lambda: [*tenant_models(), Paper])
        with pytest.raises(SystemCheckError, match=r"tenants\.Paper has a tenant, and no migration"):
            call_command("check")

    @isolate_apps("tenants")
    def test_fails_for_a_table_that_hangs_on_a_tenants_row(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Note(models.Model):  # noqa: DJ008
            key = models.ForeignKey(ApiKey, models.CASCADE)

            class Meta:
                app_label = "tenants"

        monkeypatch.setattr("tenants.checks.apps.get_models", lambda **_: [ApiKey, Note])
        found = check_tenant_models_are_isolated(None)
        assert [(message.id, message.obj) for message in found] == [("tenants.E005", Note)]

    def test_passes_for_the_keys_that_exist(self) -> None:
        assert check_keys_stay_within_their_tenant(None) == []

    @isolate_apps("tenants")
    def test_fails_for_a_key_that_nothing_ties(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Paper(models.Model):  # noqa: DJ008
            tenant = models.ForeignKey(Tenant, models.CASCADE)
            key = models.ForeignKey(ApiKey, models.CASCADE)

            class Meta:
                app_label = "tenants"

        monkeypatch.setattr("tenants.isolation.tenant_models", lambda: [ApiKey, Paper])
        found = check_keys_stay_within_their_tenant(None)
        assert [(message.id, message.obj) for message in found] == [("tenants.E007", Paper)]

    def test_follows_models_that_are_renamed_and_deleted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        operations = [
            EnableTenantIsolation("Old"),
            EnableTenantIsolation("Gone"),
            migrations.RenameModel("Old", "New"),
            migrations.DeleteModel("Gone"),
        ]

        class Graph:
            nodes = {("papers", "0001"): SimpleNamespace(operations=operations)}

            def leaf_nodes(self) -> list[tuple[str, str]]:
                return list(self.nodes)

            def forwards_plan(self, leaf: tuple[str, str]) -> list[tuple[str, str]]:
                return [leaf]

        class Loader:
            graph = Graph()

            def __init__(self, *_: object, **__: object) -> None: ...

        monkeypatch.setattr(isolation, "MigrationLoader", Loader)
        assert list(isolation.isolated_models()) == [("papers", "new")]

    @pytest.mark.django_db
    def test_the_database_agrees(self) -> None:
        assert check_database_isolates(databases=["default"]) == []

    @pytest.mark.django_db(transaction=True, databases=["default", "owner"])
    @pytest.mark.parametrize(
        ("hole", "repair", "problem"),
        [
            (
                "ALTER TABLE tenants_apikey NO FORCE ROW LEVEL SECURITY",
                "ALTER TABLE tenants_apikey FORCE ROW LEVEL SECURITY",
                "tenants.E004",
            ),
            (
                "CREATE POLICY oops ON tenants_apikey USING (true)",
                "DROP POLICY oops ON tenants_apikey",
                "tenants.E004",
            ),
            (
                "GRANT UPDATE ON tenants_auditevent TO pandect_app",
                "REVOKE UPDATE ON tenants_auditevent FROM pandect_app",
                "tenants.E006",
            ),
            (
                "ALTER TABLE documents_chunk DROP CONSTRAINT documents_chunk_section_id_tie",
                SECTION_TIE,
                "tenants.E008",
            ),
            (
                TARGET_TIE.format("SET NULL"),
                TARGET_TIE.format("SET NULL (target_document_id)"),
                "tenants.E008",
            ),
            (
                TARGET_TIE.format("CASCADE"),
                TARGET_TIE.format("SET NULL (target_document_id)"),
                "tenants.E008",
            ),
        ],
    )
    def test_the_database_is_asked_and_not_only_the_migrations(
        self, hole: str, repair: str, problem: str
    ) -> None:
        with connections["owner"].cursor() as cursor:
            cursor.execute(hole)
            try:
                found = check_database_isolates(databases=["default"])
            finally:
                cursor.execute(repair)
        assert [message.id for message in found] == [problem]
        assert check_database_isolates(databases=["default"]) == []


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_thread_does_not_take_the_scope_of_another_for_its_own() -> None:
    """Reading for a tenant opens a scope, even while another thread is in the same one."""
    harbour, meridian = factories.tenant("harbour"), factories.tenant("meridian")
    is_inside, is_over = Event(), Event()
    seen: list[list[Tenant]] = []

    def stay_inside() -> None:
        with tenant_scope(harbour.pk):
            is_inside.set()
            assert is_over.wait(60)

    def read_meanwhile() -> None:
        assert is_inside.wait(60)
        try:
            with within_tenant(harbour.pk):
                seen.append(list(Tenant.objects.all()))
            with tenant_scope(meridian.pk), within_tenant(harbour.pk):
                seen.append(list(Tenant.objects.all()))
        finally:
            is_over.set()

    at_once(stay_inside, read_meanwhile)
    assert seen == [[harbour], [harbour]]
