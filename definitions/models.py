"""What a version defines and what it mentions: derived from its text, written with it, corrected by people.

Keys are held to their tenant and cascade in the database, as in `documents.models`.
"""

from __future__ import annotations

import uuid
from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, F, OuterRef, Q, Subquery, When
from django.db.models.functions import Substr

from definitions.terms import LONGEST_KEY, term_key
from documents.models import Document, Section, Version, VersionQuerySet
from tenants.models import Tenant

LABEL, TERM, PRINTED, NAME, DOCUMENT_KEY = 300, 300, 300, 300, 200  # Lengths of fields.


class DefinitionQuerySet(models.QuerySet["Definition"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def within(self, versions: VersionQuerySet) -> Self:
        return self.filter(version__in=versions.values("pk"))

    def of_term(self, term: str) -> Self:
        """Those that define a term, in whatever form they know of it."""
        return self.of_keys([term_key(term)])

    def of_keys(self, keys: list[str]) -> Self:
        """By a table of forms: row-level security keeps an index on an array from being used."""
        return self.filter(pk__in=TermForm.objects.filter(key__in=keys).values("definition"))

    def standing_in(self, section: Section) -> Self:
        """Those in a unit or below it."""
        return self.filter(version=section.version_id, start__gte=section.start, start__lt=section.end)

    def with_text(self) -> Self:
        """With the words of the meaning, and not the whole text of the version."""
        length = F("text_end") - F("text_start")
        return self.annotate(meaning=Substr("version__text", F("text_start") + 1, length))

    def with_places(self) -> Self:
        """With sections and document, and not the texts of versions."""
        rows = self.select_related("section", "scope", "version__document__collection")
        return rows.defer("version__text", "version__pages", "version__warnings")


class Definition(models.Model):
    """A term, where its meaning stands, and the unit inside which that holds."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="definitions"
    )
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="definitions"
    )
    section = models.ForeignKey(
        Section, on_delete=models.DO_NOTHING, db_constraint=False, related_name="definitions"
    )
    scope = models.ForeignKey(
        Section,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="definitions_in_force",
        help_text="Where it holds; the first section is the whole document.",
    )
    position = models.PositiveIntegerField()
    term = models.CharField(max_length=TERM, help_text="As printed, without quotation marks.")
    key = models.CharField(max_length=LONGEST_KEY)
    variants = ArrayField(models.CharField(max_length=LONGEST_KEY), default=list, blank=True)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text_start = models.PositiveIntegerField()
    text_end = models.PositiveIntegerField()
    exclusions = models.JSONField(default=list, blank=True, help_text="Spans that say what it is not.")
    given_start = models.PositiveIntegerField(null=True, blank=True)
    given_end = models.PositiveIntegerField(null=True, blank=True)
    style = models.CharField(max_length=40, help_text="The rule that found it.")
    confidence = models.FloatField()
    is_corrected = models.BooleanField(default=False)

    objects = DefinitionQuerySet.as_manager()

    class Meta:
        ordering = ("version_id", "position")
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="definition_of_a_tenant"),
            models.UniqueConstraint(fields=["version", "position"], name="definition_position_is_unique"),
            models.CheckConstraint(
                condition=Q(start__lt=F("end")) & Q(text_start__lte=F("text_end")),
                name="definition_spans_are_forward",
            ),
            models.CheckConstraint(
                condition=Q(given_start=None, given_end=None)
                | Q(given_start__isnull=False, given_end__isnull=False, given_start__lt=F("given_end")),
                name="definition_is_given_somewhere_or_not",
            ),
            models.CheckConstraint(condition=Q(key__regex=r"\S"), name="definition_has_a_term"),
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="definition_confidence_is_a_share"
            ),
        )
        indexes = (models.Index(fields=["version", "key"], name="definitions_of_a_version"),)

    def __str__(self) -> str:
        return self.term


class TermForm(models.Model):
    """One form under which a definition is found: its own term, or a variant of it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="term_forms"
    )
    definition = models.ForeignKey(
        Definition, on_delete=models.DO_NOTHING, db_constraint=False, related_name="forms"
    )
    key = models.CharField(max_length=LONGEST_KEY)

    class Meta:
        indexes = (models.Index(fields=["tenant", "key"], name="term_forms_by_key"),)

    def __str__(self) -> str:
        return self.key


class ReferenceKind(models.TextChoices):
    INTERNAL = "internal", "Its own document"
    DOCUMENT = "document", "Another document"
    EXTERNAL = "external", "Law that is not here"


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

    def waiting(self) -> Self:
        """Those that point nowhere here, yet."""
        return self.filter(Q(target_document=None) | ~Q(reason=""))

    def made_to(self, section: Section, *, below: bool = False) -> Self:
        """Those that mean a unit, or also those below it; of its own document, in its own version."""
        document = Version.objects.filter(pk=section.version_id).values("document")
        rows = self.resolved().filter(target_document=Subquery(document))
        rows = rows.filter(~Q(kind=ReferenceKind.INTERNAL) | Q(version=section.version_id))
        if section.position == 0:
            return rows if below else rows.filter(target_label="")
        if not below:
            return rows.filter(target_label=section.label)
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


class DefinitionCorrection(models.Model):
    """What a person said about one definition of a document. It holds for versions to come.

    It is known by the label of its unit (nothing for the document itself) and the key of its term.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="definition_corrections",
    )
    document = models.ForeignKey(
        Document,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="definition_corrections",
    )
    label = models.CharField(max_length=LABEL, blank=True, help_text="The unit that it stands in.")
    key = models.CharField(max_length=LONGEST_KEY)
    is_rejected = models.BooleanField(default=False, help_text="It is no definition.")
    is_added = models.BooleanField(default=False, help_text="The extractor does not see it.")
    term = models.CharField(max_length=TERM, blank=True, help_text="As it stands in the text.")
    variants = ArrayField(
        models.CharField(max_length=LONGEST_KEY), null=True, blank=True, help_text="Other forms of it."
    )
    scope_label = models.CharField(  # noqa: DJ001 (nothing is the whole document, NULL what was found)
        max_length=LABEL, null=True, blank=True, help_text="The unit inside which it holds."
    )
    meaning = models.TextField(blank=True, help_text="The words of the meaning, as they stand in the text.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("document_id", "created_at")
        constraints = (
            models.UniqueConstraint(
                fields=["document", "label", "key"], name="one_correction_per_definition"
            ),
            models.CheckConstraint(
                condition=Q(key__regex=r"\S"), name="definition_correction_names_its_term"
            ),
        )

    def __str__(self) -> str:
        return f"{self.term or self.key} in {self.label or 'the document'}"


class ReferenceCorrection(models.Model):
    """What a person said about one reference of a document. It holds for versions to come.

    It is known by the label of its unit, its words, and which of these in the unit it is.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="reference_corrections",
    )
    document = models.ForeignKey(
        Document,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="reference_corrections",
    )
    label = models.CharField(max_length=LABEL, blank=True, help_text="The unit that it stands in.")
    text = models.CharField(max_length=PRINTED, help_text="As printed.")
    occurrence = models.PositiveIntegerField(default=1, help_text="Which of these words in the unit.")
    is_rejected = models.BooleanField(default=False, help_text="It is no reference.")
    is_added = models.BooleanField(default=False, help_text="The extractor does not see it.")
    target_document = models.ForeignKey(
        Document,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        blank=True,
        related_name="corrections_to_it",
        help_text="Its own document if empty.",
    )
    target_label = models.CharField(max_length=LABEL, blank=True, help_text="Nothing for the whole document.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("document_id", "created_at")
        constraints = (
            models.UniqueConstraint(
                fields=["document", "label", "text", "occurrence"], name="one_correction_per_reference"
            ),
            models.CheckConstraint(condition=Q(text__regex=r"\S"), name="reference_correction_has_words"),
            models.CheckConstraint(condition=Q(occurrence__gte=1), name="occurrences_count_from_one"),
        )

    def __str__(self) -> str:
        return f"{self.text} in {self.label or 'the document'}"
