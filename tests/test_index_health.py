"""How an index is told to be: as it is, by one tenant's rows alone."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents.models import State, Version
from search.backends import embedder
from search.health import MOST_NAMED, IndexHealth, Status, read_health
from search.models import Embedding, EmbeddingSpace, Passage, Placement, TermStatistics
from search.place import Situated
from search.spaces import fill_space, start_space
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.passages import backends, embed_all, place, say

BERTHS = "The harbour master keeps a register of berths."
PILOTS = "Pilots board vessels outside the harbour."
REBUILD = "`manage.py rebuild_index` mends it."


def indexed(tenant: Tenant, *texts: str) -> Version:
    version = say(tenant, *texts or (BERTHS, PILOTS))
    embed_all(tenant, version)
    return version


def wait_since(version: Version, **ago: int) -> datetime:
    since = timezone.now() - timedelta(**ago)
    with tenant_scope(version.tenant_id):
        Version.objects.filter(pk=version.pk).update(queued_at=since)
    return since


def health_of(tenant: Tenant) -> IndexHealth:
    return read_health(tenant=tenant)


def test_an_empty_tenant_is_empty_and_lacks_nothing(harbour: Tenant) -> None:
    health = health_of(harbour)
    assert (health.status, health.sentences) == (Status.EMPTY, ())
    assert (health.documents, health.versions, health.passages, health.spaces) == (0, {}, 0, ())
    assert (health.lag.waiting, health.lag.seconds, health.lag.oldest) == (0, 0.0, None)
    assert (health.failures.count, health.failures.newest) == (0, ())
    assert asdict(health.sizes) == {"sources": 0, "texts": 0, "passages": 0, "vectors": 0}
    assert health.last_ready_at is None


def test_what_is_indexed_is_counted(harbour: Tenant) -> None:
    version = indexed(harbour, BERTHS, PILOTS, BERTHS)
    health = health_of(harbour)
    assert (health.status, health.sentences) == (Status.HEALTHY, ())
    assert (health.documents, health.versions) == (1, {"ready": 1})
    assert asdict(health.chunks) == {"count": 3, "placed": 3, "fallen_back": 0}
    assert health.passages == 2
    (space,) = health.spaces
    assert (space.provider, space.model, space.dimensions) == ("embedded", "hashed-64", 64)
    assert (space.state, space.vectors, space.lacking, space.coverage) == ("active", 2, 0, 1.0)
    assert (health.keywords.index, health.keywords.is_counting) == ("postgres", True)
    assert health.keywords.counted == health.keywords.passages == {"english": 2}
    assert health.keywords.is_complete
    assert health.last_ready_at == version.recorded_at


def test_sizes_are_those_of_the_rows(harbour: Tenant) -> None:
    version = indexed(harbour)
    sizes = health_of(harbour).sizes
    with tenant_scope(harbour.pk):
        kept = version.source.size
    assert sizes.sources == kept
    assert sizes.texts == len(version.text) + 1  # A short text has one byte before it.
    assert sizes.passages > len(BERTHS) + len(PILOTS)
    assert sizes.vectors == 2 * (2 * 64 + 8)


class TestWaiting:
    def test_the_oldest_and_how_long_it_has_waited(self, harbour: Tenant) -> None:
        indexed(harbour)
        young = factories.version(harbour, state=State.QUEUED)
        old = factories.version(harbour, state=State.EMBEDDING)
        wait_since(young, minutes=1)
        since = wait_since(old, minutes=10)
        health = health_of(harbour)
        waited = (health.read_at - since).total_seconds()
        assert waited >= 600
        assert health.status == Status.BEHIND
        assert health.versions == {"embedding": 1, "queued": 1, "ready": 1}
        assert (health.lag.waiting, health.lag.seconds) == (2, waited)
        assert health.lag.oldest is not None
        assert health.lag.oldest.document_id == old.document_id
        assert (health.lag.oldest.state, health.lag.oldest.reason) == ("embedding", "")
        assert health.sentences == (f"2 versions wait, the oldest for {waited:.0f} s.",)

    def test_why_it_still_waits(self, harbour: Tenant) -> None:
        waiting = factories.version(harbour, state=State.EMBEDDING)
        with tenant_scope(harbour.pk):
            Version.objects.filter(pk=waiting.pk).update(failure="It cannot be indexed. Mend it.")
        oldest = health_of(harbour).lag.oldest
        assert oldest is not None
        assert oldest.reason == "It cannot be indexed. Mend it."

    def test_passages_of_what_waits_are_no_gap(self, harbour: Tenant) -> None:
        indexed(harbour)
        waiting = factories.version(harbour, state=State.EMBEDDING)
        place(harbour, "Not embedded yet.", of=waiting)
        health = health_of(harbour)
        assert (health.status, health.passages, health.spaces[0].lacking) == (Status.BEHIND, 2, 0)

    def test_what_is_in_the_bin_does_not_wait(self, harbour: Tenant) -> None:
        waiting = factories.version(harbour, state=State.QUEUED)
        with tenant_scope(harbour.pk):
            type(waiting.document).objects.update(deleted_at=timezone.now())
        assert health_of(harbour).lag.waiting == 0

    @pytest.mark.parametrize("state", [State.READY, State.FAILED, State.CANCELLED])
    def test_what_has_ended_does_not_wait(self, harbour: Tenant, state: State) -> None:
        factories.version(harbour, state=state)
        assert health_of(harbour).lag.waiting == 0


class TestFailures:
    def test_are_named_with_their_reasons(self, harbour: Tenant) -> None:
        failed = factories.version(harbour, state=State.FAILED)
        health = health_of(harbour)
        assert health.failures.count == 1
        (named,) = health.failures.newest
        assert (named.document_id, named.version_id) == (failed.document_id, failed.pk)
        assert named.reason == "It is broken. Mend it."
        assert health.sentences == ("1 document failed. See the reasons, then try again.",)

    def test_an_older_version_that_failed_is_over(self, harbour: Tenant) -> None:
        failed = factories.version(harbour, state=State.FAILED)
        factories.version(harbour, of=failed.document, number=2)
        health = health_of(harbour)
        assert (health.failures.count, health.versions) == (0, {"failed": 1, "ready": 1})

    def test_no_more_are_named_than_can_be_read(self, harbour: Tenant) -> None:
        for _ in range(MOST_NAMED + 1):
            factories.version(harbour, state=State.FAILED)
        failures = health_of(harbour).failures
        assert (failures.count, len(failures.newest)) == (MOST_NAMED + 1, MOST_NAMED)


class TestGaps:
    def test_chunks_that_are_not_placed(self, harbour: Tenant) -> None:
        indexed(harbour)
        with tenant_scope(harbour.pk):
            Placement.objects.filter(position=0).delete()
        health = health_of(harbour)
        assert (health.status, health.chunks.lacking) == (Status.INCOMPLETE, 1)
        assert health.sentences[0] == f"1 chunk that can be read is not in the index. {REBUILD}"

    def test_passages_without_vectors(self, harbour: Tenant) -> None:
        indexed(harbour, BERTHS, PILOTS, "A third.", "A fourth.")
        with tenant_scope(harbour.pk):
            Embedding.objects.filter(passage__text=PILOTS).delete()
        health = health_of(harbour)
        assert (health.status, health.spaces[0].lacking, health.spaces[0].coverage) == (
            Status.INCOMPLETE,
            1,
            0.75,
        )
        assert health.sentences == (f"1 passage has no vectors in the space that searches read. {REBUILD}",)

    def test_no_space_at_all(self, harbour: Tenant) -> None:
        indexed(harbour)
        with tenant_scope(harbour.pk):
            Embedding.objects.all().delete()
            EmbeddingSpace.objects.all().delete()
        health = health_of(harbour)
        assert (health.status, health.spaces) == (Status.INCOMPLETE, ())
        assert health.sentences == (f"2 passages have no vectors in the space that searches read. {REBUILD}",)

    def test_words_that_are_not_counted(self, harbour: Tenant) -> None:
        indexed(harbour)
        with tenant_scope(harbour.pk):
            TermStatistics.objects.filter(term="").update(passage_count=3)
        health = health_of(harbour)
        assert (health.status, health.keywords.counted) == (Status.INCOMPLETE, {"english": 3})
        assert health.sentences == (f"The counts of words are not those of the passages. {REBUILD}",)

    def test_an_index_that_counts_no_words_lacks_none(self, harbour: Tenant) -> None:
        path = "search.backends.keyword_indexes.memory.MemoryKeywordIndex"
        with backends(keyword_index=(path, {})):
            indexed(harbour)
            health = health_of(harbour)
        assert (health.keywords.index, health.keywords.is_counting) == ("in-memory", False)
        assert (health.status, health.keywords.counted) == (Status.HEALTHY, {})

    def test_chunks_that_fell_back_are_told_and_no_gap(self, harbour: Tenant) -> None:
        version = indexed(harbour)
        situated = [Situated(BERTHS, fallback="No answer."), Situated(PILOTS)]
        place(harbour, *situated, of=version)
        health = health_of(harbour)
        assert (health.status, health.chunks.fallen_back) == (Status.HEALTHY, 1)
        assert health.sentences == (
            "1 chunk is situated by structure alone. `manage.py recontextualize` asks for more.",
        )


def test_a_space_that_is_being_built_is_told_beside_the_one_in_use(harbour: Tenant) -> None:
    indexed(harbour)
    space = start_space(harbour.pk, embedder())
    fill_space(space, most_texts=1)
    health = health_of(harbour)
    assert health.status == Status.HEALTHY
    assert [(one.state, one.coverage) for one in health.spaces] == [("active", 1.0), ("building", 0.5)]


def test_nothing_of_another_tenant_is_counted(harbour: Tenant, meridian: Tenant) -> None:
    indexed(harbour)
    factories.one_of_each(meridian)
    before = everything_of(meridian)
    health = health_of(harbour)
    assert (health.status, health.documents, health.passages) == (Status.HEALTHY, 1, 2)
    assert "meridian" not in repr(health).lower()
    assert everything_of(meridian) == before


def test_the_number_of_queries_does_not_grow(harbour: Tenant) -> None:
    indexed(harbour)
    with CaptureQueriesContext(connection) as few:
        health_of(harbour)
    for number in range(3):
        factories.version(harbour, state=State.FAILED)
        indexed(harbour, f"Text {number}.")
    with CaptureQueriesContext(connection) as many:
        health_of(harbour)
    assert len(many) == len(few)
    with tenant_scope(harbour.pk):
        assert Passage.objects.count() == 5
