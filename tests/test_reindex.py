"""The index is made anew in the background: all of it, of a collection, or of a document."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.conf import settings
from pytest_django import DjangoCaptureOnCommitCallbacks

from documents import tasks
from documents.models import Collection, Document
from documents.rebuild import Extent, situate_next
from documents.services import Reindexing, reindex
from search.backends.embedders.base import EmbedderError
from search.health import Status, read_health
from search.models import Embedding, Passage, Placement, TermStatistics
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests.database import everything_of
from tests.factories import ACTOR
from tests.passages import backends, counted_statistics, statistics_of
from tests.searching import ACT, add, fill, make_collection

NAME = "harbour-safety-act.md"


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages are read as soon as they are sent."""
    monkeypatch.setattr(tasks.reindex_next, "delay", tasks.reindex_next)


def document_of(collection: Collection, name: str = NAME) -> Document:
    with tenant_scope(collection.tenant_id):
        return Document.objects.get(name=name)


def lose_placements(tenant: Tenant) -> None:
    with tenant_scope(tenant.pk):
        Placement.objects.all().delete()


def placed(tenant: Tenant) -> set[str]:
    """The names of the documents that the index knows."""
    with tenant_scope(tenant.pk):
        return set(Placement.objects.values_list("version__document__name", flat=True))


@pytest.mark.usefixtures("at_once")
class TestWorkers:
    def test_mend_all_that_was_lost(self, acts: Collection) -> None:
        before = everything_of(acts.tenant)
        with tenant_scope(acts.tenant_id):
            for model in (Embedding, Placement, Passage, TermStatistics):
                model._default_manager.all().delete()
        assert read_health(tenant=acts.tenant).status == Status.INCOMPLETE
        tasks.reindex_next.delay(Extent(acts.tenant_id).written())
        health = read_health(tenant=acts.tenant)
        assert (health.status, health.passages) == (Status.HEALTHY, len(before["search.Passage"]))
        assert statistics_of(acts.tenant) == counted_statistics(acts.tenant)

    def test_change_nothing_where_nothing_is_wrong(self, acts: Collection) -> None:
        before = everything_of(acts.tenant)
        tasks.reindex_next.delay(Extent(acts.tenant_id).written())
        after = everything_of(acts.tenant)
        for label in ("search.Passage", "search.Placement", "search.Embedding", "search.EmbeddingSpace"):
            assert after[label] == before[label]

    def test_keep_to_a_document_or_a_collection(self, acts: Collection) -> None:
        other = make_collection(acts.tenant, "others")
        add(other, "other.md", "# Other\n\nSomething else.\n")
        for extent, names in (
            (Extent(acts.tenant_id, document_id=document_of(acts).pk), {NAME}),
            (Extent(acts.tenant_id, collection_id=other.pk), {"other.md"}),
            (Extent(acts.tenant_id), {NAME, "pilotage-rules.md", "other.md"}),
        ):
            lose_placements(acts.tenant)
            tasks.reindex_next.delay(extent.written())
            assert placed(acts.tenant) == names

    def test_count_words_that_are_counted_wrongly_when_all_is_made_anew(self, acts: Collection) -> None:
        with tenant_scope(acts.tenant_id):
            TermStatistics.objects.update(passage_count=99)
        tasks.reindex_next.delay(Extent(acts.tenant_id).written())
        assert statistics_of(acts.tenant) == counted_statistics(acts.tenant)

    def test_touch_no_other_tenant(self, acts: Collection, meridian: Tenant) -> None:
        fill(meridian)
        lose_placements(meridian)
        before = everything_of(meridian)
        tasks.reindex_next.delay(Extent(acts.tenant_id).written())
        tasks.reindex_next.delay(Extent(acts.tenant_id, document_id=document_in(meridian)).written())
        assert everything_of(meridian) == before

    def test_do_the_same_when_they_are_told_twice(self, acts: Collection) -> None:
        lose_placements(acts.tenant)
        for _ in range(2):
            tasks.reindex_next.delay(Extent(acts.tenant_id).written())
        assert read_health(tenant=acts.tenant).status == Status.HEALTHY


def document_in(tenant: Tenant) -> UUID:
    with tenant_scope(tenant.pk):
        return Document.objects.filter(name=NAME).get().pk


class TestService:
    def test_tells_a_worker_and_says_of_what(
        self,
        acts: Collection,
        at_once: None,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        lose_placements(acts.tenant)
        with django_capture_on_commit_callbacks(execute=True):
            started = reindex(tenant=acts.tenant, actor=ACTOR, document=document_of(acts))
        assert started == Reindexing(collection="", document=NAME, versions=1)
        assert placed(acts.tenant) == {NAME}
        with tenant_scope(acts.tenant_id):
            (event,) = AuditEvent.objects.filter(action="index.rebuilt")
        assert (event.target, event.detail) == (NAME, {"versions": 1})

    def test_counts_every_version_that_can_be_read(self, acts: Collection) -> None:
        add(acts, NAME, ACT.replace("six", "nine"))
        assert reindex(tenant=acts.tenant, actor=ACTOR).versions == 3
        assert reindex(tenant=acts.tenant, actor=ACTOR, collection=acts).versions == 3

    def test_of_nothing_tells_nobody_and_leaves_no_record(
        self, harbour: Tenant, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
    ) -> None:
        before = everything_of(harbour)
        with django_capture_on_commit_callbacks() as sent:
            assert reindex(tenant=harbour, actor=ACTOR).versions == 0
        assert (sent, everything_of(harbour)) == ([], before)


def test_a_message_is_read_as_it_was_written() -> None:
    one, two, three = (UUID(int=number) for number in range(3))
    for extent in (Extent(one), Extent(one, two), Extent(one, two, three), Extent(one, None, three)):
        assert Extent.read(extent.written()) == extent
        assert extent.is_everything is (extent == Extent(one))


def test_an_embedder_that_fails_leaves_what_was_there(acts: Collection) -> None:
    with tenant_scope(acts.tenant_id):
        Embedding.objects.all().delete()
    before = everything_of(acts.tenant)
    broken = {"embedder": ("tests.passages.BrokenEmbedder", {"dimensions": 64})}
    with backends(**broken), pytest.raises(EmbedderError, match="broken"):
        situate_next(Extent(acts.tenant_id), None)
    assert everything_of(acts.tenant) == before


def test_it_waits_where_vectors_are_made() -> None:
    assert settings.CELERY_TASK_ROUTES["documents.tasks.reindex_next"] == {"queue": "embed"}
