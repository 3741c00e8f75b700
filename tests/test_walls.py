"""Every address that exists, asked by whoever should not: refused, and nothing changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from tenants.keys import Token
from tenants.models import ApiKey, Membership, Role, Scope, Tenant, User
from tenants.scope import platform_scope, tenant_scope
from tenants.services import revoke_api_key
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of

PUBLIC = {"front", "login", "logout", "password"}  # Of a person, not of a tenant.


def patterns(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from patterns(entry, route)
        else:
            yield route, entry


ALL = list(patterns())
TENANT = [entry for route, entry in ALL if route.startswith("t/<slug:slug>/")]
API = [entry for route, entry in ALL if route.startswith("api/")]
ADMIN = [(route, entry) for route, entry in ALL if route.startswith("admin/")]
ROUTES = [(str(entry.name), route) for route, entry in ALL]
# What a key needs for an address, where it is more than to read.
REQUIRED_SCOPES = {
    "api_cancel_version": Scope.WRITE,
    "api_retry_version": Scope.WRITE,
    "api_estimate": Scope.WRITE,
    "api_usage": Scope.MANAGE,
}
TENANT_PAGES = [pytest.param(str(entry.name), id=str(entry.name)) for entry in TENANT]
API_ROUTES = [pytest.param(str(entry.name), id=str(entry.name)) for entry in API]


def test_every_address_is_behind_one_of_the_doors() -> None:
    """A new kind of address needs tests of its own: nothing here may be left over."""
    others = {str(entry.name) for route, entry in ALL if not route.startswith(("t/<slug", "api/", "admin/"))}
    assert others == PUBLIC


def address(name: str, slug: str, pk: UUID) -> str:
    route = next(route for route, entry in ALL if entry.name == name)
    return reverse(name, kwargs={"slug": slug, **({"pk": pk} if "<uuid:pk>" in route else {})})


@pytest.fixture
def rows(harbour: Tenant) -> list[UUID]:
    """Ids of harbour that somebody outside might have learned."""
    return [row.pk for row in factories.one_of_each(harbour)]


FORM = {
    "role": "admin",
    "email": "x@example.org",
    "name": "x",
    "description": "x",
    "scopes": ["read"],
    "lifetime": "30",
}


@pytest.mark.parametrize("name", TENANT_PAGES)
@pytest.mark.parametrize("method", ["get", "post"])
class TestPagesOfATenant:
    def test_do_not_exist_for_the_admin_of_another(
        self, name: str, method: str, harbour: Tenant, stranger: Membership, rows: list[UUID]
    ) -> None:
        before = everything_of(harbour)
        client = client_of(stranger)
        for pk in rows:
            response = getattr(client, method)(address(name, harbour.slug, pk), FORM)
            assert response.status_code == 404
            assert harbour.name not in response.content.decode()
        assert everything_of(harbour) == before

    def test_do_not_take_ids_of_another(
        self, name: str, method: str, harbour: Tenant, stranger: Membership, rows: list[UUID]
    ) -> None:
        before = everything_of(harbour)
        client = client_of(stranger)
        for pk in rows:
            response = getattr(client, method)(address(name, stranger.tenant.slug, pk), FORM)
            if "pk" in str(next(route for route, entry in ALL if entry.name == name)):
                assert response.status_code in {404, 405}
        assert everything_of(harbour) == before

    def test_send_whoever_is_not_logged_in_to_the_login(
        self, name: str, method: str, harbour: Tenant, rows: list[UUID]
    ) -> None:
        before = everything_of(harbour)
        url = address(name, harbour.slug, rows[0])
        response = getattr(Client(), method)(url)
        assert (response.status_code, response["Location"]) == (302, f"{reverse('login')}?next={url}")
        assert everything_of(harbour) == before

    def test_do_not_exist_when_the_tenant_is_closed(
        self, name: str, method: str, harbour: Tenant, admin: Membership, rows: list[UUID]
    ) -> None:
        with tenant_scope(harbour.pk):
            Tenant.objects.update(is_active=False)
        before = everything_of(harbour)
        response = getattr(client_of(admin), method)(address(name, harbour.slug, rows[0]), FORM)
        assert response.status_code == 404
        assert everything_of(harbour) == before

    def test_do_not_exist_for_an_operator_who_is_no_member(
        self, name: str, method: str, harbour: Tenant, operator: User, rows: list[UUID]
    ) -> None:
        response = getattr(client_of(operator), method)(address(name, harbour.slug, rows[0]), FORM)
        assert response.status_code == 404


FOR_READERS = {"overview", "members", "documents", "collection", "document"}
FOR_EDITORS = FOR_READERS | {
    "upload_documents",
    "cancel_document",
    "retry_document",
    "delete_document",
    "restore_document",
}
CLOSED = [
    pytest.param(role, page.values[0], id=f"{role}-{page.values[0]}")
    for role, own in ((Role.READER, FOR_READERS), (Role.EDITOR, FOR_EDITORS))
    for page in TENANT_PAGES
    if page.values[0] not in own
]


@pytest.mark.parametrize(("role", "name"), CLOSED)
def test_pages_are_for_the_roles_that_may(role: Role, name: str, harbour: Tenant, rows: list[UUID]) -> None:
    client = client_of(factories.membership(harbour, role))
    before = everything_of(harbour)
    for method in (client.get, client.post):
        for pk in rows:
            response = method(address(name, harbour.slug, pk), FORM)
            assert response.status_code == 403
    assert everything_of(harbour) == before


@pytest.mark.parametrize("name", TENANT_PAGES)
def test_forms_from_elsewhere_are_refused(name: str, harbour: Tenant, admin: Membership) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin.user)
    before = everything_of(harbour)
    assert client.post(address(name, harbour.slug, admin.pk), FORM).status_code == 403
    assert everything_of(harbour) == before


def api_address(name: str, pk: UUID | None = None) -> str:
    return reverse(name, kwargs={"pk": pk or uuid4()} if "<uuid:pk>" in dict(ROUTES)[name] else {})


def bearer(token: object) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("name", API_ROUTES)
class TestApi:
    def assert_refused(self, name: str, headers: dict[str, str], harbour: Tenant) -> None:
        before = everything_of(harbour)
        for method in ("get", "post", "put", "patch", "delete"):
            response = getattr(Client(), method)(api_address(name), headers=headers)
            assert response.status_code == 401, response.content
            assert response["WWW-Authenticate"].startswith("Bearer")
            assert harbour.name not in response.content.decode()
        assert everything_of(harbour) == before

    def test_refuses_without_a_key(self, name: str, harbour: Tenant) -> None:
        self.assert_refused(name, {}, harbour)

    def test_refuses_a_session(self, name: str, harbour: Tenant, admin: Membership) -> None:
        assert client_of(admin).get(api_address(name)).status_code == 401

    @pytest.mark.parametrize("text", ["", "pandect_", "x", "pandect_" + "0" * 32 + "_" + "A" * 43, "é"])
    def test_refuses_what_is_no_key(self, name: str, harbour: Tenant, text: str) -> None:
        self.assert_refused(name, bearer(text), harbour)

    def test_refuses_a_key_that_names_another_tenant(
        self, name: str, harbour: Tenant, meridian: Tenant
    ) -> None:
        _, token = factories.api_key(meridian)
        self.assert_refused(name, bearer(Token(harbour.pk, token.secret)), harbour)

    def test_refuses_a_wrong_secret(self, name: str, harbour: Tenant) -> None:
        factories.api_key(harbour)
        self.assert_refused(name, bearer(Token.generate(harbour.pk)), harbour)

    def test_refuses_a_revoked_key(self, name: str, harbour: Tenant) -> None:
        key, token = factories.api_key(harbour)
        revoke_api_key(key=key, actor=factories.ACTOR)
        self.assert_refused(name, bearer(token), harbour)

    def test_refuses_an_expired_key(self, name: str, harbour: Tenant) -> None:
        key, token = factories.api_key(harbour)
        with tenant_scope(harbour.pk):
            past = timezone.now() - timedelta(days=2)
            ApiKey.objects.filter(pk=key.pk).update(
                created_at=past, expires_at=past + timedelta(days=1), last_used_at=timezone.now()
            )
        self.assert_refused(name, bearer(token), harbour)

    def test_refuses_a_key_of_a_closed_tenant(self, name: str, harbour: Tenant) -> None:
        _, token = factories.api_key(harbour)
        with tenant_scope(harbour.pk):
            Tenant.objects.update(is_active=False)
        self.assert_refused(name, bearer(token), harbour)

    def test_answers_for_the_tenant_of_the_key_alone(
        self, name: str, harbour: Tenant, meridian: Tenant
    ) -> None:
        _, token = factories.api_key(meridian, *Scope)
        response = Client().get(api_address(name, harbour.pk), headers=bearer(token))
        if response.status_code == 405:  # What is asked for in a body.
            body, json = {"query": harbour.name}, "application/json"
            address = api_address(name, harbour.pk)
            response = Client().post(address, body, content_type=json, headers=bearer(token))
        assert response.status_code == 200 or "<uuid:pk>" in dict(ROUTES)[name]
        assert str(harbour.pk) not in response.content.decode()

    def test_refuses_a_key_without_the_scope_for_it(
        self, name: str, harbour: Tenant, rows: list[UUID]
    ) -> None:
        needed = REQUIRED_SCOPES.get(name, Scope.READ)
        _, token = factories.api_key(harbour, *(scope for scope in Scope if scope != needed))
        Client().get("/api/v1/tenant", headers=bearer(token))  # The first use of a key is written down.
        before = everything_of(harbour)
        for pk in rows:
            for method in ("get", "post"):
                response = getattr(Client(), method)(api_address(name, pk), headers=bearer(token))
                assert response.status_code == 403
        assert everything_of(harbour) == before


@pytest.mark.parametrize("name", [name for name, route in ROUTES if "api/" in route and "<uuid:pk>" in route])
@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_the_api_does_not_take_ids_of_another(
    name: str, method: str, harbour: Tenant, meridian: Tenant, rows: list[UUID]
) -> None:
    _, token = factories.api_key(meridian, *Scope)
    before = everything_of(harbour)
    for pk in rows:
        response = getattr(Client(), method)(api_address(name, pk), headers=bearer(token))
        assert response.status_code in {404, 405}
        assert harbour.name not in response.content.decode()
    assert everything_of(harbour) == before


@pytest.mark.parametrize("route", [pytest.param(route, id=route) for route, _ in ADMIN])
def test_the_administration_is_closed_to_members(
    route: str, harbour: Tenant, admin: Membership, rows: list[UUID]
) -> None:
    path = "/" + route.replace("<path:object_id>", str(rows[0])).replace("<id>", str(admin.user.pk))
    path = path.replace("<path:content_type_id>", "1").replace("(?P<url>.*)$", "nowhere/")
    path = re.sub(r"\^\(\?P<app_label>[^)]*\)/\$", "tenants/", path)
    assert "<" not in path
    before = everything_of(harbour)
    for method in ("get", "post"):
        inside = getattr(client_of(admin), method)(path, FORM)
        outside = getattr(Client(), method)(path, FORM)
        assert inside.status_code in {302, 403}, path
        assert outside.status_code in {302, 403}, path
        assert harbour.name not in (inside.content + outside.content).decode()
    assert everything_of(harbour) == before


def test_a_page_of_the_administration_leaves_no_scope_behind(operator: User, harbour: Tenant) -> None:
    response = client_of(operator).get("/admin/tenants/tenant/")
    assert harbour.name in response.content.decode()
    assert list(Tenant.objects.all()) == []
    with platform_scope():
        assert list(Tenant.objects.all()) == [harbour]


def test_no_tenant_is_not_the_null_tenant(harbour: Tenant) -> None:
    with tenant_scope(uuid4()):
        assert not Tenant.objects.exists()
