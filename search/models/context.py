"""Contexts that a provider wrote, kept because they were paid for."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from documents.models import HASH_PATTERN, Version
from tenants.models import Tenant


class Context(models.Model):
    """What a provider said of a chunk in its place: asked for once, however many versions have it there."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="contexts"
    )
    key = models.CharField(max_length=64, help_text="SHA-256 of who was asked, for what place and text.")
    version = models.ForeignKey(
        Version,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        related_name="contexts",
        help_text="The one that it was first written for.",
    )
    contextualizer = models.CharField(max_length=250)
    text = models.TextField()
    is_oversized = models.BooleanField(
        default=False, help_text="The document was too long to be read whole: outline and neighbours were."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="context_of_a_tenant"),
            models.UniqueConstraint(fields=["tenant", "key"], name="context_is_paid_once"),
            models.CheckConstraint(condition=Q(key__regex=HASH_PATTERN), name="context_key_is_sha256"),
            models.CheckConstraint(condition=Q(text__regex=r"\S"), name="context_says_something"),
        )

    def __str__(self) -> str:
        return self.key[:12]


class ContextBatch(models.Model):
    """Contexts that are being asked for: in a batch, which a provider works on for up to a day, or singly."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="context_batches",
    )
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, db_constraint=False, related_name="context_batches"
    )
    contextualizer = models.CharField(max_length=250)
    provider_id = models.TextField(blank=True, help_text="Empty until the provider has it.")
    keys = models.JSONField(help_text="Those of the contexts, in the order in which they were asked for.")
    reserved = models.DecimalField(max_digits=14, decimal_places=6, help_text="US dollars set aside for it.")
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "context batches"
        constraints = (
            models.UniqueConstraint(
                fields=["version"], condition=Q(ended_at=None), name="one_open_batch_per_version"
            ),
        )

    def __str__(self) -> str:
        return self.provider_id or "being handed in"
