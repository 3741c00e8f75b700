"""What a term means, and under which forms it is found."""

from __future__ import annotations

import uuid
from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Substr

from definitions.models.lengths import TERM
from definitions.terms import LONGEST_KEY
from documents.models import Section, Version, VersionQuerySet
from tenants.models import Tenant


class DefinitionQuerySet(models.QuerySet["Definition"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def within(self, versions: VersionQuerySet) -> Self:
        return self.filter(version__in=versions.values("pk"))

    def of_keys(self, keys: list[str]) -> Self:
        """Those that define a term, in whatever form they know of it.

        By a table of forms: row-level security keeps an index on an array from being used.
        """
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
