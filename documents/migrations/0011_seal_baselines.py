from django.db import migrations, models
from django.db.models.functions import Length

ROLES = "pandect_app, pandect_platform"
SEALED = "documents_baseline, documents_baselineversion, documents_publication"

# What a version says and is. The other columns say when it is over, on which days it applies, by which
# language it is indexed, and what workers do with it.
SAID = (
    *("tenant_id", "id", "document_id", "number", "source_id", "file_name", "state", "failure"),
    *("title", "is_markdown", "warnings", "grade", "recorded_at", "pages", "text"),
)

# The functions below ask as the role that changes something, through its policies. So each acts for the
# tenant of the row while it looks: the statement can have set another one, in a condition or by RETURNING.
# They want READ COMMITTED: an older snapshot does not see a baseline that was made meanwhile.
REQUIRE_LATEST = """
CREATE FUNCTION documents_require_latest() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'What a baseline may hold is written at READ COMMITTED.'
            USING ERRCODE = 'restrict_violation';
    END IF;
END $$;
"""

# As many versions as it says, each ready, each of another document, and all of its own collection. Whoever
# adds one later finds that there are too many, or no baseline yet. A statement has to bring all versions of a
# baseline, and waits for whoever is changing them, documents before versions as everybody does.
REQUIRE_WHOLE = """
CREATE FUNCTION documents_require_whole_baselines() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    acting text := current_setting('pandect.tenant_id', true);
    whose uuid;
    made uuid[];
    held uuid[];
    is_whole boolean;
BEGIN
    PERFORM documents_require_latest();
    FOR whose, made, held IN
        SELECT tenant_id, array_agg(DISTINCT baseline_id), array_agg(version_id) FROM added GROUP BY tenant_id
    LOOP
        PERFORM set_config('pandect.tenant_id', whose::text, true);
        PERFORM FROM documents_document
            WHERE id IN (SELECT document_id FROM documents_version WHERE id = ANY (held))
            ORDER BY id FOR SHARE;
        PERFORM FROM documents_version WHERE id = ANY (held) ORDER BY id FOR NO KEY UPDATE;
        PERFORM FROM documents_source
            WHERE id IN (SELECT source_id FROM documents_version WHERE id = ANY (held))
            ORDER BY id FOR KEY SHARE;
        SELECT count(*) = cardinality(made) INTO is_whole
        FROM documents_baseline AS baseline
        CROSS JOIN LATERAL (
            SELECT count(*) AS versions, count(DISTINCT document.id) AS documents
            FROM documents_baselineversion AS member
            LEFT JOIN documents_version AS version
                ON version.id = member.version_id AND version.state = 'ready'
            LEFT JOIN documents_document AS document
                ON document.id = version.document_id AND document.collection_id = baseline.collection_id
            WHERE member.baseline_id = baseline.id
        ) AS found
        WHERE baseline.id = ANY (made)
            AND baseline.size = found.versions AND baseline.size = found.documents;
        PERFORM set_config('pandect.tenant_id', coalesce(acting, ''), true);
        IF NOT is_whole THEN
            RAISE EXCEPTION 'A baseline has the versions that it was made with, one of each document.'
                USING ERRCODE = 'restrict_violation';
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER baselines_are_whole AFTER INSERT ON documents_baselineversion
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION documents_require_whole_baselines();
"""

# At the end of the transaction, which may act for another tenant by then, or for none.
REQUIRE_FILLED = """
CREATE FUNCTION documents_require_filled_baseline() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    acting text := current_setting('pandect.tenant_id', true);
    members bigint;
BEGIN
    PERFORM set_config('pandect.tenant_id', NEW.tenant_id::text, true);
    SELECT count(*) INTO members FROM documents_baselineversion WHERE baseline_id = NEW.id;
    PERFORM set_config('pandect.tenant_id', coalesce(acting, ''), true);
    IF members <> NEW.size THEN
        RAISE EXCEPTION 'A baseline has all of its versions when it is made.'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER baseline_is_filled AFTER INSERT ON documents_baseline
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION documents_require_filled_baseline();
"""

# Row by row and before, where something is changed or deleted: a trigger behind the statement may run as the
# owner of the tables, who sees no row, once the database itself deletes what depends on what was deleted.
# Deleting is refused at once. A key would refuse it at the end of the transaction, and until then what was
# deleted can be put back changed. The row is locked by now, so who makes a baseline waits for it or is waited
# for; sections and chunks lock their version to that end.
KEEP_HELD = """
CREATE FUNCTION documents_keep_held() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    acting text := current_setting('pandect.tenant_id', true);
    concerned uuid[];
    is_held boolean;
BEGIN
    PERFORM documents_require_latest();
    PERFORM set_config('pandect.tenant_id', OLD.tenant_id::text, true);
    CASE TG_TABLE_NAME
        WHEN 'documents_version' THEN
            concerned := ARRAY[OLD.id];
        WHEN 'documents_document' THEN
            concerned := ARRAY(SELECT id FROM documents_version WHERE document_id = OLD.id);
        WHEN 'documents_source' THEN
            concerned := ARRAY(SELECT id FROM documents_version WHERE source_id = OLD.id);
        ELSE
            concerned := ARRAY[OLD.version_id];
            PERFORM FROM documents_version WHERE id = OLD.version_id FOR SHARE;
    END CASE;
    is_held := EXISTS (SELECT FROM documents_baselineversion WHERE version_id = ANY (concerned));
    PERFORM set_config('pandect.tenant_id', coalesce(acting, ''), true);
    IF is_held THEN
        RAISE EXCEPTION 'What a baseline holds does not change.' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
"""

