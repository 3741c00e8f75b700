"""What PostgreSQL reads for an answer grows with the documents of a tenant, never with products of them.

Its statistics do not know a tenant that has just come, or that has little beside others. The planner could
take such a tenant to have one row of everything; then reading all of its rows looks as cheap as reading one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest
from django.db import connection, connections, transaction
from django.test import Client

from documents.demo import DEMO_FILES
from documents.models import Version
from tenants.isolation import tenant_models
from tenants.models import Role, Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.searching import add, make_collection
from tests.test_walls import API, TENANT, address, api_address, ids_for

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
ACT = next(path for path in DEMO_FILES if path.name == "harbour-safety-act.md")
MOST_TIMES = 30  # That a table may be read for one answer, all rows of the tenant each time.
FEW = 100  # A table with fewer rows is taken to have so many.
ROWS_READ = """
    SELECT relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
"""
# What an address is asked, where it shows more or answers at all with it.
ASKED: dict[str, dict[str, str]] = {
    "history": {"label": "Section 14"},
    "glossary": {"q": "vessel"},
    "glossary_term": {"term": "vessel"},
    "search": {"q": "which vessel needs a pilot under section 14"},
    "ask": {"q": "What is a vessel?"},
    "reader_preview": {"at": "Section 14"},
    "reader_mentions": {"at": "Section 14"},
    "api_definitions": {"term": "vessel"},
    "api_history": {"label": "Section 14"},
    "api_sections": {"document": ACT.name, "label": "Section 14"},
    "api_references": {"document": ACT.name, "direction": "out"},
}
POSTED: dict[str, dict[str, object]] = {
    "api_search": {"query": "which vessel needs a pilot under section 14", "neighbours": 1, "parents": True},
    "api_context": {"query": "which vessel needs a pilot"},
    "api_check_citations": {"text": "Section 14 of the Harbour Safety Act says nothing of section 99."},
}


@pytest.fixture
def harbour() -> Tenant:
    """A tenant with an act of some hundred units, which came when statistics had been made of another's."""
    for slug in ("meridian", "harbour"):
        tenant = factories.tenant(slug)
        add(make_collection(tenant), ACT.name, ACT.read_text())
        if slug == "meridian":
            with connections["owner"].cursor() as cursor:
                cursor.execute("ANALYZE")
    return tenant


@pytest.fixture
def rows(harbour: Tenant) -> list[UUID]:
    with tenant_scope(harbour.pk):
        version = Version.objects.select_related("document").get(tenant=harbour)
        return [version.document.collection_id, version.document_id, version.pk]


@pytest.fixture
def sizes(harbour: Tenant) -> dict[str, int]:
    with tenant_scope(harbour.pk):
        return {model._meta.db_table: model._default_manager.count() for model in tenant_models()}


@contextmanager
def few_rows(name: str, sizes: dict[str, int]) -> Iterator[None]:
    """Hold that no table is read much more often than once for an answer."""
    with transaction.atomic():  # Within which PostgreSQL counts.
        before = count_read()
        yield
        read = count_read() - before
    most = {table: MOST_TIMES * max(sizes.get(table, 0), FEW) for table in read}
    many = {table: (count, most[table]) for table, count in read.items() if count > most[table]}
    assert not many, f"{name} reads too much: {many}"


def count_read() -> Counter[str]:
    with connection.cursor() as cursor:
        cursor.execute(ROWS_READ)
        return Counter(dict(cursor.fetchall()))


def test_pages(harbour: Tenant, rows: list[UUID], sizes: dict[str, int]) -> None:
    client = client_of(factories.membership(harbour, Role.ADMIN))
    answered = set()
    for name in (str(entry.name) for entry in TENANT):
        for pk in ids_for(name, rows):
            with few_rows(name, sizes):
                response = client.get(address(name, "harbour", pk), ASKED.get(name, {}))
                if response.streaming:
                    b"".join(response)
            if response.status_code == 200:
                answered.add(name)
    assert {name for name in ASKED if not name.startswith("api_")} <= answered


def test_the_api(harbour: Tenant, rows: list[UUID], sizes: dict[str, int]) -> None:
    _, token = factories.api_key(harbour, *Scope)
    client = Client(headers={"Authorization": f"Bearer {token}"})
    answered = set()
    for name in (str(entry.name) for entry in API):
        for pk in ids_for(name, rows):
            route = api_address(name, pk)
            with few_rows(name, sizes):
                if name in POSTED:
                    response = client.post(route, POSTED[name], content_type="application/json")
                else:
                    response = client.get(route, ASKED.get(name, {}))
            if response.status_code == 200:
                answered.add(name)
    assert {name for name in [*ASKED, *POSTED] if name.startswith("api_")} <= answered
