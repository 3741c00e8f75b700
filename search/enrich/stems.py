"""The lexemes of words, as a text search has them, for those who mark words in a text."""

from __future__ import annotations

from collections.abc import Iterable

from search.backends.keyword_indexes.rows import clean
from search.round_trips import Asking

MOST_KEPT = 100_000  # Words in memory. They are words and say nothing of who wrote them.
# A joined word has a lexeme for each part, and its own is the longest. A word that says nothing has none.
STEM = """
    SELECT word, coalesce((
        SELECT lexeme FROM unnest(tsvector_to_array(to_tsvector(%s::regconfig, word))) AS lexeme
        ORDER BY length(lexeme) DESC, lexeme LIMIT 1
    ), '') FROM unnest(%s::text[]) AS word
"""

_kept: dict[tuple[str, str], str] = {}


def stem_words(words: Iterable[str], *, language: str) -> Asking[dict[str, str]]:
    """Return the lexeme of each word; nothing for words that a search leaves out. One query, or none."""
    wanted = set(words)
    if clean(joined := "".join(wanted)) != joined:
        wanted = {clean(word) for word in wanted}
    missing = [word for word in wanted if (language, word) not in _kept]
    new: dict[str, str] = {}
    if missing:
        (rows,) = yield [(STEM, [language, missing])]
        new = {str(word): str(lexeme) for word, lexeme in rows}
    stems = {word: new[word] if word in new else _kept.get((language, word), word) for word in wanted}
    if len(_kept) + len(new) > MOST_KEPT:
        _kept.clear()
    _kept.update({(language, word): lexeme for word, lexeme in new.items()})
    return stems
