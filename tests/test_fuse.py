"""Rankings are fused by reciprocal ranks, exact matches first, always in the same order."""

from __future__ import annotations

from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.fuse import Weights, fuse_ranks

A, B, C, D = (UUID(int=number) for number in (1, 2, 3, 4))
passages = st.lists(st.integers(1, 12).map(lambda number: UUID(int=number)), max_size=12, unique=True)
legs = st.fixed_dictionaries({"semantic": passages, "keyword": passages, "exact": passages})


def test_a_score_is_the_share_of_the_greatest_sum_of_reciprocal_ranks() -> None:
    fused = fuse_ranks({"semantic": [A, B], "keyword": [B]}, weights=Weights(0.5, 0.3, 0.2), k=60)
    assert [one.passage for one in fused] == [B, A]
    assert fused[0].score == pytest.approx((0.5 * 61 / 62 + 0.3) / 0.8)
    assert fused[1].score == pytest.approx(0.5 / 0.8)
    assert fused[0].ranks == {"semantic": 2, "keyword": 1}


def test_the_first_of_all_lists_has_all_of_the_score() -> None:
    assert fuse_ranks({"semantic": [A], "keyword": [A], "exact": [A]})[0].score == pytest.approx(1)


def test_a_leg_that_found_nothing_takes_nothing_from_the_score() -> None:
    assert fuse_ranks({"semantic": [A], "keyword": [], "exact": []})[0].score == pytest.approx(1)


def test_a_small_k_trusts_the_first_places_more() -> None:
    both = {"semantic": [A, B, C, D], "keyword": [D, C, B, A]}
    assert fuse_ranks(both, weights=Weights(0.6, 0.4, 0), k=1)[0].passage == A
    middle = {"semantic": [A, B], "keyword": [C, B]}
    assert fuse_ranks(middle, weights=Weights(0.5, 0.5, 0), k=1000)[0].passage == B


def test_exact_matches_come_before_a_better_score() -> None:
    fused = fuse_ranks({"semantic": [A, B], "keyword": [A, B]}, first={B})
    assert [(one.passage, one.is_exact) for one in fused] == [(B, True), (A, False)]


def test_a_weight_of_nothing_silences_a_leg() -> None:
    fused = fuse_ranks({"semantic": [A], "keyword": [B]}, weights=Weights(0, 1, 0))
    assert [(one.passage, one.score) for one in fused] == [(B, pytest.approx(1)), (A, 0)]


def test_without_any_weight_there_is_an_order_all_the_same() -> None:
    assert [one.passage for one in fuse_ranks({"semantic": [B, A]}, weights=Weights(0, 0, 0))] == [A, B]


@given(legs, st.integers(1, 1000))
def test_every_passage_comes_once_in_falling_order_whatever_the_order_of_legs(
    lists: dict[str, list[UUID]], k: int
) -> None:
    fused = fuse_ranks(lists, k=k)
    assert sorted(one.passage for one in fused) == sorted({one for ours in lists.values() for one in ours})
    keys = [(-one.score, one.passage) for one in fused]
    assert keys == sorted(keys)
    assert all(0 < one.score <= 1 + 1e-9 for one in fused)
    shuffled = list(lists.items())
    Random(k).shuffle(shuffled)
    assert [one.passage for one in fuse_ranks(dict(shuffled), k=k)] == [one.passage for one in fused]


@given(passages, passages)
def test_to_rise_in_one_list_never_lowers_a_passage(semantic: list[UUID], keyword: list[UUID]) -> None:
    if len(semantic) < 2:
        return
    before = fuse_ranks({"semantic": semantic, "keyword": keyword})
    risen = [semantic[1], semantic[0], *semantic[2:]]
    after = fuse_ranks({"semantic": risen, "keyword": keyword})
    place = [one.passage for one in before].index(semantic[1])
    assert [one.passage for one in after].index(semantic[1]) <= place
