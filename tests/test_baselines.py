"""A baseline is made, published, and never changed: not by a service, and not by raw SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError, OperationalError, connection, transaction

from documents import services
from documents.errors import KeptForGood, NameTaken, NothingToDo
from documents.models import (
    Baseline,
    BaselineVersion,
    Chunk,
    Document,
    Publication,
    Section,
    Source,
    State,
    Version,
)
from documents.read_context import ReadContext, Selector
from tenants.models import AuditEvent, Tenant
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.database import rows
from tests.factories import ACTOR

Scope = Callable[[Tenant], AbstractContextManager[None]]
SEALED = (Baseline, BaselineVersion, Publication)
HELD = (Version, Section, Chunk, Source, Document)
SCOPES: dict[str, Scope] = {
    "tenant": lambda tenant: tenant_scope(tenant.pk),
    "platform": lambda tenant: platform_scope(),
}


def all_rows(tenant: Tenant) -> list[Any]:
    return [rows(model, tenant.pk) for model in (*SEALED, *HELD)]


def execute(statement: str, parameters: Any) -> None:
    """Run a statement to the end of its transaction, as far as constraints are concerned."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        connection.check_constraints()


@pytest.fixture
def baseline(harbour: Tenant) -> Baseline:
    """A published baseline of one version with a section and a chunk."""
    version = factories.version(harbour)
    section = factories.section(harbour, of=version)
    factories.chunk(harbour, of=section)
    made = services.create_baseline(
        collection=version.document.collection, name=" Spring ", description="As agreed.", actor=ACTOR
    )
    services.publish_baseline(baseline=made, actor=ACTOR)
    return made


def held_version(baseline: Baseline) -> Version:
    with tenant_scope(baseline.tenant_id):
        return Version.objects.select_related("document__collection").get(baselines__baseline=baseline)


def test_a_baseline_is_made_of_what_is_read(harbour: Tenant) -> None:
    current = factories.version(harbour)
    place = current.document.collection
    other = factories.version(harbour, of=factories.document(harbour, place=place))
    factories.version(harbour, of=factories.document(harbour, place=place), state=State.FAILED)
    factories.version(harbour)  # Of another collection.
    baseline = services.create_baseline(
        collection=place, name=" Spring ", description=" Agreed. ", actor=ACTOR
    )
    with tenant_scope(harbour.pk):
        kept = Baseline.objects.get()
        assert (kept.name, kept.description, kept.size, kept.created_by) == ("Spring", "Agreed.", 2, "tests")
        assert set(Version.objects.filter(baselines__baseline=baseline)) == {current, other}
        event = AuditEvent.objects.get(action="baseline.created")
        assert (event.target, event.detail["versions"]) == ("Spring", 2)


def test_versions_can_be_chosen(harbour: Tenant) -> None:
    document = factories.document(harbour)
    old = factories.version(harbour, of=document)
    with tenant_scope(harbour.pk):
        Version.objects.update(superseded_at=old.recorded_at)
    factories.version(harbour, of=document, number=2)
    baseline = services.create_baseline(
        collection=document.collection, name="1", actor=ACTOR, versions=[old.pk]
    )
    assert held_version(baseline) == old


def test_what_cannot_be_kept_is_refused(harbour: Tenant, meridian: Tenant) -> None:
    document = factories.document(harbour)
    collection = document.collection
    with pytest.raises(NothingToDo, match="nothing to keep"):
        services.create_baseline(collection=collection, name="1", actor=ACTOR)
    old = factories.version(harbour, of=document)
    with tenant_scope(harbour.pk):
        Version.objects.update(superseded_at=old.recorded_at)
    new = factories.version(harbour, of=document, number=2)
    waiting = factories.version(harbour, of=document, number=3, state=State.QUEUED)
    for versions, reason in (
        ([old.pk, new.pk], "of one document"),
        ([waiting.pk], "no ready version"),
        ([factories.version(harbour).pk], "no ready version"),
        ([factories.version(meridian).pk], "no ready version"),
    ):
        with pytest.raises(NothingToDo, match=reason):
            services.create_baseline(collection=collection, name="1", actor=ACTOR, versions=versions)
    with pytest.raises(ValidationError):
        services.create_baseline(collection=collection, name=" ", actor=ACTOR)
    assert [rows(model, harbour.pk) for model in SEALED] == [[], [], []]


