"""From what happens in a tenant to a receiver that is told: once if all goes well, again if not, or never."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from documents import pipeline, services, tasks
from documents.claim import Claim, claim_version, fail_version
from documents.errors import BadAddress, NothingToDo
from documents.models import (
    DeliveryState,
    Document,
    State,
    Version,
    Webhook,
    WebhookDelivery,
    WebhookEvent,
)
from documents.reconcile import MOST_ATTEMPTS, release_stuck_versions
from documents.webhooks import deliver, outbox
from documents.webhooks.deliver import (
    KEY_CHANGED,
    LEASE,
    SWITCHED_OFF,
    claim_delivery,
    deliver_next,
    send_claimed,
    settle,
    sweep_deliveries,
)
from documents.webhooks.retry import LONGEST_WAIT, RETRIES, asked_wait, judge_answer, rest_after
from documents.webhooks.send import Answer
from documents.webhooks.turns import webhooks_in_turn
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR
from tests.processes import ROOT, dead_port, environment
from tests.receiver import Receiver, receiving

ACT = b"# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n"
RACE = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
NOW = datetime(2031, 5, 1, 12, tzinfo=UTC)  # After everything that these tests write down.


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **parts: float) -> None:
        self.now += timedelta(**parts)


@pytest.fixture(autouse=True)
def _private(settings: Any) -> None:
    """The receivers of these tests are on this machine."""
    settings.WEBHOOK_PRIVATE = True


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def webhook(harbour: Tenant, receiver: Receiver) -> Webhook:
    return factories.webhook(harbour, url=receiver.url)


def ping(webhook: Webhook) -> WebhookDelivery:
    return services.send_test(webhook=webhook, actor=ACTOR)


def announce(webhook: Webhook) -> WebhookDelivery:
    """Write a message that is tried again, as a version that fails does."""
    version = factories.version(webhook.tenant, state=State.FAILED)
    with tenant_scope(webhook.tenant_id):
        outbox.announce_version(version.pk, version.tenant_id)
        return WebhookDelivery.objects.filter(webhook=webhook)[0]


def messages_of(tenant: Tenant) -> list[WebhookDelivery]:
    with tenant_scope(tenant.pk):
        return list(WebhookDelivery.objects.for_tenant(tenant).order_by("created_at"))


def events_of(tenant: Tenant) -> list[str]:
    return [message.event for message in messages_of(tenant)]


def reload(row: Any) -> Any:
    with tenant_scope(row.tenant_id):
        return type(row).objects.get(pk=row.pk)


def claimed_version(tenant: Tenant, **fields: Any) -> Claim:
    version = factories.version(tenant, state=State.QUEUED)
    claim = claim_version(version.pk, tenant.pk)
    assert claim is not None
    with tenant_scope(tenant.pk):
        Version.objects.filter(pk=version.pk).update(**({"step_done": 0} | fields))
    return claim


def ingest(tenant: Tenant, content: bytes = ACT, name: str = "act.md") -> Version:
    version = services.add_document(
        collection=factories.collection(tenant), name=name, content=content, actor=ACTOR, is_queued=False
    )
    pipeline.ingest_version(version.pk, tenant.pk)
    return version


class TestWhatIsTold:
    def test_a_version_that_is_ready(self, harbour: Tenant, webhook: Webhook, receiver: Receiver) -> None:
        version = ingest(harbour)
        (message,) = messages_of(harbour)
        assert receiver.got == []  # Not by whoever reads the document.
        verdict = deliver_next()
        assert verdict is not None
        assert verdict.is_delivered
        (got,) = receiver.got
        assert got.is_genuine(webhook.secret)
        assert not got.is_genuine("whsec_" + "A" * 43 + "=")
        assert got.headers["content-type"] == "application/json"
        assert got.id == str(message.pk)
        document = version.document
        assert got.payload == {
            "event": "version.ready",
            "id": str(message.pk),
            "occurred_at": message.created_at.isoformat(),
            "tenant": {"id": str(harbour.pk), "slug": "harbour"},
            "collection": {"id": str(document.collection_id), "name": document.collection.name},
            "document": {"id": str(document.pk), "name": "act.md"},
            "version": {"id": str(version.pk), "number": 1, "state": "ready", "failure": ""},
            "links": {
                "api": f"/api/v1/versions/{version.pk}",
                "page": f"/t/harbour/documents/{document.pk}/",
            },
        }
        told = reload(message)
        assert (told.state, told.attempts, told.status_code, told.error) == ("delivered", 1, 200, "")
        assert told.delivered_at is not None
        assert deliver_next() is None

    def test_a_version_that_cannot_be_read(
        self, harbour: Tenant, webhook: Webhook, receiver: Receiver
    ) -> None:
        version = ingest(harbour, b"%PDF-1.4 broken", "broken.pdf")
        assert reload(version).state == State.FAILED
        deliver_next()
        (got,) = receiver.got
        assert got.payload["event"] == "version.failed"
        assert got.payload["version"]["failure"] == reload(version).failure != ""

    def test_a_version_that_is_given_up(self, harbour: Tenant, webhook: Webhook) -> None:
        long_ago = timezone.now() - timedelta(hours=1)
        claim = claimed_version(harbour, attempts=MOST_ATTEMPTS, touched_at=long_ago)
        assert release_stuck_versions() == []
        (message,) = messages_of(harbour)
        assert (message.event, str(claim.version_id) in message.payload) == ("version.failed", True)
        assert release_stuck_versions() == []
        assert len(messages_of(harbour)) == 1

    def test_a_baseline_that_is_published(
        self, harbour: Tenant, webhook: Webhook, receiver: Receiver
    ) -> None:
        baseline = factories.baseline(harbour)
        assert messages_of(harbour) == []
        publication = services.publish_baseline(baseline=baseline, actor=ACTOR)
        services.unpublish_collection(collection=baseline.collection, actor=ACTOR)
        deliver_next()
        (got,) = receiver.got
        assert got.payload["event"] == "baseline.published"
        assert got.payload["baseline"] == {"id": str(baseline.pk), "name": baseline.name, "size": 1}
        assert got.payload["publication"] == {"id": str(publication.pk), "number": 1}
        assert got.payload["links"] == {"page": f"/t/harbour/collections/{baseline.collection_id}/"}

    def test_not_one_that_waits_again_or_is_cancelled(self, harbour: Tenant, webhook: Webhook) -> None:
        claimed_version(harbour, touched_at=timezone.now() - timedelta(hours=1))
        assert len(release_stuck_versions()) == 1
        open_version = factories.version(harbour, state=State.QUEUED)
        services.cancel_version(version=open_version, actor=ACTOR)
        assert messages_of(harbour) == []

    def test_not_one_of_a_document_in_the_bin(self, harbour: Tenant, webhook: Webhook) -> None:
        claim = claimed_version(harbour)
        with tenant_scope(harbour.pk):
            Document.objects.update(deleted_at=NOW)
        fail_version(claim, "No text.")
        assert events_of(harbour) == []

    def test_only_who_asked_for_it_and_is_switched_on(self, harbour: Tenant, receiver: Receiver) -> None:
        ready = factories.webhook(harbour, WebhookEvent.VERSION_READY, url=receiver.url)
        factories.webhook(harbour, WebhookEvent.VERSION_FAILED, url=receiver.url)
        off = factories.webhook(harbour, url=receiver.url)
        services.change_webhook(webhook=off, is_active=False, actor=ACTOR)
        ingest(harbour)
        assert [message.webhook_id for message in messages_of(harbour)] == [ready.pk]

    def test_each_webhook_has_a_message_of_its_own(self, harbour: Tenant, receiver: Receiver) -> None:
        secrets = [factories.webhook(harbour, url=receiver.url).secret for _ in range(2)]
        ingest(harbour)
        assert deliver_next() is not None
        assert deliver_next() is not None
        assert len(set(receiver.ids)) == 2
        assert [[got.is_genuine(secret) for secret in secrets] for got in receiver.got] == [
            [True, False],
            [False, True],
        ]

    def test_nothing_of_another_tenant(self, harbour: Tenant, meridian: Tenant, webhook: Webhook) -> None:
        before = everything_of(harbour)
        ingest(meridian)
        assert everything_of(harbour) == before
        assert messages_of(meridian) == []

    def test_nothing_of_what_a_document_says(self, harbour: Tenant, webhook: Webhook) -> None:
        ingest(harbour)
        (message,) = messages_of(harbour)
        assert "kept clear" not in message.payload
        assert "Section 1" not in message.payload

    def test_nothing_costs_little_where_nobody_listens(
        self, harbour: Tenant, django_assert_num_queries: Any
    ) -> None:
        version = factories.version(harbour, state=State.FAILED)
        with tenant_scope(harbour.pk), django_assert_num_queries(2):
            outbox.announce_version(version.pk, harbour.pk)


class TestTransactions:
    def test_what_is_undone_is_not_told(
        self,
        harbour: Tenant,
        webhook: Webhook,
        receiver: Receiver,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        claim = claimed_version(harbour)

        def fail_and_break() -> None:
            with tenant_scope(harbour.pk):
                fail_version(claim, "It is broken.")
                assert WebhookDelivery.objects.count() == 1
                raise ZeroDivisionError

        with django_capture_on_commit_callbacks() as told, pytest.raises(ZeroDivisionError):
            fail_and_break()
        assert told == []
        assert messages_of(harbour) == []
        assert deliver_next() is None
        assert receiver.got == []

    def test_the_sender_is_told_after_the_commit(
        self,
        harbour: Tenant,
        webhook: Webhook,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        with django_capture_on_commit_callbacks() as told:
            fail_version(claimed_version(harbour), "It is broken.")
        assert told == [outbox.tell_sender]
        assert tasks.deliver_next.name == outbox.SENDER

    @RACE
    def test_a_webhook_that_is_deleted_at_that_moment_undoes_nothing(self, receiver: Receiver) -> None:
        tenant = factories.tenant("harbour")
        webhook = factories.webhook(tenant, url=receiver.url)
        version = factories.version(tenant, state=State.FAILED)
        thread = Thread(
            target=in_own_connection, args=(services.delete_webhook,), kwargs={"webhook": webhook}
        )
        with tenant_scope(tenant.pk):
            outbox.announce_version(version.pk, tenant.pk)
            thread.start()
            thread.join(0.5)
            assert thread.is_alive()  # It waits for us.
        thread.join()
        assert messages_of(tenant) == []
        with tenant_scope(tenant.pk):
            assert not Webhook.objects.exists()


def in_own_connection(service: Any, **arguments: Any) -> None:
    try:
        service(actor=ACTOR, **arguments)
    finally:
        connection.close()


class TestRetries:
    def test_come_later_and_later_and_then_no_more(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        receiver.statuses = [500]
        message = announce(webhook)
        for attempt, wait in enumerate(RETRIES, 1):
            verdict = deliver_next(clock)
            assert verdict is not None
            assert verdict.wait == wait
            told = reload(message)
            assert (told.state, told.attempts, told.status_code) == ("pending", attempt, 500)
            assert told.error == "The receiver answered 500."
            assert told.next_attempt_at == clock.now + wait
            clock.now = told.next_attempt_at - timedelta(seconds=1)
            assert deliver_next(clock) is None
            clock.pass_by(seconds=1)
        assert deliver_next(clock) is not None
        told = reload(message)
        assert (told.state, told.attempts, told.next_attempt_at) == ("failed", 8, None)
        assert receiver.ids == [str(message.pk)] * 8
        assert len({got.body for got in receiver.got}) == 1
        assert all(got.is_genuine(webhook.secret, tolerance=10**12) for got in receiver.got)
        assert clock.now - NOW == timedelta(hours=20, minutes=36, seconds=10)
        clock.pass_by(days=2)
        assert deliver_next(clock) is None
        assert reload(webhook).is_active

    def test_end_when_one_gets_through(self, webhook: Webhook, receiver: Receiver, clock: Clock) -> None:
        receiver.statuses = [503, 200]
        message = announce(webhook)
        deliver_next(clock)
        failing = reload(webhook)
        assert (failing.failures, failing.failing_since, failing.state) == (1, NOW, "failing")
        clock.pass_by(seconds=10)
        deliver_next(clock)
        told, healed = reload(message), reload(webhook)
        assert (told.state, told.attempts, told.delivered_at) == ("delivered", 2, clock.now)
        assert (healed.failures, healed.failing_since, healed.rests_until) == (0, None, None)

    @pytest.mark.parametrize(
        ("asked", "waited"),
        [
            ("", 10),
            ("5", 10),
            ("10", 10),
            ("11", 11),
            ("3600", 3600),
            ("999999999", 12 * 3600),
            ("-5", 10),
            ("soon", 10),
            ("Thu, 01 May 2031 12:02:00 GMT", 120),
            ("Thu, 01 May 2031 11:00:00 GMT", 10),
            ("Thu, 01 May 2031 12:02:00 -0000", 120),
            ("Fri, 01 May 2132 12:02:00 GMT", 12 * 3600),
            ("Thu, 99999999999999999999 May 2031 12:02:00 GMT", 10),
            ("Thu, 01 May 2031 12:02:00 +99999999999999999999", 10),
        ],
    )
    def test_are_put_off_as_long_as_the_receiver_asks_within_limits(
        self, webhook: Webhook, receiver: Receiver, clock: Clock, asked: str, waited: int
    ) -> None:
        receiver.statuses, receiver.headers = [429], {"Retry-After": asked} if asked else {}
        message = announce(webhook)
        deliver_next(clock)
        assert reload(message).next_attempt_at == NOW + timedelta(seconds=waited)
        assert reload(webhook).rests_until == NOW + timedelta(seconds=waited)

    def test_come_after_a_fault_of_ours_too(
        self, webhook: Webhook, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: Any
    ) -> None:
        def fail(*_: Any, **__: Any) -> Answer:
            raise RuntimeError("Nobody has thought of this.")

        monkeypatch.setattr(deliver, "send_message", fail)
        message = announce(webhook)
        deliver_next(clock)
        told = reload(message)
        assert (told.state, told.attempts, told.error) == ("pending", 1, deliver.FAULT)
        assert told.next_attempt_at == NOW + RETRIES[0]
        assert "Nobody has thought of this." in caplog.text

    def test_of_a_test_there_are_none(self, webhook: Webhook, receiver: Receiver, clock: Clock) -> None:
        receiver.statuses = [500]
        message = ping(webhook)
        deliver_next(clock)
        told = reload(message)
        assert (told.event, told.state, told.attempts) == ("ping", "failed", 1)
        assert reload(webhook).failures == 0
        assert set(receiver.got[0].payload) == {"event", "id", "occurred_at", "tenant", "webhook"}

    def test_redirects_are_failures(self, webhook: Webhook, receiver: Receiver, clock: Clock) -> None:
        receiver.statuses, receiver.headers = [302], {"Location": receiver.url}
        message = announce(webhook)
        deliver_next(clock)
        assert len(receiver.got) == 1
        assert reload(message).error.startswith("The receiver answered 302. Redirects are not followed")

    def test_a_receiver_that_is_down_is_told_when_it_is_up(
        self, harbour: Tenant, receiver: Receiver, clock: Clock
    ) -> None:
        with dead_port() as port:
            webhook = factories.webhook(harbour, url=f"http://127.0.0.1:{port}/")
            message = announce(webhook)
            deliver_next(clock)
        told = reload(message)
        assert (told.state, told.status_code) == ("pending", None)
        assert told.error == "The connection was refused: nothing listens there."
        services.change_webhook(webhook=webhook, url=receiver.url, actor=ACTOR)
        clock.pass_by(seconds=10)
        deliver_next(clock)
        assert receiver.ids == [str(message.pk)]


def test_waits_are_decided_without_a_database() -> None:
    fault = Answer(500, "Broken.")
    waits = [judge_answer(fault, attempts=count, now=NOW).wait for count in range(1, 10)]
    assert waits == [*RETRIES, None, None]
    assert judge_answer(Answer(204), attempts=1, now=NOW).is_delivered
    assert judge_answer(Answer(410, "Gone."), attempts=1, now=NOW).is_gone
    assert asked_wait("1" * 10, NOW) == timedelta(0)
    assert asked_wait("999999999", NOW) == LONGEST_WAIT
    rests = [rest_after(count, timedelta(0)).total_seconds() for count in (1, 2, 3, 6, 7, 8, 10**6)]
    assert rests == [10, 20, 40, 320, 600, 600, 600]


class TestSwitchingOff:
    def test_a_receiver_that_is_gone_is_believed(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        receiver.statuses = [410]
        first, second = announce(webhook), announce(webhook)
        deliver_next(clock)
        off = reload(webhook)
        assert (off.is_active, off.disabled_at, off.state) == (False, NOW, "disabled")
        assert off.disabled_reason.startswith("The receiver answered 410: it is gone for good.")
        assert (reload(first).state, reload(first).error) == ("failed", "The receiver answered 410.")
        assert (reload(second).state, reload(second).error) == ("failed", SWITCHED_OFF)
        with tenant_scope(webhook.tenant_id):
            event = AuditEvent.objects.get(action="webhook.disabled")
        assert (event.actor, event.target) == ("upkeep", webhook.url)
        assert deliver_next(clock) is None
        assert len(receiver.got) == 1

    def test_one_that_nothing_reaches_for_three_days_is_given_up(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        receiver.statuses = [500]
        while reload(webhook).is_active:
            assert clock.now - NOW < timedelta(days=5)
            announce(webhook)
            deliver_next(clock)
            clock.pass_by(hours=2)
        off = reload(webhook)
        assert timedelta(days=3) <= off.disabled_at - NOW < timedelta(days=3, hours=4)
        assert off.disabled_reason == (
            "Nothing got through for three days. The last problem was: The receiver answered 500."
        )
        assert {message.state for message in messages_of(webhook.tenant)} == {"failed"}

    def test_one_answer_in_three_days_is_enough_to_stay(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        receiver.statuses = [*[500] * 30, 200, 500]
        announce(webhook)
        while clock.now - NOW < timedelta(days=4):
            announce(webhook)
            deliver_next(clock)
            clock.pass_by(hours=2)
        assert reload(webhook).is_active

    def test_switched_on_again_it_begins_anew(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        receiver.statuses = [410, 200]
        announce(webhook)
        deliver_next(clock)
        on = services.change_webhook(webhook=webhook, is_active=True, actor=ACTOR)
        assert (on.state, on.disabled_at, on.disabled_reason, on.failures) == ("active", None, "", 0)
        message = announce(webhook)
        deliver_next(clock)
        assert reload(message).state == "delivered"
        assert len(receiver.got) == 2

    def test_by_a_person_ends_what_waits(self, webhook: Webhook, receiver: Receiver) -> None:
        message = announce(webhook)
        off = services.change_webhook(webhook=webhook, is_active=False, actor=ACTOR)
        assert (off.state, off.disabled_at) == ("paused", None)
        assert (reload(message).state, reload(message).error) == ("failed", SWITCHED_OFF)
        assert deliver_next() is None
        with pytest.raises(NothingToDo, match="switched off"):
            ping(webhook)
        assert len(messages_of(webhook.tenant)) == 1

    def test_while_something_is_on_its_way_leaves_it_given_up(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        message = announce(webhook)
        claimed = claim_delivery(webhook.pk, webhook.tenant_id, now=clock.now)
        assert claimed is not None
        services.change_webhook(webhook=webhook, is_active=False, actor=ACTOR)
        assert reload(message).state == "failed"

    def test_nothing_is_sent_for_a_tenant_that_is_closed(self, webhook: Webhook, receiver: Receiver) -> None:
        announce(webhook)
        with tenant_scope(webhook.tenant_id):
            Tenant.objects.update(is_active=False)
        assert deliver_next() is None
        assert receiver.got == []


class TestTurns:
    def test_one_message_at_a_time_goes_to_a_webhook(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        announce(webhook), announce(webhook)
        first = claim_delivery(webhook.pk, webhook.tenant_id, now=clock.now)
        assert first is not None
        assert claim_delivery(webhook.pk, webhook.tenant_id, now=clock.now) is None
        assert webhooks_in_turn(clock.now) == []
        assert deliver_next(clock) is None

    def test_the_oldest_message_goes_first_but_a_test_before_it(
        self, webhook: Webhook, receiver: Receiver
    ) -> None:
        order = [announce(webhook), announce(webhook), ping(webhook)]
        while deliver_next() is not None:
            pass
        assert receiver.ids == [str(order[index].pk) for index in (2, 0, 1)]

    def test_a_receiver_that_fails_holds_up_nobody(
        self, harbour: Tenant, meridian: Tenant, receiver: Receiver, clock: Clock
    ) -> None:
        other = factories.webhook(meridian, url=receiver.url)
        verdicts = []
        with dead_port() as port:
            dead = factories.webhook(harbour, url=f"http://127.0.0.1:{port}/")
            for _ in range(5):
                announce(dead)
            for _ in range(3):
                announce(other)
            while (verdict := deliver_next(clock)) is not None:
                verdicts.append(verdict.is_delivered)
        assert sorted(verdicts) == [False, True, True, True]
        assert reload(dead).rests_until == NOW + timedelta(seconds=10)

    def test_tenants_are_served_by_turns(
        self, harbour: Tenant, meridian: Tenant, receiver: Receiver, clock: Clock
    ) -> None:
        for tenant in (harbour, meridian):
            for _ in range(2):
                one = factories.webhook(tenant, url=receiver.url)
                announce(one), announce(one)
        served = []
        while deliver_next(clock) is not None:
            served.append(receiver.got[-1].payload["tenant"]["slug"])
            clock.pass_by(seconds=1)
        assert len(served) == 12  # Each webhook is told of what happened since it is there.
        assert all(one != other for one, other in zip(served[::2], served[1::2], strict=True))

    @RACE
    def test_a_webhook_that_somebody_else_has_locked_is_passed_over(self, receiver: Receiver) -> None:
        webhook = factories.webhook(factories.tenant("harbour"), url=receiver.url)
        announce(webhook)
        found: list[object] = []

        def look() -> None:
            found.append(claim_delivery(webhook.pk, webhook.tenant_id, now=NOW))
            connection.close()

        with tenant_scope(webhook.tenant_id):
            Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)
            thread = Thread(target=look)
            thread.start()
            thread.join(60)
            assert found == [None]
        look()
        assert found[1] is not None


DELIVER = """
import django
django.setup()
from documents.webhooks.deliver import deliver_next
deliver_next()
"""


class TestDeath:
    def test_what_was_sent_and_not_marked_is_sent_again_with_the_same_id(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        message = announce(webhook)
        claimed = claim_delivery(webhook.pk, webhook.tenant_id, now=clock.now)
        assert claimed is not None
        assert send_claimed(claimed, now=clock.now).is_accepted
        clock.pass_by(seconds=LEASE.total_seconds() - 1)
        assert deliver_next(clock) is None
        clock.pass_by(seconds=1)
        deliver_next(clock)
        assert receiver.ids == [str(message.pk)] * 2
        assert (reload(message).state, reload(message).attempts) == ("delivered", 2)

    def test_who_comes_back_from_the_dead_changes_nothing(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        announce(webhook)
        claimed = claim_delivery(webhook.pk, webhook.tenant_id, now=clock.now)
        assert claimed is not None
        clock.pass_by(seconds=LEASE.total_seconds())
        deliver_next(clock)
        before = everything_of(webhook.tenant)
        settle(claimed, Answer(500, "The receiver answered 500."), now=clock.now)
        assert everything_of(webhook.tenant) == before

    @RACE
    def test_a_worker_is_killed_while_the_receiver_has_the_message(
        self, receiver: Receiver, clock: Clock
    ) -> None:
        webhook = factories.webhook(factories.tenant("harbour"), url=receiver.url)
        message = announce(webhook)
        receiver.is_slow = True
        database = django_settings.DATABASES["default"]
        process = subprocess.Popen(
            [sys.executable, "-c", DELIVER],
            cwd=ROOT,
            env=environment(
                django_settings.HOME.path,
                DJANGO_SETTINGS_MODULE="config.settings",
                PANDECT_WEBHOOK_PRIVATE="1",
                PANDECT_SECRET_KEY=django_settings.SECRET_KEY,
                DATABASE_URL=f"postgresql://{database['USER']}@/{database['NAME']}?host={database['HOST']}",
            ),
        )
        while not receiver.got:
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
        told = reload(message)
        assert (told.state, told.attempts) == ("pending", 1)
        receiver.is_slow = False
        deliver_next(clock)
        assert receiver.ids == [str(message.pk)] * 2
        assert reload(message).state == "delivered"


class TestSecrets:
    def test_are_not_in_the_database(self, harbour: Tenant, webhook: Webhook) -> None:
        assert webhook.secret.startswith("whsec_")
        assert webhook.secret not in str(everything_of(harbour))
        assert reload(webhook).secret == ""

    def test_both_sign_for_a_day_after_a_change(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        new = services.rotate_secret(webhook=webhook, actor=ACTOR)
        assert new.secret != webhook.secret
        announce(webhook)
        clock.now = timezone.now()
        deliver_next(clock)
        assert receiver.got[0].is_genuine(new.secret)
        assert receiver.got[0].is_genuine(webhook.secret)
        clock.pass_by(days=1, seconds=1)
        announce(webhook)
        deliver_next(clock)
        assert receiver.got[1].is_genuine(new.secret, tolerance=10**6)
        assert not receiver.got[1].is_genuine(webhook.secret, tolerance=10**6)

    def test_nothing_is_signed_by_another_key_than_that_of_its_time(
        self, webhook: Webhook, receiver: Receiver, settings: Any
    ) -> None:
        message = announce(webhook)
        settings.SECRET_KEY = "another key of at least fifty characters, all of them made up"
        deliver_next()
        assert receiver.got == []
        assert reload(message).error == KEY_CHANGED
        new = services.rotate_secret(webhook=webhook, actor=ACTOR)
        deliver_next(lambda: timezone.now() + timedelta(seconds=11))
        assert receiver.got[0].is_genuine(new.secret)


class TestServices:
    def test_private_addresses_are_refused_unless_allowed(self, harbour: Tenant, settings: Any) -> None:
        settings.WEBHOOK_PRIVATE = False
        before = everything_of(harbour)
        with pytest.raises(BadAddress, match="not on the public internet"):
            factories.webhook(harbour, url="http://169.254.169.254/latest/")
        assert everything_of(harbour) == before

    def test_an_address_that_was_allowed_is_checked_again_when_something_is_sent(
        self, webhook: Webhook, receiver: Receiver, settings: Any
    ) -> None:
        message = announce(webhook)
        settings.WEBHOOK_PRIVATE = False
        deliver_next()
        assert receiver.got == []
        assert "not on the public internet" in reload(message).error

    def test_there_is_a_limit_to_their_number(self, harbour: Tenant) -> None:
        for _ in range(20):
            factories.webhook(harbour)
        before = everything_of(harbour)
        with pytest.raises(NothingToDo, match="There are 20 webhooks"):
            factories.webhook(harbour)
        assert everything_of(harbour) == before

    def test_the_same_form_makes_one_webhook(self, harbour: Tenant, meridian: Tenant) -> None:
        key = uuid4()
        create(harbour, key)
        before = everything_of(harbour)
        for tenant in (harbour, meridian):
            with pytest.raises(NothingToDo, match="added, and its secret shown, before"):
                create(tenant, key)
        assert everything_of(harbour) == before

    def test_changes_are_on_the_record(self, harbour: Tenant, webhook: Webhook) -> None:
        services.change_webhook(webhook=webhook, description=" Register ", actor=ACTOR)
        services.change_webhook(webhook=webhook, description="Register", actor=ACTOR)
        services.rotate_secret(webhook=webhook, actor=ACTOR)
        ping(webhook)
        with pytest.raises(NothingToDo, match="on its way"):
            ping(webhook)
        services.delete_webhook(webhook=webhook, actor=ACTOR)
        for again in (services.delete_webhook, services.rotate_secret, services.send_test):
            with pytest.raises(NothingToDo, match="gone"):
                again(webhook=webhook, actor=ACTOR)
        with tenant_scope(harbour.pk):
            events = AuditEvent.objects.filter(action__startswith="webhook.").order_by("at")
            assert [event.sentence for event in events] == [
                f"Added the webhook {webhook.url}",
                "Changed the webhook Register: description",
                "Made a new secret for the webhook Register",
                "Sent a test to the webhook Register",
                "Deleted the webhook Register",
            ]
        assert messages_of(harbour) == []

    def test_a_test_is_sent_even_while_the_webhook_rests(
        self, webhook: Webhook, receiver: Receiver, clock: Clock
    ) -> None:
        receiver.statuses = [500, 200]
        announce(webhook)
        deliver_next(clock)
        assert deliver_next(clock) is None
        ping(webhook)
        deliver_next(clock)
        assert receiver.got[1].payload["event"] == "ping"
        assert reload(webhook).state == "active"


def create(tenant: Tenant, key: UUID) -> Webhook:
    return services.create_webhook(
        tenant=tenant,
        url="https://example.org/",
        events=[WebhookEvent.VERSION_READY],
        actor=ACTOR,
        webhook_id=key,
    )


class TestTasks:
    @pytest.fixture
    def told(self, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        calls: list[Any] = []
        monkeypatch.setattr(tasks.deliver_next, "delay", lambda: calls.append("now"))
        monkeypatch.setattr(tasks.deliver_next, "apply_async", lambda *, countdown: calls.append(countdown))
        return calls

    def test_the_sender_goes_on_while_something_is_due(
        self, webhook: Webhook, receiver: Receiver, told: list[Any]
    ) -> None:
        announce(webhook), announce(webhook)
        tasks.deliver_next()
        assert told == ["now"]
        tasks.deliver_next()
        tasks.deliver_next()
        assert told == ["now"]
        assert len(receiver.got) == 2

    def test_the_sender_comes_back_for_what_is_soon_tried_again(
        self, webhook: Webhook, receiver: Receiver, told: list[Any]
    ) -> None:
        receiver.statuses = [500]
        announce(webhook)
        tasks.deliver_next()
        assert told == [10.0]

    def test_the_scheduler_finds_what_was_forgotten(
        self, webhook: Webhook, told: list[Any], harbour: Tenant
    ) -> None:
        tasks.find_deliveries()
        assert told == []
        announce(webhook)
        tasks.find_deliveries()
        assert told == ["now"]
        for _ in range(5):
            announce(factories.webhook(harbour))
        tasks.find_deliveries()
        assert told == ["now"] * 5

    @RACE
    @pytest.mark.usefixtures("worker")
    def test_a_real_worker_is_told_after_the_commit(self, receiver: Receiver) -> None:
        """And keeps out of private networks, as no receiver of ours is on the public internet."""
        message = ping(factories.webhook(factories.tenant("harbour"), url=receiver.url))
        deadline = time.monotonic() + 120
        while reload(message).state == "pending":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert "not on the public internet" in reload(message).error
        assert receiver.got == []

    def test_what_is_old_is_swept(self, webhook: Webhook, clock: Clock) -> None:
        clock.now = timezone.now()
        old, young = announce(webhook), announce(webhook)
        with tenant_scope(webhook.tenant_id):
            WebhookDelivery.objects.filter(pk=old.pk).update(
                created_at=clock.now - timedelta(days=30, seconds=1),
                state=DeliveryState.DELIVERED,
                next_attempt_at=None,
                delivered_at=clock.now,
            )
            WebhookDelivery.objects.filter(pk=young.pk).update(created_at=clock.now - timedelta(days=29))
        assert sweep_deliveries(clock) == 1
        assert [message.pk for message in messages_of(webhook.tenant)] == [young.pk]
        tasks.sweep_deliveries()

    def test_the_scheduler_runs_both(self) -> None:
        scheduled = {entry["task"] for entry in django_settings.CELERY_BEAT_SCHEDULE.values()}
        assert {tasks.find_deliveries.name, tasks.sweep_deliveries.name} <= scheduled
