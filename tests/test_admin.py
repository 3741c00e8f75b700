"""The administration, as staff use it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tenants.models import ApiKey, AuditEvent, Membership, Role, Tenant, User
from tenants.scope import platform_scope
from tenants.services import authenticate_api_key
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of

MODELS = [pytest.param(model, id=model._meta.label_lower) for model in admin.site._registry]


@pytest.fixture
def client(operator: User) -> Client:
    return client_of(operator)


def actions() -> list[tuple[str, str]]:
    with platform_scope():
        return list(AuditEvent.objects.order_by("at").values_list("action", "target"))


def act(client: Client, model: str, action: str, *rows: Any) -> str:
    response = client.post(
        f"/admin/tenants/{model}/",
        {"action": action, "_selected_action": [str(row.pk) for row in rows]},
        follow=True,
    )
    assert response.status_code == 200
    return str(response.content.decode())


@pytest.mark.parametrize("model", MODELS)
def test_every_list_opens_searches_and_filters(
    model: Any, client: Client, harbour: Tenant, admin: Membership
) -> None:
    factories.one_of_each(harbour)
    url = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    for query in ("", "?q=har", "?o=1"):
        assert client.get(url + query).status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_every_row_opens(model: Any, client: Client, harbour: Tenant, admin: Membership) -> None:
    factories.one_of_each(harbour)
    Group.objects.create(name="Helpers")
    with platform_scope():
        row = model._default_manager.first()
    url = f"/admin/{model._meta.app_label}/{model._meta.model_name}/{row.pk}/change/"
    assert client.get(url).status_code == 200


@pytest.mark.parametrize(("model", "queries"), [("tenant", 10), ("membership", 9), ("apikey", 9)])
def test_lists_ask_the_database_as_often_for_many_rows_as_for_one(
    model: str,
    queries: int,
    client: Client,
    harbour: Tenant,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(15):
        tenant = factories.tenant(f"tenant{number}")
        factories.membership(tenant)
        factories.api_key(tenant)
    with django_assert_num_queries(queries):
        client.get(f"/admin/tenants/{model}/")


def test_lists_count_members_and_keys_that_work(client: Client, harbour: Tenant) -> None:
    for _ in range(3):
        factories.membership(harbour)
        factories.api_key(harbour)
    page = client.get("/admin/tenants/tenant/").content.decode()
    assert '<td class="field-members">3</td><td class="field-usable_keys">3</td>' in page.replace("\n", "")


def test_a_key_is_shown_once_and_never_its_hash(client: Client, harbour: Tenant) -> None:
    response = client.post(
        "/admin/tenants/apikey/add/",
        {
            "tenant": str(harbour.pk),
            "name": "Robot",
            "scopes": ["read"],
            "expires_at_0": "",
            "expires_at_1": "",
        },
        follow=True,
    )
    page = response.content.decode()
    token = page.split('id="token">')[1].split("<")[0].strip()
    assert "no-store" in response["Cache-Control"]
    assert "messages" not in client.cookies
    key = authenticate_api_key(token)
    assert key is not None
    assert (key.name, key.tenant, key.scopes) == ("Robot", harbour, ["read"])
    again = client.get(f"/admin/tenants/apikey/{key.pk}/change/").content.decode()
    assert token not in again
    assert key.digest not in again
    assert f"pandect_…{key.hint}" in again


def test_keys_are_revoked(client: Client, harbour: Tenant) -> None:
    key, token = factories.api_key(harbour)
    assert "1 key revoked." in act(client, "apikey", "revoke", key)
    assert authenticate_api_key(str(token)) is None
    assert "0 keys revoked." in act(client, "apikey", "revoke", key)
    assert actions()[-1] == ("key.revoked", key.name)


@pytest.mark.parametrize(("state", "count"), [("usable", 1), ("revoked", 1), ("expired", 0)])
def test_keys_are_filtered_by_state(client: Client, harbour: Tenant, state: str, count: int) -> None:
    key, _ = factories.api_key(harbour)
    factories.api_key(harbour)
    act(client, "apikey", "revoke", key)
    response = client.get(f"/admin/tenants/apikey/?state={state}")
    assert response.context["cl"].result_count == count


def test_tenants_are_closed_and_opened(client: Client, harbour: Tenant, reader: Membership) -> None:
    assert "1 tenant closed." in act(client, "tenant", "close_tenants", harbour)
    assert client_of(reader).get("/t/harbour/").status_code == 404
    assert "0 tenants closed." in act(client, "tenant", "close_tenants", harbour)
    assert "1 tenant opened." in act(client, "tenant", "open_tenants", harbour)
    assert client_of(reader).get("/t/harbour/").status_code == 200
    assert actions()[-2:] == [("admin.tenant_changed", "Harbour")] * 2


def test_members_change_their_role(client: Client, harbour: Tenant) -> None:
    one, other = factories.membership(harbour), factories.membership(harbour, Role.EDITOR)
    assert "1 member changed." in act(client, "membership", "make_editors", one, other)
    assert "2 members changed." in act(client, "membership", "make_readers", one, other)
    with platform_scope():
        assert set(Membership.objects.values_list("role", flat=True)) == {"reader"}


def test_people_are_deactivated_but_never_oneself(client: Client, operator: User) -> None:
    other = factories.user()
    assert "1 person deactivated." in act(client, "user", "deactivate", other, operator)
    assert User.objects.get(pk=operator.pk).is_active
    assert not User.objects.get(pk=other.pk).is_active


def test_a_tenant_is_added_with_its_members_on_the_record(client: Client) -> None:
    person = factories.user()
    response = client.post(
        "/admin/tenants/tenant/add/",
        {
            "name": "Harbour Authority",
            "slug": "harbour",
            "is_active": "on",
            "memberships-TOTAL_FORMS": "1",
            "memberships-INITIAL_FORMS": "0",
            "memberships-0-user": str(person.pk),
            "memberships-0-role": "admin",
        },
    )
    assert response.status_code == 302
    assert client_of(person).get("/t/harbour/").status_code == 200
    assert actions() == [
        ("admin.membership_added", f"{person} in Harbour Authority"),
        ("admin.tenant_added", "Harbour Authority"),
    ]


def test_the_slug_of_a_tenant_stays_since_permalinks_have_it(client: Client, harbour: Tenant) -> None:
    form = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    address = f"/admin/tenants/tenant/{harbour.pk}/change/"
    assert 'name="slug"' not in client.get(address).content.decode()
    response = client.post(address, {**form, "name": "Port", "slug": "port", "is_active": "on"})
    assert response.status_code == 302
    with platform_scope():
        assert Tenant.objects.values_list("name", "slug").get() == ("Port", "harbour")


def test_a_tenant_is_deleted_and_its_record_stays(client: Client, harbour: Tenant) -> None:
    factories.api_key(harbour)
    client.post(f"/admin/tenants/tenant/{harbour.pk}/delete/", {"post": "yes"})
    with platform_scope():
        assert not Tenant.objects.exists()
        assert not ApiKey.objects.exists()
    assert actions()[-1] == ("admin.tenant_deleted", "Harbour")
    assert str(harbour.pk) in client.get("/admin/tenants/auditevent/").content.decode()


def test_a_tenant_with_a_baseline_is_not_deleted(client: Client, harbour: Tenant) -> None:
    factories.baseline(harbour)
    before = everything_of(harbour)
    said = client.post(f"/admin/tenants/tenant/{harbour.pk}/delete/", {"post": "yes"}).content.decode()
    assert "Cannot delete tenant" in said
    assert "<li>baseline</li>" in said
    chosen = {"action": "delete_selected", "_selected_action": str(harbour.pk), "post": "yes"}
    assert "Cannot delete tenant" in client.post("/admin/tenants/tenant/", chosen).content.decode()
    assert everything_of(harbour) == before


def test_what_changes_on_a_persons_page_is_on_the_record_of_the_tenant(
    client: Client, harbour: Tenant
) -> None:
    person = factories.user()
    form = {
        "email": person.email,
        "is_active": "on",
        "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "0",
        "memberships-0-tenant": str(harbour.pk),
        "memberships-0-role": "editor",
    }
    assert client.post(f"/admin/tenants/user/{person.pk}/change/", form).status_code == 302
    with platform_scope():
        added = AuditEvent.objects.get(action="admin.membership_added")
    assert (added.tenant_id, added.target) == (harbour.pk, f"{person} in Harbour")


def test_a_membership_stays_in_its_tenant(
    client: Client, harbour: Tenant, meridian: Tenant, reader: Membership
) -> None:
    form = {"tenant": str(meridian.pk), "user": str(reader.user.pk), "role": "editor"}
    assert client.post(f"/admin/tenants/membership/{reader.pk}/change/", form).status_code == 302
    with platform_scope():
        found = Membership.objects.get(pk=reader.pk)
    assert (found.tenant_id, found.role) == (harbour.pk, "editor")


@pytest.mark.parametrize(("days", "accepted"), [(-1, False), (1, True)])
def test_a_key_expires_in_the_future(client: Client, harbour: Tenant, days: int, accepted: bool) -> None:
    when = timezone.now() + timedelta(days=days)
    response = client.post(
        "/admin/tenants/apikey/add/",
        {
            "tenant": str(harbour.pk),
            "name": "Robot",
            "scopes": ["read"],
            "expires_at_0": when.strftime("%Y-%m-%d"),
            "expires_at_1": when.strftime("%H:%M:%S"),
        },
    )
    assert ("Choose a time to come." in response.content.decode()) != accepted
    with platform_scope():
        assert ApiKey.objects.count() == accepted


def test_a_person_is_added_by_email(client: Client) -> None:
    response = client.post(
        "/admin/tenants/user/add/",
        {
            "email": "New@Example.org",
            "name": "New",
            "usable_password": "true",
            "password1": factories.PASSWORD,
            "password2": factories.PASSWORD,
            "memberships-TOTAL_FORMS": "0",
            "memberships-INITIAL_FORMS": "0",
        },
    )
    assert response.status_code == 302, response.context["errors"]
    assert User.objects.get_by_natural_key("new@example.org").check_password(factories.PASSWORD)


def test_the_record_cannot_be_touched(client: Client, harbour: Tenant) -> None:
    event = factories.audit_event(harbour)
    for path in ("add/", f"{event.pk}/delete/"):
        assert client.post(f"/admin/tenants/auditevent/{path}", {"post": "yes"}).status_code == 403
    assert client.post(f"/admin/tenants/auditevent/{event.pk}/change/", {}).status_code == 403
    assert ("test.happened", "something") in actions()


def test_staff_come_through_the_one_door(operator: User) -> None:
    response = Client().get("/admin/", follow=True)
    assert response.redirect_chain[-1][0].startswith("/account/login/?next=/admin/")
    client = client_of(operator)
    assert client.get("/admin/login/")["Location"] == "/admin/"
    assert client.get("/admin/password_change/")["Location"] == "/account/password/"
    client.post("/admin/logout/")
    assert actions()[-1] == ("logout", "")
    assert client.get("/admin/").status_code == 302


@pytest.mark.parametrize("address", ["/admin/", "/admin/tenants/tenant/", "/admin/definitions/definition/"])
def test_every_page_has_a_title(operator: User, address: str) -> None:
    page = client_of(operator).get(address).content.decode()
    title = page.partition("<title>")[2].partition("</title>")[0]
    assert title.endswith(" | Pandect")
    assert not title.startswith(" |")