def test_a_name_is_taken_once_in_a_collection(baseline: Baseline, harbour: Tenant) -> None:
    before = all_rows(harbour)
    with pytest.raises(NameTaken, match="There is a baseline 'Spring'"):
        services.create_baseline(collection=baseline.collection, name="Spring", actor=ACTOR)
    assert all_rows(harbour) == before


def test_the_pointer_keeps_its_history(baseline: Baseline, harbour: Tenant) -> None:
    second = services.create_baseline(collection=baseline.collection, name="2", actor=ACTOR)
    services.publish_baseline(baseline=second, actor=ACTOR)
    with pytest.raises(NothingToDo, match="2 is published already"):
        services.publish_baseline(baseline=second, actor=ACTOR)
    services.unpublish_collection(collection=baseline.collection, actor=ACTOR)
    with pytest.raises(NothingToDo, match="Nothing is published"):
        services.unpublish_collection(collection=baseline.collection, actor=ACTOR)
    with tenant_scope(harbour.pk):
        moves = list(Publication.objects.order_by("number").values_list("number", "baseline__name"))
        actions = AuditEvent.objects.filter(target__in=["Spring", "2", baseline.collection.name])
        said = set(actions.values_list("action", flat=True))
    assert moves == [(1, "Spring"), (2, "2"), (3, None)]
    assert said >= {"baseline.created", "baseline.published", "collection.unpublished"}


def test_documents_and_collections_with_baselines_are_kept(baseline: Baseline, harbour: Tenant) -> None:
    document = held_version(baseline).document
    services.delete_document(document=document, actor=ACTOR)
    before = all_rows(harbour)
    with pytest.raises(KeptForGood, match="'Spring' holds"):
        services.purge_document(document=document, actor=ACTOR)
    with pytest.raises(KeptForGood, match="kept for good"):
        services.delete_collection(collection=baseline.collection, actor=ACTOR)
    assert all_rows(harbour) == before


