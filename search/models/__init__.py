"""What is derived from documents so that they can be found, what that has cost, and searches to keep.

Everything here but those can be deleted and made again from what `documents` and `definitions` hold; contexts
that a provider wrote, and nothing else, would have to be paid for again.
"""

from search.models.context import Context, ContextBatch
from search.models.cost import Budget, Call, CallState
from search.models.evaluation import EvaluationRun
from search.models.passage import Passage, Placement, TermStatistics
from search.models.query import Door, QueryRecord
from search.models.saved import SavedSearch
from search.models.space import Embedding, EmbeddingSpace, SpaceState

__all__ = [
    "Budget",
    "Call",
    "CallState",
    "Context",
    "ContextBatch",
    "Door",
    "Embedding",
    "EmbeddingSpace",
    "EvaluationRun",
    "Passage",
    "Placement",
    "QueryRecord",
    "SavedSearch",
    "SpaceState",
    "TermStatistics",
]
