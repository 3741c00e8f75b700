"""A query can be planned by settings of its own."""

from __future__ import annotations

from django.db import connection
from pytest_django import DjangoAssertNumQueries

from search.planning import ask_planned, planner_settings

SHOWN = "SELECT current_setting('enable_sort'), current_setting('work_mem'), %s"


def shown() -> tuple[str, ...]:
    with connection.cursor() as cursor:
        cursor.execute(SHOWN, ["…"])
        return tuple(cursor.fetchone())


def test_settings_go_with_their_query_and_no_further(
    db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    before = shown()
    with django_assert_num_queries(1):
        rows = ask_planned({"enable_sort": "off", "work_mem": "7MB"}, SHOWN, ["…"])
    assert rows == [("off", "7MB", "…")]
    assert shown() == before != ("off", "7MB", "…")


def test_a_query_may_need_none(db: None) -> None:
    assert ask_planned({}, "SELECT %s::int", [1]) == [(1,)]


def test_settings_around_a_query_stay(db: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    before = shown()
    with planner_settings({"enable_sort": "off", "work_mem": "7MB"}):
        assert ask_planned({"enable_sort": "off"}, SHOWN, ["…"]) == [("off", "7MB", "…")]
        assert ask_planned({"enable_sort": "on", "work_mem": "9MB"}, SHOWN, ["…"]) == [("on", "9MB", "…")]
        assert shown() == ("off", "7MB", "…")
        with planner_settings({"enable_sort": "on"}):
            assert ask_planned({"enable_sort": "off"}, SHOWN, ["…"]) == [("off", "7MB", "…")]
            assert shown() == ("on", "7MB", "…")
        assert shown() == ("off", "7MB", "…")
    assert shown() == before


def test_something_else_is_asked_with_the_settings(
    db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with (
        django_assert_num_queries(1),
        planner_settings({"enable_sort": "off"}, also="SELECT 2 + 3", is_last=True) as answer,
    ):
        assert answer == 5
    assert shown()[0] == "off"  # Until the end of the transaction, which is said to come.
