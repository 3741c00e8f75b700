from django.contrib.postgres.indexes import GinIndex
from django.db import migrations

from config.prepare import PLATFORM_ROLE

# Words of the text have weight A from now on, those of the context none: what is quoted must be in the text.
WEIGH = r"""
UPDATE search_passage SET exact = ts_delete(
    setweight(search_own(to_tsvector('simple', left(text, 60000)), tenant_id), 'A')
    || E'\'\x1f\':2'::tsvector || search_own(to_tsvector('simple', left(context, 10000)), tenant_id), E'\x1f')
"""
FORMER = "UPDATE search_passage SET exact = setweight(exact, 'D')"


def for_all_tenants(statement: str) -> list[str]:
    return [f"SET LOCAL ROLE {PLATFORM_ROLE}", statement, "RESET ROLE"]


class Migration(migrations.Migration):
    dependencies = [("search", "0009_record_queries")]

    operations = [
        # Made anew afterwards, which is faster than to keep them up to date row by row.
        migrations.RemoveIndex("passage", "passages_by_words"),
        migrations.RemoveIndex("passage", "passages_by_exact_words"),
        migrations.RunSQL(for_all_tenants(WEIGH), for_all_tenants(FORMER)),
        migrations.AddIndex(
            "passage", GinIndex(fields=["full_text"], name="passages_by_words", fastupdate=False)
        ),
        migrations.AddIndex(
            "passage", GinIndex(fields=["exact"], name="passages_by_exact_words", fastupdate=False)
        ),
    ]
