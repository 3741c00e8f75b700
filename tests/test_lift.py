"""What stands beside a good passage rises part of the way to it; nothing falls, exact matches stay first."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.models import Collection
from search.ask import ask
from search.fuse import Fused, in_order
from search.lift import FAR, lift_neighbours
from tenants.models import Tenant
from tests.searching import add, make_collection

A, B, C, D = (UUID(int=number) for number in (1, 2, 3, 4))
ACT, RULES = UUID(int=11), UUID(int=12)
placed = st.dictionaries(
    st.integers(1, 30).map(lambda number: UUID(int=number)),
    st.tuples(st.sampled_from([ACT, RULES]), st.integers(0, 60)),
)


def ranked(**scores: float) -> list[Fused]:
    names = {"a": A, "b": B, "c": C, "d": D}
    return [Fused(names[name], score, {"semantic": 1}) for name, score in scores.items()]


def scores_of(ranking: list[Fused]) -> dict[UUID, float]:
    return {one.passage: one.score for one in ranking}


def test_a_neighbour_rises_half_of_the_way_and_others_less_the_farther_they_are() -> None:
    places = {A: (ACT, 7), B: (ACT, 8), C: (ACT, 1), D: (ACT, 19)}
    lifted = scores_of(lift_neighbours(ranked(a=0.8, b=0.1, c=0.2, d=0.2), places))
    assert lifted == pytest.approx(
        {A: 0.8, B: 0.1 + 0.7 * 0.6 * 6 / 7, C: 0.2 + 0.6 * 0.3, D: 0.2 + 0.6 * 0.2}
    )


def test_of_several_better_ones_that_which_lifts_most_counts_alone() -> None:
    places = {A: (ACT, 0), B: (ACT, 1), C: (ACT, 2)}
    lifted = scores_of(lift_neighbours(ranked(a=0.9, b=0.3, c=0.4), places))
    assert lifted[B] == pytest.approx(0.3 + 0.6 * 0.6 * 6 / 7)
    assert lifted[C] == pytest.approx(0.4 + 0.5 * 0.6 * 6 / 8)


def test_one_that_has_risen_lifts_no_further() -> None:
    lifted = lift_neighbours(ranked(a=0.9, b=0.3, c=0.3), {A: (ACT, 0), B: (ACT, FAR), C: (ACT, 2 * FAR)})
    assert scores_of(lifted) == pytest.approx({A: 0.9, B: 0.3 + 0.6 * 0.6 * 6 / 26, C: 0.3})


def test_another_version_what_is_too_far_and_what_stands_nowhere_stay_as_they_are() -> None:
    ranking = ranked(a=0.9, b=0.3, c=0.2, d=0.1)
    assert lift_neighbours(ranking, {A: (ACT, 5), B: (RULES, 6), C: (ACT, 6 + FAR)}) == ranking


def test_what_rises_passes_others_and_never_an_exact_match() -> None:
    exact = Fused(D, 0.1, {"exact": 1}, is_exact=True)
    lifted = lift_neighbours([exact, *ranked(a=0.9, b=0.5, c=0.4)], {A: (ACT, 0), C: (ACT, 1)})
    assert [one.passage for one in lifted] == [D, A, C, B]
    assert lifted[0] == exact


@given(placed, st.lists(st.floats(0, 1), min_size=30, max_size=30))
def test_nothing_falls_or_passes_the_best_that_lifts_it(
    places: dict[UUID, tuple[UUID, int]], scores: list[float]
) -> None:
    before = in_order(Fused(UUID(int=number), score, {}) for number, score in enumerate(scores, start=1))
    after = lift_neighbours(before, places)
    lifted = scores_of(after)
    assert after == in_order(after)
    assert sorted(lifted) == sorted(one.passage for one in before)
    for one in before:
        risen = lifted[one.passage]
        assert one.score <= risen
        if risen > one.score:
            version, position = places[one.passage]
            near = {
                other for other, (same, at) in places.items() if same == version and abs(at - position) <= FAR
            }
            assert risen < max(other.score for other in before if other.passage in near)


class TestSearches:
    REST = "Ropes are coiled and lamps are lit. " * 6  # So that each section is a chunk.
    ACT = f"""# Act

## Section 1. Berths

A berth is let for the season by the harbour office. {REST}

## Section 2. Deposits

Of those that leave early, each season, deposits are kept. {REST}
"""
    NOTES = f"""# Notes

## Section 5. Tides

For the tides a season of their own is the custom. {REST}
"""

    @pytest.fixture
    def berths(self, harbour: Tenant) -> Collection:
        collection = make_collection(harbour)
        add(collection, "act.md", self.ACT)
        add(collection, "notes.md", self.NOTES)
        return collection

    def places(self, berths: Collection, **asked: Any) -> list[tuple[str, int]]:
        answer = ask(tenant=berths.tenant, query="Who lets a berth for the season?", **asked)
        return [(hit.document_name, hit.position) for hit in answer.hits]

    def test_several_ways_together_are_lifted(self, berths: Collection) -> None:
        assert self.places(berths) == [("act.md", 0), ("act.md", 1), ("notes.md", 0)]

    @pytest.mark.parametrize("asked", [{"mode": "keyword"}, {"mode": "semantic"}, {"fusion": "rrf"}])
    def test_one_way_alone_and_ranks_are_not(self, berths: Collection, asked: dict[str, str]) -> None:
        assert self.places(berths, **asked) == [("act.md", 0), ("notes.md", 0), ("act.md", 1)]
