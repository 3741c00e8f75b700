"""A program with a key, as the tests of the REST API use it."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from tenants.models import Scope, Tenant
from tests import factories


class Program:
    """Asks with a key that it has used before: the first use is written down."""

    def __init__(self, tenant: Tenant, *scopes: Scope) -> None:
        self.key, self.token = factories.api_key(tenant, *(scopes or Scope))
        self.get("tenant")

    def send(self, method: str, path: str, *, headers: dict[str, str] | None = None, **more: Any) -> Any:
        """Return the response; a path that begins with a slash is an address."""
        address = path if path.startswith("/") else f"/api/v1/{path}"
        own = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        return getattr(Client(), method)(address, headers=own, **more)

    def get(self, path: str, headers: dict[str, str] | None = None, **asked: Any) -> Any:
        return self.send("get", path, headers=headers, query_params=asked)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.write("post", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.write("patch", path, body, **headers)

    def delete(self, path: str, headers: dict[str, str] | None = None) -> Any:
        return self.send("delete", path, headers=headers)

    def write(self, method: str, path: str, body: Any, **headers: str) -> Any:
        """Send JSON. A header is written with underscores: `If_Match`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = json.dumps({} if body is None else body)
        return self.send(method, path, headers=named, data=data, content_type="application/json")
