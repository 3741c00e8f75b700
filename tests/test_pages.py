"""What people see, and what it costs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from tenants.models import ApiKey, Membership, Role, Tenant, User
from tenants.scope import tenant_scope
from tenants.services import authenticate_api_key, create_tenant
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of


def body(response: Any) -> str:
    return str(response.content.decode())


class TestFrontPage:
    def test_says_what_this_is_to_whoever_comes(self, db: None) -> None:
        response = Client().get("/")
        assert response.status_code == 200
        assert "Find the paragraph, not the document." in body(response)
        assert "/account/login/" in body(response)

    def test_leads_a_member_of_one_tenant_into_it(self, reader: Membership) -> None:
        assert client_of(reader).get("/")["Location"] == "/t/harbour/"

    def test_lets_a_member_of_several_choose(self, reader: Membership, meridian: Tenant) -> None:
        with tenant_scope(meridian.pk):
            Membership.objects.create(tenant=meridian, user=reader.user, role=Role.ADMIN)
        page = body(client_of(reader).get("/"))
        assert page.index("/t/harbour/") < page.index("/t/meridian/")

    def test_tells_a_member_that_their_tenant_is_closed(self, reader: Membership) -> None:
        with tenant_scope(reader.tenant_id):
            Tenant.objects.update(is_active=False)
        page = body(client_of(reader).get("/"))
        assert "Harbour is closed" in page
        assert "not a member" not in page

    def test_tells_who_has_no_tenant_what_to_do(self, db: None) -> None:
        person = factories.user()
        assert f"to add <strong>{person.email}</strong>" in body(client_of(person).get("/"))


@pytest.mark.parametrize("path", ["", "members/", "keys/", "activity/"])
@pytest.mark.parametrize("rows", [1, 20])
def test_pages_ask_the_database_as_often_for_many_rows_as_for_one(
    path: str, rows: int, admin: Membership, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(rows):
        factories.membership(admin.tenant)
        factories.api_key(admin.tenant)
    client = client_of(admin)
    expected = {"": 19, "members/": 17, "keys/": 17, "activity/": 18}[path]
    with django_assert_num_queries(expected):
        assert client.get(f"/t/harbour/{path}").status_code == 200


class TestMembersPage:
    def test_offers_nothing_to_change_to_readers(self, reader: Membership, admin: Membership) -> None:
        page = body(client_of(reader).get("/t/harbour/members/"))
        assert admin.user.email in page
        assert "Add a member" not in page
        assert "/remove/" not in page

    def test_adds_a_person(self, admin: Membership) -> None:
        person = factories.user()
        response = client_of(admin).post(
            "/t/harbour/members/add/", {"email": person.email.upper(), "role": "editor"}, follow=True
        )
        assert f"{person.email} is now editor." in body(response)
        with tenant_scope(admin.tenant_id):
            assert Membership.objects.get(user=person).role == Role.EDITOR

    @pytest.mark.parametrize(
        ("email", "role", "reason"),
        [
            ("nobody@example.org", "reader", "Nobody with this address has an account yet."),
            ("no address", "reader", "Enter a valid email address."),
            ("", "reader", "This field is required."),
            ("{member}", "reader", "This person is a member already."),
            ("{person}", "owner", "Select a valid choice."),
        ],
    )
    def test_says_why_it_does_not_add(
        self, admin: Membership, reader: Membership, email: str, role: str, reason: str
    ) -> None:
        before = everything_of(admin.tenant)
        email = email.format(member=reader.user.email, person=factories.user().email)
        response = client_of(admin).post("/t/harbour/members/add/", {"email": email, "role": role})
        assert response.status_code == 422
        assert escape(reason) in body(response)
        assert everything_of(admin.tenant) == before

    def test_changes_a_role_and_removes_a_person(self, admin: Membership, reader: Membership) -> None:
        client = client_of(admin)
        url = f"/t/harbour/members/{reader.pk}/"
        page = body(client.post(url + "role/", {"role": "editor"}, follow=True))
        assert f"{reader.user.email} is now editor." in page
        page = body(client.post(url + "role/", {"role": "king"}, follow=True))
        assert "Choose one of the roles." in page
        page = body(client.post(url + "remove/", follow=True))
        assert f"{reader.user.email} is no longer a member." in page
        assert client_of(reader).get("/t/harbour/").status_code == 404

    def test_keeps_the_last_admin(self, admin: Membership) -> None:
        client = client_of(admin)
        before = everything_of(admin.tenant)
        for action, form in (("role", {"role": "reader"}), ("remove", {})):
            response = client.post(f"/t/harbour/members/{admin.pk}/{action}/", form, follow=True)
            assert "is the only admin of Harbour" in body(response)
        assert everything_of(admin.tenant) == before

    def test_lets_an_admin_leave(self, admin: Membership) -> None:
        factories.membership(admin.tenant, Role.ADMIN)
        response = client_of(admin).post(f"/t/harbour/members/{admin.pk}/remove/")
        assert response["Location"] == "/"


class TestKeysPage:
    def test_shows_a_new_key_once(self, admin: Membership) -> None:
        client = client_of(admin)
        response = client.post(
            "/t/harbour/keys/create/", {"name": "Import", "scopes": ["read", "write"], "lifetime": "30"}
        )
        token = response.context["token"]
        assert body(response).count(token) == 1
        assert "no-store" in response["Cache-Control"]
        key = authenticate_api_key(token)
        assert key is not None
        assert (key.name, key.scopes, key.created_by) == ("Import", ["read", "write"], admin.user)
        assert key.expires_at is not None
        assert (key.expires_at - key.created_at).days in {29, 30}
        listed = body(client.get("/t/harbour/keys/"))
        assert token not in listed
        assert f"…{token[-4:]}" in listed

    def test_makes_one_key_of_a_form_that_is_sent_twice(self, admin: Membership) -> None:
        client = client_of(admin)
        key_id = client.get("/t/harbour/keys/").context["form"]["key_id"].value()
        form = {"name": "Import", "scopes": ["read"], "key_id": str(key_id)}
        assert client.post("/t/harbour/keys/create/", form).status_code == 200
        again = client.post("/t/harbour/keys/create/", form, follow=True)
        assert "was created, and shown, before" in body(again)
        with tenant_scope(admin.tenant_id):
            assert ApiKey.objects.count() == 1

    def test_makes_a_key_that_never_expires(self, admin: Membership) -> None:
        client_of(admin).post("/t/harbour/keys/create/", {"name": "x", "scopes": ["read"], "lifetime": ""})
        with tenant_scope(admin.tenant_id):
            assert ApiKey.objects.get().expires_at is None

    @pytest.mark.parametrize(
        "form",
        [
            {"name": "", "scopes": ["read"]},
            {"name": "x"},
            {"name": "x", "scopes": ["root"]},
            {"name": "x", "scopes": ["read"], "lifetime": "1000"},
            {"name": "x" * 101, "scopes": ["read"]},
        ],
    )
    def test_refuses_what_makes_no_key(self, admin: Membership, form: dict[str, Any]) -> None:
        before = everything_of(admin.tenant)
        assert client_of(admin).post("/t/harbour/keys/create/", form).status_code == 422
        assert everything_of(admin.tenant) == before

    def test_revokes(self, admin: Membership) -> None:
        key, token = factories.api_key(admin.tenant)
        page = body(client_of(admin).post(f"/t/harbour/keys/{key.pk}/revoke/", follow=True))
        assert f"The key “{key.name}” no longer works." in page
        assert authenticate_api_key(str(token)) is None


class TestActivityPage:
    def test_has_pages(self, admin: Membership) -> None:
        for _ in range(60):
            factories.audit_event(admin.tenant)
        client = client_of(admin)
        assert "Page 1 of 2" in body(client.get("/t/harbour/activity/"))
        assert "Page 2 of 2" in body(client.get("/t/harbour/activity/?page=2"))
        assert "Page 2 of 2" in body(client.get("/t/harbour/activity/?page=99"))
        assert "Page 1 of 2" in body(client.get("/t/harbour/activity/?page=x"))


def test_names_are_text_and_never_markup(db: None) -> None:
    name = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    person = User.objects.create_user("eve@example.org", factories.PASSWORD, name=name)
    tenant = create_tenant(name=name, slug="evil", admin=person, actor=factories.ACTOR)
    factories.api_key(tenant)
    client = client_of(person)
    client.post("/t/evil/keys/create/", {"name": name, "scopes": ["read"], "lifetime": ""})
    for path in ("", "members/", "keys/", "activity/"):
        page = body(client.get(f"/t/evil/{path}"))
        assert escape(name) in page
        assert "<script>alert" not in page
        assert "<img src=x" not in page


@pytest.mark.parametrize("cookie", ['"\\000\\000\\000\\000\\000\\000\\000\\000\\000"', "x" * 40, "é" * 20])
def test_a_session_that_we_never_made_is_no_session(cookie: str, db: None) -> None:
    assert Client(HTTP_COOKIE=f"sessionid={cookie}").get("/").status_code == 200


@pytest.mark.parametrize("charset", ["utf-16", "rot13", "idna", "latin-1"])
def test_text_that_is_not_utf8_is_refused(charset: str, db: None) -> None:
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json"):
        response = Client().generic("POST", "/account/login/", b"a=b", f"{kind}; charset={charset}")
        assert response.status_code == 400


def test_every_page_has_a_strict_content_security_policy(db: None) -> None:
    for path in ("/", "/account/login/", "/nowhere/", "/admin/"):
        policy = Client().get(path)["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert "*" not in policy


@pytest.mark.parametrize("method", ["get", "post"])
def test_only_the_methods_that_make_sense(method: str, admin: Membership) -> None:
    client = client_of(admin)
    reading = ["/t/harbour/", "/t/harbour/members/", "/t/harbour/keys/", "/t/harbour/activity/"]
    writing = ["/t/harbour/members/add/", "/t/harbour/keys/create/"]
    for url in writing if method == "get" else reading:
        assert getattr(client, method)(url).status_code == 405
