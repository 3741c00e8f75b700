"""Two versions of a text beside each other: which units changed, and which words in them."""

from documents.compare.align import Effort
from documents.compare.changes import LOUD, Change, Kind, compare_outlines
from documents.compare.segments import Mark, Segment, mark_words
from documents.compare.units import Place, Unit, cut_units

__all__ = [
    "LOUD",
    "Change",
    "Effort",
    "Kind",
    "Mark",
    "Place",
    "Segment",
    "Unit",
    "compare_outlines",
    "cut_units",
    "mark_words",
]
