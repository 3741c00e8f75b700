from django.db import migrations

from config.prepare import APPLICATION_ROLE

# The application may not change tables. These two let it have one index per space of its own tenant, and
# nothing else: names and conditions are made of ids and a number. They wait for the table a moment only,
# since whoever wants it after them waits too, and say whether they got it.
INDEX = """
CREATE FUNCTION search_index_space(space uuid, dimensions integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
BEGIN
    IF dimensions NOT BETWEEN 1 AND 4000 THEN  -- As many as HNSW takes.
        RETURN false;
    END IF;
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %I ON search_embedding'
        ' USING hnsw ((vector::halfvec(%s)) halfvec_cosine_ops) WHERE space_id = %L AND tenant_id = %L',
        'space_' || md5(space::text || current_setting('pandect.tenant_id')), dimensions, space,
        current_setting('pandect.tenant_id')::uuid
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
    name text := 'space_' || md5(space::text || current_setting('pandect.tenant_id'));
    own text := format('%%tenant_id = %L%%', current_setting('pandect.tenant_id')::uuid);
BEGIN
    IF EXISTS (SELECT FROM pg_indexes
               WHERE schemaname = 'public' AND tablename = 'search_embedding' AND indexname = name
                 AND indexdef LIKE own) THEN
        EXECUTE format('DROP INDEX %I', name);
    END IF;
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END
$$
"""

FUNCTIONS = {"search_index_space(uuid, integer)": INDEX, "search_unindex_space(uuid)": UNINDEX}


class Migration(migrations.Migration):
    dependencies = [("search", "0004_weigh_words")]

    operations = [
        migrations.RunSQL(
            [
                body,
                f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC",
                f"GRANT EXECUTE ON FUNCTION {name} TO {APPLICATION_ROLE}",
            ],
            f"DROP FUNCTION {name}",
        )
        for name, body in FUNCTIONS.items()
    ]
