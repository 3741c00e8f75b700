"""For whom the database answers, transaction by transaction.

Row-level security shows the rows of one tenant, named by a setting of the transaction. Nothing is set
outside these blocks, so a query that forgets them sees no row at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connection, transaction

from config.prepare import PLATFORM_ROLE
from tenants.isolation import TENANT_SETTING, USER_SETTING

ROLE_SETTING = "role"
OWN_ROLE = "none"  # What the connection logged in as.


@contextmanager
def tenant_scope(tenant_id: UUID) -> Iterator[None]:
    """Act for one tenant: see, add and change its rows and no others, even inside `platform_scope`."""
    with _transaction_settings({TENANT_SETTING: str(tenant_id), ROLE_SETTING: OWN_ROLE}):
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


@contextmanager
def _transaction_settings(values: dict[str, str]) -> Iterator[None]:
    is_nested = connection.in_atomic_block
    with transaction.atomic():
        before = _exchange(values)
        yield
        # An error rolls back to before the settings; the end of the transaction forgets them.
        if is_nested and not connection.needs_rollback:
            _exchange(before)


def _exchange(values: dict[str, str]) -> dict[str, str]:
    """Change settings for the rest of the transaction; return what they were."""
    reads = ", ".join(["current_setting(%s, true)"] * len(values))
    writes = ", ".join(["set_config(%s, %s, true)"] * len(values))
    parameters = [*values, *(part for item in values.items() for part in item)]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {reads}, {writes}", parameters)
        before = cursor.fetchone()[: len(values)]
    return {name: value or "" for name, value in zip(values, before, strict=True)}
