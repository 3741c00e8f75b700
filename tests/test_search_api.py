"""The REST API of searches: what is asked, what is answered, and what is refused."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.test import Client

from documents.models import Collection
from documents.pipeline import ingest_version
from documents.services import add_document, create_collection
from tenants.audit import Actor
from tenants.models import Scope, Tenant
from tests import factories
from tests.database import everything_of
from tests.hostile_queries import hostile_queries

ACT = """# Harbour Safety Act

## Section 1. Definitions

(a) In this Act, “vessel” means any ship, boat or craft.

(b) “Master” means the person in command of a vessel.

## Section 2. Speed

(a) The master of a vessel shall not exceed six knots in the inner harbour.

(b) A vessel under section 3 may exceed that speed.

## Section 3. Rescue

(a) The harbour master shall promptly disclose every rescue to the authority.

(b) The authority shall not disclose the names of those who were rescued.
"""


def add(collection: Collection, name: str, text: str) -> None:
    version = add_document(
        collection=collection,
        name=name,
        content=text.encode(),
        actor=Actor.of_command("test"),
        is_queued=False,
    )
    ingest_version(version.pk, version.tenant_id)


class Program:
    """A program with a key that searches."""

    def __init__(self, tenant: Tenant, *scopes: Scope) -> None:
        self.token = factories.api_key(tenant, *scopes)[1]

    def ask(self, **asked: Any) -> tuple[int, Any]:
        response = Client(raise_request_exception=False).post(
            "/api/v1/search",
            asked,
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.token}"},
        )
        return response.status_code, response.json()

    def found(self, query: str, **asked: Any) -> list[str]:
        status, answer = self.ask(query=query, **asked)
        assert status == 200, answer
        return [hit["section_label"] for hit in answer["results"]]


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    collection = create_collection(
        tenant=harbour,
        name="acts",
        description="For tests.",
        actor=Actor.of_command("test"),
        max_chunk_tokens=100,
    )
    add(collection, "harbour-safety-act.md", ACT)
    return collection


@pytest.fixture
def program(acts: Collection) -> Program:
    return Program(acts.tenant, Scope.READ)


def test_smoke(program: Program) -> None:
    import json

    print(json.dumps(program.ask(query="§ 2(a)", explain=True, facets=True)[1], indent=1)[:6000])
    print(program.found("who may exceed the speed of six knots?"))
    print(program.found('"shall not disclose"'))
    print(program.found("what does vessel mean?"))
    print(program.ask(query="section 9")[1]["not_found"])
    assert program
