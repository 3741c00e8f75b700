"""The index is derived: made anew it gives the same answers, however much of it was lost."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from search.backends import embedder, keyword_index
from search.models import Embedding, EmbeddingSpace, Passage, Placement, TermStatistics
from search.retrieve.dense import nearest_passages
from search.spaces import ensure_space
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.database import everything_of
from tests.passages import backends, counted_statistics, everything, statistics_of

ACT = """# Harbour Act

## Section 1. Ports

(a) A port must be kept clear of wrecks.

(b) The harbour master keeps a register of berths.

## Section 2. Pilots

A pilot boards each vessel outside the harbour, unless the master holds a certificate.
"""
NOTICE = "Ships keep to the right. The fee of a berth is due in March.\n"
QUESTIONS = ["berth register", "who boards a vessel?", "fee in March", "keep clear of wrecks"]
INDEX = [Embedding, Placement, Passage, TermStatistics, EmbeddingSpace]


@pytest.fixture
def corpus(tmp_path: Path, harbour: Tenant) -> Tenant:
    (tmp_path / "act.md").write_text(ACT)
    (tmp_path / "notice.txt").write_text(NOTICE)
    arguments = [str(tmp_path), "--tenant", "harbour", "--collection", "rules", "--create"]
    call_command("ingest", *arguments, stdout=StringIO())
    return harbour


def answers(tenant: Tenant) -> list[list[str]]:
    """What both legs find, by digest, with scores."""
    space = ensure_space(tenant.pk)
    found = []
    for question in QUESTIONS:
        vector = embedder().embed_query(question)
        for hits in (
            keyword_index().find(tenant.pk, question, language="english", limit=10).found,
            nearest_passages(everything(tenant), vector, space=space, limit=10),
        ):
            with tenant_scope(tenant.pk):
                digests = dict(Passage.objects.values_list("pk", "digest"))
            found.append([f"{digests[hit.passage]} {hit.score:.6f}" for hit in hits])
    return found


def rebuild(*arguments: str) -> list[str]:
    said = StringIO()
    call_command("rebuild_index", *arguments, stdout=said)
    return said.getvalue().splitlines()


def vectors(tenant: Tenant) -> set[object]:
    with tenant_scope(tenant.pk):
        return set(Embedding.objects.values_list("pk", flat=True))


def test_the_corpus_is_found(corpus: Tenant) -> None:
    assert all(answers(corpus))


def test_rebuilding_gives_the_same_answers_from_new_vectors(corpus: Tenant) -> None:
    before, old = answers(corpus), ensure_space(corpus.pk)
    assert rebuild() == [
        "harbour: 2 versions placed",
        "harbour: 0 passages swept",
        "harbour: words counted",
        "harbour: searches read embedded/hashed-64 (64)",
        "harbour: done",
    ]
    assert answers(corpus) == before
    assert ensure_space(corpus.pk) != old


def test_vectors_are_kept_if_one_says_so(corpus: Tenant) -> None:
    before, old = answers(corpus), vectors(corpus)
    assert rebuild("--keep-vectors")[-2:] == ["harbour: words counted", "harbour: done"]
    assert answers(corpus) == before
    assert vectors(corpus) == old


def test_passages_and_placements_that_are_right_keep_their_ids(corpus: Tenant) -> None:
    before = everything_of(corpus)
    rebuild("--keep-vectors")
    after = everything_of(corpus)
    for label in ("search.Passage", "search.Placement", "search.Embedding", "search.EmbeddingSpace"):
        assert after[label] == before[label]


@pytest.mark.parametrize("options", [[], ["--keep-vectors"]], ids=["all", "keeping vectors"])
def test_after_the_whole_index_is_lost_the_answers_are_the_same(corpus: Tenant, options: list[str]) -> None:
    before = answers(corpus)
    with tenant_scope(corpus.pk):
        for model in INDEX:
            model._default_manager.all().delete()
    rebuild(*options)
    assert answers(corpus) == before
    assert statistics_of(corpus) == counted_statistics(corpus)


@pytest.mark.parametrize("model", [Embedding, Placement, TermStatistics, EmbeddingSpace])
def test_after_one_table_is_lost_the_answers_are_the_same(corpus: Tenant, model: type[Embedding]) -> None:
    before = answers(corpus)
    with tenant_scope(corpus.pk):
        model._default_manager.all().delete()
    rebuild()
    assert answers(corpus) == before


def test_what_was_tampered_with_is_mended(corpus: Tenant) -> None:
    before = answers(corpus)
    with tenant_scope(corpus.pk), connection.cursor() as cursor:
        cursor.execute("UPDATE search_passage SET full_text = '', weights = '{}/1000000000'")
        cursor.execute("UPDATE search_termstatistics SET passage_count = 99")
    assert answers(corpus) != before
    rebuild("--keep-vectors")
    assert answers(corpus) == before


def test_one_tenant_alone(corpus: Tenant, meridian: Tenant) -> None:
    before = everything_of(corpus)
    assert rebuild("--tenant", "meridian")[0] == "meridian: 0 versions placed"
    assert everything_of(corpus) == before


def test_a_tenant_that_is_not_there_is_named(corpus: Tenant) -> None:
    before = everything_of(corpus)
    with pytest.raises(CommandError, match="nowhere"):
        rebuild("--tenant", "nowhere")
    assert everything_of(corpus) == before


def test_an_embedder_that_fails_leaves_the_answers(corpus: Tenant) -> None:
    before = answers(corpus)
    with (
        backends(embedder=("tests.passages.BrokenEmbedder", {})),
        pytest.raises(CommandError, match="harbour: broken"),
    ):
        rebuild()
    assert answers(corpus) == before
