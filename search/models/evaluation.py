"""What measurements of the search said, to be compared with later ones."""

from __future__ import annotations

import uuid
from typing import Self

from django.db import models

from tenants.models import Tenant


class EvaluationRunQuerySet(models.QuerySet["EvaluationRun"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def comparable(self, run: EvaluationRun) -> Self:
        """Those of the same questions about the same collection, the newest first."""
        alike = {name: getattr(run, name) for name in ("tenant", "name", "collection", "question_count")}
        return self.filter(**alike).exclude(pk=run.pk).order_by("-created_at")


class EvaluationRun(models.Model):
    """One run of `manage.py evaluate`: the figures, and with which parts they were reached."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="evaluations"
    )
    name = models.CharField(max_length=200, help_text="Of the set of questions.")
    collection = models.CharField(max_length=100, help_text="The name of the one that was asked.")
    question_count = models.PositiveIntegerField()
    measures = models.JSONField(help_text="Of each way of searching, in their order: its figures by name.")
    latency = models.JSONField(help_text="By the stage of a search: median and 95th percentile, in ms.")
    settings = models.JSONField(help_text="The parts that were declared, and what was asked of them.")
    code = models.CharField(max_length=64, help_text="A digest of the program that searched.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = EvaluationRunQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        indexes = (models.Index(fields=["tenant", "name", "-created_at"], name="evaluations_of_a_set"),)

    def __str__(self) -> str:
        return f"{self.name} ({self.question_count})"
