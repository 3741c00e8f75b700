"""Tell PostgreSQL's planner what it cannot know, for one query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connection

# It thinks that reading the words of every row is cheap. They lie outside of the table.
NO_SCAN: Mapping[str, str] = {"enable_seqscan": "off"}


@contextmanager
def planner_settings(values: Mapping[str, str]) -> Iterator[None]:
    """Set what the planner goes by, inside a transaction; afterwards it is as it was."""
    before = _exchange(values)
    yield
    _exchange({name: value for name, value in before.items() if value})


def ask_planned(values: Mapping[str, str], statement: str, parameters: Any) -> list[tuple[Any, ...]]:
    """Run one query by settings of its own, in one round trip; afterwards they are those of the session."""
    before = "".join(f"SET LOCAL {name} = {value}; " for name, value in values.items())
    after = "".join(f"; SET LOCAL {name} TO DEFAULT" for name in values)
    with connection.cursor() as cursor:
        cursor.execute(f"{before}{statement}{after}", parameters)
        for _ in values:
            cursor.nextset()
        return list(cursor.fetchall())


def _exchange(values: Mapping[str, str]) -> dict[str, str]:
    """Change settings for the rest of the transaction; return what they were."""
    reads = ", ".join(["current_setting(%s, true)"] * len(values))
    writes = ", ".join(["set_config(%s, %s, true)"] * len(values))
    parameters = [*values, *(part for item in values.items() for part in item)]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {reads}, {writes}", parameters)
        return dict(zip(values, cursor.fetchone(), strict=False))
