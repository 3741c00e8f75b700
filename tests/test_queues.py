"""Whose turn it is, what one step leaves for the next, and what stops on the way."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import override_settings
from django.utils import timezone

from documents import pipeline, services, tasks
from documents.claim import ClaimLost, claim_version, kept_alive, release
from documents.errors import NothingToDo
from documents.models import Chunk, Collection, State, Version
from documents.parse import parse_outline
from documents.reconcile import MOST_ATTEMPTS, release_stuck_versions
from documents.schedule import is_any_waiting, versions_in_turn
from search.backends import declared
from search.backends.embedders.base import EmbedderError, Vector
from search.backends.embedders.hashed import HashedEmbedder
from search.models import Embedding, Passage, Placement
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR

ACT = b"""# Harbour Act

## Section 1. Ports

A port must be kept clear.

## Section 2. Ships

A ship may not be left alone.
"""


class BrokenEmbedder(HashedEmbedder):
    """Answers never."""

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        raise EmbedderError("The server is away. Start it.")


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "rules")


def add(collection: Collection, name: str = "act.md", content: bytes = ACT) -> Version:
    return services.add_document(
        collection=collection, name=name, content=content, actor=ACTOR, is_queued=False
    )


def change(version: Version, **fields: Any) -> None:
    with tenant_scope(version.tenant_id):
        Version.objects.filter(pk=version.pk).update(**fields)


def reload(version: Version) -> Version:
    with tenant_scope(version.tenant_id):
        return Version.objects.select_related("document__collection", "document__tenant").get(pk=version.pk)


def count(tenant: Tenant, *models: Any) -> list[int]:
    with tenant_scope(tenant.pk):
        return [model.objects.count() for model in models]


def turns(state: State = State.QUEUED) -> list[UUID]:
    return [version_id for version_id, _ in versions_in_turn(state)]


class TestTurns:
    def test_nothing_waits_nowhere(self, harbour: Tenant) -> None:
        assert versions_in_turn(State.QUEUED) == []
        assert not is_any_waiting(State.QUEUED)

    def test_of_one_tenant_the_oldest_comes_first(self, rules: Collection) -> None:
        first, second = add(rules, "1.md"), add(rules, "2.md")
        assert turns() == [first.pk, second.pk]
        change(first, queued_at=timezone.now() + timedelta(hours=1))
        assert turns() == [second.pk, first.pk]

    def test_a_thousand_documents_of_one_tenant_do_not_hold_up_another(
        self, rules: Collection, meridian: Tenant
    ) -> None:
        big = [add(rules, f"{number}.md") for number in range(20)]
        small = add(factories.collection(meridian))
        served = claim_version(big[0].pk, big[0].tenant_id)
        assert served is not None
        assert turns()[0] == small.pk

    def test_tenants_are_served_by_turns(self, rules: Collection, meridian: Tenant) -> None:
        ours = [add(rules, f"{number}.md") for number in range(3)]
        theirs = [add(factories.collection(meridian), f"{number}.md") for number in range(3)]
        order = []
        while is_any_waiting(State.QUEUED):
            version_id, tenant_id = versions_in_turn(State.QUEUED)[0]
            order.append(tenant_id)
            assert claim_version(version_id, tenant_id)
        assert len(order) == len(ours) + len(theirs)
        assert all(one != other for one, other in pairwise(order))

    def test_what_is_in_hand_waits_for_nobody(self, rules: Collection) -> None:
        version = add(rules)
        change(version, state=State.EMBEDDING, claim=uuid4())
        assert turns(State.EMBEDDING) == []
        change(version, claim=None)
        assert turns(State.EMBEDDING) == [version.pk]

    def test_what_waits_for_a_provider_goes_behind_its_like(self, rules: Collection) -> None:
        first, second = add(rules, "1.md"), add(rules, "2.md")
        for version in (first, second):
            change(version, state=State.CONTEXTUALIZING)
        claim = claim_version(first.pk, first.tenant_id, state=State.CONTEXTUALIZING)
        assert claim is not None
        release(claim)
        assert turns(State.CONTEXTUALIZING) == [second.pk, first.pk]


class TestSteps:
    def test_a_version_is_read_then_embedded_then_ready(self, rules: Collection) -> None:
        version = add(rules)
        assert pipeline.read_waiting(version.pk, version.tenant_id)
        waiting = reload(version)
        assert (waiting.state, waiting.claim, waiting.attempts) == ("embedding", None, 0)
        assert (waiting.step_done, waiting.step_total) == (0, 1)
        assert count(rules.tenant, Passage, Placement, Embedding, Chunk) == [1, 1, 0, 0]
        assert pipeline.embed_waiting(version.pk, version.tenant_id)
        assert reload(version).is_current
        assert count(rules.tenant, Passage, Placement, Embedding, Chunk) == [1, 1, 1, 1]

    def test_what_is_known_already_is_ready_at_once(self, rules: Collection) -> None:
        pipeline.ingest_version((first := add(rules)).pk, first.tenant_id)
        version = add(rules, "copy.md")
        assert pipeline.read_waiting(version.pk, version.tenant_id)
        assert reload(version).is_current
        assert count(rules.tenant, Passage, Placement, Embedding) == [1, 2, 1]

    def test_settings_that_changed_meanwhile_are_obeyed(self, rules: Collection) -> None:
        version = add(rules, content=ACT * 20)
        pipeline.read_waiting(version.pk, version.tenant_id)
        services.update_collection(collection=rules, actor=ACTOR, max_chunk_tokens=100)
        pipeline.embed_waiting(version.pk, version.tenant_id)
        assert reload(version).state == "queued"
        assert count(rules.tenant, Chunk) == [0]
        pipeline.ingest_version(version.pk, version.tenant_id)
        assert reload(version).is_current
        chunks, placements = count(rules.tenant, Chunk, Placement)
        assert chunks == placements > 3

    def test_without_contexts_the_text_alone_is_indexed(self, rules: Collection) -> None:
        services.update_collection(collection=rules, actor=ACTOR, contextual_embeddings=False)
        pipeline.ingest_version((version := add(rules)).pk, version.tenant_id)
        with tenant_scope(rules.tenant_id):
            assert [one.context for one in Passage.objects.all()] == [""]

    def test_tasks_take_it_from_queue_to_queue(
        self, rules: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[str] = []
        monkeypatch.setattr(tasks.embed_next, "delay", lambda: told.append("embed"))
        version = add(rules)
        tasks.read_next()
        assert told == ["embed"] * tasks.EMBEDDERS
        tasks.embed_next()
        assert told == ["embed"] * tasks.EMBEDDERS  # Nothing waits any more.
        assert reload(version).is_current


class TestEmbedderThatFails:
    @pytest.fixture
    def broken(self, settings: Any) -> Any:
        backend = {"BACKEND": f"{__name__}.BrokenEmbedder"}
        with override_settings(SEARCH_BACKENDS={**settings.SEARCH_BACKENDS, "embedder": backend}):
            yield

    def test_is_tried_again_later_and_says_why_meanwhile(self, rules: Collection, broken: None) -> None:
        pipeline.read_waiting((version := add(rules)).pk, version.tenant_id)
        assert not pipeline.embed_waiting(version.pk, version.tenant_id)
        waiting = reload(version)
        assert (waiting.state, waiting.attempts) == ("embedding", 0)
        assert waiting.failure == "It cannot be indexed. The server is away. Start it."
        assert count(rules.tenant, Embedding, Chunk) == [0, 0]

    def test_and_is_back_makes_it_ready(self, rules: Collection, settings: Any) -> None:
        backend = {"BACKEND": f"{__name__}.BrokenEmbedder"}
        with override_settings(SEARCH_BACKENDS={**settings.SEARCH_BACKENDS, "embedder": backend}):
            pipeline.read_waiting((version := add(rules)).pk, version.tenant_id)
            pipeline.embed_waiting(version.pk, version.tenant_id)
        assert pipeline.embed_waiting(version.pk, version.tenant_id)
        assert (reload(version).state, reload(version).failure) == ("ready", "")

    @pytest.mark.parametrize(
        ("ago", "state"), [(timedelta(hours=23), "embedding"), (timedelta(hours=25), "failed")]
    )
    def test_for_a_day_fails_the_version(
        self, rules: Collection, broken: None, ago: timedelta, state: str
    ) -> None:
        pipeline.read_waiting((version := add(rules)).pk, version.tenant_id)
        for _ in range(40):
            pipeline.embed_waiting(version.pk, version.tenant_id)
        assert (reload(version).state, reload(version).attempts) == ("embedding", 0)
        change(version, step_began_at=timezone.now() - ago)
        pipeline.embed_waiting(version.pk, version.tenant_id)
        assert reload(version).state == state
        if state == "failed":
            assert reload(version).failure.endswith("The server is away. Start it.")

    @pytest.mark.parametrize(("attempts", "state"), [(29, "ready"), (30, "failed")])
    def test_is_not_one_that_workers_die_of(self, rules: Collection, attempts: int, state: str) -> None:
        pipeline.read_waiting((version := add(rules)).pk, version.tenant_id)
        change(version, attempts=attempts)
        pipeline.embed_waiting(version.pk, version.tenant_id)
        assert reload(version).state == state
        if state == "failed":
            assert "The worker died again and again" in reload(version).failure

    def test_here_and_now_fails_it_at_once(self, rules: Collection, broken: None) -> None:
        pipeline.ingest_version((version := add(rules)).pk, version.tenant_id)
        assert reload(version).failure == "act.md: It cannot be indexed. The server is away. Start it."
        assert count(rules.tenant, Embedding, Chunk) == [0, 0]


class TestCancel:
    @pytest.mark.parametrize(
        "state",
        [State.QUEUED, State.CONVERTING, State.PARSING, State.CONTEXTUALIZING, State.EMBEDDING],
    )
    def test_stops_what_is_open(self, rules: Collection, state: State) -> None:
        version = add(rules)
        change(version, state=state, claim=uuid4())
        services.cancel_version(version=reload(version), actor=ACTOR)
        stopped = reload(version)
        assert (stopped.state, stopped.claim, stopped.is_open) == ("cancelled", None, False)
        with tenant_scope(rules.tenant_id):
            last = AuditEvent.objects.for_tenant(rules.tenant).order_by("-at")[0]
        assert last.sentence == "Stopped the reading of version 1 of act.md"

    @pytest.mark.parametrize("state", [State.READY, State.FAILED, State.CANCELLED])
    def test_is_refused_for_what_has_ended(self, rules: Collection, state: State) -> None:
        version = factories.version(rules.tenant, state=state)
        before = everything_of(rules.tenant)
        with pytest.raises(NothingToDo):
            services.cancel_version(version=reload(version), actor=ACTOR)
        assert everything_of(rules.tenant) == before

    def test_while_a_worker_reads_leaves_nothing_behind(
        self, rules: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = parse_outline

        def cancelled_meanwhile(*args: Any, **options: Any) -> Any:
            services.cancel_version(version=reload(version), actor=ACTOR)
            return real(*args, **options)

        monkeypatch.setattr(pipeline, "parse_outline", cancelled_meanwhile)
        pipeline.ingest_version((version := add(rules)).pk, version.tenant_id)
        assert reload(version).state == "cancelled"
        assert count(rules.tenant, Passage, Placement, Embedding, Chunk) == [0, 0, 0, 0]

    def test_keeps_what_was_embedded_and_retrying_goes_on_from_there(self, rules: Collection) -> None:
        pipeline.read_waiting((version := add(rules)).pk, version.tenant_id)
        services.cancel_version(version=reload(version), actor=ACTOR)
        assert not pipeline.embed_waiting(version.pk, version.tenant_id)
        services.retry_version(version=reload(version), actor=ACTOR, is_queued=False)
        pipeline.ingest_version(version.pk, version.tenant_id)
        assert reload(version).is_current
        assert count(rules.tenant, Passage, Placement, Embedding) == [1, 1, 1]

    def test_uploading_it_again_tries_again(self, rules: Collection) -> None:
        services.cancel_version(version=reload(add(rules)), actor=ACTOR)
        again = add(rules)
        assert (again.number, again.state, again.outcome) == (1, "queued", "retried")


class TestEnds:
    """What has ended is in nobody's hand, so that it can be taken up again."""

    def test_of_what_became_ready(self, rules: Collection) -> None:
        pipeline.ingest_version((version := add(rules)).pk, version.tenant_id)
        assert (reload(version).state, reload(version).claim) == ("ready", None)

    def test_of_what_failed(self, rules: Collection) -> None:
        version = add(rules, "broken.pdf", b"%PDF-1.7\nnothing else")
        pipeline.ingest_version(version.pk, version.tenant_id)
        assert (reload(version).state, reload(version).claim) == ("failed", None)
        services.retry_version(version=reload(version), actor=ACTOR, is_queued=False)
        assert turns() == [version.pk]

    def test_of_what_workers_died_of(self, rules: Collection) -> None:
        version = add(rules)
        long_ago = timezone.now() - timedelta(days=1)
        change(version, state=State.PARSING, claim=uuid4(), attempts=MOST_ATTEMPTS, touched_at=long_ago)
        assert release_stuck_versions() == []
        assert (reload(version).state, reload(version).claim) == ("failed", None)
        services.retry_version(version=reload(version), actor=ACTOR, is_queued=False)
        assert turns() == [version.pk]


