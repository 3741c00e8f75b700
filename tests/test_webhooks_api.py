"""The doors of webhooks: the REST API, the pages and the administration."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from documents import services
from documents.models import Webhook, WebhookDelivery, WebhookEvent
from documents.webhooks.deliver import disable
from tenants.models import AuditEvent, Membership, Scope, Tenant, User
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.factories import ACTOR
from tests.problems import fields_of

ASKED = {"url": "https://example.org/hook", "events": ["version.ready"]}


class Program:
    """A program with a key that may manage, used before: the first use is written down."""

    def __init__(self, tenant: Tenant) -> None:
        _, self.token = factories.api_key(tenant, Scope.MANAGE, Scope.READ)
        self.send("get", "tenant")

    def send(self, method: str, path: str, data: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.token}"}
        body = {} if data is None else {"data": data, "content_type": "application/json"}
        response = getattr(Client(), method)(f"/api/v1/{path}", headers=headers, **body)
        return response.status_code, response.json() if response.content else None


@pytest.fixture
def program(harbour: Tenant) -> Program:
    return Program(harbour)


@pytest.fixture
def webhook(harbour: Tenant) -> Webhook:
    return factories.webhook(harbour)


def reload(webhook: Webhook) -> Webhook:
    with tenant_scope(webhook.tenant_id):
        return Webhook.objects.get(pk=webhook.pk)


def webhooks_of(tenant: Tenant) -> list[Webhook]:
    with tenant_scope(tenant.pk):
        return list(Webhook.objects.for_tenant(tenant))


class TestApi:
    def test_adds_a_webhook_and_shows_its_secret_once(self, program: Program, harbour: Tenant) -> None:
        status, made = program.send("post", "webhooks", {**ASKED, "description": "Register"})
        assert status == 201
        assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", made.pop("secret"))
        (webhook,) = webhooks_of(harbour)
        assert made == {
            "id": str(webhook.pk),
            "url": "https://example.org/hook",
            "description": "Register",
            "events": ["version.ready"],
            "is_active": True,
            "created_at": webhook.created_at.isoformat().replace("+00:00", "Z"),
            "failures": 0,
            "failing_since": None,
            "disabled_at": None,
            "disabled_reason": "",
        }
        assert program.send("get", "webhooks") == (200, {"webhooks": [made]})
        assert program.send("get", f"webhooks/{webhook.pk}") == (200, made)
        with tenant_scope(harbour.pk):
            event = AuditEvent.objects.get(action="webhook.created")
        assert event.actor.startswith("key ")

    @pytest.mark.parametrize(
        ("changes", "field", "said"),
        [
            ({"url": "ftp://example.org/"}, "url", "begins with https://"),
            ({"url": "http://10.0.0.1/"}, "url", "not on the public internet"),
            ({"url": "https://ada:x@example.org/"}, "url", "Leave user name and password out"),
            ({"url": ""}, "url", "may not be blank"),
            ({"url": "https://example.org/" + "x" * 500}, "url", "no more than 500"),
            ({"events": []}, "events", "may not be empty"),
            ({"events": ["version.redy"]}, "events", "is not a valid choice"),
            ({"events": ["ping"]}, "events", "is not a valid choice"),
            ({"events": "version.ready"}, "events", "Expected a list"),
            ({"description": "x" * 201}, "description", "no more than 200"),
            ({"secret": "mine"}, "secret", "There is no such field"),
        ],
    )
    def test_refuses_what_is_wrong_and_changes_nothing(
        self, program: Program, webhook: Webhook, changes: Any, field: str, said: str
    ) -> None:
        before = everything_of(webhook.tenant)
        for method, path, asked in (
            ("post", "webhooks", ASKED | changes),
            ("patch", f"webhooks/{webhook.pk}", changes),
        ):
            status, answer = program.send(method, path, asked)
            assert (status, fields_of(answer)) == (400, [field])
            assert said in str(answer["errors"])
        assert everything_of(webhook.tenant) == before

    def test_needs_address_and_events(self, program: Program) -> None:
        status, answer = program.send("post", "webhooks", {})
        assert (status, sorted(fields_of(answer))) == (400, ["events", "url"])

    def test_says_when_there_are_too_many(self, program: Program, harbour: Tenant) -> None:
        for _ in range(20):
            factories.webhook(harbour)
        status, answer = program.send("post", "webhooks", ASKED)
        assert (status, answer["detail"][:21]) == (409, "There are 20 webhooks")
        assert len(webhooks_of(harbour)) == 20

    def test_changes_what_is_said(self, program: Program, webhook: Webhook) -> None:
        status, changed = program.send(
            "patch",
            f"webhooks/{webhook.pk}",
            {"events": ["version.failed", "version.failed"], "is_active": False},
        )
        assert status == 200
        assert (changed["events"], changed["is_active"]) == (["version.failed"], False)
        assert (changed["url"], "secret" in changed) == (webhook.url, False)
        assert reload(webhook).digest == webhook.digest

    def test_deletes(self, program: Program, webhook: Webhook) -> None:
        assert program.send("delete", f"webhooks/{webhook.pk}") == (204, None)
        assert webhooks_of(webhook.tenant) == []
        assert program.send("get", f"webhooks/{webhook.pk}")[0] == 404

    def test_makes_a_new_secret(self, program: Program, webhook: Webhook) -> None:
        status, made = program.send("post", f"webhooks/{webhook.pk}/rotate")
        assert status == 200
        assert made["secret"].startswith("whsec_")
        assert made["secret"] != webhook.secret

    def test_sends_a_test_and_tells_of_deliveries(self, program: Program, webhook: Webhook) -> None:
        status, sent = program.send("post", f"webhooks/{webhook.pk}/test")
        assert status == 202
        assert (sent["event"], sent["state"], sent["attempts"]) == ("ping", "pending", 0)
        assert sent["payload"]["webhook"] == {"id": str(webhook.pk)}
        status, answer = program.send("get", f"webhooks/{webhook.pk}/deliveries")
        assert (status, answer) == (200, {"deliveries": [sent], "next": None})
        status, answer = program.send("post", f"webhooks/{webhook.pk}/test")
        assert (status, answer["detail"]) == (409, "A test is on its way already.")

    def test_a_key_that_may_only_write_manages_nothing(self, harbour: Tenant, webhook: Webhook) -> None:
        _, token = factories.api_key(harbour, Scope.READ, Scope.WRITE)
        headers = {"Authorization": f"Bearer {token}"}
        Client().get("/api/v1/tenant", headers=headers)
        before = everything_of(harbour)
        for method in ("patch", "delete"):
            address = f"/api/v1/webhooks/{webhook.pk}"
            assert getattr(Client(), method)(address, headers=headers).status_code == 403
        assert everything_of(harbour) == before

    def test_takes_as_many_queries_for_many_as_for_one(
        self, program: Program, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for _ in range(5):
            factories.webhook_delivery(harbour)
        (first, *_) = webhooks_of(harbour)
        with django_assert_num_queries(QUERIES):
            program.send("get", "webhooks")
        with django_assert_num_queries(QUERIES + 1):
            program.send("get", f"webhooks/{first.pk}/deliveries")


QUERIES = 10


def form_of(page: Any) -> UUID:
    match = re.search(r'name="webhook_id" value="([^"]+)"', page.content.decode())
    assert match
    return UUID(match[1])


class TestPages:
    def test_add_a_webhook_once_and_show_its_secret_once(self, admin: Membership) -> None:
        client = client_of(admin)
        key = form_of(client.get("/t/harbour/webhooks/"))
        sent = {**ASKED, "events": ["version.ready", "version.failed"], "webhook_id": str(key)}
        made = client.post("/t/harbour/webhooks/create/", sent)
        assert made.status_code == 200
        assert "no-store" in made["Cache-Control"]
        secret = re.search(r"whsec_[A-Za-z0-9+/]{43}=", made.content.decode())
        assert secret
        again = client.post("/t/harbour/webhooks/create/", sent, follow=True)
        assert "added, and its secret shown, before" in again.content.decode()
        (webhook,) = webhooks_of(admin.tenant)
        assert (webhook.pk, webhook.events) == (key, ["version.ready", "version.failed"])
        for page in ("/t/harbour/webhooks/", f"/t/harbour/webhooks/{key}/"):
            shown = client.get(page).content.decode()
            assert "https://example.org/hook" in shown
            assert secret[0] not in shown

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"url": "http://localhost/"}, "localhost is a name of a private network."),
            ({"url": "nowhere"}, "begins with https://"),
            ({"events": []}, "This field is required."),
            ({"events": ["ping"]}, "Select a valid choice."),
        ],
    )
    def test_refuse_what_is_wrong_beside_the_field(self, admin: Membership, changes: Any, said: str) -> None:
        before = everything_of(admin.tenant)
        response = client_of(admin).post("/t/harbour/webhooks/create/", ASKED | changes)
        assert response.status_code == 422
        assert said in response.content.decode()
        assert everything_of(admin.tenant) == before

    def test_show_what_was_sent_and_what_went_wrong(self, admin: Membership, webhook: Webhook) -> None:
        message = services.send_test(webhook=webhook, actor=ACTOR)
        client = client_of(admin)
        shown = client.get(f"/t/harbour/webhooks/{webhook.pk}/").content.decode()
        assert 'data-live="on"' in shown
        assert str(message.pk) in shown
        with tenant_scope(webhook.tenant_id):
            WebhookDelivery.objects.update(
                state="failed", next_attempt_at=None, error="<b>Broken.</b>", status_code=500, attempts=1
            )
        shown = client.get(f"/t/harbour/webhooks/{webhook.pk}/").content.decode()
        assert 'data-live="off"' in shown
        assert "&lt;b&gt;Broken.&lt;/b&gt;" in shown

    def test_say_why_a_webhook_was_switched_off(self, admin: Membership, webhook: Webhook) -> None:
        with tenant_scope(webhook.tenant_id):
            disable(webhook, "Nothing got through for three days.", timezone.now())
        client = client_of(admin)
        for page in ("/t/harbour/webhooks/", f"/t/harbour/webhooks/{webhook.pk}/"):
            assert "Nothing got through for three days." in client.get(page).content.decode()
        client.post(f"/t/harbour/webhooks/{webhook.pk}/switch/", {"is_active": "1"})
        assert reload(webhook).state == "active"
        client.post(f"/t/harbour/webhooks/{webhook.pk}/switch/", {"is_active": "0"})
        assert reload(webhook).state == "paused"
        refused = client.post(f"/t/harbour/webhooks/{webhook.pk}/test/", follow=True)
        assert "switched off. Switch it on first." in refused.content.decode()

    def test_send_a_test_make_a_new_secret_and_delete(self, admin: Membership, webhook: Webhook) -> None:
        client = client_of(admin)
        sent = client.post(f"/t/harbour/webhooks/{webhook.pk}/test/", follow=True)
        assert "A test is on its way." in sent.content.decode()
        made = client.post(f"/t/harbour/webhooks/{webhook.pk}/rotate/")
        assert "whsec_" in made.content.decode()
        assert webhook.secret not in made.content.decode()
        gone = client.post(f"/t/harbour/webhooks/{webhook.pk}/delete/", follow=True)
        assert "Nothing is sent to https://example.org/hook any more." in gone.content.decode()
        assert webhooks_of(admin.tenant) == []
        assert client.get(f"/t/harbour/webhooks/{uuid4()}/").status_code == 404

    def test_are_linked_for_admins_alone(self, admin: Membership, reader: Membership) -> None:
        assert "/t/harbour/webhooks/" in client_of(admin).get("/t/harbour/").content.decode()
        assert "/t/harbour/webhooks/" not in client_of(reader).get("/t/harbour/").content.decode()


class TestAdministration:
    def test_shows_webhooks_and_deliveries_and_changes_none(self, operator: User, harbour: Tenant) -> None:
        delivery = factories.webhook_delivery(harbour)
        client = client_of(operator)
        for model, pk in (("webhook", delivery.webhook_id), ("webhookdelivery", delivery.pk)):
            listed = client.get(f"/admin/documents/{model}/").content.decode()
            assert "https://example.org/hook" in listed
            page = client.get(f"/admin/documents/{model}/{pk}/change/")
            assert page.status_code == 200
            assert 'name="_save"' not in page.content.decode()
            assert "salt" not in page.content.decode()
            assert client.get(f"/admin/documents/{model}/add/").status_code == 403
            assert client.post(f"/admin/documents/{model}/{pk}/delete/").status_code == 403


def test_events_are_named_for_people() -> None:
    assert [str(event.label) for event in WebhookEvent] == [
        "A version of a document is ready",
        "A version of a document has failed",
        "A baseline is published",
    ]
