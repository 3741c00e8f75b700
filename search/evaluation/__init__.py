"""Measure the product on folders of documents with known truth."""

from search.evaluation.evaluate import evaluate_set
from search.evaluation.measures import Measure

__all__ = ["Measure", "evaluate_set"]
