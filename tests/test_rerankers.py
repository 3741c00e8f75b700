"""Rerankers score passages in their order, the same way each time."""

from __future__ import annotations

import pytest

from search.backends.rerankers.base import Reranker
from search.backends.rerankers.overlap import OverlapReranker

PASSAGES = [
    "Pilots board vessels outside the harbour.",
    "The harbour master keeps a register of berths.",
    "The register is kept by the harbour master, who may close it.",
    "",
]


class RerankerContract:
    """What every reranker must do."""

    reranker: Reranker

    def test_a_score_per_passage_and_the_answer_is_the_best(self) -> None:
        scores = self.reranker.scores("Who keeps a register of berths?", PASSAGES)
        assert len(scores) == 4
        assert max(range(4), key=scores.__getitem__) == 1

    def test_scores_are_the_same_each_time_and_go_with_their_passage(self) -> None:
        scores = self.reranker.scores("harbour register", PASSAGES)
        assert self.reranker.scores("harbour register", PASSAGES) == scores
        assert self.reranker.scores("harbour register", PASSAGES[::-1]) == pytest.approx(scores[::-1])

    def test_no_passages_have_no_scores(self) -> None:
        assert self.reranker.scores("harbour", []) == []

    @pytest.mark.parametrize("question", ["", "?!", "\0 ' %s"])
    def test_any_text_is_a_question(self, question: str) -> None:
        assert len(self.reranker.scores(question, PASSAGES)) == 4


class TestOverlap(RerankerContract):
    reranker = OverlapReranker()

    def test_words_in_the_order_of_the_question_count_more(self) -> None:
        ordered, turned = self.reranker.scores(
            "harbour master", ["the harbour master", "master of a harbour"]
        )
        assert ordered == 1.0
        assert 0 < turned < 1

    def test_a_word_that_few_passages_have_counts_more(self) -> None:
        rare, common, _ = self.reranker.scores("berth fee", ["a berth", "a fee", "fee"])
        assert rare > common > 0

    def test_nothing_shared_is_nothing(self) -> None:
        assert self.reranker.scores("submarine", PASSAGES) == [0.0] * 4
