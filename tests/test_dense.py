"""The nearest passages are found by a scan where there are few and by an index where there are many."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.test import override_settings
from django.utils import timezone

from documents.models import Document, Version
from search.backends import embedder
from search.backends.keyword_indexes.base import Found
from search.fill import index_space
from search.models import Embedding, EmbeddingSpace, Passage, Placement, SpaceState
from search.reach import Reach
from search.request import Filters
from search.retrieve.dense import nearest_passages
from search.spaces import clear_retired, ensure_space, retire
from tenants.models import Tenant
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.database import everything_of
from tests.passages import backends, embed_all, everything, plans_of, say

TEXTS = ("berth register harbour", "pilot vessel", "berth fee", "warship")


def texts_of(tenant: Tenant, hits: list[Found]) -> list[str]:
    with tenant_scope(tenant.pk):
        return [Passage.objects.get(pk=hit.passage).text for hit in hits]


def nearest(tenant: Tenant, question: str, limit: int = 10, within: Reach | None = None) -> list[Found]:
    vector = embedder().embed_query(question)
    return nearest_passages(within or everything(tenant), vector, space=ensure_space(tenant.pk), limit=limit)


def alone(tenant: Tenant, version: Version) -> Reach:
    return everything(tenant, Filters(documents=(version.document_id,)))


class TestExactly:
    def test_the_nearest_comes_first_with_its_cosine(self, harbour: Tenant) -> None:
        embed_all(harbour, say(harbour, *TEXTS))
        hits = nearest(harbour, "berth fee", limit=2)
        assert texts_of(harbour, hits) == ["berth fee", "berth register harbour"]
        assert hits[0].score == pytest.approx(1, abs=1e-3)
        assert hits[0].score > hits[1].score > 0.2

    def test_no_more_than_the_limit_and_all_if_there_are_fewer(self, harbour: Tenant) -> None:
        embed_all(harbour, say(harbour, *TEXTS))
        assert [len(nearest(harbour, "berth", limit=limit)) for limit in (1, 4, 5)] == [1, 4, 4]

    def test_a_passage_counts_once_by_its_best_window(self, harbour: Tenant) -> None:
        with backends(embedder=("search.backends.embedders.hashed.HashedEmbedder", {"max_tokens": 4})):
            long = "pilot vessel quay wall berth fee due now"
            embed_all(harbour, say(harbour, long, "warship"))
            hits = nearest(harbour, "quay wall berth fee")
            assert texts_of(harbour, hits) == [long, "warship"]
            with tenant_scope(harbour.pk):
                assert Embedding.objects.filter(passage__text=long).count() > 1

    def test_alike_ones_are_in_the_order_of_their_ids(self, harbour: Tenant) -> None:
        embed_all(harbour, say(harbour, "berth fee", "fee berth", "Berth, fee", "BERTH FEE."))
        ids = [hit.passage for hit in nearest(harbour, "berth fee")]
        assert len(ids) == 4
        assert ids == sorted(ids)

    def test_only_passages_within_reach_are_found(self, harbour: Tenant) -> None:
        version = say(harbour, "berth fee")
        embed_all(harbour, version)
        embed_all(harbour, say(harbour, "berth", "berth fee due"))
        hits = nearest(harbour, "berth", within=alone(harbour, version))
        assert texts_of(harbour, hits) == ["berth fee"]

    def test_vectors_of_another_space_are_not_read(self, harbour: Tenant) -> None:
        embed_all(harbour, say(harbour, *TEXTS))
        with tenant_scope(harbour.pk):
            other = factories.embedding_space(harbour)
            passage = Passage.objects.get(text="warship")
            Embedding.objects.create(tenant=harbour, space=other, passage=passage, vector=[1.0, 0, 0])
        assert len(nearest(harbour, "warship")) == 4
        assert nearest_passages(everything(harbour), [1.0, 0, 0], space=other, limit=9) == [
            Found(passage.pk, 1.0)
        ]

    def test_another_tenant_sees_nothing_even_of_a_space_that_it_names(
        self, harbour: Tenant, meridian: Tenant
    ) -> None:
        embed_all(harbour, say(harbour, *TEXTS))
        space = ensure_space(harbour.pk)
        vector = embedder().embed_query("berth")
        assert nearest_passages(everything(meridian), vector, space=space, limit=9) == []

    def test_a_small_space_is_scanned_whole(self, harbour: Tenant) -> None:
        embed_all(harbour, say(harbour, *TEXTS))
        with plans_of("<=>") as plans:
            nearest(harbour, "berth")
        assert len(plans) == 1
        assert "Aggregate" in plans[0]


def large_texts(count: int) -> list[str]:
    chance = random.Random(5)
    return [" ".join(f"word{chance.randrange(200)}" for _ in range(12)) for _ in range(count)]


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
class TestByIndex:
    @pytest.fixture
    def tenant(self) -> Tenant:
        return factories.tenant("harbour")

    @pytest.fixture
    def version(self, tenant: Tenant) -> Iterator[Version]:
        """A version of a tenant that has just become large, beside a tenant that is not."""
        other = factories.tenant("meridian")
        embed_all(other, say(other, *large_texts(200)))
        with override_settings(SEARCH_HNSW_FROM=300):
            version = say(tenant, *large_texts(320))
            embed_all(tenant, version)
            yield version
        forget_spaces(tenant)

    def test_a_space_is_indexed_when_it_becomes_large(self, tenant: Tenant, version: Version) -> None:
        assert ensure_space(tenant.pk).is_indexed
        assert not ensure_space(tenant_of("meridian").pk).is_indexed
        assert [name.split("_")[0] for name in index_names()] == ["space", "past"]

    def test_the_plan_uses_the_index_below_the_wall(self, tenant: Tenant, version: Version) -> None:
        with plans_of("<=>") as plans:
            hits = nearest(tenant, large_texts(3)[2], limit=10)
        assert len(hits) == 10
        assert len(plans) == 1
        assert f"Index Scan using {index_names()[0]}" in plans[0]

    def test_the_nearest_are_those_of_a_scan(self, tenant: Tenant, version: Version) -> None:
        indexed = [nearest(tenant, text, limit=5) for text in large_texts(10)]
        with tenant_scope(tenant.pk):
            EmbeddingSpace.objects.update(is_indexed=False)
        scanned = [nearest(tenant, text, limit=5) for text in large_texts(10)]
        assert [hits[0] for hits in indexed] == [hits[0] for hits in scanned]
        same = [len(set(left) & set(right)) for left, right in zip(indexed, scanned, strict=True)]
        assert sum(same) >= 48

    def test_what_is_superseded_is_passed_by(self, tenant: Tenant, version: Version) -> None:
        with tenant_scope(tenant.pk):
            Version.objects.filter(pk=version.pk).update(superseded_at=timezone.now())
            document = Document.objects.get(pk=version.document_id)
        with override_settings(SEARCH_HNSW_FROM=300):
            later = say(tenant, *large_texts(320)[:30], of=document, number=2)
        hits = nearest(tenant, large_texts(100)[99], limit=10)
        with tenant_scope(tenant.pk):
            said = set(Placement.objects.filter(version=later).values_list("passage", flat=True))
        assert len(hits) == 10
        assert {hit.passage for hit in hits} <= said

    def test_passages_that_come_later_are_found(self, tenant: Tenant, version: Version) -> None:
        embed_all(tenant, say(tenant, "submarine cable"))
        assert texts_of(tenant, nearest(tenant, "submarine cable", limit=1)) == ["submarine cable"]

    def test_one_document_among_many_is_searched_to_the_end(self, tenant: Tenant, version: Version) -> None:
        few = say(tenant, "submarine cable", "warship")
        embed_all(tenant, few)
        hits = nearest(tenant, large_texts(1)[0], within=alone(tenant, few))
        assert sorted(texts_of(tenant, hits)) == ["submarine cable", "warship"]

    def test_the_index_goes_with_its_space(self, tenant: Tenant, version: Version) -> None:
        forget_spaces(tenant)
        assert index_names() == []

    def test_nobody_can_drop_the_index_of_another_tenant(self, tenant: Tenant, version: Version) -> None:
        space = ensure_space(tenant.pk)
        with tenant_scope(tenant_of("meridian").pk), connection.cursor() as cursor:
            cursor.execute("SELECT search_unindex_space(%s)", [space.pk])
        assert len(index_names()) == 2


@pytest.mark.django_db
class TestIndexing:
    def test_more_dimensions_than_an_index_takes_are_scanned(self, harbour: Tenant) -> None:
        with tenant_scope(harbour.pk):
            for dimensions, is_indexed in ((4000, True), (4001, False), (0, False)):
                space = EmbeddingSpace(tenant=harbour, provider="x", model="y", dimensions=dimensions)
                index_space(space)
                assert space.is_indexed == is_indexed
                assert len(index_names()) == 2

    def test_the_application_cannot_make_indexes_by_itself(self, harbour: Tenant) -> None:
        before = everything_of(harbour)
        with pytest.raises(DatabaseError, match="must be owner"), tenant_scope(harbour.pk):
            connection.cursor().execute("CREATE INDEX mine ON search_embedding (id)")
        assert everything_of(harbour) == before

    def test_nobody_else_may_ask_for_one(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT prosecdef, proconfig, proacl::text FROM pg_proc"
                " WHERE proname LIKE 'search_%%index_space'"
            )
            found = cursor.fetchall()
            assert len(found) == 2
            for is_definer, configuration, privileges in found:
                assert is_definer
                assert "search_path=public, pg_temp" in configuration
                assert privileges == "{pandect_owner=X/pandect_owner,pandect_app=X/pandect_owner}"


def tenant_of(slug: str) -> Tenant:

    with platform_scope():
        return Tenant.objects.get(slug=slug)


def forget_spaces(tenant: Tenant) -> None:

    with tenant_scope(tenant.pk):
        retire(tenant.pk, SpaceState.ACTIVE)
    clear_retired(tenant.pk, grace=timedelta(0))


def index_names() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE indexname ~ '^(space|past)_' ORDER BY 1 DESC")
        return [name for (name,) in cursor.fetchall() if len(name) in {37, 38}]
