"""Who may ask the REST API: a program with a key, or a person who is logged in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rest_framework.authentication import (
    BaseAuthentication,
    SessionAuthentication,
    get_authorization_header,
)
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from tenants.models import ApiKey, Membership, Role, Scope, Tenant, User
from tenants.scope import user_scope
from tenants.services import authenticate_api_key

KEYWORD = b"bearer"
CHALLENGE = 'Bearer realm="pandect"'
REFUSED = "This API key is unknown, expired or revoked. A tenant's admin can make a new one."
TENANT_HEADER = "X-Pandect-Tenant"
NO_TENANT = f"Say for which of your tenants you ask: send its slug as {TENANT_HEADER}."
SCOPES_OF = {
    Role.READER: frozenset({Scope.READ}),
    Role.EDITOR: frozenset({Scope.READ, Scope.WRITE}),
    Role.ADMIN: frozenset(Scope),
}


@dataclass(frozen=True)
class Program:
    """What acts, for one tenant and within scopes: a program with its key, or a person's browser."""

    tenant: Tenant
    scopes: frozenset[str]
    label: str  # In the record.
    id: UUID
    key: ApiKey | None = None
    is_authenticated: bool = True

    @classmethod
    def of_key(cls, key: ApiKey) -> Program:
        return cls(key.tenant, frozenset(key.scopes), f"key {key.name}", key.pk, key)

    @classmethod
    def of_member(cls, membership: Membership, user: User) -> Program:
        return cls(membership.tenant, SCOPES_OF[Role(membership.role)], user.email, user.pk)

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes


class ApiKeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Program, ApiKey] | None:
        text = read_bearer(get_authorization_header(request))
        if text is None:
            return None
        key = authenticate_api_key(text)
        if key is None:
            raise AuthenticationFailed(REFUSED)
        return Program.of_key(key), key

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


def read_bearer(header: bytes) -> str | None:
    """Return what somebody presents as a key; nothing if they present something else, or nothing."""
    keyword, _, credentials = header.partition(b" ")
    return credentials.decode("latin-1").strip() if keyword.lower() == KEYWORD else None


class MemberAuthentication(SessionAuthentication):
    """A person in a session, for the tenant that a header names, or for the only one that they have."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        found = super().authenticate(request)
        if found is None or not isinstance(found[0], User):
            return None
        user = found[0]
        with user_scope(user.pk):
            own = Membership.objects.of_user(user)
            slug = request.headers.get(TENANT_HEADER)
            memberships = list(own.filter(tenant__slug=slug) if slug is not None else own[:2])
        if len(memberships) != 1:
            raise AuthenticationFailed(NO_TENANT)
        return Program.of_member(memberships[0], user), None
