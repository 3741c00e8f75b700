from django.db import migrations

# The dimension of a word in a sparse vector. Words that share one are added up: few do, of a billion.
DIMENSION = """
CREATE FUNCTION search_dimension(lexeme text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN 1 + (hashtextextended(lexeme, 0) & 9223372036854775807) % 999999999
"""

# What each word weighs in a passage: the part of BM25 that does not depend on other passages. A sparse vector
# holds 16,000 words, and a word counts 255 times at most.
WEIGHTS = """
CREATE FUNCTION search_bm25(words tsvector, k1 float8, b float8, pivot float8) RETURNS sparsevec
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    WITH counted AS (
        SELECT lexeme, coalesce(cardinality(positions), 1)::float8 AS times FROM unnest(words)
    ), measured AS (
        SELECT k1 * (1 - b + b * sum(times) / pivot) AS burden FROM counted
    ), weighed AS (
        SELECT search_dimension(lexeme) AS dimension, sum(times * (k1 + 1) / (times + burden)) AS weight
        FROM counted, measured GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 16000
    )
    SELECT ('{' || coalesce(string_agg(dimension || ':' || weight::real, ',' ORDER BY dimension), '')
            || '}/1000000000')::sparsevec
    FROM weighed
$$
"""


class Migration(migrations.Migration):
    dependencies = [("search", "0003_tie_keys_to_their_tenant")]

    operations = [
        migrations.RunSQL(DIMENSION, "DROP FUNCTION search_dimension(text)"),
        migrations.RunSQL(WEIGHTS, "DROP FUNCTION search_bm25(tsvector, float8, float8, float8)"),
        # Hashes and fractions hardly get smaller, and every score would have to unpack them.
        migrations.RunSQL(
            "ALTER TABLE search_passage ALTER COLUMN weights SET STORAGE EXTERNAL",
            "ALTER TABLE search_passage ALTER COLUMN weights SET STORAGE EXTENDED",
        ),
    ]
