"""What is derived from documents so that they can be found, and what that has cost.

Everything here can be deleted and made again from what `documents` and `definitions` hold; contexts that a
provider wrote, and nothing else, would have to be paid for again.
"""

from search.models.context import Context, ContextBatch
from search.models.cost import Budget, Call, CallState
from search.models.evaluation import EvaluationRun
from search.models.passage import Passage, Placement, TermStatistics
from search.models.space import Embedding, EmbeddingSpace, SpaceState

__all__ = [
    "Budget",
    "Call",
    "CallState",
    "Context",
    "ContextBatch",
    "Embedding",
    "EmbeddingSpace",
    "EvaluationRun",
    "Passage",
    "Placement",
    "SpaceState",
    "TermStatistics",
]