ONE_MORE = (
    "INSERT INTO documents_chunk SELECT (json_populate_record(chunk, json_build_object("
    "'id', gen_random_uuid(), 'position', 7))).* FROM documents_chunk AS chunk"
)
ADD_MEMBER = (
    "INSERT INTO documents_baselineversion (id, tenant_id, baseline_id, version_id)"
    " VALUES (gen_random_uuid(), %(tenant)s, %(baseline)s, %(further)s)"
)
EMPTY = "CREATE TEMP TABLE {0} AS SELECT * FROM {0} WHERE false;"
NOTHING_HELD = EMPTY.format("documents_baselineversion")
AS_ANOTHER = "set_config('pandect.tenant_id', %(other)s, true)"
ROW_AS_ANOTHER = "set_config('pandect.tenant_id', CASE WHEN id IS NOT NULL THEN %(other)s END, true) > ''"
ROW_AS_ITSELF = "set_config('role', CASE WHEN id IS NOT NULL THEN 'none' END, true) = 'none'"
NEVER_EQUAL = """
    CREATE FUNCTION pg_temp.never(uuid, uuid) RETURNS boolean LANGUAGE sql AS 'SELECT false';
    CREATE OPERATOR pg_temp.= (FUNCTION = pg_temp.never, LEFTARG = uuid, RIGHTARG = uuid);
    CREATE DOMAIN pg_temp.uuid AS pg_catalog.uuid; CREATE DOMAIN pg_temp.text AS pg_catalog.text;
    SET LOCAL search_path = pg_temp, public, pg_catalog;
"""
REFUSED = (
    r"permission denied|must be owner|a baseline holds does not change|violates foreign key constraint"
    r"|it was made with|row-level security policy for table|COPY FROM not supported|violates check constraint"
)
OUTRIGHT = [
    "UPDATE documents_baseline SET name = 'other'",
    "UPDATE documents_baseline SET size = size + 1",
    "UPDATE documents_baselineversion SET version_id = version_id",
    "UPDATE documents_publication SET baseline_id = NULL",
    "DELETE FROM documents_baseline",
    "DELETE FROM documents_baselineversion",
    "DELETE FROM documents_publication",
    "TRUNCATE documents_baselineversion",
    "UPDATE documents_version SET text = 'Other words.'",
    "UPDATE documents_version SET state = 'failed', failure = 'It is broken.'",
    "UPDATE documents_version SET number = number + 1",
    "DELETE FROM documents_version",
    "DELETE FROM documents_document",
    "DELETE FROM documents_collection",
    "DELETE FROM tenants_tenant WHERE id = %(tenant)s",
    "UPDATE documents_section SET title = 'Other'",
    "UPDATE documents_section SET id = gen_random_uuid()",
    "UPDATE documents_section SET tenant_id = %(other)s",
    "DELETE FROM documents_section",
    "UPDATE documents_chunk SET type = 'header'",
    "UPDATE documents_chunk SET id = gen_random_uuid()",
    "UPDATE documents_chunk SET tenant_id = %(other)s",
    "DELETE FROM documents_chunk",
    ONE_MORE,
    ADD_MEMBER,
    "UPDATE documents_source SET content = 'Other words.'",
    "UPDATE documents_source SET content = content",
    "UPDATE documents_source SET digest = repeat('0', 64)",
    "UPDATE documents_source SET size = size + 1",
    "UPDATE documents_source SET id = gen_random_uuid()",
    "UPDATE documents_source SET tenant_id = %(other)s",
    "DELETE FROM documents_source",
    "UPDATE documents_document SET collection_id = %(place)s",
    "UPDATE documents_document SET id = gen_random_uuid()",
    "UPDATE documents_document SET tenant_id = %(other)s",
]
UNDER_ANOTHER_NAME = [
    NOTHING_HELD + "UPDATE documents_version SET text = 'Other words.'",
    NOTHING_HELD + "UPDATE documents_section SET title = 'Other'",
    NOTHING_HELD + "DELETE FROM documents_chunk",
    NOTHING_HELD + "DELETE FROM documents_version",
    NOTHING_HELD + "DELETE FROM documents_source",
    NOTHING_HELD + "UPDATE documents_document SET collection_id = %(place)s",
    NOTHING_HELD + ONE_MORE,
    EMPTY.format("documents_version") + "UPDATE documents_document SET collection_id = %(place)s",
    EMPTY.format("documents_version") + "DELETE FROM documents_source",
    EMPTY.format("documents_baseline") + ADD_MEMBER,
    f"SET LOCAL search_path = pg_temp, public; {NOTHING_HELD} UPDATE documents_section SET title = 'Other'",
    "SET LOCAL search_path = pg_catalog; UPDATE public.documents_section SET title = 'Other'",
    (
        "CREATE TEMP VIEW documents_baselineversion AS SELECT gen_random_uuid() AS version_id;"
        "UPDATE documents_section SET title = 'Other'"
    ),
    NEVER_EQUAL + "UPDATE documents_section SET title = 'Other'",
    NEVER_EQUAL + "UPDATE documents_version SET text = 'Other words.'",
]
AS_SOMEBODY_ELSE = [
    f"{ADD_MEMBER} RETURNING {AS_ANOTHER}",
    f"{ONE_MORE} RETURNING {AS_ANOTHER}",
    f"DELETE FROM documents_chunk WHERE {ROW_AS_ANOTHER}",
    f"DELETE FROM documents_section WHERE {ROW_AS_ANOTHER}",
    f"DELETE FROM documents_version WHERE {ROW_AS_ANOTHER}",
    f"DELETE FROM documents_source WHERE {ROW_AS_ANOTHER}",
    f"DELETE FROM documents_chunk WHERE {ROW_AS_ITSELF}",
    f"DELETE FROM documents_version WHERE {ROW_AS_ITSELF}",
    f"UPDATE documents_version SET text = 'Other words.' WHERE {ROW_AS_ITSELF}",
    f"UPDATE documents_document SET collection_id = %(place)s WHERE {ROW_AS_ITSELF}",
    f"{ADD_MEMBER} RETURNING set_config('role', 'none', true)",
    f"{ONE_MORE} RETURNING set_config('role', 'pandect_platform', true)",
    "SET LOCAL row_security = off; UPDATE documents_section SET title = 'Other'",
    (
        "SET LOCAL ROLE pandect_app; SELECT set_config('pandect.tenant_id', %(tenant)s::text, true);"
        "UPDATE documents_section SET title = 'Other'"
    ),
    "SET LOCAL ROLE pandect_owner",
    "SET SESSION AUTHORIZATION pandect_owner",
]
BY_OTHER_MEANS = [
    "SET LOCAL session_replication_role = replica",
    "ALTER TABLE documents_version DISABLE TRIGGER ALL",
    "DROP TRIGGER baselines_keep_columns ON documents_version",
    "ALTER FUNCTION documents_keep_held() RESET search_path",
    "CREATE RULE other AS ON UPDATE TO documents_version DO INSTEAD NOTHING",
    (
        "CREATE TRIGGER other BEFORE UPDATE ON documents_version"
        " EXECUTE FUNCTION suppress_redundant_updates_trigger()"
    ),
    "CREATE TEMP TABLE more () INHERITS (documents_chunk)",
    "COPY documents_chunk FROM STDIN",
    "SET CONSTRAINTS ALL DEFERRED; DELETE FROM documents_version",
    "DEALLOCATE ALL; PREPARE change AS UPDATE documents_version SET text = $1; EXECUTE change ('Other.')",
    "CREATE TEMP VIEW units AS SELECT * FROM documents_section; UPDATE units SET title = 'Other'",
    (
        "MERGE INTO documents_section AS one USING (SELECT 1) AS any_row ON true"
        " WHEN MATCHED THEN UPDATE SET title = 'Other'"
    ),
    "MERGE INTO documents_chunk AS one USING (SELECT 1) AS any_row ON true WHEN MATCHED THEN DELETE",
    (
        "INSERT INTO documents_section SELECT * FROM documents_section"
        " ON CONFLICT (id) DO UPDATE SET title = 'Other'"
    ),
    (
        "INSERT INTO documents_version SELECT * FROM documents_version"
        " ON CONFLICT (id) DO UPDATE SET text = 'Other words.'"
    ),
    "WITH gone AS (DELETE FROM documents_chunk RETURNING *) SELECT * FROM gone",
    f"WITH more AS ({ONE_MORE} RETURNING 1) SELECT * FROM more",
    (
        "CREATE TEMP TABLE kept AS SELECT * FROM tenants_tenant WHERE id = %(tenant)s;"
        "DELETE FROM tenants_tenant WHERE id = %(tenant)s; INSERT INTO tenants_tenant SELECT * FROM kept"
    ),
]
CHANGES = [*OUTRIGHT, *UNDER_ANOTHER_NAME, *AS_SOMEBODY_ELSE, *BY_OTHER_MEANS]


