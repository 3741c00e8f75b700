"""The migration operation, on a table of its own; and the plans that PostgreSQL makes below it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, connections, models
from django.db.migrations.state import ModelState, ProjectState

from tenants.isolation import EnableTenantIsolation, TieToTenant
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


LETTERS = ProjectState()
for name, key in (("Box", None), ("Letter", "Box")):
    LETTERS.add_model(
        ModelState(
            "scratch",
            name,
            [
                ("id", models.UUIDField(primary_key=True)),
                ("tenant_id", models.UUIDField()),
                *(
                    [("box", models.ForeignKey(f"scratch.{key}", models.DO_NOTHING, null=True))]
                    if key is not None
                    else []
                ),
            ],
            {"db_table": f"scratch_{name.lower()}"},
        )
    )


@pytest.fixture
def letters(transactional_db: None) -> Iterator[None]:
    """Boxes and letters in them, of two tenants; nothing ties the letters yet."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("CREATE TABLE scratch_box (id uuid, tenant_id uuid, UNIQUE (tenant_id, id))")
        cursor.execute("CREATE TABLE scratch_letter (id uuid, tenant_id uuid, box_id uuid)")
        try:
            for tenant in (FIRST, SECOND):
                cursor.execute("INSERT INTO scratch_box VALUES (%s, %s)", [tenant, tenant])
                cursor.execute("INSERT INTO scratch_letter VALUES (%s, %s, %s)", [tenant] * 3)
            yield
        finally:
            cursor.execute("DROP TABLE scratch_letter, scratch_box")


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.usefixtures("letters")
@pytest.mark.parametrize(
    ("options", "left"),
    [({}, None), ({"is_cascading": True}, [SECOND]), ({"is_clearing": True}, [FIRST, SECOND])],
)
def test_a_tie_holds_and_cascades_or_clears_and_runs_backwards(
    options: dict[str, bool], left: list[UUID] | None
) -> None:
    owner = connections["owner"]
    operation = TieToTenant("Letter", "box", **options)
    move = "UPDATE scratch_letter SET box_id = %s WHERE id = %s"
    with owner.schema_editor() as editor:
        operation.database_forwards("scratch", editor, LETTERS, LETTERS)
    with owner.cursor() as cursor:
        with pytest.raises(IntegrityError):
            cursor.execute(move, [SECOND, FIRST])
        cursor.execute(move, [None, SECOND])  # No box is no box of another tenant.
        if left is None:
            with pytest.raises(IntegrityError):
                cursor.execute("DELETE FROM scratch_box WHERE id = %s", [FIRST])
        else:
            cursor.execute("DELETE FROM scratch_box WHERE id = %s", [FIRST])
        cursor.execute("SELECT id, tenant_id, box_id FROM scratch_letter")
        boxes = {FIRST: FIRST if left is None else None, SECOND: None}
        expected = [FIRST, SECOND] if left is None else left
        assert sorted(cursor.fetchall()) == sorted((one, one, boxes[one]) for one in expected)
    with owner.schema_editor() as editor:
        operation.database_backwards("scratch", editor, LETTERS, LETTERS)
    with owner.cursor() as cursor:
        cursor.execute(move, [uuid4(), SECOND])
        assert cursor.rowcount == 1


def test_a_tie_is_written_back_as_it_was_read() -> None:
    plain, full = TieToTenant("Letter", "box"), TieToTenant("Letter", "box", is_cascading=True)
    assert plain.deconstruct() == ("TieToTenant", ["Letter", "box"], {})
    assert full.deconstruct() == ("TieToTenant", ["Letter", "box"], {"is_cascading": True})
    clearing = TieToTenant("Letter", "box", is_clearing=True)
    assert clearing.deconstruct() == ("TieToTenant", ["Letter", "box"], {"is_clearing": True})
    assert full.describe() == "Tie box of Letter to its tenant"
    assert full.migration_name_fragment == "tie_letter_box"


def test_a_tie_does_not_both_cascade_and_clear() -> None:
    with pytest.raises(TypeError, match=r"Letter\.box either goes with its target or is emptied, not both"):
        TieToTenant("Letter", "box", is_cascading=True, is_clearing=True)


@pytest.mark.django_db(databases=["owner"])
def test_only_a_foreign_key_is_tied() -> None:
    with pytest.raises(TypeError, match=r"Letter\.tenant_id is no foreign key"):
        TieToTenant("Letter", "tenant_id")._field("scratch", LETTERS)
