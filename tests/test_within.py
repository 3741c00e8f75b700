"""How far a leg looks before it looks within reach alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest

from search.backends.keyword_indexes.base import Found
from search.reach import Reach
from search.retrieve import within
from search.retrieve.within import MOST_TIMES, first_within, share_within, times_to_look


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    within._shares.clear()
    yield
    within._shares.clear()


def every(step: int, kind: int = 1) -> tuple[Reach, list[int]]:
    """Return a reach that holds every so manyth passage, and how many it was asked for each time."""
    asked: list[int] = []

    def keep(passages: Sequence[UUID]) -> dict[UUID, Any]:
        asked.append(len(passages))
        return {one: None for one in passages if one.int % step == 0}

    return cast("Reach", SimpleNamespace(kind=kind, keep=keep)), asked


def ranked(count: int) -> list[Found]:
    return [Found(UUID(int=number), 1 / number) for number in range(1, count + 1)]


def test_no_more_are_looked_up_than_need_be_where_all_are_within_reach() -> None:
    reach, asked = every(1)
    kept, is_cut = first_within(reach, ranked(40), 10)
    assert ([one.passage.int for one in kept], is_cut, asked) == ([*range(1, 11)], False, [10])
    assert times_to_look(reach, 4) == 4


def test_where_few_are_within_reach_the_next_search_looks_further_at_once() -> None:
    reach, asked = every(5)
    first, is_cut = first_within(reach, ranked(40), 10)
    assert (len(first), is_cut) == (8, True)
    assert sum(asked) == 40
    for _ in range(6):
        first_within(reach, ranked(200), 10)
    assert share_within(reach) == pytest.approx(0.2, abs=0.02)
    assert times_to_look(reach, 4) in {7, 8}
    asked.clear()
    kept, _ = first_within(reach, ranked(200), 10)
    assert ([one.passage.int for one in kept], len(asked) <= 2) == ([*range(5, 51, 5)], True)


def test_what_is_learnt_of_one_kind_of_reach_says_nothing_of_another() -> None:
    few, _ = every(10, kind=1)
    all_, _ = every(1, kind=2)
    for _ in range(9):
        first_within(few, ranked(400), 10)
    assert (times_to_look(few, 4) > 10, times_to_look(all_, 4)) == (True, 4)


def test_nobody_looks_further_than_a_bound() -> None:
    none, _ = every(10**9)
    for _ in range(20):
        assert first_within(none, ranked(50), 10) == ([], True)
    assert times_to_look(none, 4) == MOST_TIMES
    assert first_within(none, [], 10) == ([], False)


def test_only_so_many_kinds_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(within, "MOST_KEPT", 3)
    for kind in range(9):
        first_within(every(2, kind)[0], ranked(10), 5)
    assert len(within._shares) <= 3
