"""What people said about definitions and references. It holds for versions to come."""

from __future__ import annotations

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from definitions.models.lengths import LABEL, PRINTED, TERM
from definitions.terms import LONGEST_KEY
from documents.models import Document
from tenants.models import Tenant


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
