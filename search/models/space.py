"""Vectors, kept apart by the model that made them."""

from __future__ import annotations

import uuid
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from search.models.passage import Passage
from tenants.models import Tenant


class SpaceState(models.TextChoices):
    BUILDING = "building", _("Being filled")
    ACTIVE = "active", _("In use")
    RETIRED = "retired", _("No longer used")


class EmbeddingSpaceQuerySet(models.QuerySet["EmbeddingSpace"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)


class EmbeddingSpace(models.Model):
    """The vectors of a tenant's passages by one model. A change of the model fills a second one first."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="spaces"
    )
    provider = models.CharField(max_length=50)
    model = models.CharField(max_length=200)
    dimensions = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=SpaceState.choices, default=SpaceState.BUILDING)
    is_indexed = models.BooleanField(default=False, help_text="An HNSW index of its own answers searches.")
    created_at = models.DateTimeField(auto_now_add=True)
    touched_at = models.DateTimeField(default=timezone.now, help_text="When a task last filled some of it.")
    activated_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    indexed_vectors = 0  # About; known of the one that searches read, see `active_space`.

    objects = EmbeddingSpaceQuerySet.as_manager()

    class Meta:
        ordering = ("created_at",)
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="space_of_a_tenant"),
            models.UniqueConstraint(
                fields=["tenant"], condition=Q(state="active"), name="one_active_space_per_tenant"
            ),
            models.UniqueConstraint(
                fields=["tenant"], condition=Q(state="building"), name="one_space_at_a_time_is_built"
            ),
            models.CheckConstraint(condition=Q(state__in=SpaceState.values), name="space_state_is_known"),
            models.CheckConstraint(condition=Q(dimensions__gt=0), name="space_has_dimensions"),
        )

    def __str__(self) -> str:
        return f"{self.provider}/{self.model} ({self.dimensions})"


class Embedding(models.Model):
    """The vector of a passage, or of one window of it where the model reads less than all."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="embeddings"
    )
    space = models.ForeignKey(
        EmbeddingSpace, on_delete=models.DO_NOTHING, db_constraint=False, related_name="embeddings"
    )
    passage = models.ForeignKey(
        Passage, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="embeddings"
    )
    window = models.PositiveSmallIntegerField(default=0)
    vector = HalfVectorField()
    is_past = models.BooleanField(default=False, db_default=False, help_text="As its passage is.")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["passage", "space", "window"], name="window_is_embedded_once"),
        )

    def __str__(self) -> str:
        return f"{self.window} of {self.passage_id}"
