"""Every list and every page of the administration stays small, however much the tables hold."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from documents.configuration import read_configuration
from documents.models import Publication, State, Version
from search.models import EmbeddingSpace, SpaceState
from search.spaces import ensure_space
from tenants import admin_lists
from tenants.isolation import tenant_models
from tenants.models import AuditEvent, Membership, Tenant, User
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.conftest import client_of

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label_lower)
# What the list of a model asks the database, and what the page of a row asks.
QUERIES = {
    "auth.group": (8, 9),
    "definitions.crossreference": (10, 7),
    "definitions.definition": (11, 7),
    "definitions.definitioncorrection": (9, 8),
    "definitions.documentname": (9, 8),
    "definitions.referencecorrection": (9, 9),
    "definitions.termform": (9, 9),
    "documents.answeredrequest": (9, 8),
    "documents.baseline": (9, 10),
    "documents.baselineversion": (9, 7),
    "documents.chunk": (9, 7),
    "documents.collection": (9, 8),
    "documents.document": (10, 9),
    "documents.outlinecorrection": (9, 8),
    "documents.publication": (9, 10),
    "documents.section": (9, 7),
    "documents.source": (9, 7),
    "documents.upload": (9, 8),
    "documents.uploadpart": (9, 7),
    "documents.version": (9, 10),
    "documents.webhook": (9, 8),
    "documents.webhookdelivery": (10, 9),
    "search.budget": (8, 8),
    "search.call": (9, 7),
    "search.context": (9, 7),
    "search.contextbatch": (9, 7),
    "search.embedding": (9, 7),
    "search.embeddingspace": (10, 8),
    "search.evaluationrun": (9, 8),
    "search.passage": (9, 11),
    "search.placement": (9, 7),
    "search.queryrecord": (9, 8),
    "search.savedsearch": (9, 9),
    "search.termstatistics": (9, 8),
    "tenants.apikey": (9, 8),
    "tenants.auditevent": (10, 8),
    "tenants.membership": (9, 9),
    "tenants.tenant": (10, 11),
    "tenants.user": (8, 13),
}
LARGE = ("content", "vector", "weights", "full_text")
OPTION = re.compile(r'<option value="([0-9a-f-]{36})"')


@pytest.fixture
def client(operator: User) -> Client:
    return client_of(operator)


def body(response: Any) -> str:
    return str(response.content.decode())


def address(model: Any, path: str = "") -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/{path}"


def act(client: Client, model: Any, action: str, *rows: Any) -> Any:
    form = {"action": action, "_selected_action": [str(row.pk) for row in rows]}
    return client.post(address(model), form, follow=True)


def test_every_model_is_there() -> None:
    ours = {"tenants", "documents", "definitions", "search"}
    known = {model for model in apps.get_models() if model._meta.app_label in ours}
    assert known - set(MODELS) == set()
    assert set(tenant_models()) <= set(MODELS)


@pytest.mark.parametrize("others", [0, 3])
def test_lists_and_pages_ask_as_often_for_many_rows_as_for_few(
    client: Client, harbour: Tenant, others: int, subtests: pytest.Subtests
) -> None:
    Group.objects.create(name="Helpers")
    for tenant in (harbour, *(factories.tenant(f"other-{number}") for number in range(others))):
        factories.membership(tenant)
        factories.one_of_each(tenant)
    for model in MODELS:
        with subtests.test(model=model._meta.label_lower):
            count_queries(client, model)  # What Django learns once.
            assert count_queries(client, model) == QUERIES[model._meta.label_lower]


def count_queries(client: Client, model: Any) -> tuple[int, int]:
    alike = {"memberships__isnull": False} if model is User else {}  # The operator is a member of nothing.
    with platform_scope():
        row = model._default_manager.filter(**alike).order_by("pk").first()
    counts = []
    for path in ("", f"{row.pk}/change/"):
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address(model, path)).status_code == 200
        asked = [query["sql"] for query in captured.captured_queries]
        large = [word for word in LARGE for sql in asked if f'."{word}"' in sql]
        assert large == [], model
        counts.append(len(asked))
    return counts[0], counts[1]


@pytest.mark.parametrize("model", [pytest.param(one, id=one._meta.label_lower) for one in MODELS])
def test_no_form_offers_all_rows_of_a_table(model: Any, client: Client, harbour: Tenant) -> None:
    """A choice is made by typing; what is chosen already may be shown."""
    Group.objects.create(name="Helpers")
    factories.membership(harbour)
    factories.one_of_each(harbour)
    others = {str(row.pk) for row in factories.one_of_each(factories.tenant("others"))}
    with platform_scope():
        row = model._default_manager.order_by("pk").filter(**of(model, harbour)).first()
    for path in ("add/", f"{row.pk}/change/"):
        response = client.get(address(model, path))
        assert response.status_code in {200, 403}
        assert set(OPTION.findall(body(response))) & others == set()


def of(model: Any, tenant: Tenant) -> dict[str, Any]:
    if model is Tenant:
        return {"pk": tenant.pk}
    if model is User:
        return {"is_superuser": True}  # A member of others has their tenant chosen already.
    return {"tenant": tenant} if model in tenant_models() else {}


class TestTenantFilter:
    def test_offers_few_and_the_one_that_was_chosen(
        self, client: Client, harbour: Tenant, meridian: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(admin_lists, "MOST_CHOICES", 1)
        for tenant in (harbour, meridian):
            factories.document(tenant)
        page = body(client.get("/admin/documents/document/"))
        assert (f"?tenant__id__exact={harbour.pk}" in page, f"?tenant__id__exact={meridian.pk}" in page) == (
            True,
            False,
        )
        response = client.get("/admin/documents/document/", {"tenant__id__exact": str(meridian.pk)})
        assert response.context["cl"].result_count == 1
        assert f"?tenant__id__exact={meridian.pk}" in body(response)

    def test_survives_what_is_no_id(self, client: Client, harbour: Tenant) -> None:
        factories.document(harbour)
        response = client.get("/admin/documents/document/", {"tenant__id__exact": "nonsense"})
        assert response.context["cl"].result_count == 0


def test_members_of_a_tenant_are_shown_as_far_as_a_page_can(
    client: Client, harbour: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        factories.membership(harbour)
    factories.membership(factories.tenant("other"))
    monkeypatch.setattr("tenants.admin.MOST_MEMBERS", 2)
    page = body(client.get(f"/admin/tenants/tenant/{harbour.pk}/change/"))
    assert 'name="memberships-INITIAL_FORMS" value="2"' in page
    with platform_scope():
        assert Membership.objects.count() == 4


class TestActions:
    def last_action(self) -> str:
        with platform_scope():
            return str(AuditEvent.objects.order_by("-at").values_list("action", flat=True)[0])

    def test_publish_a_baseline(self, client: Client, harbour: Tenant) -> None:
        made = factories.baseline(harbour)
        assert "1 baseline published." in body(act(client, type(made), "publish", made))
        with tenant_scope(harbour.pk):
            assert Publication.objects.get().baseline_id == made.pk

    def test_read_again_what_failed_in_a_collection(self, client: Client, harbour: Tenant) -> None:
        failed = factories.version(harbour, state=State.FAILED)
        collection = failed.document.collection
        assert "1 document read again." in body(act(client, type(collection), "retry_failed", collection))
        with tenant_scope(harbour.pk):
            assert Version.objects.get().state == State.QUEUED
        assert self.last_action() == "collection.retried"

    def test_export_settings_that_can_be_applied(self, client: Client, harbour: Tenant) -> None:
        made = [factories.collection(harbour, name) for name in ("b", "a")]
        response = act(client, type(made[0]), "export_settings", *made)
        assert response["Content-Disposition"] == 'attachment; filename="collections.yaml"'
        read = read_configuration(body(response))
        assert read.problems == ()
        assert [one.name for one in read.configurations] == ["a", "b"]

    def test_make_vectors_anew(self, client: Client, harbour: Tenant) -> None:
        space = ensure_space(harbour.pk)
        page = body(act(client, EmbeddingSpace, "embed_anew", space))
        assert "The vectors of 1 tenant are being made anew." in page
        with tenant_scope(harbour.pk):
            states = list(EmbeddingSpace.objects.order_by("created_at").values_list("state", flat=True))
        assert states == [SpaceState.ACTIVE, SpaceState.BUILDING]
        assert self.last_action() == "index.embedded_anew"

    @pytest.mark.parametrize("action", ["publish", "embed_anew"])
    def test_are_not_for_staff_who_may_only_look(self, harbour: Tenant, action: str) -> None:
        person = factories.user("staff")
        User.objects.filter(pk=person.pk).update(is_staff=True)
        for name in ("view_baseline", "view_embeddingspace"):
            person.user_permissions.add(Permission.objects.get(codename=name))
        row: Any = factories.baseline(harbour) if action == "publish" else ensure_space(harbour.pk)
        act(client_of(User.objects.get(pk=person.pk)), type(row), action, row)
        with tenant_scope(harbour.pk):
            assert not Publication.objects.exists()
            assert EmbeddingSpace.objects.filter(state=SpaceState.BUILDING).count() == 0
