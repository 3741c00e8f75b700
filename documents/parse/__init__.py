"""From text to an outline: the units that can be cited, where each begins and ends, and how they nest."""

from documents.parse.correct import Correction, opening_of
from documents.parse.outline import Outline, Unit, parse_outline

__all__ = ["Correction", "Outline", "Unit", "opening_of", "parse_outline"]