def targets(baseline: Baseline, tenant: Tenant, other: Tenant) -> dict[str, Any]:
    """What statements speak of; made before anything is compared."""
    beside = factories.document(tenant, place=baseline.collection)
    return {
        "tenant": tenant.pk,
        "other": str(other.pk),
        "baseline": baseline.pk,
        "further": factories.version(tenant, of=beside).pk,
        "place": factories.collection(tenant).pk,
    }


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
@pytest.mark.parametrize("statement", CHANGES)
def test_raw_sql_changes_nothing(
    statement: str, scope: Scope, baseline: Baseline, harbour: Tenant, meridian: Tenant
) -> None:
    parameters = targets(baseline, harbour, meridian)
    before = all_rows(harbour)
    with pytest.raises(DatabaseError, match=REFUSED), scope(harbour):
        execute(statement, parameters)
    assert all_rows(harbour) == before


# What is said of a version once it is ready, and of how it is worked on; everything else is what it says.
FREE = {
    *("superseded_at", "withdrawn_at", "effective_from", "effective_to", "language"),
    *("claim", "attempts", "touched_at", "queued_at", "step_done", "step_total", "step_began_at"),
}
OTHERS = {
    "id": "gen_random_uuid()",
    "tenant_id": "%(other)s",
    "document_id": "gen_random_uuid()",
    "source_id": "gen_random_uuid()",
    "number": "number + 1",
    "file_name": "'other.txt'",
    "state": "'cancelled'",
    "failure": "'It is broken.'",
    "title": "'Other'",
    "text": "upper(text)",
    "is_markdown": "NOT is_markdown",
    "pages": "'{7}'",
    "warnings": "'{Look.}'",
    "grade": "'low'",
    "recorded_at": "recorded_at - interval '1 day'",
}


