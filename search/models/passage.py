"""The texts that are indexed, each once per tenant, and the chunks that say them."""

from __future__ import annotations

import uuid
from typing import Self

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from pgvector.django import SparseVectorField

from documents.models import HASH_PATTERN, Version
from search.models.context import Context
from tenants.models import Tenant
from tenants.planner import Hidden

DIMENSIONS = 1_000_000_000  # As many as a sparse vector may have: words rarely share one.


class PassageQuerySet(models.QuerySet["Passage"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def of_version(self, version_id: uuid.UUID) -> Self:
        placements = Placement.objects.filter(version=version_id, passage=models.OuterRef("pk"))
        return self.filter(models.Exists(placements))

    def unplaced(self) -> Self:
        """Those that no version says."""
        return self.exclude(models.Exists(Placement.objects.filter(passage=models.OuterRef("pk"))))

    def superseded(self) -> Self:
        """Those that some versions say, all of them superseded."""
        said = Placement.objects.filter(passage=models.OuterRef("pk"))
        return self.filter(models.Exists(said)).exclude(
            models.Exists(said.filter(version__superseded_at=None))
        )

    def without_vectors(self, space_id: uuid.UUID) -> Self:
        return self.exclude(embeddings__space=Hidden(space_id))


class Passage(models.Model):
    """A chunk's text with its context, once per distinct text, however many versions contain it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="passages"
    )
    digest = models.CharField(max_length=64, help_text="SHA-256 of language, context and text.")
    language = models.CharField(max_length=63, help_text="The text-search configuration of its words.")
    context = models.TextField(blank=True)
    text = models.TextField()
    written_context = models.ForeignKey(
        Context,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        related_name="passages",
        help_text="Empty where the context was told by the structure alone.",
    )
    full_text = SearchVectorField(help_text="Its words, as the language stems them.")
    exact = SearchVectorField(help_text="Its words as they are, for phrases and identifiers.")
    weights = SparseVectorField(dimensions=DIMENSIONS, help_text="What each word weighs in it, after BM25.")
    is_past = models.BooleanField(
        default=False, db_default=False, help_text="Superseded versions alone say it (search/past.py)."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PassageQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="passage_of_a_tenant"),
            models.UniqueConstraint(fields=["tenant", "digest"], name="passage_is_kept_once"),
            models.CheckConstraint(condition=Q(digest__regex=HASH_PATTERN), name="passage_digest_is_sha256"),
            models.CheckConstraint(condition=~Q(text=""), name="passage_has_text"),
        )
        indexes = (
            GinIndex(fields=["full_text"], name="passages_by_words", fastupdate=False),
            GinIndex(
                fields=["full_text"],
                name="current_passages_by_words",
                condition=Q(is_past=False),
                fastupdate=False,
            ),
            GinIndex(fields=["exact"], name="passages_by_exact_words", fastupdate=False),
        )

    def __str__(self) -> str:
        return self.digest[:12]


class Placement(models.Model):
    """That a chunk of a version, known by its position, says a passage.

    It is written before the version is ready, as the plan of what has to be embedded, and seen with it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="placements"
    )
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="placements"
    )
    position = models.PositiveIntegerField(help_text="That of the chunk.")
    passage = models.ForeignKey(
        Passage, on_delete=models.DO_NOTHING, db_constraint=False, related_name="placements"
    )
    fallback = models.CharField(
        max_length=300, blank=True, help_text="Why its context is structural although another was asked for."
    )

    class Meta:
        ordering = ("version_id", "position")
        constraints = (
            models.UniqueConstraint(fields=["version", "position"], name="placement_position_is_unique"),
        )
        indexes = (models.Index(fields=["version"], name="fallback_placements", condition=~Q(fallback="")),)

    def __str__(self) -> str:
        return f"{self.position} of {self.version_id}"


class TermStatistics(models.Model):
    """In how many passages of a tenant a word stands.

    The empty word counts the passages themselves, and a blank those that are past.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="term_statistics",
    )
    language = models.CharField(max_length=63)
    term = models.TextField(blank=True)
    passage_count = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "term statistics"
        constraints = (
            models.UniqueConstraint(fields=["tenant", "language", "term"], name="term_is_counted_once"),
        )

    def __str__(self) -> str:
        return self.term
