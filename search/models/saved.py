"""Searches that people keep."""

from __future__ import annotations

import uuid
from typing import Self

from django.db import models
from django.db.models import Q

from tenants.models import Tenant, User

LONGEST_NAME = 100
LONGEST_QUERY = 12_000  # As an address writes it: a query of any script, and what else is chosen.


class SavedSearchQuerySet(models.QuerySet["SavedSearch"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def seen_by(self, user: User) -> Self:
        """Their own, and those that others share with the tenant."""
        return self.filter(Q(owner=user) | Q(is_shared=True))


class SavedSearch(models.Model):
    """What somebody searches for again, by a name. What it finds is found anew each time."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="saved_searches",
    )
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_searches")
    name = models.CharField(max_length=LONGEST_NAME)
    query = models.TextField(
        max_length=LONGEST_QUERY, help_text="What stands behind the “?” in the address of the search."
    )
    is_shared = models.BooleanField(
        "share with everybody here", default=False, help_text="Every member of the tenant sees it then."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SavedSearchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "saved searches"
        ordering = ("name", "created_at")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "owner", "name"],
                name="saved_search_name_is_unique",
                violation_error_message="You have a saved search of this name.",
            ),
            models.CheckConstraint(condition=Q(name__regex=r"\S"), name="saved_search_has_a_name"),
            models.CheckConstraint(condition=~Q(query=""), name="saved_search_asks_something"),
        )

    def __str__(self) -> str:
        return self.name
