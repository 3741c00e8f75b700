"""What comes with results, for a page of them at a time."""

from definitions.readable import Holder
from search.enrich.around import neighbours_of, parents_of
from search.enrich.enrich import enrich_chunks
from search.enrich.found import DefinitionInForce, Enrichment, Neighbour, Parent, Place, ReferenceMade
from search.enrich.stems import stem_words

__all__ = [
    "DefinitionInForce",
    "Enrichment",
    "Holder",
    "Neighbour",
    "Parent",
    "Place",
    "ReferenceMade",
    "enrich_chunks",
    "neighbours_of",
    "parents_of",
    "stem_words",
]
