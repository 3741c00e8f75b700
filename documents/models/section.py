"""What a version says and where: units that can be cited, and chunks that can be found."""

from __future__ import annotations

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from documents.models.document import HASH_PATTERN, Document, Version
from tenants.models import Tenant


class Section(models.Model):
    """A unit that can be cited: from a part down to a point, or a heading without a number."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="sections"
    )
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="sections"
    )
    parent = models.ForeignKey(
        "self", on_delete=models.DO_NOTHING, db_constraint=False, null=True, related_name="children"
    )
    position = models.PositiveIntegerField(
        help_text="Its place in the order of the document; 0 is the whole."
    )
    kind = models.CharField(max_length=20)
    label = models.CharField(max_length=300, help_text="Where it is, in canonical words: “Article 6(1)(f)”.")
    marker = models.CharField(max_length=100, blank=True, help_text="Its number as printed: “(f)”.")
    title = models.CharField(max_length=500, blank=True)
    opening = models.CharField(max_length=120, blank=True, help_text="Its first words, behind its number.")
    level = models.PositiveSmallIntegerField()
    path = ArrayField(models.CharField(max_length=600), help_text="Marker and title of each unit above it.")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    first_page = models.PositiveIntegerField(null=True)
    last_page = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ("version_id", "position")
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="section_of_a_tenant"),
            models.UniqueConstraint(fields=["version", "position"], name="section_position_is_unique"),
            models.UniqueConstraint(fields=["version", "label"], name="section_label_is_unique"),
            models.CheckConstraint(condition=Q(start__lte=F("end")), name="section_span_is_forward"),
        )
        indexes = (
            # The label first: one that begins with the tenant would be walked from end to end for each row of
            # a join, where the planner knows nothing of a tenant and takes it to have one unit.
            models.Index(fields=["label", "tenant"], name="sections_of_a_label"),
            models.Index(fields=["version", "start"], name="sections_by_start"),
        )

    def __str__(self) -> str:
        return self.label


class ChunkType(models.TextChoices):
    CONTENT = "content", _("Content")
    DEFINITION = "definition", _("Definition")
    REQUIREMENT = "requirement", _("Requirement")
    REFERENCE = "reference", _("Reference")
    HEADER = "header", _("Header")


class Chunk(models.Model):
    """A piece of a version's text, small enough to be found and read on its own.

    The spans from `start` to `end` of a version's chunks tile its text. What a chunk repeats for its reader,
    from `lead_start` on and of a table's header, is no part of that span.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="chunks"
    )
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="chunks"
    )
    section = models.ForeignKey(
        Section, on_delete=models.DO_NOTHING, db_constraint=False, related_name="chunks"
    )
    position = models.PositiveIntegerField()
    type = models.CharField(max_length=12, choices=ChunkType.choices, default=ChunkType.CONTENT)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    lead_start = models.PositiveIntegerField(help_text="Where the overlap with the chunk before it begins.")
    header_start = models.PositiveIntegerField(null=True)
    header_end = models.PositiveIntegerField(null=True)
    token_count = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of its text.")

    class Meta:
        ordering = ("version_id", "position")
        constraints = (
            models.UniqueConstraint(fields=["version", "position"], name="chunk_position_is_unique"),
            models.CheckConstraint(
                condition=Q(start__lt=F("end")) & Q(lead_start__lte=F("start")), name="chunk_span_is_forward"
            ),
            models.CheckConstraint(condition=Q(type__in=ChunkType.values), name="chunk_type_is_known"),
            models.CheckConstraint(condition=Q(digest__regex=HASH_PATTERN), name="chunk_digest_is_sha256"),
        )
        indexes = (models.Index(fields=["version", "start"], name="chunks_by_start"),)

    def __str__(self) -> str:
        return f"{self.position} of {self.version_id}"


class OutlineCorrection(models.Model):
    """What a person said about one unit of a document's outline. It holds for versions to come.

    The unit is known by its opening words, and by its label where several open alike.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="outline_corrections",
    )
    document = models.ForeignKey(
        Document, on_delete=models.DO_NOTHING, db_constraint=False, related_name="outline_corrections"
    )
    opening = models.CharField(max_length=200, help_text="The words with which the unit begins.")
    label = models.CharField(max_length=300, blank=True, help_text="Its label before the correction.")
    is_unit = models.BooleanField(default=True, help_text="Clear this where no unit begins.")
    level = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="How deep it is: 1 stands directly below the document."
    )
    new_label = models.CharField(max_length=300, blank=True)
    new_title = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("document_id", "created_at")
        constraints = (
            models.UniqueConstraint(fields=["document", "opening", "label"], name="one_correction_per_unit"),
            models.CheckConstraint(condition=Q(opening__regex=r"\S"), name="correction_names_its_unit"),
        )

    def __str__(self) -> str:
        return self.opening
