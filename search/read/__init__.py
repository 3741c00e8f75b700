"""What can be read without a search: documents, their outlines, units, definitions and references."""

from search.read.collections import CollectionRead, CollectionsRead, list_collections
from search.read.definitions import DefinitionRead, DefinitionsRead, lookup_definition_at
from search.read.documents import DocumentRead, DocumentsRead, list_documents, read_document
from search.read.outline import OutlineRead, outline_of
from search.read.references import ReferencesRead, list_references_at
from search.read.section import SectionRead, read_section

__all__ = [
    "CollectionRead",
    "CollectionsRead",
    "DefinitionRead",
    "DefinitionsRead",
    "DocumentRead",
    "DocumentsRead",
    "OutlineRead",
    "ReferencesRead",
    "SectionRead",
    "list_collections",
    "list_documents",
    "list_references_at",
    "lookup_definition_at",
    "outline_of",
    "read_document",
    "read_section",
]
