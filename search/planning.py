"""Tell PostgreSQL's planner what it cannot know, for one query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.db import connection


@contextmanager
def planner_settings(values: Mapping[str, str]) -> Iterator[None]:
    """Set what the planner goes by, inside a transaction; afterwards it is as it was."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join(["current_setting(%s, true)"] * len(values)), list(values))
        before = dict(zip(values, cursor.fetchone(), strict=True))
    _set(values)
    yield
    _set({name: value for name, value in before.items() if value})


def _set(values: Mapping[str, str]) -> None:
    with connection.cursor() as cursor:
        parts = [part for item in values.items() for part in item]
        cursor.execute("SELECT " + ", ".join(["set_config(%s, %s, true)"] * len(values)), parts)
