"""A space is replaced by another without a search that sees half of one."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction
from django.test import override_settings
from django.utils import timezone

from search import tasks
from search.backends import BackendError, embedder, next_embedder
from search.backends.embedders.base import Embedder
from search.backends.embedders.hashed import HashedEmbedder
from search.embed import count_missing, embed_some
from search.management.spaces import replace_space
from search.models import Embedding, EmbeddingSpace, Passage, SpaceState
from search.retrieve.dense import nearest_passages
from search.spaces import (
    activate_when_complete,
    active_space,
    building_space,
    clear_retired,
    count_lacking,
    ensure_space,
    fill_space,
    start_space,
)
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.passages import at_once, backends, embed_all, everything, place, say, texts_of

HASHED = "search.backends.embedders.hashed.HashedEmbedder"
NEXT = (HASHED, {"dimensions": 32})
TEXTS = tuple(f"berth number {number}" for number in range(12))


def states(tenant: Tenant) -> list[tuple[str, int, int]]:
    """State, dimensions and number of vectors of each space."""
    with tenant_scope(tenant.pk):
        return [
            (space.state, space.dimensions, Embedding.objects.filter(space=space).count())
            for space in EmbeddingSpace.objects.order_by("created_at")
        ]


def found(tenant: Tenant, question: str) -> list[str]:
    space = active_space(tenant.pk)
    assert space is not None
    model: Embedder = HashedEmbedder(dimensions=space.dimensions)
    hits = nearest_passages(everything(tenant), model.embed_query(question), space=space, limit=3)
    with tenant_scope(tenant.pk):
        return [Passage.objects.get(pk=hit.passage).text for hit in hits]


def fill_up(space: EmbeddingSpace) -> None:
    while fill_space(space):
        pass


def expire(tenant: Tenant) -> None:
    """Let two minutes pass since a space was touched, and since one was retired."""
    with tenant_scope(tenant.pk):
        long_ago = timezone.now() - timedelta(minutes=3)
        EmbeddingSpace.objects.update(touched_at=long_ago)
        EmbeddingSpace.objects.filter(state=SpaceState.RETIRED).update(retired_at=long_ago)


class TestSpaces:
    def test_the_first_space_is_in_use_at_once_and_stays_the_same(self, harbour: Tenant) -> None:
        assert active_space(harbour.pk) is None
        first = ensure_space(harbour.pk)
        assert states(harbour) == [("active", 64, 0)]
        assert first.activated_at is not None
        assert ensure_space(harbour.pk) == first

    def test_two_spaces_in_use_or_being_built_are_refused(self, harbour: Tenant) -> None:
        space = ensure_space(harbour.pk)
        building = start_space(harbour.pk, embedder())
        for one in (space, building):
            with tenant_scope(harbour.pk), pytest.raises(IntegrityError), transaction.atomic():
                EmbeddingSpace(tenant=harbour, provider="x", model="y", dimensions=3, state=one.state).save()
        assert states(harbour) == [("active", 64, 0), ("building", 64, 0)]

    def test_a_space_is_filled_beside_the_one_in_use_and_then_takes_over(self, harbour: Tenant) -> None:
        embed_all(harbour, say(harbour, *TEXTS))
        with backends(next_embedder=NEXT):
            model = next_embedder()
            assert model is not None
            space = start_space(harbour.pk, model)
            assert not activate_when_complete(harbour.pk)
            assert fill_space(space, most_texts=5) == 5
            assert count_lacking(space) == 7
            assert not activate_when_complete(harbour.pk)
            assert states(harbour) == [("active", 64, 12), ("building", 32, 5)]
            assert found(harbour, "berth number 7")[0] == "berth number 7"
            fill_up(space)
            assert activate_when_complete(harbour.pk)
        assert states(harbour) == [("retired", 64, 12), ("active", 32, 12)]
        assert found(harbour, "berth number 7")[0] == "berth number 7"

    def test_without_a_space_being_built_nothing_is_activated(self, harbour: Tenant) -> None:
        ensure_space(harbour.pk)
        before = everything_of(harbour)
        assert not activate_when_complete(harbour.pk)
        assert everything_of(harbour) == before

    def test_passages_that_come_meanwhile_go_into_the_space_in_use_and_are_waited_for(
        self, harbour: Tenant
    ) -> None:
        embed_all(harbour, place(harbour, *TEXTS))
        with backends(next_embedder=NEXT):
            space = start_space(harbour.pk, HashedEmbedder(dimensions=32))
            fill_up(space)
            version = place(harbour, "pilot")
            embed_all(harbour, version)
            assert states(harbour) == [("active", 64, 13), ("building", 32, 12)]
            assert not activate_when_complete(harbour.pk)
            fill_up(space)
            assert activate_when_complete(harbour.pk)
            with tenant_scope(harbour.pk):
                assert count_missing(version.pk) == 0

    def test_after_the_change_a_version_goes_on_in_the_new_space(self, harbour: Tenant) -> None:
        version = place(harbour, *TEXTS)
        embed_some(tenant_id=harbour.pk, version_id=version.pk, most_texts=4)
        with backends(next_embedder=NEXT):
            fill_up(start_space(harbour.pk, HashedEmbedder(dimensions=32)))
            assert activate_when_complete(harbour.pk)
            some = embed_some(tenant_id=harbour.pk, version_id=version.pk)
            assert (some.done, some.left) == (0, 0)

    def test_starting_again_goes_on_with_the_same_space(self, harbour: Tenant) -> None:
        embed_all(harbour, place(harbour, *TEXTS))
        space = start_space(harbour.pk, embedder())
        fill_space(space, most_texts=5)
        assert start_space(harbour.pk, embedder()) == space
        assert states(harbour) == [("active", 64, 12), ("building", 64, 5)]

    def test_starting_with_another_model_gives_up_what_was_begun(self, harbour: Tenant) -> None:
        first = start_space(harbour.pk, HashedEmbedder(dimensions=32))
        second = start_space(harbour.pk, HashedEmbedder(dimensions=16))
        assert states(harbour) == [("retired", 32, 0), ("building", 16, 0)]
        assert building_space(harbour.pk) == second != first

    def test_a_space_of_a_large_tenant_is_indexed_from_the_start(self, harbour: Tenant) -> None:
        place(harbour, *TEXTS)
        with override_settings(SEARCH_HNSW_FROM=13):
            assert not start_space(harbour.pk, HashedEmbedder(dimensions=32)).is_indexed
        with override_settings(SEARCH_HNSW_FROM=12):
            assert start_space(harbour.pk, HashedEmbedder(dimensions=16)).is_indexed

    def test_a_space_whose_embedder_is_not_declared_says_so(self, harbour: Tenant) -> None:
        version = place(harbour, *TEXTS)
        ensure_space(harbour.pk)
        before = everything_of(harbour)
        with backends(embedder=NEXT), pytest.raises(BackendError, match="hashed-64"):
            embed_some(tenant_id=harbour.pk, version_id=version.pk)
        assert everything_of(harbour) == before

    def test_retired_vectors_are_kept_for_searches_under_way_and_then_deleted(self, harbour: Tenant) -> None:
        embed_all(harbour, place(harbour, *TEXTS))
        fill_up(start_space(harbour.pk, embedder()))
        activate_when_complete(harbour.pk)
        assert clear_retired(harbour.pk) == 0
        assert states(harbour) == [("retired", 64, 12), ("active", 64, 12)]
        expire(harbour)
        assert clear_retired(harbour.pk) == 1
        assert states(harbour) == [("active", 64, 12)]

    def test_spaces_of_another_tenant_stay(self, harbour: Tenant, meridian: Tenant) -> None:
        for tenant in (harbour, meridian):
            embed_all(tenant, place(tenant, *TEXTS))
            start_space(tenant.pk, embedder())
        before = everything_of(meridian)
        fill_up(start_space(harbour.pk, embedder()))
        assert activate_when_complete(harbour.pk)
        assert clear_retired(harbour.pk, grace=timedelta(0)) == 1
        assert everything_of(meridian) == before


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
class TestAtOnce:
    def test_several_fill_a_space_while_passages_come_and_it_takes_over_complete(self) -> None:
        tenant = factories.tenant("harbour")
        embed_all(tenant, place(tenant, *TEXTS))
        space = start_space(tenant.pk, embedder())
        versions = [factories.version(tenant) for _ in range(6)]

        def come() -> None:
            for number, version in enumerate(versions):
                embed_all(tenant, place(tenant, f"pilot number {number}", of=version))

        def fill() -> None:
            while building_space(tenant.pk) is not None:
                fill_space(space, most_texts=2)
                activate_when_complete(tenant.pk)

        at_once(come, fill, fill)
        active = active_space(tenant.pk)
        assert active == space
        assert count_lacking(space) == 0
        assert len(texts_of(tenant)) == 18
        with tenant_scope(tenant.pk):
            assert Embedding.objects.filter(space=space).count() == 18


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Messages to the queue: kept here, for a test to deliver."""
    messages: list[tuple[str, str]] = []
    monkeypatch.setattr(
        tasks.fill_space_of, "apply_async", lambda args, **options: messages.append(tuple(args))
    )
    return messages


