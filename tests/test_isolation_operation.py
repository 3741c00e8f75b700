"""The migration operation, on a table of its own; and the plans that PostgreSQL makes below it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import connection, connections, models
from django.db.migrations.state import ModelState, ProjectState

from tenants.isolation import EnableTenantIsolation
from tenants.scope import tenant_scope


@pytest.fixture
def papers(transactional_db: None) -> Iterator[EnableTenantIsolation]:
    """A table with a full-text index and 20,000 rows of two tenants, isolated by the operation."""
    owner = connections["owner"]
    operation = EnableTenantIsolation("Paper")
    with owner.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE scratch_paper (id serial PRIMARY KEY, tenant_id uuid NOT NULL, words tsvector)"
        )
        try:
            cursor.execute(
                "INSERT INTO scratch_paper (tenant_id, words) SELECT (ARRAY[%s, %s])[1 + n %% 2]::uuid,"
                " to_tsvector('simple', 'w' || n / 2 || ' common') FROM generate_series(0, 19999) n",
                [FIRST, SECOND],
            )
            cursor.execute("CREATE INDEX scratch_words ON scratch_paper USING gin (words)")
            cursor.execute("ANALYZE scratch_paper")
            with owner.schema_editor() as editor:
                operation.database_forwards("scratch", editor, STATE, STATE)
            yield operation
        finally:
            cursor.execute("DROP TABLE scratch_paper")


FIRST, SECOND = uuid4(), uuid4()
FIND = "SELECT id FROM scratch_paper WHERE words @@ to_tsquery('simple', %s)"
STATE = ProjectState()
STATE.add_model(
    ModelState(
        "scratch", "Paper", [("id", models.AutoField(primary_key=True))], {"db_table": "scratch_paper"}
    )
)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.usefixtures("papers")
def test_the_planner_uses_the_full_text_index_below_the_wall() -> None:
    with tenant_scope(FIRST), connection.cursor() as cursor:
        cursor.execute(FIND, ["w123"])
        assert len(cursor.fetchall()) == 1
        cursor.execute("EXPLAIN (FORMAT JSON) " + FIND, ["w123"])
        plan = json.dumps(cursor.fetchone()[0])
    assert "scratch_words" in plan
    assert "Seq Scan" not in plan


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_the_operation_runs_backwards(papers: EnableTenantIsolation) -> None:
    def count() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM scratch_paper")
            return int(cursor.fetchone()[0])

    assert count() == 0
    with connections["owner"].schema_editor() as editor:
        papers.database_backwards("scratch", editor, STATE, STATE)
    assert count() == 20_000
    with connections["owner"].schema_editor() as editor:
        papers.database_forwards("scratch", editor, STATE, STATE)
    assert count() == 0


def test_the_operation_is_written_back_as_it_was_read() -> None:
    plain = EnableTenantIsolation("Paper")
    full = EnableTenantIsolation("Paper", column="id", also_readable="id = {user}")
    assert plain.deconstruct() == ("EnableTenantIsolation", ["Paper"], {})
    assert full.deconstruct() == (
        "EnableTenantIsolation",
        ["Paper"],
        {"column": "id", "also_readable": "id = {user}"},
    )
    assert full.describe() == "Isolate the rows of Paper by tenant"
    assert full.migration_name_fragment == "isolate_paper"
