"""Tell PostgreSQL's planner what it cannot know, for one query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connection

from tenants.scope import kept_of_connection

# It thinks that reading the words of every row is cheap. They lie outside of the table.
NO_SCAN: Mapping[str, str] = {"enable_seqscan": "off"}
IN_FORCE = "pandect_settings"


@contextmanager
def planner_settings(
    values: Mapping[str, str], *, also: str = "NULL", is_last: bool = False
) -> Iterator[Any]:
    """Set what the planner goes by, inside a transaction; afterwards it is as it was.

    Where the transaction ends with what is inside, `is_last`, nobody needs that. What is `also` asked is
    yielded: it takes no round trip of its own.
    """
    before, answer = _exchange(values, also)
    outer = _in_force()
    kept_of_connection()[IN_FORCE] = {**outer, **values}
    try:
        yield answer
    finally:
        kept_of_connection()[IN_FORCE] = outer
    if not is_last:
        _exchange({name: value for name, value in before.items() if value})


def ask_planned(values: Mapping[str, str], statement: str, parameters: Any) -> list[tuple[Any, ...]]:
    """Run one query by settings of its own, in one round trip; afterwards they are as around it.

    What is not set by `planner_settings` around it is then as in the session.
    """
    outer = _in_force()
    values = {name: value for name, value in values.items() if outer.get(name) != value}
    before = "".join(f"SET LOCAL {name} = '{value}'; " for name, value in values.items())
    after = "".join(
        f"; SET LOCAL {name} = '{outer[name]}'" if name in outer else f"; SET LOCAL {name} TO DEFAULT"
        for name in values
    )
    with connection.cursor() as cursor:
        cursor.execute(f"{before}{statement}{after}", parameters)
        for _ in values:
            cursor.nextset()
        return list(cursor.fetchall())


def _in_force() -> Mapping[str, str]:
    settings: Mapping[str, str] = kept_of_connection().get(IN_FORCE, {})
    return settings


def _exchange(values: Mapping[str, str], also: str = "NULL") -> tuple[dict[str, str], Any]:
    """Change settings for the rest of the transaction; return what they were, and what is also asked."""
    reads = ", ".join(["current_setting(%s, true)"] * len(values))
    writes = ", ".join(["set_config(%s, %s, true)"] * len(values))
    parameters = [*values, *(part for item in values.items() for part in item)]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT ({also}), {reads}, {writes}", parameters)
        answer, *before = cursor.fetchone()
    return dict(zip(values, before, strict=False)), answer
