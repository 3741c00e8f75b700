"""What providers were paid, and how much they may be paid."""

from __future__ import annotations

import uuid
from typing import Self

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from documents.models import Version
from tenants.models import Tenant

DIGITS, DECIMALS = 14, 6  # Of amounts in dollars.


class Budget(models.Model):
    """What a tenant may spend on providers in a month, and has spent in this one."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="budgets"
    )
    monthly_limit = models.DecimalField(
        max_digits=DIGITS,
        decimal_places=DECIMALS,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text="US dollars. Empty: the limit that this installation sets for every tenant.",
    )
    month = models.DateField(help_text="Its first day.")
    spent = models.DecimalField(
        max_digits=DIGITS,
        decimal_places=DECIMALS,
        default=0,
        help_text="In this month, with what is set aside for requests on their way.",
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant"], name="one_budget_per_tenant"),
            models.CheckConstraint(
                condition=Q(monthly_limit=None) | Q(monthly_limit__gte=0), name="budget_is_not_negative"
            ),
            models.CheckConstraint(condition=Q(spent__gte=0), name="spent_is_not_negative"),
        )

    def __str__(self) -> str:
        return f"{self.spent} of {self.monthly_limit}"


class CallState(models.TextChoices):
    OPEN = "open", _("On its way")
    DONE = "done", _("Answered")
    FAILED = "failed", _("Failed")
    UNKNOWN = "unknown", _("Sent, and never answered")


class CallQuerySet(models.QuerySet["Call"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)


class Call(models.Model):
    """One request to a provider, and what it took. While it is open, its cost is the most it can be."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="calls"
    )
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, db_constraint=False, null=True, related_name="calls"
    )
    at = models.DateTimeField(auto_now_add=True)
    role = models.CharField(max_length=20, help_text="The role of the backend: contextualizer, embedder.")
    backend = models.CharField(max_length=250, help_text="Provider and model.")
    state = models.CharField(max_length=10, choices=CallState.choices, default=CallState.OPEN)
    is_batch = models.BooleanField(default=False)
    texts = models.PositiveIntegerField(default=1, help_text="How many texts it was for.")
    input_tokens = models.PositiveIntegerField(default=0)
    cache_write_tokens = models.PositiveIntegerField(default=0)
    cache_read_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=DIGITS, decimal_places=DECIMALS, default=0, help_text="US dollars.")
    failure = models.CharField(max_length=300, blank=True)

    objects = CallQuerySet.as_manager()

    class Meta:
        ordering = ("-at",)
        constraints = (
            models.CheckConstraint(condition=Q(state__in=CallState.values), name="call_state_is_known"),
            models.CheckConstraint(condition=Q(cost__gte=0), name="call_cost_is_not_negative"),
        )
        indexes = (
            models.Index(fields=["tenant", "-at"], name="calls_of_a_tenant"),
            models.Index(fields=["at"], name="open_calls", condition=Q(state="open")),
        )

    def __str__(self) -> str:
        return f"{self.backend} {self.state}"