# Behind the statement, where sections and chunks are added or moved: thousands are written at once.
KEEP_COMPLETE = """
CREATE FUNCTION documents_keep_complete() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    acting text := current_setting('pandect.tenant_id', true);
    whose uuid;
    concerned uuid[];
    is_held boolean;
BEGIN
    PERFORM documents_require_latest();
    FOR whose, concerned IN
        SELECT tenant_id, array_agg(DISTINCT version_id) FROM added GROUP BY tenant_id
    LOOP
        PERFORM set_config('pandect.tenant_id', whose::text, true);
        PERFORM FROM documents_version WHERE id = ANY (concerned) ORDER BY id FOR SHARE;
        is_held := EXISTS (SELECT FROM documents_baselineversion WHERE version_id = ANY (concerned));
        PERFORM set_config('pandect.tenant_id', coalesce(acting, ''), true);
        IF is_held THEN
            RAISE EXCEPTION 'What a baseline holds does not change.' USING ERRCODE = 'restrict_violation';
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
"""

FUNCTIONS = {
    "documents_require_latest": REQUIRE_LATEST,
    "documents_require_whole_baselines": REQUIRE_WHOLE,
    "documents_require_filled_baseline": REQUIRE_FILLED,
    "documents_keep_held": KEEP_HELD,
    "documents_keep_complete": KEEP_COMPLETE,
}


def find_own_tables(function: str) -> str:
    """Have a function look into the schema of its tables. Otherwise it finds temporary ones first."""
    return f"""
        DO $$ BEGIN
            EXECUTE format('ALTER FUNCTION {function}() SET search_path = %I, pg_temp', current_schema());
        END $$;
    """


def guard(table: str) -> str:
    """Guard a table of what versions say, against each kind of change."""
    return f"""
        CREATE TRIGGER baselines_keep_content BEFORE UPDATE OR DELETE ON {table}
            FOR EACH ROW EXECUTE FUNCTION documents_keep_held();
        CREATE TRIGGER baselines_keep_complete AFTER INSERT ON {table} REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION documents_keep_complete();
        CREATE TRIGGER baselines_keep_closed AFTER UPDATE ON {table} REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION documents_keep_complete();
    """


def guard_columns(table: str, columns: tuple[str, ...]) -> str:
    """Guard some columns of a table against change."""
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    return f"""
        CREATE TRIGGER baselines_keep_columns BEFORE UPDATE OF {", ".join(columns)} ON {table}
            FOR EACH ROW WHEN (({old}) IS DISTINCT FROM ({new})) EXECUTE FUNCTION documents_keep_held();
    """


def guard_rows(table: str) -> str:
    """Guard a table against deletion."""
    return f"""
        CREATE TRIGGER baselines_keep_rows BEFORE DELETE ON {table}
            FOR EACH ROW EXECUTE FUNCTION documents_keep_held();
    """


class Migration(migrations.Migration):
    """No role that the application can be is able to change a baseline, or what it holds."""

    dependencies = [("documents", "0010_read_contexts")]

    operations = [
        migrations.RunSQL(
            f"REVOKE UPDATE, DELETE, TRUNCATE ON {SEALED} FROM {ROLES}",
            f"GRANT UPDATE, DELETE ON {SEALED} TO {ROLES}",
        ),
        # Whoever may update nothing may not lock either. A size that is checked cannot be changed.
        migrations.RunSQL(
            f"REVOKE UPDATE ON documents_source FROM {ROLES};"
            f"GRANT UPDATE (size) ON documents_source TO {ROLES}",
            f"REVOKE UPDATE (size) ON documents_source FROM {ROLES};"
            f"GRANT UPDATE ON documents_source TO {ROLES}",
        ),
        migrations.AddConstraint(
            model_name="source",
            constraint=models.CheckConstraint(
                condition=models.Q(size=Length("content")), name="source_size_is_right"
            ),
        ),
        *(
            migrations.RunSQL([body, find_own_tables(name)], f"DROP FUNCTION {name} CASCADE")
            for name, body in FUNCTIONS.items()
        ),
        migrations.RunSQL(
            [
                guard("documents_section"),
                guard("documents_chunk"),
                guard_columns("documents_version", SAID),
                guard_rows("documents_version"),
                guard_columns("documents_document", ("tenant_id", "id", "collection_id")),
                guard_rows("documents_source"),
            ],
            migrations.RunSQL.noop,  # They go with their functions.
        ),
    ]
