"""Queries that need nothing of each other, in one round trip.

A search asks many short questions, and each costs more on its way there and back than in the database. So
what asks is a generator: it yields a statement with its parameters, is sent the rows, and returns what it
makes of them. By itself it is run by `ask`. `together` makes one of several: what all of them want to know
next is asked at once, so they need as many round trips as the one that needs most.

    def titles_of(ids: Sequence[UUID]) -> Asking[list[str]]:
        (rows,) = yield [("SELECT title FROM documents_version WHERE id = ANY(%s)", [ids])]
        return [title for (title,) in rows]
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.db import DatabaseError, connection
from psycopg import Cursor

from search.plans import ROWLESS, forget_plans, plans_of_session

T = TypeVar("T")
Row = tuple[Any, ...]
Question = tuple[str, Sequence[Any]]  # A statement that returns rows, and its parameters.
Asking = Generator[Sequence[Question], Sequence[list[Row]], T]


def ask(asking: Asking[T]) -> T:
    """Run what asks until it returns. Inside the tenant's scope."""
    try:
        questions = next(asking)
        while True:
            questions = asking.send(_answer(questions))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def together(*asking: Asking[Any]) -> Asking[list[Any]]:
    """Return what each of several returns."""
    returned: list[Any] = [None] * len(asking)
    waiting: dict[int, Sequence[Question]] = {}

    def step(number: int, answers: Sequence[list[Row]] | None) -> None:
        try:
            waiting[number] = asking[number].send(answers)  # type: ignore[arg-type]
        except StopIteration as end:
            returned[number] = end.value
            waiting.pop(number, None)

    for number in range(len(asking)):
        step(number, None)
    while waiting:
        turns = list(waiting.items())
        answers = iter((yield [question for _, questions in turns for question in questions]))
        for number, questions in turns:
            step(number, [next(answers) for _ in questions])
    return returned


def _answer(questions: Sequence[Question]) -> list[list[Row]]:
    """Ask all at once; return the rows of each."""
    if not questions:
        return []
    plans = plans_of_session()
    spelled = [plans.spell(*question) if plans else question[:1] for question in questions]
    parameters = [_spell(value) for _, values in questions for value in values]
    try:
        with connection.cursor() as cursor:
            cursor.execute(";".join([part for parts in spelled for part in parts]), parameters)
            # All of it is here by now: nothing can fail that Django would have to translate.
            answers = [_rows_of_last(cursor.cursor, parts) for parts in spelled]
    except DatabaseError as error:
        forget_plans(error)
        raise
    if plans:
        plans.settle()
    return answers


def _rows_of_last(cursor: Cursor[Row], parts: Sequence[str]) -> list[Row]:
    """Return the rows of the last of several statements, and go on to the next."""
    for _ in parts[1:]:
        cursor.nextset()
    rows = [] if parts[-1].startswith(ROWLESS) else cursor.fetchall()
    cursor.nextset()
    return rows


def _spell(value: Any) -> Any:
    """Spell lists of ids and of numbers: psycopg takes five times as long for each."""
    if not isinstance(value, list) or not value:
        return value
    if isinstance(value[0], UUID):
        return spell_ids(value)
    return f"{{{','.join(map(str, value))}}}" if set(map(type, value)) == {int} else value


def spell_ids(ids: Iterable[UUID]) -> str:
    """Return ids as PostgreSQL spells an array of them."""
    return f"{{{','.join([one.hex for one in ids])}}}"
