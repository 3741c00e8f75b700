"""Chunks that may hold a quotation: with all of its words in a row, with parts of it, or with most words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from documents.models import Chunk
from search.backends import keyword_index
from search.reach import Reach
from search.retrieve.exact import having, read_phrase
from search.retrieve.within import first_within
from search.words import RUN as UNBROKEN

MOST_CHUNKS = 8
MOST_PARTS = 4
PART = 6  # Words in a row that few texts share.
PART_CHARACTERS = 12  # Where nothing parts words.


def with_words(reach: Reach, text: str) -> list[Chunk]:
    """Return chunks that say a text from its first word to its last."""
    return _load(reach, _saying(reach, text))


def with_parts(reach: Reach, text: str) -> list[Chunk]:
    """Return chunks that say parts of a text, those with more of them first: it may reach over two."""
    counts: Counter[UUID] = Counter()
    for part in parts_of(text):
        counts.update(_saying(reach, part))
    return _load(reach, sorted(counts, key=lambda one: (-counts[one], one)))


def with_most_words(reach: Reach, text: str, languages: Sequence[str]) -> list[Chunk]:
    """Return chunks that have most of the words, in whatever order."""
    best: list[UUID] = []
    for language in languages:
        matches = keyword_index().find(
            reach.tenant_id, text, language=language, limit=2 * MOST_CHUNKS, is_head=reach.is_head
        )
        found, _ = first_within(reach, matches.found, MOST_CHUNKS // 2)
        best += [one.passage for one in found]
    return _load(reach, best)


def parts_of(text: str) -> list[str]:
    """Return a few words from the beginning, the end, and what is between them."""
    is_unbroken = UNBROKEN.search(text) is not None
    words, size = (list(text), PART_CHARACTERS) if is_unbroken else (text.split(), PART)
    last = max(len(words) - size, 0)
    starts = sorted({last * place // (MOST_PARTS - 1) for place in range(MOST_PARTS)})
    joint = "" if is_unbroken else " "
    return list(dict.fromkeys(joint.join(words[start : start + size]) for start in starts))


def _saying(reach: Reach, text: str) -> list[UUID]:
    phrase = read_phrase(reach.tenant_id, text, is_quoted=True)
    return sorted(having(reach, phrase, limit=MOST_CHUNKS))


def _load(reach: Reach, passages: Sequence[UUID]) -> list[Chunk]:
    """Return a chunk of each passage, in their order."""
    placed = reach.keep(list(passages)[:MOST_CHUNKS])
    ids = [one.chunk for one in placed.values()]
    rows = {chunk.pk: chunk for chunk in Chunk.objects.filter(pk__in=ids)} if ids else {}
    return [rows[pk] for pk in ids if pk in rows]
