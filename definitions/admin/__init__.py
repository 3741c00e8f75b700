"""The administration of definitions, references, names and corrections, across tenants.

What staff do goes through the services. No page loads, sorts or counts all rows of a large table.
"""

from definitions.admin.correction import DefinitionCorrectionAdmin, ReferenceCorrectionAdmin
from definitions.admin.definition import DefinitionAdmin
from definitions.admin.name import DocumentNameAdmin, TermFormAdmin
from definitions.admin.reference import CrossReferenceAdmin

__all__ = [
    "CrossReferenceAdmin",
    "DefinitionAdmin",
    "DefinitionCorrectionAdmin",
    "DocumentNameAdmin",
    "ReferenceCorrectionAdmin",
    "TermFormAdmin",
]
