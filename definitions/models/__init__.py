"""What a version defines and what it mentions: derived from its text, written with it, corrected by people.

Keys are held to their tenant and cascade in the database, as in `documents.models`.
"""

from definitions.models.correction import DefinitionCorrection, ReferenceCorrection
from definitions.models.definition import Definition, TermForm
from definitions.models.lengths import DOCUMENT_KEY, LABEL, NAME, PRINTED, TERM
from definitions.models.reference import (
    CrossReference,
    CrossReferenceQuerySet,
    DocumentName,
    ReferenceKind,
)

__all__ = [
    "DOCUMENT_KEY",
    "LABEL",
    "NAME",
    "PRINTED",
    "TERM",
    "CrossReference",
    "CrossReferenceQuerySet",
    "Definition",
    "DefinitionCorrection",
    "DocumentName",
    "ReferenceCorrection",
    "ReferenceKind",
    "TermForm",
]
