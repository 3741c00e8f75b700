"""API keys as a way to authenticate to the REST API."""

from __future__ import annotations

from dataclasses import dataclass

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from tenants.models import ApiKey, Scope, Tenant
from tenants.services import authenticate_api_key

KEYWORD = b"bearer"
REFUSED = "This API key is unknown, expired or revoked. A tenant's admin can make a new one."


@dataclass(frozen=True)
class Program:
    """What acts when a key was presented: a program, for one tenant, within scopes."""

    key: ApiKey
    is_authenticated: bool = True

    @property
    def tenant(self) -> Tenant:
        return self.key.tenant

    def may(self, scope: Scope) -> bool:
        return scope in self.key.scopes


class ApiKeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Program, ApiKey] | None:
        keyword, _, credentials = get_authorization_header(request).partition(b" ")
        if keyword.lower() != KEYWORD:
            return None
        key = authenticate_api_key(credentials.decode("latin-1").strip())
        if key is None:
            raise AuthenticationFailed(REFUSED)
        return Program(key), key

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="pandect"'
