"""Successive versions of real regulations, if they are at hand: each distinct text is paid for once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from documents import services
from documents.models import Chunk, State, Version
from documents.pipeline import ingest_version
from search.backends.embedders.base import Vector
from search.backends.embedders.hashed import HashedEmbedder
from search.evaluation.as_of import in_force, measure_text
from search.evaluation.fill_versions import fill_versions
from search.evaluation.histories import hash_words, read_histories, read_known_units
from search.evaluation.measures import read_records
from search.models import Call, Context, Embedding, Passage, Placement
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR
from tests.processes import DATA
from tests.providers.anthropic_server import AnthropicServer

FOLDER = DATA / "versions"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="The documents are not here.")


class CountingEmbedder(HashedEmbedder):
    """Counts the texts that it embeds."""

    embedded: list[str] = []

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded.extend(texts)
        return super().vectors(texts)


@pytest.fixture
def counting(settings: Any) -> Iterator[list[str]]:
    CountingEmbedder.embedded.clear()
    embedder = {"BACKEND": f"{__name__}.CountingEmbedder", "OPTIONS": {"max_tokens": 4000}}
    with override_settings(SEARCH_BACKENDS={**settings.SEARCH_BACKENDS, "embedder": embedder}):
        yield CountingEmbedder.embedded


def ingest_all(tenant: Tenant) -> None:
    """Ingest the versions of each document in their order, one after another."""
    collection = factories.collection(tenant, "regulations")
    for record in read_records(FOLDER / "versions.jsonl"):
        version = services.add_document(
            collection=collection,
            name=f"{record['doc']}.md",
            content=Path(FOLDER / record["file"]).read_bytes(),
            actor=ACTOR,
            is_queued=False,
        )
        ingest_version(version.pk, version.tenant_id)
        with tenant_scope(tenant.pk):
            version.refresh_from_db(fields=["state", "failure"])
        assert (version.state, version.failure) == (State.READY, "")


def test_each_unit_of_each_version_is_read_as_of_its_day(harbour: Tenant) -> None:
    """What was superseded on its own day is read as it was known before."""
    histories = read_histories(FOLDER, list(read_records(FOLDER / "versions.jsonl")))
    collection = fill_versions(harbour, histories, is_fresh=False)
    texts = {}
    for known, following in zip(histories.versions, [*histories.versions[1:], None], strict=True):
        with tenant_scope(harbour.pk):
            own = Version.objects.filter(document__collection=collection, document__name=known.document)
            recorded = own.get(source__digest=sha256(known.path.read_bytes()).hexdigest()).recorded_at
            context = in_force(known.effective)
            if following is not None and following.effective == known.effective:
                context = replace(context, known_at=recorded)
            (texts[known],) = own.at(context).values_list("text", flat=True)
    units = list(read_known_units(histories, read_records(FOLDER / "sections.jsonl")))
    wrong = [unit for unit in units if hash_words(texts[unit.version][unit.start : unit.end]) != unit.sha]
    assert (len(units), len(wrong)) == (8304, 0)
    (measured,) = measure_text(collection, histories, units)
    assert (measured.value, measured.n) == (1.0, 7281)


def counts() -> tuple[int, int, int]:
    return Version.objects.count(), Chunk.objects.count(), Passage.objects.count()


def test_each_distinct_text_is_embedded_once(harbour: Tenant, counting: list[str]) -> None:
    ingest_all(harbour)
    with tenant_scope(harbour.pk):
        versions, chunks, passages = counts()
        texts = {f"{one.context}\n\n{one.text}".strip() for one in Passage.objects.all()}
        assert versions == 19
        assert Placement.objects.count() == chunks
        assert Embedding.objects.count() == passages == len(texts)
    assert len(counting) == len(set(counting)) == passages
    print(f"\n{chunks} chunks, {passages} embedded: {1 - passages / chunks:.1%} reused")


def test_each_distinct_context_is_paid_once(harbour: Tenant, counting: list[str], settings: Any) -> None:
    with AnthropicServer() as server:
        writer = {
            "BACKEND": "search.backends.contextualizers.anthropic.AnthropicContextualizer",
            "OPTIONS": {"api_key": "key", "base_url": server.url, "waits": ()},
        }
        backends = {**settings.SEARCH_BACKENDS, "contextualizer": writer}
        with override_settings(SEARCH_BACKENDS=backends, SEARCH_MONTHLY_BUDGET=1000):
            ingest_all(harbour)
        asked = [repr(body["messages"]) for body in server.bodies("/v1/messages")]
    with tenant_scope(harbour.pk):
        versions, chunks, passages = counts()
        contexts = Context.objects.count()
        assert Placement.objects.exclude(fallback="").count() == 0
        assert Call.objects.count() == contexts
    assert versions == 19
    assert len(asked) == contexts
    assert len(counting) == len(set(counting)) == passages
    print(f"\n{chunks} chunks, {contexts} contexts written: {1 - contexts / chunks:.1%} reused")
