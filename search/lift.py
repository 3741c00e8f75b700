"""Lift what stands beside a good passage: a rule, its exceptions and its guidance answer one question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from uuid import UUID

from search.fuse import Fused, in_order

# As measured (see DESIGN.md): the next chunk rises half of the way to a better one.
LIFTED = 0.6  # Of the way, if there were no distance,
HALVED = 6  # and half of that at so many chunks.
FAR = 20  # Chunks from which nothing is lifted any more.
SHARE_OF_WAY = tuple(LIFTED * HALVED / (HALVED + distance) for distance in range(FAR + 1))

Place = tuple[UUID, int]  # A version, and the position of a chunk in it.
Standing = tuple[int, Fused]


def lift_neighbours(ranking: Iterable[Fused], places: Mapping[UUID, Place]) -> list[Fused]:
    """Return a ranking in which passages have risen part of the way to better ones of the same version.

    Of several better ones the one that lifts most counts. What stands nowhere stays as it is.
    """
    versions: dict[UUID, list[Standing]] = defaultdict(list)
    lifted = []
    for one in ranking:
        place = places.get(one.passage)
        if place is None:
            lifted.append(one)
        else:
            version, position = place
            versions[version].append((position, one))
    for standing in versions.values():
        standing.sort(key=itemgetter(0))
        lifted += [raised(one, rise) for (_, one), rise in zip(standing, rises_of(standing), strict=True)]
    return in_order(lifted)


def raised(one: Fused, rise: float) -> Fused:
    return one._replace(score=one.score + rise) if rise else one


def rises_of(standing: Sequence[Standing]) -> list[float]:
    """Return what each passage of a version rises; they come in the order in which they stand."""
    rises = [0.0] * len(standing)
    scored = [(position, one.score) for position, one in standing]
    for index, (position, score) in enumerate(scored):
        for after in range(index + 1, len(scored)):
            other, beside = scored[after]
            distance = other - position
            if distance > FAR:
                break
            rise = SHARE_OF_WAY[distance] * (beside - score)
            lower, rise = (index, rise) if rise > 0 else (after, -rise)
            rises[lower] = max(rises[lower], rise)
    return rises
