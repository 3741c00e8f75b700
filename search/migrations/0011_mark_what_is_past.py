from importlib import import_module

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models

# A space has two indexes from now on: of what some current version says, and of what is past. Whoever reads
# what is current walks through the first one alone, however many old versions there are.
INDEX = """
CREATE FUNCTION search_index_space(space uuid, dimensions integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    own text := md5(space::text || current_setting('pandect.tenant_id'));
BEGIN
    IF dimensions NOT BETWEEN 1 AND 4000 THEN  -- As many as HNSW takes.
        RETURN false;
    END IF;
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %1$I ON search_embedding'
        ' USING hnsw ((vector::halfvec(%3$s)) halfvec_cosine_ops)'
        ' WHERE space_id = %4$L AND tenant_id = %5$L AND NOT is_past;'
        'CREATE INDEX IF NOT EXISTS %2$I ON search_embedding'
        ' USING hnsw ((vector::halfvec(%3$s)) halfvec_cosine_ops)'
        ' WHERE space_id = %4$L AND tenant_id = %5$L AND is_past',
        'space_' || own, 'past_' || own, dimensions, space, current_setting('pandect.tenant_id')::uuid
    );
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END
$$
"""
UNINDEX = """
CREATE FUNCTION search_unindex_space(space uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
    own text := md5(space::text || current_setting('pandect.tenant_id'));
    condition text := format('%%tenant_id = %L%%', current_setting('pandect.tenant_id')::uuid);
    name text;
BEGIN
    FOR name IN SELECT indexname FROM pg_indexes
                WHERE schemaname = 'public' AND tablename = 'search_embedding'
                  AND indexname IN ('space_' || own, 'past_' || own) AND indexdef LIKE condition LOOP
        EXECUTE format('DROP INDEX %I', name);
    END LOOP;
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END
$$
"""
# Those that are there hold everything. Nothing is marked yet, so what they are replaced by is as large.
DIVIDE = """
DO $$
DECLARE
    index record;
BEGIN
    FOR index IN SELECT indexname AS name, indexdef AS definition FROM pg_indexes
                 WHERE schemaname = 'public' AND tablename = 'search_embedding' AND indexname ~ '^space_' LOOP
        EXECUTE format('DROP INDEX %I', index.name);
        EXECUTE index.definition || ' AND NOT is_past';
        EXECUTE replace(index.definition, 'INDEX space_', 'INDEX past_') || ' AND is_past';
    END LOOP;
END
$$
"""
UNITE = """
DO $$
DECLARE
    index record;
BEGIN
    FOR index IN SELECT indexname AS name, indexdef AS definition FROM pg_indexes
                 WHERE schemaname = 'public' AND tablename = 'search_embedding'
                   AND indexname ~ '^(space|past)_' LOOP
        EXECUTE format('DROP INDEX %I', index.name);
        IF index.name ~ '^space_' THEN
            EXECUTE replace(index.definition, ' AND (NOT is_past)', '');
        END IF;
    END LOOP;
END
$$
"""
FORMER = import_module("search.migrations.0005_index_large_spaces")


def anew(function: str) -> str:
    return function.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")


class Migration(migrations.Migration):
    dependencies = [("search", "0010_weigh_what_texts_say")]

    operations = [
        migrations.AddField(
            "passage",
            "is_past",
            models.BooleanField(
                db_default=False,
                default=False,
                help_text="Superseded versions alone say it (search/past.py).",
            ),
        ),
        migrations.AddField(
            "embedding",
            "is_past",
            models.BooleanField(db_default=False, default=False, help_text="As its passage is."),
        ),
        migrations.AddIndex(
            "passage",
            GinIndex(
                condition=models.Q(is_past=False),
                fields=["full_text"],
                name="current_passages_by_words",
                fastupdate=False,
            ),
        ),
        migrations.RunSQL(anew(INDEX), anew(FORMER.INDEX)),
        migrations.RunSQL(anew(UNINDEX), anew(FORMER.UNINDEX)),
        migrations.RunSQL(DIVIDE, UNITE),
    ]
