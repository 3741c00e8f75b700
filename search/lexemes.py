"""How the words of a passage become the columns that searches read.

SQL that is put together here and nowhere else: placing and rebuilding must agree to the letter. Each piece
speaks of a row `new` with language, context, text and extra words.
"""

from __future__ import annotations

# BM25. Whoever changes these runs `manage.py rebuild_index --keep-vectors`: they are in every row.
K1 = 1.2  # How soon further occurrences of a word stop to count.
B = 0.75  # How far a long passage is held against its words.
PIVOT = 100.0  # The length that counts as neither: a constant, so that a new passage changes no other.

# A tsvector holds a megabyte. A passage of ordinary size comes nowhere near; a hostile one is cut.
MOST_CHARACTERS = 60_000
MOST_CONTEXT = 10_000

_TEXT = f"left(new.text, {MOST_CHARACTERS})"
_CONTEXT = f"left(new.context, {MOST_CONTEXT})"

FULL_TEXT = f"to_tsvector(new.language::regconfig, {_CONTEXT} || ' ' || {_TEXT} || ' ' || new.extra)"

# A lexeme that no text has stands between text and context while positions are counted, and is taken out
# again: no phrase reaches from the end of the one into the other.
EXACT = (
    f"ts_delete(to_tsvector('simple', {_TEXT}) || E'\\'\\x1f\\':2'::tsvector"
    f" || to_tsvector('simple', {_CONTEXT}), E'\\x1f')"
)

COLUMNS = ("full_text", "exact", "weights")
# OFFSET keeps PostgreSQL from working out full_text twice.
LEXEMES = f"""
    CROSS JOIN LATERAL (SELECT {FULL_TEXT} AS full_text, {EXACT} AS exact OFFSET 0) AS words
    CROSS JOIN LATERAL (SELECT search_bm25(words.full_text, {K1}, {B}, {PIVOT}) AS weights) AS weighed
"""
