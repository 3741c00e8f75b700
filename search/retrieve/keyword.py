"""Passages that share words with a question, in each of the languages that a tenant has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from search.backends import keyword_index
from search.backends.keyword_indexes.base import Matches
from search.reach import Reach
from search.retrieve.within import MOST_TIMES, first_within, times_to_look
from tenants.scope import within_tenant

WIDE = 2  # Times the limit: among so many of all passages, enough within reach are looked for first.


def matching_passages(reach: Reach, question: str, *, languages: Sequence[str], limit: int) -> Matches:
    """Return the passages within reach that fit best; what a word weighs, all of the tenant's tell."""
    with within_tenant(reach.tenant_id):
        return join_matches([_match(reach, question, language, limit) for language in languages], limit)


def _match(reach: Reach, question: str, language: str, limit: int) -> Matches:
    """Look among all passages; if too few of what is found are within reach, further, or there alone."""
    index, times = keyword_index(), 0
    asked = None
    while not reach.is_narrow and (further := times_to_look(reach, WIDE)) > times:
        times = further
        wide = index.find(
            reach.tenant_id,
            question,
            language=language,
            limit=times * limit,
            is_head=reach.is_head,
            asked=asked,
        )
        asked = wide.asked.get(language)
        kept, is_cut = first_within(reach, wide.found, limit)
        if len(kept) >= limit or not is_cut:
            return replace(wide, found=kept)
        if len(kept) * MOST_TIMES < len(wide.found) or len(wide.found) < times * limit:
            break
    return index.find(
        reach.tenant_id, question, language=language, limit=limit, passages=reach.listed, asked=asked
    )


def join_matches(matches: Sequence[Matches], limit: int) -> Matches:
    """Make one ranking. What is unknown to the language that knows the most words is unknown."""
    every = (one for match in matches for one in match.found)
    found = sorted(every, key=lambda one: (-one.score, one.passage))
    knowing = min(matches, key=lambda match: len(match.unknown_words), default=Matches())
    best = max((match.best_possible for match in matches), default=0.0)
    asked = {language: read for match in matches for language, read in match.asked.items()}
    return Matches(found[:limit], best, knowing.unknown_words, asked)