class TestDeletion:
    @pytest.mark.parametrize("is_whole", [True, False], ids=["of a ready one", "of one on its way"])
    def test_of_a_document_leaves_no_row(self, rules: Collection, is_whole: bool) -> None:
        before = everything_of(rules.tenant)
        version = add(rules)
        step = pipeline.ingest_version if is_whole else pipeline.read_waiting
        step(version.pk, version.tenant_id)
        services.delete_document(document=reload(version).document, actor=ACTOR)
        services.purge_document(document=reload(version).document, actor=ACTOR)
        after = everything_of(rules.tenant)
        changed = {name for name in before if before[name] != after[name]}
        assert changed <= {"tenants.AuditEvent", "search.EmbeddingSpace"}

    def test_of_a_collection_leaves_no_row(self, rules: Collection) -> None:
        pipeline.ingest_version((version := add(rules)).pk, version.tenant_id)
        services.delete_collection(collection=rules, actor=ACTOR)
        assert count(rules.tenant, Passage, Placement, Embedding, Chunk, Version) == [0] * 5

    def test_leaves_what_another_document_says(self, rules: Collection) -> None:
        for name in ("one.md", "two.md"):
            pipeline.ingest_version((version := add(rules, name)).pk, version.tenant_id)
        services.delete_document(document=reload(version).document, actor=ACTOR)
        services.purge_document(document=reload(version).document, actor=ACTOR)
        assert count(rules.tenant, Passage, Placement, Embedding) == [1, 1, 1]


