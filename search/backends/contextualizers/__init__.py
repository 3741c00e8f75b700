"""What stands before a chunk in the index, so that it can be found: who says it, and how."""

from search.backends.contextualizers.base import (
    Contextualizer,
    ContextualizerError,
    Excerpt,
    Manuscript,
    Outcome,
)
from search.backends.contextualizers.structural import StructuralContextualizer, situate
from search.backends.payment import Usage

__all__ = [
    "Contextualizer",
    "ContextualizerError",
    "Excerpt",
    "Manuscript",
    "Outcome",
    "StructuralContextualizer",
    "Usage",
    "situate",
]
