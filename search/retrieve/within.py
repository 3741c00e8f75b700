"""Of what was found among all passages of a tenant, the part within reach."""

from __future__ import annotations

from collections.abc import Sequence

from search.backends.keyword_indexes.base import Found
from search.reach import Reach


def first_within(reach: Reach, ranked: Sequence[Found], limit: int) -> tuple[list[Found], bool]:
    """Return the first passages within reach, and whether some before them are not.

    No more are looked up than need be: mostly all of them are within reach.
    """
    kept: list[Found] = []
    is_cut = False
    for part in (ranked[:limit], ranked[limit:]):
        if len(kept) >= limit:
            break
        placed = reach.keep([one.passage for one in part])
        is_cut |= len(placed) < len(part)
        kept += [one for one in part if one.passage in placed]
    return kept[:limit], is_cut
