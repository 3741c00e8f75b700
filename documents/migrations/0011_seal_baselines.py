from django.db import migrations

SEALED = "documents_baseline, documents_baselineversion, documents_publication"

# As many versions as it says, each ready, each of another document, and all of its own collection. Whoever
# adds one later finds that there are too many. A statement has to bring all versions of a baseline.
REQUIRE_WHOLE = """
CREATE FUNCTION documents_require_whole_baselines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM documents_baseline AS baseline
        CROSS JOIN LATERAL (
            SELECT count(*) AS versions, count(DISTINCT document.id) AS documents
            FROM documents_baselineversion AS member
            JOIN documents_version AS version ON version.id = member.version_id AND version.state = 'ready'
            JOIN documents_document AS document
                ON document.id = version.document_id AND document.collection_id = baseline.collection_id
            WHERE member.baseline_id = baseline.id
        ) AS sound
        CROSS JOIN LATERAL (
            SELECT count(*) AS versions FROM documents_baselineversion WHERE baseline_id = baseline.id
        ) AS every
        WHERE baseline.id IN (SELECT baseline_id FROM added)
            AND NOT (baseline.size = every.versions AND baseline.size = sound.documents)
    ) THEN
        RAISE EXCEPTION 'A baseline has the versions that it was made with, one of each document.'
            USING ERRCODE = 'restrict_violation';
    END IF;
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
    found bigint;
BEGIN
    PERFORM set_config('pandect.tenant_id', NEW.tenant_id::text, true);
    SELECT count(*) INTO found FROM documents_baselineversion WHERE baseline_id = NEW.id;
    PERFORM set_config('pandect.tenant_id', coalesce(acting, ''), true);
    IF found <> NEW.size THEN
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
# What belongs to a deleted version goes with it unasked; one that a baseline holds cannot be deleted.
KEEP_CONTENT = """
CREATE FUNCTION documents_keep_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM documents_baselineversion
        WHERE version_id = OLD.version_id OR TG_OP = 'UPDATE' AND version_id = NEW.version_id
    ) THEN
        RAISE EXCEPTION 'What a baseline holds does not change.' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE FUNCTION documents_keep_complete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM documents_baselineversion WHERE version_id IN (SELECT DISTINCT version_id FROM added)
    ) THEN
        RAISE EXCEPTION 'What a baseline holds does not change.' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
"""
FREEZE = """
CREATE FUNCTION documents_keep_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM documents_baselineversion WHERE version_id = OLD.id) THEN
        RAISE EXCEPTION 'What a baseline holds does not change.' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER baselines_keep_versions BEFORE UPDATE ON documents_version FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.document_id, OLD.number, OLD.source_id, OLD.state, OLD.title, OLD.text,
           OLD.pages) IS DISTINCT FROM
          (NEW.tenant_id, NEW.id, NEW.document_id, NEW.number, NEW.source_id, NEW.state, NEW.title, NEW.text,
           NEW.pages))
    EXECUTE FUNCTION documents_keep_version();
"""


def guard(table: str) -> str:
    """Guard a table of what versions say, against each kind of change."""
    return f"""
        CREATE TRIGGER baselines_keep_content BEFORE UPDATE OR DELETE ON {table}
            FOR EACH ROW EXECUTE FUNCTION documents_keep_content();
        CREATE TRIGGER baselines_keep_complete AFTER INSERT ON {table} REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION documents_keep_complete();
    """


class Migration(migrations.Migration):
    """No role that the application can be is able to change a baseline, or what it holds."""

    dependencies = [("documents", "0010_read_contexts")]

    operations = [
        migrations.RunSQL(
            f"REVOKE UPDATE, DELETE, TRUNCATE ON {SEALED} FROM pandect_app, pandect_platform",
            f"GRANT UPDATE, DELETE ON {SEALED} TO pandect_app, pandect_platform",
        ),
        migrations.RunSQL(REQUIRE_WHOLE, "DROP FUNCTION documents_require_whole_baselines CASCADE"),
        migrations.RunSQL(REQUIRE_FILLED, "DROP FUNCTION documents_require_filled_baseline CASCADE"),
        migrations.RunSQL(FREEZE, "DROP FUNCTION documents_keep_version CASCADE"),
        migrations.RunSQL(
            [KEEP_CONTENT, guard("documents_section"), guard("documents_chunk")],
            "DROP FUNCTION documents_keep_content, documents_keep_complete CASCADE",
        ),
    ]
