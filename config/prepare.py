"""What a database needs before its first migration: roles, the vector extension, privileges.

Needs a superuser once per database. Can be run again at any time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import LiteralString

import psycopg
from psycopg import sql

APPLICATION_ROLE = "pandect_app"
PLATFORM_ROLE = "pandect_platform"

LEAKPROOF_REFUSED = (
    "This role may not mark ts_match_vq as leakproof, so row-level security keeps PostgreSQL from using "
    "full-text indexes and keyword search will be slow. Run this once more as a superuser."
)


@dataclass(frozen=True)
class Login:
    """A role that connects; without a password where the server trusts its socket."""

    name: str
    password: str = ""


def prepare_database(
    connection: psycopg.Connection[tuple[object, ...]], *, application: Login, owner: Login
) -> list[str]:
    """Make a database ready for migrations; return warnings.

    `owner` owns the tables and runs the migrations. `application` is what web and workers connect as: it
    reads and writes rows, cannot change tables, and is held by row-level security like everyone. It may
    become the platform role for one transaction (staff work across tenants), but does not inherit it.
    """
    connection.autocommit = True
    for group in (APPLICATION_ROLE, PLATFORM_ROLE):
        _create_role(connection, group, "NOLOGIN")
    for login in (application, owner):
        _create_role(connection, login.name, "LOGIN")
        if login.password:
            _set_password(connection, login)
    _execute(connection, "GRANT {} TO {} WITH INHERIT TRUE", APPLICATION_ROLE, application.name)
    for member in (application.name, owner.name):
        _execute(connection, "GRANT {} TO {} WITH INHERIT FALSE, SET TRUE", PLATFORM_ROLE, member)

    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    _execute(connection, "GRANT USAGE, CREATE ON SCHEMA public TO {}", owner.name)
    for group in (APPLICATION_ROLE, PLATFORM_ROLE):
        _execute(connection, "GRANT USAGE ON SCHEMA public TO {}", group)
        for grant in (
            "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {}",
            "GRANT USAGE, SELECT ON SEQUENCES TO {}",
        ):
            statement = "ALTER DEFAULT PRIVILEGES FOR ROLE {} IN SCHEMA public " + grant
            _execute(connection, statement, owner.name, group)
    return _mark_leakproof(connection)


def _mark_leakproof(connection: psycopg.Connection[tuple[object, ...]]) -> list[str]:
    """Let the planner use full-text indexes below row-level security.

    A function that is not leakproof runs only on rows that passed the policy, hence never in an index.
    `tsvector @@ tsquery` reports nothing about its operands but the result.
    """
    try:
        connection.execute("ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF")
    except psycopg.errors.InsufficientPrivilege:
        return [LEAKPROOF_REFUSED]
    return []


def _create_role(
    connection: psycopg.Connection[tuple[object, ...]], name: str, attribute: LiteralString
) -> None:
    found = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
    if found.fetchone() is None:
        _execute(connection, "CREATE ROLE {} " + attribute, name)


def _set_password(connection: psycopg.Connection[tuple[object, ...]], login: Login) -> None:
    connection.execute(
        sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(login.name), sql.Literal(login.password))
    )


def _execute(
    connection: psycopg.Connection[tuple[object, ...]], statement: LiteralString, *names: str
) -> None:
    connection.execute(sql.SQL(statement).format(*(sql.Identifier(name) for name in names)))
