"""Find mentions of other places, in whichever style they are drafted."""

from definitions.extract.references.extract import extract_references

__all__ = ["extract_references"]
