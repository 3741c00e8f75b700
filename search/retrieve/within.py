"""Of what was found among all passages of a tenant, the part within reach."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from search.backends.keyword_indexes.base import Found
from search.reach import Reach

MOST_TIMES = 30  # As far as is looked among all passages before it is better to look within reach alone.
SPARE, SOME_SPARE = 1.5, 1.25  # Shares differ from question to question.
ALL = 0.95
MOST_KEPT = 1_000

# What part of what was found lately was within reach, by tenant and kind of reach: where documents have many
# versions, old passages stand between the current ones. A hint of how far to look, and nothing depends on it.
_shares: dict[int, float] = {}


def share_within(reach: Reach) -> float:
    return _shares.get(reach.kind, 1.0)


def times_to_look(reach: Reach, least: int) -> int:
    """Return among how many times as many passages enough within reach will be found."""
    return min(MOST_TIMES, max(least, ceil(SPARE / share_within(reach))))


def first_looked_at(reach: Reach, limit: int) -> int:
    """Return how many of what was found are looked up at once: among so many, enough should be in reach."""
    share = share_within(reach)
    return limit if share > ALL else ceil(SOME_SPARE * limit / share)


def first_within(reach: Reach, ranked: Sequence[Found], limit: int) -> tuple[list[Found], bool]:
    """Return the first passages within reach, and whether some before them are not.

    No more are looked up than need be: mostly all of them are within reach.
    """
    kept: list[Found] = []
    looked, is_cut = 0, False
    step = first_looked_at(reach, limit)
    while len(kept) < limit and looked < len(ranked):
        part = ranked[looked : looked + step]
        placed = reach.keep([one.passage for one in part])
        is_cut |= len(placed) < len(part)
        kept += [one for one in part if one.passage in placed]
        looked += len(part)
    if looked:
        _remember(reach, len(kept) / looked)
    return kept[:limit], is_cut


def _remember(reach: Reach, share: float) -> None:
    if len(_shares) >= MOST_KEPT:
        _shares.clear()
    _shares[reach.kind] = max(1 / MOST_TIMES, (share_within(reach) + share) / 2)
