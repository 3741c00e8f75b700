"""From a text and its outline to definitions and references."""

from definitions.extract.definitions import extract_definitions
from definitions.extract.found import FoundDefinition, FoundReference, Span, Step, Target
from definitions.extract.names import find_names
from definitions.extract.references import extract_references

__all__ = [
    "FoundDefinition",
    "FoundReference",
    "Span",
    "Step",
    "Target",
    "extract_definitions",
    "extract_references",
    "find_names",
]