def test_every_column_of_a_version_is_free_or_kept() -> None:
    assert {field.column for field in Version._meta.concrete_fields} == {*OTHERS, *FREE}


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
@pytest.mark.parametrize("column", OTHERS)
def test_nothing_that_a_held_version_says_is_changed(
    column: str, scope: Scope, baseline: Baseline, harbour: Tenant, meridian: Tenant
) -> None:
    before = all_rows(harbour)
    with pytest.raises(DatabaseError, match="does not change"), scope(harbour):
        execute(f"UPDATE documents_version SET {column} = {OTHERS[column]}", {"other": meridian.pk})
    assert all_rows(harbour) == before


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("documents_version", "text = 'Other words.'"),
        ("documents_source", "content = 'Other words.', size = 12"),
        ("documents_document", "collection_id = %(place)s"),
    ],
)
def test_nothing_is_put_back_changed(
    table: str, change: str, scope: Scope, harbour: Tenant, meridian: Tenant
) -> None:
    """Keys are checked at the end of a transaction, when they lead somewhere again."""
    bare = factories.version(harbour)
    made = services.create_baseline(collection=bare.document.collection, name="1", actor=ACTOR)
    parameters = {"place": targets(made, harbour, meridian)["place"], "bare": bare.pk}
    before = all_rows(harbour)
    key = {"documents_version": "id", "documents_source": "source_id", "documents_document": "document_id"}
    own = f"id = (SELECT {key[table]} FROM versions)"
    with pytest.raises(DatabaseError, match="does not change"), scope(harbour):
        execute(
            "CREATE TEMP TABLE versions AS SELECT * FROM documents_version WHERE id = %(bare)s;"
            f"CREATE TEMP TABLE kept AS SELECT * FROM {table} WHERE {own};"
            f"DELETE FROM {table} WHERE {own}; UPDATE kept SET {change};"
            f"INSERT INTO {table} SELECT * FROM kept",
            parameters,
        )
    assert all_rows(harbour) == before


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_documents_do_not_change_places(scope: Scope, baseline: Baseline, harbour: Tenant) -> None:
    held, other = held_version(baseline).document, factories.document(harbour)
    before = all_rows(harbour)
    with pytest.raises(DatabaseError, match="does not change"), scope(harbour):
        execute(
            "UPDATE documents_document SET id = gen_random_uuid() WHERE id = %(other)s;"
            "UPDATE documents_document SET id = %(other)s WHERE id = %(held)s",
            {"held": held.pk, "other": other.pk},
        )
    assert all_rows(harbour) == before


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_guards_run_nobodys_functions(scope: Scope, harbour: Tenant) -> None:
    """What is deleted with a version is deleted by the owner of the tables, and guarded as the owner."""
    section = factories.section(harbour)
    with scope(harbour):
        execute(
            "CREATE FUNCTION pg_temp.seize() RETURNS uuid LANGUAGE plpgsql AS"
            " 'BEGIN RAISE EXCEPTION ''run as %%'', current_user; END';"
            "CREATE TEMP VIEW documents_baselineversion AS SELECT pg_temp.seize() AS version_id;"
            "DELETE FROM documents_version WHERE id = %(version)s",
            {"version": section.version_id},
        )
    assert rows(Section, harbour.pk) == []


