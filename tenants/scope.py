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


@contextmanager
def tenant_scope(tenant_id: UUID) -> Iterator[None]:
    """Act for one tenant: see, add and change its rows and no others."""
    with _transaction_setting(TENANT_SETTING, str(tenant_id)):
        yield


@contextmanager
def user_scope(user_id: UUID) -> Iterator[None]:
    """See which tenants a person belongs to."""
    with _transaction_setting(USER_SETTING, str(user_id)):
        yield


@contextmanager
def platform_scope() -> Iterator[None]:
    """Act across tenants: for the administration and for upkeep, never for what a tenant's user asked."""
    with _transaction_setting("role", PLATFORM_ROLE):
        yield


@contextmanager
def _transaction_setting(name: str, value: str) -> Iterator[None]:
    is_nested = connection.in_atomic_block
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting(%s, true), set_config(%s, %s, true)", [name, name, value])
            before = cursor.fetchone()[0]
        yield
        # An error rolls back to before the setting; the end of the transaction forgets it.
        if is_nested and not connection.needs_rollback:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config(%s, %s, true)", [name, before or ""])
