"""Tell PostgreSQL's planner what it cannot know, for one query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.db import connection

# It thinks that reading the words of every row is cheap. They lie outside of the table.
NO_SCAN: Mapping[str, str] = {"enable_seqscan": "off"}


@contextmanager
def planner_settings(values: Mapping[str, str]) -> Iterator[None]:
    """Set what the planner goes by, inside a transaction; afterwards it is as it was."""
    before = _exchange(values)
    yield
    _exchange({name: value for name, value in before.items() if value})


def _exchange(values: Mapping[str, str]) -> dict[str, str]:
    """Change settings for the rest of the transaction; return what they were."""
    reads = ", ".join(["current_setting(%s, true)"] * len(values))
    writes = ", ".join(["set_config(%s, %s, true)"] * len(values))
    parameters = [*values, *(part for item in values.items() for part in item)]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {reads}, {writes}", parameters)
        return dict(zip(values, cursor.fetchone(), strict=False))
