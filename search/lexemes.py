"""How the words of a passage become the columns that searches read.

SQL that is put together here and nowhere else: placing and rebuilding must agree to the letter. Each piece
speaks of a row `new` with tenant, language, context, text and extra words.

All tenants share the full-text indexes. So that a word that is rare here and common next door costs what it
costs here, every lexeme begins with a key of its tenant: each has lists of its own in the index. Two tenants
may have the same key. That costs time and shows nothing: rows are still compared with the tenant.
"""

from __future__ import annotations

from uuid import UUID

# BM25. Whoever changes these runs `manage.py rebuild_index --keep-vectors`: they are in every row.
K1 = 1.2  # How soon further occurrences of a word stop to count.
B = 0.75  # How far a long passage is held against its words.
PIVOT = 100.0  # The length that counts as neither: a constant, so that a new passage changes no other.

# A tsvector holds a megabyte. A passage of ordinary size comes nowhere near; a hostile one is cut.
MOST_CHARACTERS = 60_000
MOST_CONTEXT = 10_000

# As the functions search_own and search_bm25 have them.
KEY = 6  # Digits of the tenant's id before each lexeme.
LONGEST = 500  # Characters of a word behind them. A lexeme holds 2,046 bytes.

_TEXT = f"left(new.text, {MOST_CHARACTERS})"
_CONTEXT = f"left(new.context, {MOST_CONTEXT})"

FULL_TEXT = f"to_tsvector(new.language::regconfig, {_CONTEXT} || ' ' || {_TEXT} || ' ' || new.extra)"

# A lexeme that no text has stands between text and context while positions are counted, and is taken out
# again: no phrase reaches from the end of the one into the other. Words of the text have weight A, so that it
# can be asked what the text itself says.
EXACT = (
    f"ts_delete(setweight(search_own(to_tsvector('simple', {_TEXT}), new.tenant_id), 'A')"
    " || E'\\'\\x1f\\':2'::tsvector"
    f" || search_own(to_tsvector('simple', {_CONTEXT}), new.tenant_id), E'\\x1f')"
)

COLUMNS = ("full_text", "exact", "weights")
# OFFSET keeps PostgreSQL from working out full_text twice.
LEXEMES = f"""
    CROSS JOIN LATERAL (
        SELECT search_own({FULL_TEXT}, new.tenant_id) AS full_text,
            {EXACT} AS exact
        OFFSET 0
    ) AS words
    CROSS JOIN LATERAL (SELECT search_bm25(words.full_text, {K1}, {B}, {PIVOT}) AS weights) AS weighed
"""
WORD = f"substr(lexeme, {KEY + 1})"  # The word of a lexeme in a row.


def own_lexeme(tenant_id: UUID, lexeme: str) -> str:
    """Return a word as the rows of a tenant have it."""
    return str(tenant_id)[:KEY] + lexeme[:LONGEST]


def quote_lexeme(lexeme: str) -> str:
    """Return a lexeme as a tsquery spells it."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