class TestTasks:
    def test_spaces_are_filled_in_turns_and_take_over(
        self, harbour: Tenant, meridian: Tenant, sent: list[tuple[str, str]]
    ) -> None:
        tenants = (harbour, meridian)
        for tenant in tenants:
            embed_all(tenant, place(tenant, *(f"berth {number}" for number in range(40))))
            start_space(tenant.pk, embedder())
            expire(tenant)
        tasks.fill_spaces()
        order = []
        while sent:
            message = sent.pop(0)
            order.append(UUID(message[0]))
            tasks.fill_space_of(*message)
        assert order[:4] in ([harbour.pk, meridian.pk] * 2, [meridian.pk, harbour.pk] * 2)
        assert [states(tenant)[1] for tenant in tenants] == [("active", 64, 40)] * 2

    def test_a_space_that_is_being_filled_is_left_alone(
        self, harbour: Tenant, sent: list[tuple[str, str]]
    ) -> None:
        start_space(harbour.pk, embedder())
        tasks.fill_spaces()
        assert sent == []

    def test_a_message_that_comes_twice_counts_once(
        self, harbour: Tenant, sent: list[tuple[str, str]]
    ) -> None:
        embed_all(harbour, place(harbour, *(f"berth {number}" for number in range(70))))
        start_space(harbour.pk, embedder())
        expire(harbour)
        tasks.fill_spaces()
        (message,) = sent
        tasks.fill_space_of(*message)
        after = everything_of(harbour)
        tasks.fill_space_of(*message)
        assert everything_of(harbour) == after
        assert len(sent) == 2

    def test_an_embedder_that_fails_is_tried_again_later(
        self, harbour: Tenant, sent: list[tuple[str, str]]
    ) -> None:
        embed_all(harbour, place(harbour, "poison"))
        start_space(harbour.pk, embedder())
        expire(harbour)
        tasks.fill_spaces()
        with backends(embedder=("tests.passages.PickyEmbedder", {})):
            tasks.fill_space_of(*sent.pop())
        assert sent == []
        assert states(harbour) == [("active", 64, 1), ("building", 64, 0)]
        expire(harbour)
        tasks.fill_spaces()
        assert len(sent) == 1

    def test_what_was_replaced_is_cleared_away(self, harbour: Tenant, sent: list[tuple[str, str]]) -> None:
        embed_all(harbour, place(harbour, *TEXTS))
        fill_up(start_space(harbour.pk, embedder()))
        activate_when_complete(harbour.pk)
        tasks.fill_spaces()
        assert len(states(harbour)) == 2
        expire(harbour)
        tasks.fill_spaces()
        assert states(harbour) == [("active", 64, 12)]


