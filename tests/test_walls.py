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

from tenants.authentication import TENANT_HEADER
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
# The description of the API tells of the product, and of no tenant.
DESCRIPTION = {"api_reference", "api_schema"}
API = [entry for route, entry in ALL if route.startswith("api/") and entry.name not in DESCRIPTION]
ADMIN = [(route, entry) for route, entry in ALL if route.startswith("admin/")]
ROUTES = [(str(entry.name), route) for route, entry in ALL]
# What a key needs for an address, where it is more than to read.
REQUIRED_SCOPES = {
    "api_cancel_version": Scope.WRITE,
    "api_retry_version": Scope.WRITE,
    "api_estimate": Scope.WRITE,
    "api_usage": Scope.MANAGE,
    "api_webhooks": Scope.MANAGE,
    "api_webhook": Scope.MANAGE,
    "api_webhook_deliveries": Scope.MANAGE,
    "api_test_webhook": Scope.MANAGE,
    "api_rotate_webhook": Scope.MANAGE,
    "api_retention": Scope.MANAGE,
    "api_restore_version": Scope.WRITE,
    "api_withdraw_version": Scope.WRITE,
    "api_date_version": Scope.WRITE,
    "api_publish_baseline": Scope.MANAGE,
    "api_unpublish": Scope.MANAGE,
    "api_upload_documents": Scope.WRITE,
    "api_uploads": Scope.WRITE,
    "api_upload": Scope.WRITE,
    "api_rebuild_index": Scope.MANAGE,
    "api_restore_document": Scope.WRITE,
    "api_purge_document": Scope.MANAGE,
}
# What an address is asked with, where it answers nothing without; an id there is as one in the address.
ASKED: dict[str, dict[str, str]] = {
    "api_definitions": {"term": "harbour"},
    "api_sections": {"document": "{pk}"},
    "api_references": {"document": "{pk}"},
}
TENANT_PAGES = [pytest.param(str(entry.name), id=str(entry.name)) for entry in TENANT]
API_ROUTES = [pytest.param(str(entry.name), id=str(entry.name)) for entry in API]


def test_every_address_is_behind_one_of_the_doors() -> None:
    """A new kind of address needs tests of its own: nothing here may be left over."""
    others = {str(entry.name) for route, entry in ALL if not route.startswith(("t/<slug", "api/", "admin/"))}
    assert others == PUBLIC


# What an address needs besides a tenant and an id.
REST: dict[str, dict[str, object]] = {
    "citation": {"start": 0, "end": 4, "digest": "0" * 16},
    "page_picture": {"number": 1},
}


def address(name: str, slug: str, pk: UUID) -> str:
    route = next(route for route, entry in ALL if entry.name == name)
    own = {"pk": pk} if "<uuid:pk>" in route else {}
    return reverse(name, kwargs={"slug": slug, **own, **REST.get(name, {})})


@pytest.fixture
def rows(harbour: Tenant) -> list[UUID]:
    """Ids of harbour that somebody outside might have learned."""
    return [row.pk for row in factories.one_of_each(harbour)]


def ids_for(name: str, rows: list[UUID]) -> list[UUID]:
    """Return the ids that an address is asked with: all of them, or any if it takes none."""
    return rows if "<uuid:pk>" in dict(ROUTES)[name] or "{pk}" in ASKED.get(name, {}).values() else rows[:1]


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
        for pk in ids_for(name, rows):
            response = getattr(client, method)(address(name, harbour.slug, pk), FORM)
            assert response.status_code == 404
            assert harbour.name not in response.content.decode()
        assert everything_of(harbour) == before

    def test_do_not_take_ids_of_another(
        self, name: str, method: str, harbour: Tenant, stranger: Membership, rows: list[UUID]
    ) -> None:
        before = everything_of(harbour)
        client = client_of(stranger)
        for pk in ids_for(name, rows):
            response = getattr(client, method)(address(name, stranger.tenant.slug, pk), FORM)
            if "<uuid:pk>" in dict(ROUTES)[name]:
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


