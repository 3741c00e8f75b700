"""Tell a term from a part of a longer name: the "Act" from that of the "Fair Housing Act"."""

from __future__ import annotations

from collections.abc import Sequence

from definitions.uses.words import Match, Words

SHORTEST = 2  # Letters of a word in a name: "Lender A" is a lender.


def drop_names(words: Words, matches: Sequence[Match]) -> list[Match]:
    """Return the matches without those that a name goes on behind or has begun before.

    Two terms side by side are no name: "Company Shares" are the shares of the company, if both are defined.
    """
    kept: list[Match] = []
    for match in reversed(matches):
        if not _goes_on(words, match, kept[-1].first if kept else -1):
            kept.append(match)
    result: list[Match] = []
    for match in reversed(kept):
        if not _has_begun(words, match, result[-1].last if result else -1):
            result.append(match)
    return result


def _goes_on(words: Words, match: Match, next_term: int) -> bool:
    last = match.last
    if not words.is_capital(match.first):
        return False
    if words.behind(last) == "of":  # "Bureau of Investigation", "Secretary of the Treasury"
        last += 2 if words.behind(last + 1) == "the" else 1
    return last + 1 != next_term and _is_name(words, match, words.behind(last))


def _has_begun(words: Words, match: Match, last_term: int) -> bool:
    before = match.first - 1
    if before == last_term or not words.is_capital(match.first) or not words.is_amid_sentence(before):
        return False
    return _is_name(words, match, words.before(match.first))


def _is_name(words: Words, match: Match, neighbour: str) -> bool:
    """Tell whether two words are written like a name, and not as in a clause that is all in capitals."""
    if len(neighbour) < SHORTEST or not neighbour[0].isupper():
        return False
    return not (neighbour.isupper() and words.word(match.first).isupper())
