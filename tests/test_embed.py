"""Embedding a version: each passage once, whole or not at all, whoever dies or works beside it."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from django.conf import settings

from search.backends.embedders.base import EmbedderError
from search.backends.embedders.hashed import HashedEmbedder
from search.embed import Embedded, count_missing, embed_some
from search.models import Embedding, EmbeddingSpace, Passage
from search.place import Situated
from search.windows import cut_passage
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.passages import at_once, backends, embed_all, place, window_counts
from tests.processes import environment

WORDS = "one two three four five six seven eight nine ten eleven twelve"


def missing(tenant: Tenant, version_id: object) -> int:
    with tenant_scope(tenant.pk):
        return count_missing(version_id)  # type: ignore[arg-type]


class TestWindows:
    """A window says the context first, and fits."""

    @pytest.mark.parametrize(
        ("context", "text", "windows"),
        [
            ("", "one two", ["one two"]),
            ("Act", "one two", ["Act\n\none two"]),
            ("Act", "one two three four five six seven", ["Act\n\none two three four five six seven"]),
            (
                "Act",
                WORDS,
                ["Act\n\none two three four five six seven", "Act\n\nseven eight nine ten eleven twelve"],
            ),
            (
                "a b c d e f g",
                "one two three four five",
                ["a b c d\n\none two three", "a b c d\n\nthree four five"],
            ),
            (" ", "one two", ["one two"]),
        ],
    )
    def test_context_and_text_are_cut_to_what_a_model_reads(
        self, context: str, text: str, windows: list[str]
    ) -> None:
        assert cut_passage(HashedEmbedder(max_tokens=8), context=context, text=text) == windows

    @pytest.mark.parametrize("most", [2, 3, 5, 8, 64])
    @pytest.mark.parametrize("context", ["", "Act", WORDS, "x" * 5000, "\U0001f600" * 300])
    @pytest.mark.parametrize("text", ["one", WORDS * 9, "y" * 5000, "\U0001f6a2 " * 200, " \n" * 90 + "end"])
    def test_every_window_can_be_read_and_every_word_is_in_one(
        self, most: int, context: str, text: str
    ) -> None:
        embedder = HashedEmbedder(max_tokens=most)
        windows = cut_passage(embedder, context=context, text=text)
        assert len(embedder.embed_passages(windows)) == len(windows) > 0
        assert {word for window in windows for word in window.split()} >= set(text.split())


class TestEmbedSome:
    def test_passages_get_vectors_in_the_space_of_the_declared_embedder(self, harbour: Tenant) -> None:
        version = place(harbour, "berth", "pilot", "berth")
        assert missing(harbour, version.pk) == 2
        assert embed_some(tenant_id=harbour.pk, version_id=version.pk) == Embedded(done=2, left=0)
        assert missing(harbour, version.pk) == 0
        with tenant_scope(harbour.pk):
            space = EmbeddingSpace.objects.get()
            (vector,) = Embedding.objects.filter(passage__text="berth").values_list("vector", flat=True)
        assert (space.provider, space.model, space.dimensions, space.state) == (
            "embedded",
            "hashed-64",
            64,
            "active",
        )
        assert vector == pytest.approx(HashedEmbedder().embed_query("berth"), abs=1e-3)

    def test_no_more_than_asked_for_at_a_time(self, harbour: Tenant) -> None:
        version = place(harbour, *(f"berth {number}" for number in range(12)))
        seen = [embed_some(tenant_id=harbour.pk, version_id=version.pk, most_texts=5) for _ in range(4)]
        assert seen == [Embedded(5, 7), Embedded(5, 2), Embedded(2, 0), Embedded(0, 0)]

    def test_long_passages_make_smaller_batches(self, harbour: Tenant) -> None:
        version = place(harbour, *(f"{number} " + "berth " * 1000 for number in range(10)))
        assert embed_some(tenant_id=harbour.pk, version_id=version.pk) == Embedded(8, 2)

    def test_only_passages_of_the_version_are_embedded(self, harbour: Tenant) -> None:
        version, other = place(harbour, "berth"), place(harbour, "berth", "pilot")
        embed_all(harbour, version)
        assert missing(harbour, other.pk) == 1

    def test_a_long_passage_has_a_vector_per_window_each_with_its_context(self, harbour: Tenant) -> None:
        with backends(embedder=("search.backends.embedders.hashed.HashedEmbedder", {"max_tokens": 8})):
            version = place(harbour, Situated(WORDS, context="Act"))
            embed_all(harbour, version)
        with tenant_scope(harbour.pk):
            assert list(Embedding.objects.order_by("window").values_list("window", flat=True)) == [0, 1]

    def test_a_version_without_passages_has_nothing_missing(self, harbour: Tenant) -> None:
        version = place(harbour)
        assert embed_some(tenant_id=harbour.pk, version_id=version.pk) == Embedded(0, 0)

    def test_an_embedder_that_fails_leaves_nothing_of_its_batch(self, harbour: Tenant) -> None:
        version = place(harbour, *(f"berth {number}" for number in range(4)), "poison")
        with backends(embedder=("tests.passages.PickyEmbedder", {})):
            with pytest.raises(EmbedderError, match="picky"):
                embed_some(tenant_id=harbour.pk, version_id=version.pk)
            assert window_counts(harbour) == [0] * 5
            assert missing(harbour, version.pk) == 5
        embed_all(harbour, version)
        assert window_counts(harbour) == [1] * 5

    def test_what_was_used_is_told_once_per_batch_even_if_the_batch_fails(self, harbour: Tenant) -> None:
        used: list[int] = []
        version = place(harbour, "berth of pilots", "two words")
        with backends(embedder=("tests.passages.MeteredEmbedder", {})):
            embed_some(
                tenant_id=harbour.pk,
                version_id=version.pk,
                record_usage=lambda _, tokens: used.append(tokens),
            )
        assert used == [5]


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
class TestAtOnce:
    @pytest.fixture
    def tenant(self) -> Tenant:
        return factories.tenant("harbour")

    def test_workers_on_versions_that_share_passages_embed_each_passage_once(self, tenant: Tenant) -> None:
        texts = [f"berth {number}" for number in range(60)]
        versions = [place(tenant, *texts), place(tenant, *texts[::-1]), place(tenant, *texts[:30])]
        done: list[int] = []

        def work(version_id: object) -> None:
            left = 1
            while left:
                some = embed_some(tenant_id=tenant.pk, version_id=version_id, most_texts=7)  # type: ignore[arg-type]
                done.append(some.done)
                left = some.left

        with backends(embedder=("tests.passages.SlowEmbedder", {})):
            at_once(*(lambda pk=version.pk: work(pk) for version in [*versions, versions[0]]))
        assert sum(done) == 60
        assert window_counts(tenant) == [1] * 60

    def test_first_batches_at_once_make_one_space(self, tenant: Tenant) -> None:
        versions = [place(tenant, f"berth {number}") for number in range(4)]
        at_once(*(lambda version=version: embed_all(tenant, version) for version in versions))
        with tenant_scope(tenant.pk):
            assert EmbeddingSpace.objects.count() == 1
        assert window_counts(tenant) == [1] * 4

    def test_what_a_killed_worker_had_in_hand_is_embedded_by_the_next_once(self, tenant: Tenant) -> None:
        version = place(tenant, *(f"berth {number}" for number in range(6)))
        worker = halting_worker(tenant, version.pk)
        try:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "begun\n"
            assert embed_some(tenant_id=tenant.pk, version_id=version.pk) == Embedded(
                2, 4
            )  # The other has four.
        finally:
            worker.kill()
            worker.communicate(timeout=30)
        left = 4
        while left:
            left = embed_some(tenant_id=tenant.pk, version_id=version.pk).left
        with tenant_scope(tenant.pk):
            assert Passage.objects.count() == 6
        assert window_counts(tenant) == [1] * 6


def halting_worker(tenant: Tenant, version_id: object) -> subprocess.Popen[str]:
    """Start a process that takes a batch of four and stays in the middle of it."""
    program = f"""
        import django
        django.setup()
        from uuid import UUID
        from tests.passages import backends
        from search.embed import embed_some
        with backends(embedder=("tests.passages.HaltingEmbedder", {{}})):
            embed_some(tenant_id=UUID("{tenant.pk}"), version_id=UUID("{version_id}"), most_texts=4)
    """
    database = settings.DATABASES["default"]
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)],
        cwd=settings.BASE_DIR,
        env=environment(
            settings.HOME.path,
            DJANGO_SETTINGS_MODULE="config.settings",
            REDIS_URL=settings.CELERY_BROKER_URL,
            DATABASE_URL=f"postgresql://{database['USER']}@/{database['NAME']}?host={database['HOST']}",
        ),
        stdout=subprocess.PIPE,
        text=True,
    )
