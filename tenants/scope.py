"""For whom the database answers, transaction by transaction.

Row-level security shows the rows of one tenant, named by a setting of the transaction. Nothing is set
outside these blocks, so a query that forgets them sees no row at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import connection, connections, transaction

from config.prepare import PLATFORM_ROLE
from tenants.isolation import TENANT_SETTING, USER_SETTING

ROLE_SETTING = "role"
OWN_ROLE = "none"  # What the connection logged in as.


@contextmanager
def tenant_scope(tenant_id: UUID) -> Iterator[None]:
    """Act for one tenant: see, add and change its rows and no others, even inside `platform_scope`."""
    with _transaction_settings(_tenant_settings(tenant_id)):
        yield


@contextmanager
def within_tenant(tenant_id: UUID) -> Iterator[None]:
    """Read for one tenant: as `tenant_scope`, and for nothing where that scope is the one we are in.

    What is written belongs into `tenant_scope`, which also undoes it alone if it fails.
    """
    if _open_scopes() and _open_scopes()[-1] == _tenant_settings(tenant_id):
        yield
    else:
        with tenant_scope(tenant_id):
            yield


@contextmanager
def user_scope(user_id: UUID) -> Iterator[None]:
    """See which tenants a person belongs to."""
    with _transaction_settings({USER_SETTING: str(user_id), ROLE_SETTING: OWN_ROLE}):
        yield


@contextmanager
def platform_scope() -> Iterator[None]:
    """Act across tenants: for the administration and for upkeep, never for what a tenant's user asked."""
    with _transaction_settings({ROLE_SETTING: PLATFORM_ROLE}):
        yield


def leave_database() -> None:
    """Give the connection back, for whoever waits for somebody else; the next scope takes another one."""
    if _open_scopes():
        raise RuntimeError("A scope is open. Leave it before you wait: its transaction would wait as well.")
    if not connection.in_atomic_block:
        connection.close()


@contextmanager
def _transaction_settings(values: dict[str, str]) -> Iterator[None]:
    is_nested = connection.in_atomic_block
    with transaction.atomic():
        before = _exchange(values)
        _open_scopes().append(values)
        try:
            yield
        finally:
            _open_scopes().pop()
        # An error rolls back to before the settings; the end of the transaction forgets them.
        if is_nested and not connection.needs_rollback:
            _exchange(before)


def _tenant_settings(tenant_id: UUID) -> dict[str, str]:
    return {TENANT_SETTING: str(tenant_id), ROLE_SETTING: OWN_ROLE}


def kept_of_connection() -> dict[str, Any]:
    """Return what is kept of this thread's connection.

    `connection` is one object that stands for the connections of all threads: what is kept in its own
    dictionary, all of them would share.
    """
    return connections[connection.alias].__dict__


def _open_scopes() -> list[dict[str, str]]:
    """Return the settings of the blocks that this thread's connection is in, the innermost last."""
    scopes: list[dict[str, str]] = kept_of_connection().setdefault("pandect_scopes", [])
    return scopes


def _exchange(values: dict[str, str]) -> dict[str, str]:
    """Change settings for the rest of the transaction; return what they were."""
    reads = ", ".join(["current_setting(%s, true)"] * len(values))
    writes = ", ".join(["set_config(%s, %s, true)"] * len(values))
    parameters = [*values, *(part for item in values.items() for part in item)]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {reads}, {writes}", parameters)
        before = cursor.fetchone()[: len(values)]
    return {name: value or "" for name, value in zip(values, before, strict=True)}
