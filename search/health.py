"""How the index of a tenant is: what waits, what failed, and how much of what can be read can be found.

The one place that tells it, for pages, REST and agents. Everything is counted from rows, now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, Func, IntegerField, Max, OuterRef, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from documents.models import Chunk, Document, Source, State, Version, VersionQuerySet
from search.backends import keyword_index
from search.backends.keyword_indexes.postgres import PAST, PostgresKeywordIndex
from search.models import Embedding, EmbeddingSpace, Passage, Placement, SpaceState, TermStatistics
from search.models.passage import PassageQuerySet
from tenants.models import Tenant
from tenants.scope import within_tenant

MOST_NAMED = 20  # Failures and waiting versions that are told one by one.
BYTES_OF_HALF = 2  # A number of a vector.
BYTES_OF_VECTOR = 8  # What stands before its numbers.


class Status(StrEnum):
    """The worst that is to be said."""

    EMPTY = "empty"  # There is nothing to be found, and nothing on its way.
    HEALTHY = "healthy"
    BEHIND = "behind"  # Versions wait; what was ready before is found.
    INCOMPLETE = "incomplete"  # Some of what can be read cannot be found in every way.


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionNamed:
    """A version that waits or has failed, and why."""

    document_id: UUID
    document: str
    collection: str
    version_id: UUID
    version: int
    state: str
    reason: str  # Of what waits: why its last attempt did not succeed, if there was one.
    since: datetime  # When it began to wait, or failed.


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """What came in and cannot be found yet, and how long the oldest of it has waited."""

    waiting: int
    seconds: float
    oldest: VersionNamed | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Documents whose newest version could not be read or indexed; the last few of them by name."""

    count: int
    newest: tuple[VersionNamed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkHealth:
    """Chunks of versions that can be read, and those that the index knows."""

    count: int
    placed: int
    fallen_back: int  # Situated by structure alone, because whoever writes contexts did not answer.

    @property
    def lacking(self) -> int:
        return max(0, self.count - self.placed)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceHealth:
    """The vectors of one model; searches read those of the space that is active."""

    id: UUID
    provider: str
    model: str
    dimensions: int
    state: str
    is_indexed: bool
    vectors: int
    lacking: int  # Passages of what can be read that have no vectors in it.
    coverage: float  # The share of those that have, from 0 to 1; 1 where there are none.
    activated_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordHealth:
    """Of how many passages the words are counted, by language; nothing where an index counts none."""

    index: str
    is_counting: bool
    terms: int
    counted: Mapping[str, int]
    passages: Mapping[str, int]  # What there is to be counted, also of versions that wait.

    @property
    def is_complete(self) -> bool:
        return not self.is_counting or dict(self.counted) == dict(self.passages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What rows take in bytes, compressed as they are stored, without indexes."""

    sources: int  # Files as they came in.
    texts: int
    passages: int
    vectors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexHealth:
    status: Status
    sentences: tuple[str, ...]  # What is wrong and what helps; nothing if all is well.
    documents: int
    versions: Mapping[str, int]  # By state, each state that there is.
    lag: Lag
    failures: Failures
    chunks: ChunkHealth
    passages: int  # The different texts of those chunks.
    spaces: tuple[SpaceHealth, ...]
    keywords: KeywordHealth
    sizes: Sizes
    last_ready_at: datetime | None
    read_at: datetime


def read_health(*, tenant: Tenant) -> IndexHealth:
    """Tell how a tenant's index is."""
    now = timezone.now()
    with within_tenant(tenant.pk):
        versions, lag, failures = count_versions(tenant), read_lag(tenant, now), read_failures(tenant)
        chunks, passages, keywords = read_chunks(tenant), said_passages(tenant), read_keywords(tenant)
        spaces = read_spaces(tenant, passages)
        gaps = tuple(find_gaps(chunks, passages.count(), spaces, keywords))
        return IndexHealth(
            status=judge(versions, lag, gaps),
            sentences=(*gaps, *find_delays(lag, failures, chunks)),
            documents=Document.objects.for_tenant(tenant).present().count(),
            versions=versions,
            lag=lag,
            failures=failures,
            chunks=chunks,
            passages=passages.count(),
            spaces=spaces,
            keywords=keywords,
            sizes=read_sizes(tenant, spaces),
            last_ready_at=last_ready(tenant),
            read_at=now,
        )


def judge(versions: Mapping[str, int], lag: Lag, gaps: Sequence[str]) -> Status:
    if gaps:
        return Status.INCOMPLETE
    if lag.waiting:
        return Status.BEHIND
    return Status.HEALTHY if versions.get(State.READY) else Status.EMPTY


def find_gaps(
    chunks: ChunkHealth, passages: int, spaces: Sequence[SpaceHealth], keywords: KeywordHealth
) -> Iterator[str]:
    """Say what searches miss of what can be read."""
    if chunks.lacking:
        yield counted(
            chunks.lacking,
            ngettext(
                "%(count)s chunk that can be read is not in the index. `manage.py rebuild_index` mends it.",
                "%(count)s chunks that can be read are not in the index. `manage.py rebuild_index` mends it.",
                chunks.lacking,
            ),
        )
    active = next((space for space in spaces if space.state == SpaceState.ACTIVE), None)
    if lacking := passages if active is None else active.lacking:
        yield counted(
            lacking,
            ngettext(
                "%(count)s passage has no vectors in the space that searches read. "
                "`manage.py rebuild_index` mends it.",
                "%(count)s passages have no vectors in the space that searches read. "
                "`manage.py rebuild_index` mends it.",
                lacking,
            ),
        )
    if not keywords.is_complete:
        yield gettext(
            "The counts of words are not those of the passages. `manage.py rebuild_index` mends it."
        )


def find_delays(lag: Lag, failures: Failures, chunks: ChunkHealth) -> Iterator[str]:
    """Say what came in and cannot be found, or not as well as it could be."""
    if lag.waiting:
        said = ngettext(
            "%(count)s version waits, the oldest for %(seconds)s s.",
            "%(count)s versions wait, the oldest for %(seconds)s s.",
            lag.waiting,
        )
        yield counted(lag.waiting, said, seconds=f"{lag.seconds:,.0f}")
    if failures.count:
        said = ngettext(
            "%(count)s document failed. See the reasons, then try again.",
            "%(count)s documents failed. See the reasons, then try again.",
            failures.count,
        )
        yield counted(failures.count, said)
    if chunks.fallen_back:
        said = ngettext(
            "%(count)s chunk is situated by structure alone. `manage.py recontextualize` asks for more.",
            "%(count)s chunks are situated by structure alone. `manage.py recontextualize` asks for more.",
            chunks.fallen_back,
        )
        yield counted(chunks.fallen_back, said)


def counted(number: int, said: str, **others: str) -> str:
    return said % {"count": f"{number:,}", **others}


def count_versions(tenant: Tenant) -> dict[str, int]:
    rows = Version.objects.for_tenant(tenant).order_by()
    return dict(rows.values_list("state").annotate(Count("pk")).order_by("state"))


def read_lag(tenant: Tenant, now: datetime) -> Lag:
    waiting = present_versions(tenant).open()
    oldest = waiting.order_by("queued_at", "pk").first()
    if oldest is None:
        return Lag(waiting=0, seconds=0.0, oldest=None)
    return Lag(
        waiting=waiting.count(),
        seconds=max(0.0, (now - oldest.queued_at).total_seconds()),
        oldest=name_version(oldest, oldest.queued_at),
    )


def read_failures(tenant: Tenant) -> Failures:
    failed = present_versions(tenant).newest().filter(state=State.FAILED)
    newest = failed.order_by("-touched_at", "pk")[:MOST_NAMED]
    return Failures(
        count=failed.count(), newest=tuple(name_version(version, version.touched_at) for version in newest)
    )


def present_versions(tenant: Tenant) -> VersionQuerySet:
    """Return those of documents that are not in the bin, to be named."""
    rows = Version.objects.for_tenant(tenant).filter(document__deleted_at=None)
    return rows.select_related("document__collection").without_text()


def name_version(version: Version, since: datetime) -> VersionNamed:
    return VersionNamed(
        document_id=version.document_id,
        document=version.document.name,
        collection=version.document.collection.name,
        version_id=version.pk,
        version=version.number,
        state=version.state,
        reason=version.reason,
        since=since,
    )


def read_chunks(tenant: Tenant) -> ChunkHealth:
    placed = Placement.objects.filter(tenant=tenant, version__state=State.READY)
    return ChunkHealth(
        count=Chunk.objects.filter(tenant=tenant, version__state=State.READY).count(),
        placed=placed.count(),
        fallen_back=placed.exclude(fallback="").count(),
    )


def said_passages(tenant: Tenant) -> PassageQuerySet:
    """Return the passages of versions that can be read."""
    placed = Placement.objects.filter(passage=OuterRef("pk"), version__state=State.READY)
    return Passage.objects.for_tenant(tenant).filter(Exists(placed))


def read_spaces(tenant: Tenant, passages: PassageQuerySet) -> tuple[SpaceHealth, ...]:
    spaces = EmbeddingSpace.objects.for_tenant(tenant).exclude(state=SpaceState.RETIRED)
    count = passages.count()
    return tuple(read_space(space, passages.without_vectors(space.pk).count(), count) for space in spaces)


def read_space(space: EmbeddingSpace, lacking: int, passages: int) -> SpaceHealth:
    return SpaceHealth(
        id=space.pk,
        provider=space.provider,
        model=space.model,
        dimensions=space.dimensions,
        state=space.state,
        is_indexed=space.is_indexed,
        vectors=Embedding.objects.filter(space=space).count(),
        lacking=lacking,
        coverage=1 - lacking / passages if passages else 1.0,
        activated_at=space.activated_at,
    )


def read_keywords(tenant: Tenant) -> KeywordHealth:
    index, rows = keyword_index(), TermStatistics.objects.filter(tenant=tenant)
    by_language = Passage.objects.for_tenant(tenant).order_by().values_list("language")
    return KeywordHealth(
        index=index.name,
        is_counting=isinstance(index, PostgresKeywordIndex),
        terms=rows.exclude(term__in=("", PAST)).count(),
        counted=dict(rows.filter(term="").values_list("language", "passage_count")),
        passages=dict(by_language.annotate(Count("pk"))),
    )


def read_sizes(tenant: Tenant, spaces: Sequence[SpaceHealth]) -> Sizes:
    passages = Passage.objects.for_tenant(tenant)
    return Sizes(
        sources=total(Source.objects.filter(tenant=tenant), F("size")),
        texts=total(Version.objects.for_tenant(tenant), stored("text")),
        passages=total(passages, *map(stored, ("context", "text", "full_text", "exact", "weights"))),
        vectors=sum(one.vectors * (BYTES_OF_HALF * one.dimensions + BYTES_OF_VECTOR) for one in spaces),
    )


def stored(column: str) -> Func:
    """What a value takes where it is stored; asking for that reads nothing of it."""
    return Func(F(column), function="pg_column_size", output_field=IntegerField())


def total(rows: QuerySet[Any], *sizes: Any) -> int:
    sums = {f"sum{number}": Coalesce(Sum(size), 0) for number, size in enumerate(sizes)}
    return sum(int(value) for value in rows.order_by().aggregate(**sums).values())


def last_ready(tenant: Tenant) -> datetime | None:
    recorded: datetime | None = Version.objects.for_tenant(tenant).aggregate(last=Max("recorded_at"))["last"]
    return recorded