FOR_READERS = {
    "overview",
    "members",
    "documents",
    "collection",
    "document",
    "compare",
    "history",
    "baselines",
    "baseline",
    "citation",
    "search",
    "ask",
    "saved_searches",
    "create_saved_search",
    "change_saved_search",
    "delete_saved_search",
    "reader",
    "reader_part",
    "reader_outline",
    "reader_preview",
    "reader_mentions",
    "reader_cite",
    "page_picture",
    "glossary",
    "glossary_term",
    "reference_graph",
    "index_health",
    "evaluations",
    "evaluation",
}
FOR_EDITORS = FOR_READERS | {
    "act_on_documents",
    "retry_failed",
    "cancel_reading",
    "upload_documents",
    "replace_document",
    "cancel_document",
    "retry_document",
    "delete_document",
    "restore_document",
    "restore_version",
    "withdraw_version",
    "date_version",
    "create_baseline",
    "corrections",
    "correct_unit",
    "remove_correction",
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
        for pk in ids_for(name, rows):
            response = method(address(name, harbour.slug, pk), FORM)
            assert response.status_code == 403
    assert everything_of(harbour) == before


# Pages that show what programs can read, and where these read it.
SHOWN_TO_BOTH = {
    "overview": "api_tenant",
    "baselines": "api_baselines",
    "baseline": "api_baseline",
    "index_health": "api_index",
    "evaluations": "api_evaluations",
    "evaluation": "api_evaluation",
    "usage": "api_usage",
    "webhooks": "api_webhooks",
    "webhook": "api_webhook",
}


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("page", SHOWN_TO_BOTH)
def test_a_member_reads_by_the_api_what_their_pages_show(page: str, role: Role, harbour: Tenant) -> None:
    """The same person is let in by both doors, or by neither."""
    client = client_of(factories.membership(harbour, role))
    baseline = factories.baseline(harbour)
    pk = {
        "baselines": baseline.collection_id,
        "baseline": baseline.pk,
        "evaluation": factories.evaluation_run(harbour).pk,
        "webhook": factories.webhook(harbour).pk,
    }.get(page, harbour.pk)
    shown = client.get(address(page, harbour.slug, pk))
    told = client.get(api_address(SHOWN_TO_BOTH[page], pk), headers={TENANT_HEADER: harbour.slug})
    is_for_admins = page in {"usage", "webhooks", "webhook"}
    assert shown.status_code == told.status_code == (403 if is_for_admins and role != Role.ADMIN else 200)


@pytest.mark.parametrize("name", TENANT_PAGES)
def test_forms_from_elsewhere_are_refused(name: str, harbour: Tenant, admin: Membership) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin.user)
    before = everything_of(harbour)
    assert client.post(address(name, harbour.slug, admin.pk), FORM).status_code == 403
    assert everything_of(harbour) == before


def api_address(name: str, pk: UUID | None = None) -> str:
    return reverse(name, kwargs={"pk": pk or uuid4()} if "<uuid:pk>" in dict(ROUTES)[name] else {})


def asked(name: str, pk: UUID) -> dict[str, str]:
    return {field: value.format(pk=pk) for field, value in ASKED.get(name, {}).items()}


def takes_id(name: str) -> bool:
    return "<uuid:pk>" in dict(ROUTES)[name] or "{pk}" in ASKED.get(name, {}).values()


