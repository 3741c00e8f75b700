"""Who calls: a program with a key, or whoever has started a server for a tenant."""

from __future__ import annotations

from tenants.authentication import Program
from tenants.models import Scope, Tenant
from tenants.services import authenticate_api_key
from tenants.throttle import may_ask, seconds_left

COMMAND = "manage.py mcp"
UNKNOWN_KEY = "This API key is unknown, expired or revoked. A tenant's admin can make a new one."
NO_READING = f"This key lacks the scope “{Scope.READ.value}”, without which nothing can be asked here."


class CallerRefused(Exception):
    """Somebody who may not ask, or not now. The message is for them."""


class UnknownCaller(CallerRefused):
    """No usable key."""


class LackingScope(CallerRefused):
    """A key that is for something else."""


class TooOften(CallerRefused):
    """More requests in a minute than a key may make."""

    def __init__(self) -> None:
        self.seconds = max(1, round(seconds_left()))
        super().__init__(f"Too many requests. Ask again in {self.seconds} seconds.")


def program_of_key(text: str | None) -> Program:
    """Return what acts with a key, each time anew: it may have been revoked meanwhile."""
    key = authenticate_api_key(text or "")
    if key is None:
        raise UnknownCaller(UNKNOWN_KEY)
    program = Program.of_key(key)
    if not may_ask(program):
        raise TooOften
    if not program.may(Scope.READ):
        raise LackingScope(NO_READING)
    return program


def program_of_tenant(tenant: Tenant, *, may_manage: bool) -> Program:
    """Return what acts for somebody who can start commands here, and could do anything anyway."""
    scopes = {Scope.READ, Scope.MANAGE} if may_manage else {Scope.READ}
    return Program(tenant, frozenset(scopes), COMMAND, tenant.pk)
