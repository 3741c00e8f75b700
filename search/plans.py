"""Plans that PostgreSQL keeps: what is asked again and again is prepared in the session.

A search asks some twenty questions that differ in their values alone, and most are planned for longer than
they run. So inside `kept_plans` a question that this process has asked before is sent as `PREPARE`, and from
then on as `EXECUTE`. Names are made of the statements, and which of them a session has is asked of itself at
the beginning: so nothing is remembered that could be wrong, whether the session is new, was cleared, or is
another one each time, as with a pooler of connections.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from hashlib import sha256
from itertools import count
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connection
from psycopg.errors import FeatureNotSupported

from tenants.scope import kept_of_connection

PREFIX = "pandect_"
MOST_HELD = 200  # In one session. Filters make statements of their own.
MOST_KNOWN = 1_000  # In one process.
HELD = f"SELECT string_agg(name, ' ') FROM pg_prepared_statements WHERE starts_with(name, '{PREFIX}')"  # noqa: S608
ROWLESS = "SAVEPOINT"  # What a statement begins with that has neither a plan nor rows.
PLANS = "pandect_plans"
TYPES = {
    bool: "boolean",
    int: "integer",
    UUID: "uuid",
    date: "date",
    datetime: "timestamptz",
}
MOST_INTEGER = 2**31
PLACEHOLDER = re.compile(r"%[s%]")


@dataclass(frozen=True, slots=True)
class Kept:
    """How a statement is prepared, and how it is run once it is."""

    name: str
    prepare: str
    execute: str


class Plans:
    """The statements that the session has prepared."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = set(names)
        self.new: set[str] = set()

    def spell(self, statement: str, values: Iterable[Any]) -> tuple[str, ...]:
        """Return what runs a statement with these parameters: its last part gives the rows."""
        if statement.startswith(ROWLESS):
            return (statement,)
        kept = kept_as(statement, tuple([type_of(value) for value in values]))
        if kept.name in self.names or kept.name in self.new:
            return (kept.execute,)
        if len(self.names) + len(self.new) < MOST_HELD and _is_known(kept.name):
            self.new.add(kept.name)
            return kept.prepare, kept.execute
        return (statement,)

    def settle(self) -> None:
        """Take note that what was spelled has run."""
        self.names |= self.new
        self.new.clear()


_known: set[str] = set()


def _is_known(name: str) -> bool:
    """Tell whether a statement was asked before: what is asked once is better planned for its values."""
    if name in _known:
        return True
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    _known.add(name)
    return False


def type_of(value: Any) -> str:
    """Return the type that a parameter has in a statement that is not prepared; of texts, it tells itself."""
    if isinstance(value, int) and abs(value) >= MOST_INTEGER:
        return "bigint"
    return TYPES.get(type(value), "unknown")


@lru_cache(maxsize=MOST_KNOWN)
def kept_as(statement: str, types: tuple[str, ...]) -> Kept:
    numbers = count(1)

    def number(found: re.Match[str]) -> str:
        return f"${next(numbers)}" if found[0] == "%s" else found[0]

    name = PREFIX + sha256(f"{types} {statement}".encode()).hexdigest()[:24]
    declared = f"({', '.join(types)})" if types else ""
    given = f"({', '.join(['%s'] * len(types))})" if types else ""
    text = PLACEHOLDER.sub(number, statement)
    return Kept(name, f"PREPARE {name}{declared} AS {text}", f"EXECUTE {name}{given}")


@contextmanager
def kept_plans(held: str | None) -> Iterator[None]:
    """Ask by plans that are kept, of which the session has said that it has some (`HELD`).

    Inside one transaction: with a pooler, the next one may be in another session.
    """
    own = kept_of_connection()
    if own.get(PLANS) is not None:  # Whoever is around us has asked the same session.
        yield
        return
    own[PLANS] = Plans((held or "").split())
    try:
        yield
    finally:
        own[PLANS] = None


def plans_of_session() -> Plans | None:
    plans: Plans | None = kept_of_connection().get(PLANS)
    return plans


def forget_plans(error: DatabaseError) -> None:
    """Ask without them until the block ends: after an error nobody knows which statements were prepared.

    If it is that a column has another type than when a plan was made, the session is not used again.
    """
    kept_of_connection()[PLANS] = None
    if isinstance(error.__cause__, FeatureNotSupported):
        connection.close_at = time.monotonic()