# What is asked for in a body, where it is not a query.
BODIES = {
    "api_verify_citation": {
        "citation": {"version_id": str(uuid4()), "span": [0, 4], "content_hash": "0" * 64}
    },
    "api_rebuild_index": {},
    "api_check_citations": {"text": "See section 2 of the Harbour Safety Act."},
}


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

    def test_refuses_a_session_of_another(self, name: str, harbour: Tenant, stranger: Membership) -> None:
        before = everything_of(harbour)
        client = client_of(stranger)
        for method in ("get", "post", "put", "patch", "delete"):
            headers = {TENANT_HEADER: harbour.slug}
            response = getattr(client, method)(api_address(name), headers=headers)
            assert response.status_code == 401
            assert harbour.name not in response.content.decode()
        assert everything_of(harbour) == before

    def test_refuses_a_session_from_elsewhere(self, name: str, harbour: Tenant, admin: Membership) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(admin.user)
        before = everything_of(harbour)
        for method in ("post", "put", "patch", "delete"):
            assert getattr(client, method)(api_address(name)).status_code == 403
        assert everything_of(harbour) == before

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
        question = asked(name, harbour.pk)
        response = Client().get(api_address(name, harbour.pk), question, headers=bearer(token))
        if response.status_code == 405:  # What is asked for in a body.
            body, json = BODIES.get(name, {"query": harbour.name}), "application/json"
            address = api_address(name, harbour.pk)
            response = Client().post(address, body, content_type=json, headers=bearer(token))
        assert response.status_code == 200 or (takes_id(name) and response.status_code in {404, 405})
        assert str(harbour.pk) not in response.content.decode()

    def test_refuses_a_key_without_the_scope_for_it(
        self, name: str, harbour: Tenant, rows: list[UUID]
    ) -> None:
        needed = REQUIRED_SCOPES.get(name, Scope.READ)
        _, token = factories.api_key(harbour, *(scope for scope in Scope if scope != needed))
        Client().get("/api/v1/tenant", headers=bearer(token))  # The first use of a key is written down.
        before = everything_of(harbour)
        for pk in ids_for(name, rows):
            for method in ("get", "post"):
                response = getattr(Client(), method)(api_address(name, pk), headers=bearer(token))
                assert response.status_code == 403
        assert everything_of(harbour) == before


# Methods that need another scope besides that of their address, as their views say.
FURTHER = [
    pytest.param(str(entry.name), method.lower(), scope, id=f"{method}-{entry.name}")
    for entry in API
    for method, scope in getattr(getattr(entry.callback, "cls", None), "further_scopes", {}).items()
]


def test_methods_that_need_another_scope_are_found_by_enumeration() -> None:
    found = {(name, method, scope) for name, method, scope in (param.values for param in FURTHER)}
    assert found >= {
        ("api_collections", "post", Scope.MANAGE),
        ("api_collection", "patch", Scope.MANAGE),
        ("api_collection", "delete", Scope.MANAGE),
        ("api_document", "delete", Scope.WRITE),
    }


@pytest.mark.parametrize(("name", "method", "needed"), FURTHER)
def test_the_api_refuses_a_method_without_the_scope_for_it(
    name: str, method: str, needed: Scope, harbour: Tenant, rows: list[UUID]
) -> None:
    _, token = factories.api_key(harbour, *(scope for scope in Scope if scope != needed))
    Client().get("/api/v1/tenant", headers=bearer(token))  # The first use of a key is written down.
    before = everything_of(harbour)
    for pk in ids_for(name, rows):
        response = getattr(Client(), method)(api_address(name, pk), headers=bearer(token))
        assert response.status_code == 403
    assert everything_of(harbour) == before


@pytest.mark.parametrize("name", [name for name, route in ROUTES if "api/" in route and takes_id(name)])
@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_the_api_does_not_take_ids_of_another(
    name: str, method: str, harbour: Tenant, meridian: Tenant, rows: list[UUID]
) -> None:
    _, token = factories.api_key(meridian, *Scope)
    before = everything_of(harbour)
    for pk in ids_for(name, rows):
        query = {"query_params": asked(name, pk)} if name in ASKED else {}
        response = getattr(Client(), method)(api_address(name, pk), headers=bearer(token), **query)
        assert response.status_code in {404, 405}
        assert harbour.name not in response.content.decode()
    assert everything_of(harbour) == before


@pytest.mark.parametrize("name", sorted(DESCRIPTION))
def test_the_description_of_the_api_is_the_same_for_everybody(
    name: str, harbour: Tenant, admin: Membership, operator: User
) -> None:
    _, token = factories.api_key(harbour, *Scope)
    before = everything_of(harbour)
    shown = {
        Client().get(api_address(name)).content,
        Client().get(api_address(name), headers=bearer(token)).content,
    }
    assert len(shown) == 1
    for who in (admin, operator):
        response = client_of(who).get(api_address(name))
        assert response.status_code == 200
        assert str(harbour.pk) not in response.content.decode()
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
