from django.contrib.postgres.indexes import GinIndex
from django.db import migrations

from config.prepare import PLATFORM_ROLE

# Each lexeme begins with a key of its tenant. The words behind the key are cut to what still fits.
OWN = r"""
CREATE FUNCTION search_own(words tsvector, tenant uuid) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(string_agg(
        '''' || replace(replace(left(tenant::text, 6) || left(lexeme, 500), '\', '\\'), '''', '''''') || ''''
        || coalesce(':' || array_to_string(positions, ','), ''), ' '), '')::tsvector
    FROM unnest(words)
$$
"""
FORMER = r"""
CREATE FUNCTION search_common(words tsvector) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(string_agg(
        '''' || replace(replace(substr(lexeme, 7), '\', '\\'), '''', '''''') || ''''
        || coalesce(':' || array_to_string(positions, ','), ''), ' '), '')::tsvector
    FROM unnest(words)
$$
"""
# What each word weighs in a passage: the part of BM25 that does not depend on other passages. A sparse vector
# holds 16,000 words, and a word counts 255 times at most.
WEIGHTS = """
CREATE OR REPLACE FUNCTION search_bm25(words tsvector, k1 float8, b float8, pivot float8) RETURNS sparsevec
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    WITH counted AS (
        SELECT lexeme, coalesce(cardinality(positions), 1)::float8 AS times FROM unnest(words)
    ), measured AS (
        SELECT k1 * (1 - b + b * sum(times) / pivot) AS burden FROM counted
    ), weighed AS (
        SELECT search_dimension({word}) AS dimension, sum(times * (k1 + 1) / (times + burden)) AS weight
        FROM counted, measured GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 16000
    )
    SELECT ('{{' || coalesce(string_agg(dimension || ':' || weight::real, ',' ORDER BY dimension), '')
            || '}}/1000000000')::sparsevec
    FROM weighed
$$
"""
REWRITE = """
UPDATE search_passage SET full_text = search_own(full_text, tenant_id), exact = search_own(exact, tenant_id),
    weights = weights::text::sparsevec
"""  # As text and back: a value that is only copied stays where it was kept before.
RESTORE = """
UPDATE search_passage SET full_text = search_common(full_text), exact = search_common(exact),
    weights = weights::text::sparsevec
"""


def for_all_tenants(statement: str) -> list[str]:
    return [f"SET LOCAL ROLE {PLATFORM_ROLE}", statement, "RESET ROLE"]


class Migration(migrations.Migration):
    dependencies = [("search", "0005_index_large_spaces")]

    operations = [
        # Made anew afterwards, which is faster than to keep them up to date row by row.
        migrations.RemoveIndex("passage", "passages_by_words"),
        migrations.RemoveIndex("passage", "passages_by_exact_words"),
        migrations.RunSQL(OWN, "DROP FUNCTION search_own(tsvector, uuid)"),
        migrations.RunSQL(migrations.RunSQL.noop, "DROP FUNCTION search_common(tsvector)"),
        migrations.RunSQL(WEIGHTS.format(word="substr(lexeme, 7)"), WEIGHTS.format(word="lexeme")),
        # Every candidate's weights are read, and nothing else of it. They stay in the row, the texts go out.
        migrations.RunSQL(
            "ALTER TABLE search_passage ALTER weights SET STORAGE MAIN, SET (toast_tuple_target = 1024)",
            "ALTER TABLE search_passage ALTER weights SET STORAGE EXTERNAL, RESET (toast_tuple_target)",
        ),
        migrations.RunSQL(for_all_tenants(REWRITE), for_all_tenants(RESTORE)),
        migrations.RunSQL(migrations.RunSQL.noop, FORMER),
        # Without a list of what is still to be sorted in, which every search would have to read.
        migrations.AddIndex(
            "passage", GinIndex(fields=["full_text"], name="passages_by_words", fastupdate=False)
        ),
        migrations.AddIndex(
            "passage", GinIndex(fields=["exact"], name="passages_by_exact_words", fastupdate=False)
        ),
    ]