def test_functions_look_into_the_schema_of_their_tables(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname, proconfig, prosecdef FROM pg_proc JOIN pg_class ON pg_class.oid ="
            " 'documents_baseline'::regclass AND pronamespace = relnamespace"
            " WHERE proname LIKE 'documents\\_%%' ORDER BY proname"
        )
        found = cursor.fetchall()
    assert [name for name, _, _ in found] == [
        "documents_keep_complete",
        "documents_keep_held",
        "documents_require_filled_baseline",
        "documents_require_latest",
        "documents_require_whole_baselines",
    ]
    assert {(tuple(configuration), is_definer) for _, configuration, is_definer in found} == {
        (("search_path=public, pg_temp",), False)
    }


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_no_version_is_added_twice(scope: Scope, baseline: Baseline, harbour: Tenant) -> None:
    before = all_rows(harbour)
    with pytest.raises(DatabaseError, match=r"in_a_baseline_once"), scope(harbour):
        execute(
            ADD_MEMBER,
            {"tenant": harbour.pk, "baseline": baseline.pk, "further": held_version(baseline).pk},
        )
    assert all_rows(harbour) == before


MEANWHILE = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


@contextmanager
def second_session(
    tenant: Tenant, *, begin: str = "BEGIN", user: str = "pandect_web"
) -> Iterator[psycopg.Connection[Any]]:
    """Another connection, that acts for a tenant. What it did is rolled back."""
    given = settings.DATABASES["default"]
    where = {"host": given["HOST"], "dbname": given["NAME"], "user": user}
    with psycopg.connect(**where, autocommit=True) as session:
        session.execute(begin.encode())
        session.execute("SELECT set_config('pandect.tenant_id', %s, true)", [str(tenant.pk)])
        yield session
        session.execute("ROLLBACK")


def whole_version(tenant: Tenant) -> Version:
    section = factories.section(tenant)
    factories.chunk(tenant, of=section)
    with tenant_scope(tenant.pk):
        return Version.objects.select_related("document__collection").get(pk=section.version_id)


SLOW_CHANGES = [
    "UPDATE documents_version SET text = 'Other words.'",
    "DELETE FROM documents_version",
    "UPDATE documents_section SET title = 'Other'",
    "DELETE FROM documents_chunk",
    ONE_MORE,
    "DELETE FROM documents_source",
    "UPDATE documents_document SET collection_id = gen_random_uuid()",
]


@MEANWHILE
def test_who_makes_a_baseline_waits_for_whoever_changes_what_it_holds() -> None:
    harbour = factories.tenant("harbour")
    place = whole_version(harbour).document.collection
    for change in SLOW_CHANGES:
        with second_session(harbour) as session, tenant_scope(harbour.pk):
            session.execute(change)
            execute("SET LOCAL lock_timeout = '100ms'", {})
            with pytest.raises(OperationalError, match="lock timeout"):
                services.create_baseline(collection=place, name="1", actor=ACTOR)
    assert rows(Baseline, harbour.pk) == []


@MEANWHILE
def test_who_changes_something_waits_for_whoever_makes_a_baseline_of_it() -> None:
    harbour = factories.tenant("harbour")
    place = whole_version(harbour).document.collection
    before = all_rows(harbour)
    with tenant_scope(harbour.pk):
        services.create_baseline(collection=place, name="1", actor=ACTOR)
        for change in SLOW_CHANGES:
            with second_session(harbour) as session:
                session.execute("SET LOCAL lock_timeout = '100ms'")
                with pytest.raises(psycopg.OperationalError, match="lock timeout"):
                    session.execute(change)
    assert all_rows(harbour)[len(SEALED) :] == before[len(SEALED) :]