class TestSignsOfLife:
    def test_a_claim_that_is_lost_ends_them(self, rules: Collection) -> None:
        version = add(rules)
        claim = claim_version(version.pk, version.tenant_id)
        assert claim is not None
        change(version, state=State.QUEUED, claim=None)
        with pytest.raises(ClaimLost), kept_alive(claim):
            release(claim)


class TestDeclarations:
    @pytest.mark.parametrize(
        ("role", "declaration", "said"),
        [
            (
                "embedder",
                {"BACKEND": "search.backends.embeders.X"},
                "SEARCH_BACKENDS['embedder']: No module named 'search.backends.embeders'.",
            ),
            (
                "embedder",
                {"BACKEND": "search.backends.embedders.hashed.HashedEmbedder", "OPTIONS": {"size": 3}},
                "refuses its OPTIONS",
            ),
            (
                "keyword_index",
                {"BACKEND": "search.backends.embedders.hashed.HashedEmbedder"},
                "search.backends.embedders.hashed.HashedEmbedder is no KeywordIndex.",
            ),
            ("contextualizer", None, "SEARCH_BACKENDS['contextualizer'] is missing. Declare its BACKEND."),
            ("contextualiser", {"BACKEND": "x.Y"}, "there is no such role"),
            ("reranker", {"PATH": "x"}, "expected a dictionary with BACKEND"),
        ],
    )
    def test_that_are_wrong_are_named(self, settings: Any, role: str, declaration: Any, said: str) -> None:
        with override_settings(SEARCH_BACKENDS={**settings.SEARCH_BACKENDS, role: declaration}):
            with pytest.raises(declared.BackendError) as error:
                declared.build_backend(role)
            assert said in str(error.value)

    def test_that_may_be_left_out_are_nothing(self) -> None:
        assert declared.reranker() is None
        assert declared.next_embedder() is None

    def test_a_space_whose_embedder_is_gone_says_what_to_do(self) -> None:
        with pytest.raises(declared.BackendError, match="change_embedder"):
            declared.embedder_of("openai", "text-embedding-3-small", 1536)