class TestChangeEmbedder:
    def change(self, *arguments: str) -> list[str]:
        said = StringIO()
        call_command("change_embedder", *arguments, stdout=said)
        return said.getvalue().splitlines()

    def test_every_tenant_changes_over_and_it_says_what_to_do_then(
        self, harbour: Tenant, meridian: Tenant
    ) -> None:
        for tenant in (harbour, meridian):
            embed_all(tenant, say(tenant, *TEXTS))
        with backends(next_embedder=NEXT):
            said = self.change()
            for tenant in (harbour, meridian):
                assert states(tenant) == [("retired", 64, 12), ("active", 32, 12)]
            assert self.change()[-1] == said[-1]
        assert said[:2] == [
            "harbour: searches read embedded/hashed-32 (32)",
            "meridian: searches read embedded/hashed-32 (32)",
        ]
        assert "Declare it as 'embedder'" in said[2]
        with backends(embedder=NEXT):
            assert found(harbour, "berth number 3")[0] == "berth number 3"

    def test_one_tenant_alone(self, harbour: Tenant, meridian: Tenant) -> None:
        for tenant in (harbour, meridian):
            embed_all(tenant, place(tenant, *TEXTS))
        before = everything_of(meridian)
        with backends(next_embedder=NEXT):
            assert self.change("--tenant", "harbour") == ["harbour: searches read embedded/hashed-32 (32)"]
        assert everything_of(meridian) == before

    def test_without_a_next_embedder_nothing_happens(self, harbour: Tenant) -> None:
        embed_all(harbour, place(harbour, *TEXTS))
        before = everything_of(harbour)
        with pytest.raises(CommandError, match="next_embedder"):
            self.change()
        assert everything_of(harbour) == before

    def test_an_embedder_that_fails_leaves_the_space_in_use(self, harbour: Tenant) -> None:
        embed_all(harbour, place(harbour, "poison"))
        with (
            backends(next_embedder=("tests.passages.PickyEmbedder", {"dimensions": 32})),
            pytest.raises(CommandError, match="harbour: picky"),
        ):
            self.change()
        assert states(harbour) == [("active", 64, 1), ("building", 32, 0)]


class TestBesideWorkers:
    """A command that fills a space, and workers that do so too."""

    def test_a_space_that_workers_have_activated_is_done(self, harbour: Tenant) -> None:
        embed_all(harbour, place(harbour, *TEXTS))
        said: list[str] = []
        space = start_space(harbour.pk, embedder())
        fill_up(space)
        assert activate_when_complete(harbour.pk)
        replace_space(space, said.append)
        assert said == [f"searches read {space}"]

    @pytest.mark.parametrize("is_gone", [True, False])
    def test_a_space_that_was_replaced_ends_the_command(self, harbour: Tenant, is_gone: bool) -> None:
        embed_all(harbour, place(harbour, *TEXTS))
        space = start_space(harbour.pk, embedder())
        with tenant_scope(harbour.pk):
            rows = EmbeddingSpace.objects.filter(pk=space.pk)
            if is_gone:
                rows.delete()
            else:
                rows.update(state=SpaceState.RETIRED, retired_at=timezone.now())
        with pytest.raises(CommandError, match="Another space has taken the place"):
            replace_space(space, lambda line: None)
