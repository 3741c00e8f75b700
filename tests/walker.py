"""A program that asks every address of the API, and holds the answers against the description."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from django.test import Client

from tenants.models import Scope, Tenant
from tests import factories
from tests.described import mistakes_in_answer, operations

LONGEST_LIST = 2
LONGEST_TEXT = 400


class Walker:
    """Asks by the names of operations, and keeps the first answer of each."""

    def __init__(self, tenant: Tenant) -> None:
        _, token = factories.api_key(tenant, *Scope)
        self.headers = {"Authorization": f"Bearer {token}"}
        self.client = Client(raise_request_exception=False)
        self.answers: dict[str, Any] = {}
        self.statuses: dict[str, set[int]] = {}
        self.etag = ""
        self.status = 0

    def ask(
        self,
        name: str,
        body: Any = None,
        *,
        pk: Any = None,
        files: Any = None,
        headers: dict[str, str] | None = None,
        **query: Any,
    ) -> Any:
        one = operations()[name]
        path = one.path.replace("{id}", str(pk)) + (f"?{urlencode(query, doseq=True)}" if query else "")
        sent: dict[str, Any] = {}
        if files is not None:
            sent = {"data": files}
        elif isinstance(body, bytes):
            sent = {"data": body, "content_type": next(iter(one.said["requestBody"]["content"]))}
        elif body is not None:
            sent = {"data": json.dumps(body), "content_type": "application/json"}
        response = getattr(self.client, one.method)(path, headers=self.headers | (headers or {}), **sent)
        media_type = response.get("Content-Type", "").partition(";")[0]
        found = mistakes_in_answer(name, response.status_code, media_type, response.content)
        assert not found, found
        is_json = "json" in media_type and response.content
        answer = json.loads(response.content) if is_json else response.content
        self.status = response.status_code
        self.statuses.setdefault(name, set()).add(response.status_code)
        self.etag = response.get("ETag", "")
        if response.status_code < 300:
            self.answers.setdefault(name, answer)
        return answer

    def refused(self, name: str, body: Any = None, **asked: Any) -> int:
        """Return the status of a refusal."""
        answer = self.ask(name, body, **asked)
        if operations()[name].method == "head":  # Which says nothing but its status.
            return self.status
        assert isinstance(answer, dict)
        assert "status" in answer, f"{name} was not refused: {answer}"
        return int(answer["status"])


def shortened(value: Any) -> Any:
    """Return an answer as an example shows it: of long lists a part, of long texts the beginning."""
    match value:
        case dict():
            return {name: shortened(one) for name, one in value.items()}
        case list():
            return [shortened(one) for one in value[:LONGEST_LIST]]
        case str() if len(value) > LONGEST_TEXT:
            return value[:LONGEST_TEXT] + "…"
    return value