@MEANWHILE
@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_who_looks_at_an_old_snapshot_changes_nothing(level: str) -> None:
    """There, a baseline that was made meanwhile does not exist yet."""
    harbour = factories.tenant("harbour")
    version = whole_version(harbour)
    further = factories.version(harbour)
    for number, change in enumerate([*SLOW_CHANGES, ADD_MEMBER]):
        with second_session(harbour, begin=f"BEGIN ISOLATION LEVEL {level}") as session:
            session.execute("SELECT count(*) FROM documents_baseline")
            made = services.create_baseline(
                collection=version.document.collection, name=f"{number}", actor=ACTOR
            )
            given = {"tenant": harbour.pk, "baseline": made.pk, "further": further.pk}
            with pytest.raises(psycopg.Error, match="at READ COMMITTED"):
                session.execute(change, given if change is ADD_MEMBER else None)


@MEANWHILE
def test_no_version_is_added_to_a_baseline_that_is_being_made() -> None:
    harbour = factories.tenant("harbour")
    version, further = whole_version(harbour), factories.version(harbour)
    with tenant_scope(harbour.pk):
        made = services.create_baseline(collection=version.document.collection, name="1", actor=ACTOR)
        with (
            second_session(harbour) as session,
            pytest.raises(psycopg.Error, match="it was made with"),
        ):
            session.execute(ADD_MEMBER, {"tenant": harbour.pk, "baseline": made.pk, "further": further.pk})
    assert len(rows(BaselineVersion, harbour.pk)) == 1


@MEANWHILE
def test_a_superuser_can_delete_a_tenant_with_its_baselines() -> None:
    harbour = factories.tenant("harbour")
    factories.publication(harbour)
    with second_session(harbour, user="postgres") as session:
        for table in ("documents_publication", "documents_baselineversion", "documents_baseline"):
            session.execute(f"DELETE FROM {table} WHERE tenant_id = %s", [harbour.pk])
        session.execute("DELETE FROM documents_collection WHERE tenant_id = %s", [harbour.pk])
        session.execute("DELETE FROM tenants_tenant WHERE id = %s", [harbour.pk])
        session.execute("SET CONSTRAINTS ALL IMMEDIATE")
        left = session.execute("SELECT count(*) FROM documents_version").fetchone()
        assert left == (0,)


def test_a_chunk_is_not_moved_into_a_baseline(baseline: Baseline, harbour: Tenant) -> None:
    other = factories.chunk(harbour)
    before = all_rows(harbour)
    with pytest.raises(DatabaseError, match="does not change"), tenant_scope(harbour.pk):
        Chunk.objects.filter(pk=other.pk).update(version=held_version(baseline), position=9)
    assert all_rows(harbour) == before


def test_a_baseline_has_all_of_its_versions_when_it_is_made(harbour: Tenant) -> None:
    place = factories.collection(harbour)
    with pytest.raises(DatabaseError, match="all of its versions"), tenant_scope(harbour.pk):
        execute(
            "INSERT INTO documents_baseline (id, tenant_id, collection_id, name, description, size,"
            " created_at, created_by) VALUES (%s, %s, %s, 'later', '', 1, now(), '')",
            [uuid4(), harbour.pk, place.pk],
        )
    assert rows(Baseline, harbour.pk) == []


def test_what_a_baseline_does_not_hold_can_still_change(baseline: Baseline, harbour: Tenant) -> None:
    version = held_version(baseline)
    other = factories.chunk(harbour)
    with tenant_scope(harbour.pk):
        Version.objects.filter(pk=version.pk).update(superseded_at=version.recorded_at, language="german")
        Chunk.objects.filter(pk=other.pk).update(type="header")
        Version.objects.filter(pk=other.version_id).delete()
        assert not Chunk.objects.filter(pk=other.pk).exists()


def test_a_baseline_made_from_another_is_the_same(baseline: Baseline) -> None:
    context = ReadContext(selector=Selector.BASELINE, baseline_id=baseline.pk)
    copy = services.create_baseline(collection=baseline.collection, name="copy", actor=ACTOR, context=context)
    assert held_version(copy) == held_version(baseline)
