"""The administration of the index: looked at without loading it, and budgets set on the record."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from search.models import Budget, Call, CallState
from tenants import admin_lists
from tenants.models import AuditEvent, Tenant, User
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of

# A row of each, and how many queries the list of such rows takes.
DERIVED: dict[str, tuple[Callable[[Tenant], Any], int]] = {
    "passage": (factories.passage, 9),
    "placement": (factories.placement, 9),
    "embeddingspace": (factories.embedding_space, 10),
    "context": (factories.context, 9),
    "contextbatch": (factories.context_batch, 9),
    "call": (factories.call, 9),
    "evaluationrun": (factories.evaluation_run, 9),
}
LARGE = ("full_text", "exact", "weights", "vector", '"keys"', '"documents_version"."text"')


@pytest.fixture
def client(operator: User) -> Client:
    return client_of(operator)


def body(response: Any) -> str:
    return str(response.content.decode())


@pytest.mark.parametrize("rows", [1, 12])
@pytest.mark.parametrize("name", DERIVED)
def test_lists_ask_as_often_for_many_rows_as_for_one_and_fetch_nothing_large(
    name: str, rows: int, operator: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make, queries = DERIVED[name]
    client = client_of(operator)
    for number in range(rows):
        make(factories.tenant(f"tenant-{number}"))
    with CaptureQueriesContext(connection) as captured, django_assert_num_queries(queries):
        response = client.get(f"/admin/search/{name}/")
    assert response.context["cl"].result_count == rows
    asked = " ".join(query["sql"] for query in captured.captured_queries)
    assert [word for word in LARGE if word in asked] == []


@pytest.mark.parametrize("name", DERIVED)
class TestDerivedRows:
    def test_are_shown_whole_but_for_their_vectors(self, name: str, client: Client, harbour: Tenant) -> None:
        row: Any = DERIVED[name][0](harbour)
        with CaptureQueriesContext(connection) as captured:
            response = client.get(f"/admin/search/{name}/{row.pk}/change/")
        assert response.status_code == 200
        assert harbour.name in body(response)
        asked = " ".join(query["sql"] for query in captured.captured_queries)
        assert [word for word in LARGE if word in asked] == []

    def test_can_be_neither_added_nor_changed_nor_deleted(
        self, name: str, client: Client, harbour: Tenant
    ) -> None:
        row: Any = DERIVED[name][0](harbour)
        before = everything_of(harbour)
        for path in ("add/", f"{row.pk}/change/", f"{row.pk}/delete/"):
            assert client.post(f"/admin/search/{name}/{path}", {"post": "yes"}).status_code == 403
        assert everything_of(harbour) == before

    def test_that_do_not_exist_are_not_found(self, name: str, client: Client) -> None:
        assert client.get(f"/admin/search/{name}/not-an-id/change/").status_code == 302


def test_a_list_counts_no_further_than_anybody_turns_pages(
    client: Client, harbour: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin_lists, "MOST_COUNTED", 2)
    for number in range(3):
        factories.passage(harbour, f"Text {number}.")
    assert client.get("/admin/search/passage/").context["cl"].result_count == 2


def test_a_passage_shows_where_it_stands_and_which_vectors_it_has(client: Client, harbour: Tenant) -> None:
    placed = factories.placement(harbour)
    embedded = factories.embedding(harbour)
    with tenant_scope(harbour.pk):
        version = str(placed.version)
        space = embedded.space
    page = body(client.get(f"/admin/search/passage/{placed.passage_id}/change/"))
    assert f"{version}, chunk {placed.position}</a>" in page
    assert ">a provider</a>" in page
    page = body(client.get(f"/admin/search/passage/{embedded.passage_id}/change/"))
    assert f"{space.provider}/{space.model} (window {embedded.window})" in page


def test_passages_are_found_by_the_beginning_of_their_digest(client: Client, harbour: Tenant) -> None:
    wanted, other = factories.passage(harbour, "One."), factories.passage(harbour, "Two.")
    response = client.get("/admin/search/passage/", {"q": wanted.digest[:20]})
    assert [row.pk for row in response.context["cl"].result_list] == [wanted.pk]
    assert other.digest[:12] not in body(response)


def test_a_call_of_no_version_is_listed(client: Client, harbour: Tenant) -> None:
    with tenant_scope(harbour.pk):
        Call.objects.create(
            tenant=harbour, role="embedder", backend="openai/x", state=CallState.FAILED, failure="It is full."
        )
    assert "It is full." in body(client.get("/admin/search/call/"))


class TestBudgets:
    def limits(self, tenant: Tenant) -> list[Decimal | None]:
        with tenant_scope(tenant.pk):
            return list(Budget.objects.values_list("monthly_limit", flat=True))

    def actions(self) -> list[str]:
        with platform_scope():
            return list(AuditEvent.objects.order_by("at").values_list("action", flat=True))

    def test_are_set_for_a_tenant_that_has_none_on_the_record(self, client: Client, harbour: Tenant) -> None:
        form = {"tenant": str(harbour.pk), "monthly_limit": "12.5"}
        assert client.post("/admin/search/budget/add/", form).status_code == 302
        assert self.limits(harbour) == [Decimal("12.5")]
        assert self.actions()[-2:] == ["budget.changed", "admin.budget_added"]

    def test_are_changed_and_keep_what_is_spent(self, client: Client, harbour: Tenant) -> None:
        budget = factories.budget(harbour)
        with tenant_scope(harbour.pk):
            Budget.objects.update(spent=Decimal("1.5"))
        url = f"/admin/search/budget/{budget.pk}/change/"
        assert client.post(url, {"monthly_limit": "", "spent": "0"}).status_code == 302
        assert self.limits(harbour) == [None]
        with tenant_scope(harbour.pk):
            assert Budget.objects.get().spent == Decimal("1.5")
        assert "$20.00 (of this installation)" in body(client.get("/admin/search/budget/"))

    @pytest.mark.parametrize("limit", ["-1", "much", "1e99"])
    def test_that_are_no_amount_are_refused(self, client: Client, harbour: Tenant, limit: str) -> None:
        budget = factories.budget(harbour)
        before = everything_of(harbour)
        url = f"/admin/search/budget/{budget.pk}/change/"
        assert client.post(url, {"monthly_limit": limit}).status_code == 200
        assert everything_of(harbour) == before

    def test_of_nothing_is_a_budget(self, client: Client, harbour: Tenant) -> None:
        budget = factories.budget(harbour)
        client.post(f"/admin/search/budget/{budget.pk}/change/", {"monthly_limit": "0"})
        assert self.limits(harbour) == [Decimal(0)]

    def test_are_not_deleted(self, client: Client, harbour: Tenant) -> None:
        budget = factories.budget(harbour)
        before = everything_of(harbour)
        url = f"/admin/search/budget/{budget.pk}/delete/"
        assert client.post(url, {"post": "yes"}).status_code == 403
        assert everything_of(harbour) == before
