"""From a text and its outline to the definitions in it."""

from definitions.extract.definitions.extract import extract_definitions

__all__ = ["extract_definitions"]
