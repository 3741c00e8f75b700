"""Give passages their vectors in one space, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from uuid import uuid4

from django.conf import settings
from django.db import connection

from documents.publish import Row, insert_rows
from search.backends import embedder_of
from search.backends.embedders.base import Embedder
from search.models import Embedding, EmbeddingSpace, Passage
from search.models.passage import PassageQuerySet
from search.windows import cut_passage
from tenants.scope import tenant_scope

FIRST = 8  # Passages by whose lengths the size of a batch is judged.
BATCH_CHARACTERS = 24_000  # Some 5,000 tokens: one to three seconds of the embedded model.

RecordUsage = Callable[[EmbeddingSpace, int], None]


def fill_passages(
    space: EmbeddingSpace,
    passages: PassageQuerySet,
    *,
    most_texts: int,
    record_usage: RecordUsage | None = None,
) -> int:
    """Embed some passages that lack vectors in a space, all windows or none; return how many.

    Their rows are locked until the vectors are there: others who fill the same space take other ones, and
    the locks of a worker that is killed go with its connection.
    """
    embedder = embedder_of(space.provider, space.model, space.dimensions)
    with usage_recorded(embedder, space, record_usage), tenant_scope(space.tenant_id):
        taken = take_passages(space, passages, most_texts) if hold_space(space) else []
        if taken:
            insert_rows(Embedding, embed_passages(embedder, space, taken))
    if taken:
        index_when_large(space)
    return len(taken)


def embed_passages(embedder: Embedder, space: EmbeddingSpace, passages: Sequence[Passage]) -> list[Row]:
    """Return the rows of all windows, from one call of the embedder."""
    windows = [
        (one, number, window)
        for one in passages
        for number, window in enumerate(cut_passage(embedder, context=one.context, text=one.text))
    ]
    vectors = embedder.vectors([window for _, _, window in windows])  # Cut to be readable; not counted again.
    return [
        describe_window(space, passage, number, vector)
        for (passage, number, _), vector in zip(windows, vectors, strict=True)
    ]


def hold_space(space: EmbeddingSpace) -> bool:
    """Keep a space from being deleted under the vectors on their way; tell whether it is there."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM search_embeddingspace WHERE id = %s FOR KEY SHARE", [space.pk])
        return cursor.fetchone() is not None


def take_passages(space: EmbeddingSpace, passages: PassageQuerySet, most_texts: int) -> list[Passage]:
    """Lock passages that nobody else has in hand, as many as make a batch."""
    free = passages.filter(tenant=space.tenant_id).without_vectors(space.pk).order_by("pk")
    free = free.select_for_update(no_key=True, skip_locked=True, of=["self"]).only(
        "pk", "context", "text", "is_past"
    )
    taken = list(free[: min(FIRST, most_texts)])
    if taken:
        length = sum(len(one.text) + len(one.context) for one in taken) // len(taken)
        more = min(most_texts, BATCH_CHARACTERS // max(1, length)) - len(taken)
        taken += free.filter(pk__gt=taken[-1].pk)[: max(0, more)]
    return without_done(space, taken)


def without_done(space: EmbeddingSpace, taken: Sequence[Passage]) -> list[Passage]:
    """Leave out those that somebody else finished after the query for them had begun."""
    done = set(Embedding.objects.filter(space=space, passage__in=taken).values_list("passage", flat=True))
    return [one for one in taken if one.pk not in done]


def describe_window(space: EmbeddingSpace, passage: Passage, number: int, vector: Sequence[float]) -> Row:
    return {
        "id": uuid4(),
        "tenant_id": space.tenant_id,
        "space_id": space.pk,
        "passage_id": passage.pk,
        "is_past": passage.is_past,
        "window": number,
        "vector": str(list(vector)),
    }


def index_when_large(space: EmbeddingSpace) -> None:
    """Give a space an index of its own once a scan of it would take long."""
    with tenant_scope(space.tenant_id):
        if space.is_indexed or Embedding.objects.filter(space=space).count() < settings.SEARCH_HNSW_FROM:
            return
        index_space(space)


def index_space(space: EmbeddingSpace) -> None:
    """Make the index, unless the table is too busy: then the next batch tries again."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT search_index_space(%s, %s)", [space.pk, space.dimensions])
        (space.is_indexed,) = cursor.fetchone()
    EmbeddingSpace.objects.filter(pk=space.pk).update(is_indexed=space.is_indexed)


@contextmanager
def usage_recorded(
    embedder: Embedder, space: EmbeddingSpace, record_usage: RecordUsage | None
) -> Iterator[None]:
    """Tell what an embedder used after the transaction, whether it held or not: it is paid for either way."""
    used: list[int] = []
    embedder.on_usage = used.append
    try:
        yield
    finally:
        embedder.on_usage = None
        if used and record_usage is not None:
            record_usage(space, sum(used))
