"""What mentions what, and the names by which documents are mentioned."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Self

from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Subquery, When
from django.utils.translation import gettext_lazy as _

from definitions.models.lengths import DOCUMENT_KEY, LABEL, NAME, PRINTED
from documents.models import Document, Section, Version, VersionQuerySet
from tenants.models import Tenant


class ReferenceKind(models.TextChoices):
    INTERNAL = "internal", _("Its own document")
    DOCUMENT = "document", _("Another document")
    EXTERNAL = "external", _("Law that is not here")


class CrossReferenceQuerySet(models.QuerySet["CrossReference"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def within(self, versions: VersionQuerySet) -> Self:
        return self.filter(version__in=versions.values("pk"))

    def made_in(self, section: Section) -> Self:
        """Those in a unit or below it."""
        return self.filter(version=section.version_id, start__gte=section.start, start__lt=section.end)

    def resolved(self) -> Self:
        return self.filter(reason="").exclude(target_document=None)

    def linked(self) -> Self:
        """Those that lead to a label of a document. What a person meant is kept while it waits."""
        return self.filter(Q(reason="") | Q(is_corrected=True)).exclude(target_document=None)

    def waiting(self) -> Self:
        """Those that point nowhere here, yet."""
        return self.filter(Q(target_document=None) | ~Q(reason=""))

    def made_to(self, section: Section, *, below: bool = False, strays: Collection[uuid.UUID] = ()) -> Self:
        """Those that mean a unit, alone or in a range, or also those below it; in its own version.

        Strays are those that are known to mean it in this version, whatever they are linked to now.
        """
        linked = self._linked_to(section, below=below)
        if not strays:
            return linked
        return self.filter(Q(pk__in=linked.values("pk")) | Q(pk__in=strays))

    def _linked_to(self, section: Section, *, below: bool) -> Self:
        document = Version.objects.filter(pk=section.version_id).values("document")
        rows = self.linked().filter(target_document=Subquery(document))
        rows = rows.filter(~Q(kind=ReferenceKind.INTERNAL) | Q(version=section.version_id))
        if section.position == 0:
            return rows if below else rows.filter(target_label="")
        if not below:
            return rows.filter(Q(target_label=section.label) | _spans(section))
        units = Section.objects.filter(
            version=section.version_id, position__gte=section.position, end__lte=section.end
        )
        return rows.filter(target_label__in=units.filter(start__lt=section.end).values("label"))

    def with_targets(self, versions: VersionQuerySet) -> Self:
        """With `target_section`, the id of the unit that is meant, in the version that is read."""
        read = versions.filter(document=OuterRef(OuterRef("target_document"))).values("pk")
        own = Section.objects.filter(version=OuterRef("version"))
        other = Section.objects.filter(version__in=read)
        whole, unit = Q(target_label=""), Q(label=OuterRef("target_label"))
        internal = Q(kind=ReferenceKind.INTERNAL)
        elsewhere = [
            When(whole, then=Subquery(other.filter(position=0).values("pk")[:1])),
            When(~whole, then=Subquery(other.filter(unit).values("pk")[:1])),
        ]
        target = Case(
            When(Q(target_document=None) | ~Q(reason=""), then=None),
            When(internal & whole, then=Subquery(own.filter(position=0).values("pk")[:1])),
            When(internal, then=Subquery(own.filter(unit).values("pk")[:1])),
            *([] if versions.query.is_empty() else elsewhere),
            output_field=models.UUIDField(null=True),
        )
        return self.annotate(target_section=target)

    def with_places(self) -> Self:
        """With section and documents, and not the texts of versions."""
        rows = self.select_related("section", "target_document", "version__document__collection")
        return rows.defer("version__text", "version__pages", "version__warnings")


def _spans(section: Section) -> Q:
    """Tell ranges that begin before a unit and end behind it, in the list that it is a member of."""
    listed = Section.objects.filter(version=section.version_id, parent=section.parent_id)
    begin = listed.filter(label=OuterRef("target_label"), position__lt=section.position)
    end = listed.filter(label=OuterRef("through_label"), position__gt=section.position)
    return ~Q(through_label="") & Q(Exists(begin)) & Q(Exists(end))


class CrossReference(models.Model):
    """A mention of a place. It keeps the document and the label that are meant, not the section.

    Which section that is, is found in the version that somebody reads: a new version of the target changes
    nothing here.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="references"
    )
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="references"
    )
    section = models.ForeignKey(
        Section, on_delete=models.DO_NOTHING, db_constraint=False, related_name="references"
    )
    position = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.CharField(max_length=PRINTED, help_text="As printed.")
    form = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, choices=ReferenceKind.choices)
    target = models.CharField(max_length=300, blank=True, help_text="The target in normalized words.")
    document_key = models.CharField(max_length=DOCUMENT_KEY, blank=True)
    is_external = models.BooleanField(default=False, help_text="Law by its form, whoever holds it.")
    base = models.CharField(max_length=40, blank=True)
    steps = models.JSONField(default=list, blank=True)
    through_steps = models.JSONField(default=list, blank=True)
    target_document = models.ForeignKey(
        Document,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        null=True,
        blank=True,
        related_name="references_to_it",
    )
    target_label = models.CharField(max_length=LABEL, blank=True, help_text="Nothing for the whole document.")
    through_label = models.CharField(max_length=LABEL, blank=True, help_text="The end of a range.")
    reason = models.CharField(max_length=500, blank=True, help_text="Why it points nowhere.")
    is_corrected = models.BooleanField(default=False)

    objects = CrossReferenceQuerySet.as_manager()

    class Meta:
        ordering = ("version_id", "position")
        constraints = (
            models.UniqueConstraint(fields=["version", "position"], name="reference_position_is_unique"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="reference_span_is_forward"),
            models.CheckConstraint(
                condition=Q(kind__in=ReferenceKind.values), name="reference_kind_is_known"
            ),
        )
        indexes = (
            models.Index(fields=["version", "start"], name="references_of_a_version"),
            models.Index(fields=["target_document", "target_label"], name="references_to_a_unit"),
            models.Index(
                fields=["target_document"],
                name="references_that_lead_nowhere",
                condition=Q(target_document__isnull=False) & ~Q(reason=""),
            ),
            models.Index(
                fields=["tenant", "document_key"],
                name="references_by_document_key",
                condition=~Q(document_key=""),
            ),
        )

    def __str__(self) -> str:
        return self.text

    @property
    def is_resolved(self) -> bool:
        return self.target_document_id is not None and not self.reason


class DocumentName(models.Model):
    """A name, number or abbreviation by which other documents of the collection mention a document."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="document_names",
    )
    document = models.ForeignKey(
        Document, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="names"
    )
    name = models.CharField(max_length=NAME)
    key = models.CharField(max_length=DOCUMENT_KEY)
    is_given = models.BooleanField(
        default=False, help_text="Typed by a person, and kept; others are renewed with each version."
    )

    class Meta:
        ordering = ("document_id", "name")
        constraints = (
            models.UniqueConstraint(fields=["document", "key"], name="document_name_key_is_unique"),
            models.CheckConstraint(condition=Q(key__regex=r"\S"), name="document_name_has_a_key"),
        )
        indexes = (models.Index(fields=["tenant", "key"], name="document_names_by_key"),)

    def __str__(self) -> str:
        return self.name
