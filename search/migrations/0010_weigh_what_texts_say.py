from django.db import migrations

# Words of the text have weight A from now on, those of the context none: what is quoted must be in the text.
# The column is changed, not its rows: table and indexes are written anew, with nothing dead in them.
WEIGH = r"""
ALTER TABLE search_passage ALTER COLUMN exact TYPE tsvector USING ts_delete(
    setweight(search_own(to_tsvector('simple', left(text, 60000)), tenant_id), 'A')
    || E'\'\x1f\':2'::tsvector || search_own(to_tsvector('simple', left(context, 10000)), tenant_id), E'\x1f')
"""
FORMER = "ALTER TABLE search_passage ALTER COLUMN exact TYPE tsvector USING setweight(exact, 'D')"


class Migration(migrations.Migration):
    dependencies = [("search", "0009_record_queries")]

    operations = [migrations.RunSQL(WEIGH, FORMER)]
