"""Questions that need nothing of each other are asked at once."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from search.round_trips import Asking, ask, spell_ids, together

ADD = "SELECT %s::int + %s::int"


def add(*numbers: int) -> Asking[int]:
    """Sum numbers up, with a question for each step."""
    total = 0
    for number in numbers:
        ((row,),) = yield [(ADD, [total, number])]
        (total,) = row
    return total


def both(first: Sequence[int], second: Sequence[int]) -> Asking[int]:
    left, right = yield from together(add(*first), add(*second))
    (rows,) = yield [(ADD, [left, right])]
    return int(rows[0][0])


def count(asking: Asking[object]) -> tuple[object, int]:
    with CaptureQueriesContext(connection) as queries:
        answer = ask(asking)
    return answer, len(queries)


@pytest.mark.django_db
class TestAsking:
    def test_by_itself_it_takes_a_round_trip_for_each_question(self) -> None:
        assert count(add(1, 2, 3)) == (6, 3)

    def test_what_asks_nothing_takes_none(self) -> None:
        assert count(add()) == (0, 0)
        assert count(together()) == ([], 0)
        assert count(together(add(), add())) == ([0, 0], 0)

    def test_several_take_as_many_as_the_one_with_most(self) -> None:
        assert count(together(add(1, 2, 3), add(), add(10), add(5, 5))) == ([6, 0, 10, 10], 3)

    def test_they_can_be_nested(self) -> None:
        assert count(together(both([1, 2], [3]), add(7, 7, 7), both([], []))) == ([6, 21, 0], 3)

    def test_several_questions_of_one_have_an_answer_each(self) -> None:
        def many() -> Asking[list[int]]:
            answers = yield [(ADD, [number, 1]) for number in range(5)]
            return [rows[0][0] for rows in answers]

        assert count(together(many(), add(1))) == ([[1, 2, 3, 4, 5], 1], 1)

    def test_one_without_questions_waits_for_nobody(self) -> None:
        def idle() -> Asking[str]:
            answers = yield []
            assert list(answers) == []
            return "done"

        assert count(idle()) == ("done", 0)
        assert count(together(idle(), add(1, 2))) == (["done", 3], 2)

    def test_no_rows_are_an_answer(self) -> None:
        def none() -> Asking[list[object]]:
            (rows,) = yield [("SELECT 1 WHERE %s", [False])]
            return list(rows)

        assert ask(together(none(), add(4), none())) == [[], 4, []]

    def test_signs_of_sql_in_a_parameter_are_words(self) -> None:
        def echo(words: str) -> Asking[str]:
            (rows,) = yield [("SELECT %s::text", [words])]
            return str(rows[0][0])

        hostile = ["'; DROP TABLE x; --", "%s %% %(a)s", "\\", ";", "{a,b}"]
        assert ask(together(*map(echo, hostile))) == hostile

    def test_a_fault_of_one_is_everybodys(self) -> None:
        def wrong() -> Asking[None]:
            yield [("SELECT 1 / %s", [0])]

        with pytest.raises(DatabaseError, match="division by zero"), transaction.atomic():
            ask(together(add(1), wrong()))
        assert ask(add(1)) == 1


@pytest.mark.django_db
class TestIds:
    @pytest.mark.parametrize("length", [0, 1, 3])
    def test_come_back_as_they_went(self, length: int) -> None:
        ids = [uuid4() for _ in range(length)]

        def echo() -> Asking[list[UUID]]:
            (rows,) = yield [("SELECT unnest(%s::uuid[])", [ids])]
            return [one for (one,) in rows]

        assert ask(echo()) == ids

    def test_are_spelled_as_an_array(self) -> None:
        assert spell_ids([]) == "{}"
        assert spell_ids([UUID(int=1), UUID(int=255)]) == f"{{{'0' * 31}1,{'0' * 30}ff}}"

    def test_lists_of_other_things_are_left_alone(self) -> None:
        def echo() -> Asking[object]:
            (rows,) = yield [("SELECT %s::text[], %s::int[]", [["a,b", "{"], [1, 2]])]
            return rows[0]

        assert ask(echo()) == (["a,b", "{"], [1, 2])
