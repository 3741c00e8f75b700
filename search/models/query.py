"""What was asked, how long the answer took and what it was worth; as a rule without the words."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tenants.models import Tenant


class Door(models.TextChoices):
    """By which way somebody asked."""

    PAGE = "page", _("A page")
    API = "api", _("A program")
    MCP = "mcp", _("An agent")
    COMMAND = "command", _("A command")


class QueryRecordQuerySet(models.QuerySet["QueryRecord"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def since(self, moment: datetime) -> Self:
        return self.filter(at__gte=moment)

    def unanswered(self) -> Self:
        """Those that found nothing, or nothing to be confident of."""
        return self.filter(UNANSWERED)

    def slow(self, milliseconds: float) -> Self:
        return self.filter(took_ms__gte=milliseconds)


UNANSWERED = Q(result_count=0) | Q(confidence="none")


class QueryRecord(models.Model):
    """One search. Its words are kept only where the installation says so, and only if it went badly."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="queries"
    )
    at = models.DateTimeField()
    took_ms = models.FloatField()
    result_count = models.PositiveSmallIntegerField()
    confidence = models.CharField(max_length=10)
    mode = models.CharField(max_length=10)
    door = models.CharField(max_length=10, choices=Door.choices)
    length = models.PositiveIntegerField(help_text="Characters of the query.")
    digest = models.CharField(
        max_length=64, help_text="Tells the same query again; only this installation can make it."
    )
    text = models.TextField(blank=True, help_text="Of slow and unanswered ones, with PANDECT_KEEP_QUERIES.")

    objects = QueryRecordQuerySet.as_manager()

    class Meta:
        ordering = ("-at",)
        constraints = (models.CheckConstraint(condition=Q(took_ms__gte=0), name="query_took_some_time"),)
        indexes = (models.Index(fields=["tenant", "-at"], name="queries_of_a_tenant"),)

    def __str__(self) -> str:
        return self.text or f"{self.length} characters ({self.digest[:8]})"
