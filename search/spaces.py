"""Which model's vectors searches read, and how another model's take their place."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils import timezone

from search.backends import embedder
from search.backends.embedders.base import Embedder
from search.fill import RecordUsage, fill_passages, index_space
from search.lock import lock_passages
from search.models import Embedding, EmbeddingSpace, Passage, SpaceState
from search.round_trips import Asking, ask
from tenants.scope import tenant_scope, within_tenant

GRACE = timedelta(seconds=10)  # Searches that have read which space is in use end within that.
PORTION = 5_000
# At most one; with the number of vectors in its index, as PostgreSQL last counted them.
ACTIVE = """
    SELECT {columns}, (
        SELECT reltuples FROM pg_class
        WHERE oid = to_regclass('space_' || md5(id::text || current_setting('pandect.tenant_id')))
    )
    FROM search_embeddingspace WHERE tenant_id = %s AND state = %s
"""


def active_space(tenant_id: UUID) -> EmbeddingSpace | None:
    """Return the space that searches read."""
    with within_tenant(tenant_id):
        return ask(read_active_space(tenant_id))


def read_active_space(tenant_id: UUID) -> Asking[EmbeddingSpace | None]:
    """As `active_space`. Each search asks, so the SQL is at hand."""
    columns = [field.attname for field in EmbeddingSpace._meta.concrete_fields]
    statement = ACTIVE.format(columns=", ".join(columns))
    (rows,) = yield [(statement, [tenant_id, SpaceState.ACTIVE])]
    if not rows:
        return None
    *row, vectors = rows[0]
    space = EmbeddingSpace.from_db(connection.alias, columns, row)
    space.indexed_vectors = max(0, round(vectors or 0))
    return space


def building_space(tenant_id: UUID) -> EmbeddingSpace | None:
    with tenant_scope(tenant_id):
        return EmbeddingSpace.objects.filter(tenant=tenant_id, state=SpaceState.BUILDING).first()


def ensure_space(tenant_id: UUID) -> EmbeddingSpace:
    """Return the space in use; the first one of a tenant is of the declared embedder, and used at once."""
    space = active_space(tenant_id)
    while space is None:
        made = space_of(embedder(), tenant_id, state=SpaceState.ACTIVE, activated_at=timezone.now())
        with tenant_scope(tenant_id):
            EmbeddingSpace.objects.bulk_create([made], ignore_conflicts=True)
        space = active_space(tenant_id)
    return space


def space_of(model: Embedder, tenant_id: UUID, **fields: object) -> EmbeddingSpace:
    return EmbeddingSpace(
        tenant_id=tenant_id,
        provider=model.provider,
        model=model.model,
        dimensions=model.dimensions,
        **fields,
    )


def holds(space: EmbeddingSpace, model: Embedder) -> bool:
    """Tell whether the vectors of a space are those of an embedder."""
    return (space.provider, space.model, space.dimensions) == (model.provider, model.model, model.dimensions)


def start_space(tenant_id: UUID, model: Embedder) -> EmbeddingSpace:
    """Begin a space beside the one in use, or go on with one that was begun; one of another model goes."""
    with tenant_scope(tenant_id):
        lock_passages(tenant_id)
        begun = building_space(tenant_id)
        if begun is not None and holds(begun, model):
            return begun
        retire(tenant_id, SpaceState.BUILDING)
        space = space_of(model, tenant_id)
        space.save(force_insert=True)
        if Passage.objects.filter(tenant=tenant_id).count() >= settings.SEARCH_HNSW_FROM:
            index_space(space)  # While it is empty: later that would keep others from writing for minutes.
        return space


def fill_space(
    space: EmbeddingSpace, *, most_texts: int = 32, record_usage: RecordUsage | None = None
) -> int:
    """Embed some of the tenant's passages that the space lacks; return how many."""
    return fill_passages(space, Passage.objects.all(), most_texts=most_texts, record_usage=record_usage)


def count_lacking(space: EmbeddingSpace) -> int:
    """Count the passages of its tenant that a space has no vectors of."""
    with tenant_scope(space.tenant_id):
        return Passage.objects.filter(tenant=space.tenant_id).without_vectors(space.pk).count()


def activate_when_complete(tenant_id: UUID) -> bool:
    """Let searches read the space that was built, if it has all passages; tell whether they do."""
    with tenant_scope(tenant_id):
        lock_passages(tenant_id)
        space = building_space(tenant_id)
        if space is None or count_lacking(space):
            return False
        retire(tenant_id, SpaceState.ACTIVE)
        EmbeddingSpace.objects.filter(pk=space.pk).update(
            state=SpaceState.ACTIVE, activated_at=timezone.now()
        )
        return True


def retire(tenant_id: UUID, state: SpaceState) -> None:
    spaces = EmbeddingSpace.objects.filter(tenant=tenant_id, state=state)
    spaces.update(state=SpaceState.RETIRED, retired_at=timezone.now())


def clear_retired(tenant_id: UUID, *, grace: timedelta = GRACE) -> int:
    """Delete spaces that nobody reads any more, some vectors at a time; return how many spaces went."""
    with tenant_scope(tenant_id):
        retired = EmbeddingSpace.objects.filter(tenant=tenant_id, state=SpaceState.RETIRED)
        spaces = list(retired.filter(retired_at__lte=timezone.now() - grace))
    return sum(clear_space(space) for space in spaces)


def clear_space(space: EmbeddingSpace) -> bool:
    """Delete a space with index and vectors; leave it for later if the index is in use."""
    if not unindex_space(space):
        return False
    while delete_portion(space):
        pass
    with tenant_scope(space.tenant_id):
        EmbeddingSpace.objects.filter(pk=space.pk).delete()
    return True


def unindex_space(space: EmbeddingSpace) -> bool:
    with tenant_scope(space.tenant_id), connection.cursor() as cursor:
        cursor.execute("SELECT search_unindex_space(%s)", [space.pk])
        (is_done,) = cursor.fetchone()
    return bool(is_done)


def delete_portion(space: EmbeddingSpace) -> int:
    with tenant_scope(space.tenant_id):
        portion = Embedding.objects.filter(space=space).values("pk")[:PORTION]
        return Embedding.objects.filter(pk__in=portion).delete()[0]
