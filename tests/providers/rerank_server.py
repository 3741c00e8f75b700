"""Services that rerank: Cohere's and Jina's address and shape, and those of Text Embeddings Inference."""

from __future__ import annotations

from typing import Any

from search.backends.rerankers.overlap import OverlapReranker
from tests.providers.server import Answer, Asked, ProviderServer

COHERE = "/v2/rerank"
JINA = "/v1/rerank"  # And vLLM and Infinity.
TEI = "/rerank"
TEI_MOST = 32  # Texts in one request.


class RerankServer(ProviderServer):
    """Scores by shared words, from 0 to 1, and gives the best first, as the services do."""

    scripted = frozenset({COHERE, JINA, TEI})

    @property
    def cohere(self) -> str:
        return self.url + COHERE

    @property
    def jina(self) -> str:
        return self.url + JINA

    @property
    def tei(self) -> str:
        return self.url + TEI

    def error(self, kind: str, message: str) -> Any:
        return {"message": message, "error": message, "error_type": kind}

    def perform(self, asked: Asked) -> Answer:
        if asked.path == TEI:
            return self._tei(asked.body)
        if asked.path in self.scripted:
            return self._rerank(asked.path, asked.body)
        return Answer(404, body=self.error("NotFound", "no such path"))

    def _rerank(self, path: str, body: dict[str, Any]) -> Answer:
        unknown = set(body) - {"model", "query", "documents", "top_n"}
        if unknown or not body.get("query") or not body.get("documents") or not all(body["documents"]):
            return Answer(400, body=self.error("BadRequest", f"invalid request: {body}"))
        rows = [
            {"index": index, "relevance_score": score}
            for index, score in ranked(body["query"], body["documents"])[: body["top_n"]]
        ]
        if path == COHERE:
            units = {"billed_units": {"search_units": -(-len(body["documents"]) // 100)}}
            return Answer(body={"id": "1", "results": rows, "meta": units})
        tokens = sum(len(text.split()) for text in [body["query"], *body["documents"]])
        return Answer(body={"model": body.get("model"), "results": rows, "usage": {"total_tokens": tokens}})

    def _tei(self, body: dict[str, Any]) -> Answer:
        if set(body) - {"query", "texts", "raw_scores", "return_text", "truncate"} or not body["texts"]:
            return Answer(422, body=self.error("Validation", f"invalid request: {body}"))
        if len(body["texts"]) > TEI_MOST:
            return Answer(413, body=self.error("Validation", "batch size"))
        rows = ranked(body["query"], body["texts"])
        return Answer(body=[{"index": index, "score": score} for index, score in rows])


def ranked(question: str, texts: list[str]) -> list[tuple[int, float]]:
    scores = OverlapReranker().scores(question, texts)
    return sorted(enumerate(scores), key=lambda row: (-row[1], row[0]))
