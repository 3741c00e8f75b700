"""Rerankers score passages in their order, the same way each time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from search.backends.payment import Prices, Purse
from search.backends.rerankers.anthropic import AnthropicReranker
from search.backends.rerankers.base import Reranker, RerankerError
from search.backends.rerankers.cross_encoder import CrossEncoderReranker
from search.backends.rerankers.http import HttpReranker
from search.backends.rerankers.openai import OpenAIReranker
from search.backends.rerankers.overlap import OverlapReranker
from tests.networks import count_shared, write_folder
from tests.providers.anthropic_server import AnthropicServer
from tests.providers.openai_server import OpenAIServer
from tests.providers.purse import MemoryPurse
from tests.providers.rerank_server import RerankServer
from tests.ranking_models import order_by_overlap

PASSAGES = [
    "Pilots board vessels outside the harbour.",
    "The harbour master keeps a register of berths.",
    "The register is kept by the harbour master, who may close it.",
    "",
]
HOSTILE = ["\0", "\ud800 lone", "x" * 1_000_000, "\u202e right to left", "👩‍👩‍👧 ' OR 1=1; --", " \n "]


class RerankerContract:
    """What every reranker must do."""

    def test_a_score_per_passage_and_the_answer_is_the_best(self, reranker: Reranker) -> None:
        scores = reranker.scores("Who keeps a register of berths?", PASSAGES, purse=MemoryPurse())
        assert len(scores) == 4
        assert max(range(4), key=scores.__getitem__) == 1

    def test_scores_are_the_same_each_time_and_go_with_their_passage(self, reranker: Reranker) -> None:
        question, purse = "the register of berths, harbour", MemoryPurse()
        scores = reranker.scores(question, PASSAGES, purse=purse)
        assert reranker.scores(question, PASSAGES, purse=purse) == scores
        assert reranker.scores(question, PASSAGES[::-1], purse=purse) == pytest.approx(scores[::-1])

    def test_no_passages_have_no_scores(self, reranker: Reranker) -> None:
        assert reranker.scores("harbour", [], purse=MemoryPurse()) == []

    def test_blanks_are_never_better_than_others(self, reranker: Reranker) -> None:
        blank, text, blanker = reranker.scores("harbour", ["", "the harbour", " \n"], purse=MemoryPurse())
        assert blank == blanker <= text
        assert reranker.scores("harbour", ["", " "], purse=MemoryPurse()) == [0.0, 0.0]
        assert reranker.scores(" ", PASSAGES, purse=MemoryPurse()) == [0.0] * 4

    @pytest.mark.parametrize("question", ["", "?!", "\0 ' %s", *HOSTILE])
    def test_any_text_is_a_question(self, reranker: Reranker, question: str) -> None:
        assert len(reranker.scores(question, PASSAGES, purse=MemoryPurse())) == 4

    def test_any_text_is_a_passage(self, reranker: Reranker) -> None:
        scores = reranker.scores("harbour register", HOSTILE, purse=MemoryPurse())
        assert len(scores) == len(HOSTILE)
        assert all(map(math.isfinite, scores))


class TestOverlap(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return OverlapReranker()

    def test_words_in_the_order_of_the_question_count_more(self, reranker: Reranker) -> None:
        ordered, turned = reranker.scores("harbour master", ["the harbour master", "master of a harbour"])
        assert ordered == 1.0
        assert 0 < turned < 1

    def test_a_word_that_few_passages_have_counts_more(self, reranker: Reranker) -> None:
        rare, common, _ = reranker.scores("berth fee", ["a berth", "a fee", "fee"])
        assert rare > common > 0

    def test_nothing_shared_is_nothing(self, reranker: Reranker) -> None:
        assert reranker.scores("submarine", PASSAGES) == [0.0] * 4


class TestCohere(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Iterator[Reranker]:
        with RerankServer() as server:
            yield HttpReranker(base_url=server.cohere, model="rerank-v3.5", prices={"search": 2})


class TestJina(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Iterator[Reranker]:
        with RerankServer() as server:
            yield HttpReranker(base_url=server.jina, model="reranker", prices={"input": "0.02"})


class TestTextEmbeddingsInference(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Iterator[Reranker]:
        with RerankServer() as server:
            yield HttpReranker(base_url=server.tei, style="tei")


class TestOpenAI(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Iterator[Reranker]:
        with OpenAIServer() as server:
            server.policy = order_by_overlap
            yield OpenAIReranker(model="small", base_url=server.base_url, prices={"input": 1, "output": 5})


class TestAnthropic(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Iterator[Reranker]:
        with AnthropicServer() as server:
            server.policy = order_by_overlap
            yield AnthropicReranker(api_key="k", base_url=server.url)


class TestCrossEncoder(RerankerContract):
    @pytest.fixture
    def reranker(self, tmp_path: Path) -> Reranker:
        return CrossEncoderReranker(path=write_folder(tmp_path / "tiny", count_shared(1.0)))


def test_making_one_connects_to_nothing_and_loads_nothing() -> None:
    made = [
        HttpReranker(base_url="http://127.0.0.1:9/rerank"),
        OpenAIReranker(model="small", base_url="http://127.0.0.1:9/v1"),
        AnthropicReranker(),
        CrossEncoderReranker(path="/nowhere/model"),
        OverlapReranker(),
    ]
    assert [one.name for one in made] == [
        "http/cohere",
        "openai/small",
        "anthropic/claude-haiku-4-5",
        "cross-encoder/model",
        "overlap",
    ]
    assert [one.is_paid for one in made] == [False, False, True, False, False]


class Broken(Reranker):
    name = "broken"

    def __init__(self, scores: list[float]) -> None:
        self._scores = scores

    def rate(self, question: str, passages: Sequence[str], purse: Purse | None) -> list[float]:
        return self._scores


@pytest.mark.parametrize("scores", [[], [1.0], [1.0, math.nan], [1.0, math.inf], [1.0, 2.0, 3.0]])
def test_scores_that_are_none_are_refused(scores: list[float]) -> None:
    with pytest.raises(RerankerError, match="broken: 2 passages did not get a score each"):
        Broken(scores).scores("harbour", ["a", "b"])
    assert Broken([1.0, 2.0]).scores("harbour", ["a", "b"]) == [1.0, 2.0]


def test_what_costs_money_is_not_asked_without_somebody_who_pays() -> None:
    paid = Broken([1.0])
    paid.prices = Prices(search=1)  # type: ignore[arg-type]
    with pytest.raises(RerankerError, match="broken: it costs money, and nobody pays"):
        paid.scores("harbour", ["a"])
    assert json.dumps(paid.scores("harbour", ["a"], purse=MemoryPurse())) == "[1.0]"
