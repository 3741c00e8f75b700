"""Corrections and names. Each acts inside its tenant, in one transaction, on the record, and at once."""

from definitions.services.correction import remove_definition_correction, remove_reference_correction
from definitions.services.definition import add_definition, correct_definition, reject_definition
from definitions.services.name import name_document, remove_name
from definitions.services.reference import add_reference, correct_reference, reject_reference
from definitions.services.refresh import refresh_findings

__all__ = [
    "add_definition",
    "add_reference",
    "correct_definition",
    "correct_reference",
    "name_document",
    "refresh_findings",
    "reject_definition",
    "reject_reference",
    "remove_definition_correction",
    "remove_name",
    "remove_reference_correction",
]
