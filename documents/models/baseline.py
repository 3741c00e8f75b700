"""Named sets of versions that do not change, and which of them a collection has published."""

from __future__ import annotations

import uuid
from typing import Self

from django.db import models
from django.db.models import OuterRef, Q

from documents.models.collection import Collection
from documents.models.document import Version, published_baselines
from tenants.models import Tenant


class BaselineQuerySet(models.QuerySet["Baseline"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def published(self) -> Self:
        """Those to which the pointers of collections point now."""
        return self.filter(pk__in=published_baselines())


class Baseline(models.Model):
    """A named set of versions of a collection.

    Nobody can change it: the application may neither update nor delete these rows, `size` says how many
    versions belong to it from the first moment on, and triggers refuse one more and changes of what they say.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(  # The administration says so before it tries.
        Tenant, on_delete=models.PROTECT, db_constraint=False, db_index=False, related_name="baselines"
    )
    collection = models.ForeignKey(
        Collection,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="baselines",
    )
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    size = models.PositiveIntegerField(help_text="How many versions belong to it.")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=300, blank=True)

    objects = BaselineQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "name")
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="baseline_of_a_tenant"),
            models.UniqueConstraint(
                fields=["collection", "name"],
                name="baseline_name_is_unique",
                violation_error_message="There is a baseline of this name.",
            ),
            models.CheckConstraint(condition=Q(name__regex=r"\S"), name="baseline_has_a_name"),
        )

    def __str__(self) -> str:
        return self.name


class BaselineVersion(models.Model):
    """That a version belongs to a baseline."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="baseline_versions",
    )
    baseline = models.ForeignKey(
        Baseline, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="members"
    )
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, db_constraint=False, related_name="baselines"
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["baseline", "version"], name="version_is_in_a_baseline_once"),
        )

    def __str__(self) -> str:
        return f"{self.version_id} in {self.baseline_id}"


class PublicationQuerySet(models.QuerySet["Publication"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def in_force(self) -> Self:
        """The last one of each collection: where its pointer points."""
        later = Publication.objects.filter(collection=OuterRef("collection"), number__gt=OuterRef("number"))
        return self.exclude(models.Exists(later))


class Publication(models.Model):
    """A move of a collection's pointer to a baseline, or to none. The last one is in force."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="publications"
    )
    collection = models.ForeignKey(
        Collection,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="publications",
    )
    number = models.PositiveIntegerField()
    baseline = models.ForeignKey(
        Baseline, on_delete=models.DO_NOTHING, db_constraint=False, null=True, related_name="publications"
    )
    published_at = models.DateTimeField(auto_now_add=True)
    published_by = models.CharField(max_length=300, blank=True)

    objects = PublicationQuerySet.as_manager()

    class Meta:
        ordering = ("collection_id", "-number")
        constraints = (
            models.UniqueConstraint(fields=["collection", "number"], name="publication_number_is_unique"),
        )

    def __str__(self) -> str:
        return f"{self.number} of {self.collection_id}"
