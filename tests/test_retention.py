"""Old versions go when they have been kept for long enough, and nothing else does."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from copy import copy
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from definitions.models import CrossReference, Definition
from documents import services, tasks
from documents.models import Chunk, Collection, Document, Section, Source, State, Version
from documents.pipeline import ingest_version
from documents.read_context import ReadContext, Selector
from documents.retain import Kept, expired_versions, in_force_since
from documents.services import Dates, Pruned, prune_versions, retention, set_retention
from search.ask import ask
from search.models import Embedding, Passage, Placement
from tenants.models import LONGEST_KEPT, AuditEvent, Membership, Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.factories import ACTOR
from tests.findings import HARBOUR, PILOT, add
from tests.ingestion import ORPHANS

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)


def kept(number: int, **facts: Any) -> Kept:
    return Kept(id=UUID(int=number), number=number, **{"is_ready": True, "ended_at": None, **facts})


def gone(*versions: Kept, days: int = 30) -> list[int]:
    return [one.number for one in expired_versions(versions, now=NOW, days=days)]


class TestWhatGoes:
    def test_what_was_superseded_for_so_many_days_to_the_second(self) -> None:
        limit = NOW - 30 * DAY
        for ended_at, expected in ((limit + SECOND, []), (limit, [1]), (limit - SECOND, [1])):
            assert gone(kept(1, ended_at=ended_at), kept(2)) == expected

    def test_what_was_never_read_to_its_end(self) -> None:
        failed = kept(1, is_ready=False, ended_at=NOW - 30 * DAY)
        assert gone(failed, kept(2)) == [1]
        assert gone(kept(1), failed) == []

    def test_nothing_that_is_current_newest_or_in_hand(self) -> None:
        old = NOW - 300 * DAY
        assert gone(kept(1, ended_at=old), kept(2, ended_at=old)) == [1]
        assert gone(kept(1, ended_at=old), kept(2, is_ready=False)) == []  # The last that can be read.
        assert gone(kept(1, ended_at=old), kept(2, ended_at=old, is_ready=False)) == []
        assert gone(kept(1, is_ready=False), kept(2)) == []
        assert gone(kept(1, ended_at=old, is_withdrawn=True)) == []
        assert gone() == []

    def test_nothing_that_a_baseline_has(self) -> None:
        old = NOW - 300 * DAY
        assert gone(kept(1, ended_at=old, is_in_baseline=True), kept(2, ended_at=old), kept(3)) == [2]

    def test_nothing_that_is_in_force_or_was_in_these_days(self) -> None:
        old, limit = NOW - 300 * DAY, (NOW - 30 * DAY).date()
        first = kept(1, ended_at=old, begins=date(2010, 1, 1), is_dated=True)
        for begins, expected in ((limit, [1]), (limit + DAY, []), (date(2030, 1, 1), [])):
            assert gone(first, kept(2, begins=begins)) == expected
        earlier = kept(2, begins=date(2009, 1, 1), is_dated=True)  # Recorded later, and applies from before.
        assert gone(first, earlier) == []
        ended = kept(1, ended_at=old, begins=date(2010, 1, 1), ends=limit - DAY)
        assert gone(ended, earlier) == [1]
        assert gone(kept(1, ended_at=old, begins=date(2010, 1, 1), is_withdrawn=True), earlier) == [1]

    def test_what_lasts_for_a_while_does_not_let_what_comes_back_go(self) -> None:
        old = NOW - 300 * DAY
        first = kept(1, ended_at=old, begins=date(2010, 1, 1))
        while_ = kept(2, ended_at=old, begins=date(2015, 1, 1), ends=date(2030, 1, 1), is_dated=True)
        assert gone(first, while_, kept(3, begins=date(2009, 1, 1))) == []


moments = st.none() | st.integers(-3, 3).map(lambda days: NOW - 30 * DAY + days * DAY)
days = st.none() | st.integers(-4, 4).map(lambda number: (NOW - 30 * DAY + number * DAY).date())
facts = st.fixed_dictionaries(
    {
        "is_ready": st.booleans(),
        "ended_at": moments,
        "is_withdrawn": st.booleans(),
        "is_in_baseline": st.booleans(),
        "begins": days,
        "ends": days,
        "is_dated": st.booleans(),
    }
)


@given(st.lists(facts, max_size=6))
def test_whatever_goes_was_let_go_by_every_rule(drawn: list[dict[str, Any]]) -> None:
    versions = [kept(number, **each) for number, each in enumerate(drawn, 1)]
    limit, is_dated = NOW - 30 * DAY, any(one.is_dated for one in versions)
    left = [one for one in versions if one.number not in gone(*versions)]
    later = [limit.date() + number * DAY for number in range(12)]
    for one in versions:
        is_let_go = (
            one.ended_at is not None
            and one.ended_at <= limit
            and not one.is_in_baseline
            and any(other.number > one.number for other in versions)
            and not (one.is_ready and not any(x.is_ready and x.number > one.number for x in versions))
            and not (is_dated and any(_reads(versions, day) == one for day in later))
        )
        assert (one not in left) == is_let_go
    for day in later if is_dated else ():  # What is read as of a day in force is the same as before.
        assert _reads(left, day) == _reads(versions, day)
    assert gone(*left) == []
    assert in_force_since([], limit.date()) == set()


def _reads(versions: list[Kept], day: date) -> Kept | None:
    applying = [
        one
        for one in versions
        if one.is_ready and not one.is_withdrawn and one.begins and one.begins <= day <= (one.ends or day)
    ]
    return max(applying, key=lambda one: (one.begins or day, one.number), default=None)


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "acts")


def said(number: int) -> str:
    return HARBOUR.replace("a place", f"place {number}")


def age(version: Version, days: float) -> None:
    """Have a version ended some days ago."""
    moment = timezone.now() - timedelta(days=days)
    with tenant_scope(version.tenant_id):
        rows = Version.objects.filter(pk=version.pk)
        rows.filter(state=State.READY).update(superseded_at=moment)
        rows.filter(state=State.READY, baselines=None).update(recorded_at=moment - DAY)  # Others keep it.
        rows.exclude(state=State.READY).update(touched_at=moment)


def add_versions(acts: Collection, count: int, name: str = "harbour.md") -> list[Version]:
    """Versions of a document, of which all but the last ended a hundred days ago."""
    versions = [add(acts, name, said(number)) for number in range(count)]
    for version in versions[:-1]:
        age(version, 100)
    return versions


def numbers_of(document: Document) -> list[int]:
    with tenant_scope(document.tenant_id):
        rows = Version.objects.filter(document=document).order_by("number")
        return list(rows.values_list("number", flat=True))


def events(tenant: Tenant, action: str) -> list[dict[str, Any]]:
    with tenant_scope(tenant.pk):
        return list(AuditEvent.objects.filter(action=action).values_list("detail", flat=True))


def orphans(tenant: Tenant) -> dict[str, int]:
    counted = {}
    with tenant_scope(tenant.pk), connection.cursor() as cursor:
        for what, statement in ORPHANS.items():
            cursor.execute(statement)
            counted[what] = cursor.fetchone()[0]
    return counted


class TestPruning:
    def test_deletes_versions_with_all_that_was_read_from_them(
        self, harbour: Tenant, acts: Collection
    ) -> None:
        *old, newest = add_versions(acts, 3)
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        assert prune_versions(tenant=harbour) == Pruned(versions=2, documents=1)
        assert numbers_of(newest.document) == [3]
        with tenant_scope(harbour.pk):
            for model in (Section, Chunk, Placement, Definition, CrossReference):
                assert set(model.objects.values_list("version", flat=True)) == {newest.pk}
            assert list(Source.objects.values_list("pk", flat=True)) == [newest.source_id]
            assert Passage.objects.count() == Placement.objects.count() == Embedding.objects.count()
        assert set(orphans(harbour).values()) == {0}
        assert events(harbour, "versions.pruned") == [
            {"days": 30, "versions": 2, "documents": 1, "refused": 0}
        ]
        assert prune_versions(tenant=harbour) == Pruned()
        assert len(events(harbour, "versions.pruned")) == 1
        assert {one.pk for one in old}.isdisjoint({newest.pk})

    def test_keeps_everything_for_ever_unless_it_is_told_otherwise(
        self, harbour: Tenant, acts: Collection
    ) -> None:
        add_versions(acts, 2)
        before = everything_of(harbour)
        assert prune_versions(tenant=harbour) == Pruned()
        assert everything_of(harbour) == before

    def test_leaves_another_tenant_alone(self, harbour: Tenant, meridian: Tenant, acts: Collection) -> None:
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        set_retention(tenant=meridian, days=30, actor=ACTOR)
        add_versions(acts, 2)
        before = everything_of(harbour)
        assert prune_versions(tenant=meridian) == Pruned()
        assert everything_of(harbour) == before

    def test_goes_by_the_clock_to_the_second(self, harbour: Tenant, acts: Collection) -> None:
        first, _ = add_versions(acts, 2)
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        with tenant_scope(harbour.pk):
            first.refresh_from_db(fields=["superseded_at"])
        assert first.superseded_at is not None
        limit = first.superseded_at + 30 * DAY
        assert prune_versions(tenant=harbour, now=limit - SECOND) == Pruned()
        assert prune_versions(tenant=harbour, now=limit) == Pruned(versions=1, documents=1)

    def test_keeps_what_failed_last_and_lets_go_of_what_failed_before(
        self, harbour: Tenant, acts: Collection
    ) -> None:
        document = factories.document(harbour, place=acts)
        states = (State.FAILED, State.CANCELLED, State.READY, State.QUEUED, State.EMBEDDING, State.FAILED)
        for number, state in enumerate(states, 1):
            version = factories.version(harbour, of=document, number=number, state=state)
            if state != State.READY:
                age(version, 100)
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        assert prune_versions(tenant=harbour) == Pruned(versions=2, documents=1)
        assert numbers_of(document) == [3, 4, 5, 6]

    def test_counts_from_when_a_version_was_withdrawn(self, harbour: Tenant, acts: Collection) -> None:
        first, second, _ = add_versions(acts, 3)
        services.withdraw_version(version=first, actor=ACTOR)
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        assert prune_versions(tenant=harbour) == Pruned(versions=1, documents=1)
        assert numbers_of(second.document) == [1, 3]

    def test_keeps_what_is_in_force_although_another_was_recorded(
        self, harbour: Tenant, acts: Collection
    ) -> None:
        versions = []
        for number, year in enumerate((2010, 2015, 2090)):
            content, dates = said(number).encode(), Dates(date(year, 1, 1))
            versions.append(
                services.add_document(
                    collection=acts, name="act.md", content=content, actor=ACTOR, dates=dates, is_queued=False
                )
            )
            ingest_version(versions[-1].pk, harbour.pk)
        for version in versions[:2]:
            age(version, 100)
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        assert prune_versions(tenant=harbour) == Pruned(versions=1, documents=1)
        assert numbers_of(versions[0].document) == [2, 3]

    def test_keeps_passages_and_files_that_others_need(self, harbour: Tenant, acts: Collection) -> None:
        first, second = add_versions(acts, 2)
        twin = add(acts, "twin.md", said(0))
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        assert prune_versions(tenant=harbour) == Pruned(versions=1, documents=1)
        with tenant_scope(harbour.pk):
            assert set(Source.objects.values_list("pk", flat=True)) == {first.source_id, second.source_id}
            placed = Placement.objects.filter(version=twin)
            assert placed.count() == Chunk.objects.filter(version=twin).count()
        assert set(orphans(harbour).values()) == {0}

    def test_works_in_portions(
        self, harbour: Tenant, acts: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        *_, newest = add_versions(acts, 4)
        monkeypatch.setattr(retention, "PORTION", 1)
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        assert prune_versions(tenant=harbour) == Pruned(versions=3, documents=1)
        assert numbers_of(newest.document) == [4]
        assert len(events(harbour, "versions.pruned")) == 1

    def test_keeps_what_a_baseline_has_and_it_reads_as_before(
        self, harbour: Tenant, acts: Collection
    ) -> None:
        first = add(acts, "harbour.md", said(0))
        baseline = services.create_baseline(collection=acts, name="Spring", actor=ACTOR)
        second, third = (add(acts, "harbour.md", said(number)) for number in (1, 2))
        for version in (first, second):
            age(version, 100)
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        context = ReadContext(selector=Selector.BASELINE, baseline_id=baseline.pk)

        def read() -> list[tuple[UUID, str]]:
            answer = ask(tenant=harbour, query="place", read_context=context)
            return [(hit.version_id, hit.content) for hit in answer.hits]

        before = read()
        assert before
        assert prune_versions(tenant=harbour) == Pruned(versions=1, documents=1)
        assert numbers_of(third.document) == [1, 3]
        assert read() == before

    def test_survives_what_the_database_refuses(
        self, harbour: Tenant, acts: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As if a baseline had come between the decision and the deed."""
        held = add(acts, "held.md", said(0))
        services.create_baseline(collection=acts, name="Spring", actor=ACTOR)
        add(acts, "held.md", said(1))
        age(held, 100)
        *_, other = add_versions(acts, 2, "other.md")
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        monkeypatch.setattr(retention, "_kept", _blind(retention._kept))
        assert prune_versions(tenant=harbour) == Pruned(versions=1, documents=1, refused=1)
        assert numbers_of(held.document) == [1, 2]
        assert numbers_of(other.document) == [2]
        with tenant_scope(harbour.pk):
            assert Section.objects.filter(version=held).exists()
            assert (
                Placement.objects.filter(version=held).count() == Chunk.objects.filter(version=held).count()
            )
        assert events(harbour, "versions.pruned") == [
            {"days": 30, "versions": 1, "documents": 1, "refused": 1}
        ]

    def test_is_on_the_record_as_far_as_it_came(
        self, harbour: Tenant, acts: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        add_versions(acts, 2, "one.md")
        add_versions(acts, 2, "two.md")
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        prune, calls = retention._prune_document, []

        def break_down(*given_: Any) -> Pruned:
            calls.append(given_)
            if len(calls) > 1:
                raise RuntimeError("The power is out.")
            return prune(*given_)

        monkeypatch.setattr(retention, "_prune_document", break_down)
        with pytest.raises(RuntimeError, match="power"):
            prune_versions(tenant=harbour)
        assert [one["versions"] for one in events(harbour, "versions.pruned")] == [1]

    def test_breaks_no_reference_to_the_document(self, harbour: Tenant, acts: Collection) -> None:
        pilot = add(acts, "pilot.md", PILOT + "\n## Section 4. Ports\n\nSee section 1 of the Harbour Act.\n")
        *_, newest = add_versions(acts, 3)
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        with tenant_scope(harbour.pk):
            before = list(CrossReference.objects.filter(version=pilot).values())
        assert [one["target_document_id"] for one in before] == [newest.document_id]
        prune_versions(tenant=harbour)
        with tenant_scope(harbour.pk):
            assert list(CrossReference.objects.filter(version=pilot).values()) == before
        answer = ask(tenant=harbour, query="section 4 of the Pilot Act")
        assert [one.target_label for one in answer.hits[0].references] == ["Section 1"]

    @pytest.mark.parametrize("days", [None, 101])
    def test_obeys_whoever_keeps_longer_while_it_is_at_work(
        self, harbour: Tenant, acts: Collection, days: int | None
    ) -> None:
        add_versions(acts, 2)
        stale = copy(set_retention(tenant=harbour, days=30, actor=ACTOR))
        set_retention(tenant=harbour, days=days, actor=ACTOR)
        before = everything_of(harbour)
        assert stale.keep_versions_days == 30
        assert prune_versions(tenant=stale) == Pruned()
        assert everything_of(harbour) == before

    def test_leaves_a_document_alone_that_is_gone_by_then(
        self, harbour: Tenant, acts: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        *_, newest = add_versions(acts, 2)
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        (expired,) = retention.find_expired(tenant=harbour)
        services.delete_document(document=newest.document, actor=ACTOR)
        services.purge_document(document=newest.document, actor=ACTOR)
        monkeypatch.setattr(retention, "find_expired", lambda **_: iter([expired]))
        assert prune_versions(tenant=harbour) == Pruned()


def _blind(read: Callable[..., Kept]) -> Callable[..., Kept]:
    """Overlook baselines."""
    return lambda *facts: read(*facts[:-1], False)


class TestThePeriod:
    def test_is_set_and_on_the_record_if_it_changes(self, harbour: Tenant) -> None:
        for days in (30, 30, None):
            assert set_retention(tenant=harbour, days=days, actor=ACTOR).keep_versions_days == days
        assert events(harbour, "retention.changed") == [
            {"before": 30, "after": None},
            {"before": None, "after": 30},
        ]

    @pytest.mark.parametrize("days", [0, -1, LONGEST_KEPT + 1])
    def test_is_a_sensible_number(self, harbour: Tenant, days: int) -> None:
        before = everything_of(harbour)
        with pytest.raises(ValidationError):
            set_retention(tenant=harbour, days=days, actor=ACTOR)
        assert everything_of(harbour) == before
        for allowed in (1, LONGEST_KEPT):
            set_retention(tenant=harbour, days=allowed, actor=ACTOR)
        assert prune_versions(tenant=harbour) == Pruned()

    def test_is_set_by_admins_on_the_page(self, harbour: Tenant, admin: Membership) -> None:
        client, url = client_of(admin), f"/t/{harbour.slug}/retention/"
        response = client.post(url, {"days": "90"}, follow=True)
        assert "Old versions are kept for 90 days." in response.content.decode()
        assert 'value="90"' in response.content.decode()
        refused = client.post(url, {"days": "0"})
        assert refused.status_code == 422
        assert "greater than or equal to 1" in refused.content.decode()
        response = client.post(url, {"days": ""}, follow=True)
        assert "Old versions are kept for ever." in response.content.decode()

    def test_is_not_shown_to_readers(self, harbour: Tenant, reader: Membership) -> None:
        assert (
            "Keep old versions" not in client_of(reader).get(f"/t/{harbour.slug}/documents/").content.decode()
        )
        assert client_of(reader).post(f"/t/{harbour.slug}/retention/", {"days": 1}).status_code == 403

    def test_is_read_and_set_by_programs_that_manage(self, harbour: Tenant) -> None:
        _, token = factories.api_key(harbour, Scope.MANAGE)
        headers = {"Authorization": f"Bearer {token}"}

        def patch(body: Any) -> Any:
            return Client().patch(
                "/api/v1/retention", json.dumps(body), content_type="application/json", headers=headers
            )

        assert Client().get("/api/v1/retention", headers=headers).json() == {"keep_versions_days": None}
        assert patch({"keep_versions_days": 365}).json() == {"keep_versions_days": 365}
        assert Client().get("/api/v1/retention", headers=headers).json() == {"keep_versions_days": 365}
        for body in ({}, {"keep_versions_days": 0}, {"keep_versions_days": "soon"}, {"days": 3}):
            assert patch(body).status_code == 400
        assert patch({"keep_versions_days": None}).json() == {"keep_versions_days": None}
        assert [one["after"] for one in events(harbour, "retention.changed")] == [None, 365]

    def test_is_shown_in_the_administration(self, harbour: Tenant, operator: Any) -> None:
        page = client_of(operator).get(f"/admin/tenants/tenant/{harbour.pk}/change/").content.decode()
        assert 'name="keep_versions_days"' in page


class TestTheCommand:
    def run(self, *arguments: str) -> list[str]:
        out = io.StringIO()
        call_command("prune_versions", *arguments, stdout=out)
        return out.getvalue().splitlines()

    def test_says_what_would_go(self, harbour: Tenant, acts: Collection) -> None:
        add_versions(acts, 3)
        assert self.run() == []
        assert self.run("--tenant", harbour.slug) == ["harbour keeps all versions for ever."]
        set_retention(tenant=harbour, days=30, actor=ACTOR)
        before = everything_of(harbour)
        assert self.run("--dry-run") == [
            "harbour: acts/harbour.md, versions 1, 2 would go",
            "harbour: 2 old versions of 1 document would go.",
        ]
        assert everything_of(harbour) == before

    def test_deletes_in_all_tenants_or_in_one(
        self, harbour: Tenant, meridian: Tenant, acts: Collection
    ) -> None:
        add_versions(acts, 2)
        for tenant in (harbour, meridian):
            set_retention(tenant=tenant, days=30, actor=ACTOR)
        assert self.run("--tenant", "meridian") == ["meridian: 0 old versions of 0 documents deleted."]
        tasks.prune_versions()
        assert self.run() == [
            "harbour: 0 old versions of 0 documents deleted.",
            "meridian: 0 old versions of 0 documents deleted.",
        ]
        assert [one["versions"] for one in events(harbour, "versions.pruned")] == [1]

    def test_names_the_tenants_that_there_are(self, harbour: Tenant) -> None:
        with pytest.raises(CommandError, match="There are: harbour"):
            self.run("--tenant", str(uuid4()))
