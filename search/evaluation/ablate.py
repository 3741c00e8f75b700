"""Measure the ways of searching beside each other, and what each stage takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.conf import settings

from search import backends
from search.answer import Answer
from search.evaluation.ask import Asker, Tell, Way
from search.evaluation.judge import Figures
from search.evaluation.suites import Suite
from search.models import EvaluationRun
from search.request import Mode
from tenants.scope import tenant_scope

TOP_K = 20
EXACT, RERANK = "+ exact", "+ rerank"
APPS = ("search", "definitions", "documents")


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one way of searching."""

    way: str
    figures: Figures


def ways(top_k: int) -> dict[str, Way]:
    """Return the ways of searching, each with more than the one before it."""
    found = {
        "dense": Way(mode=Mode.SEMANTIC, top_k=top_k),
        "keyword": Way(mode=Mode.KEYWORD, top_k=top_k),
        "hybrid": Way(has_exact=False, top_k=top_k),
        EXACT: Way(top_k=top_k, is_surrounded=True),
    }
    if backends.reranker() is not None:
        found[RERANK] = Way(is_reranked=True, top_k=top_k)
    return found


def evaluate_suite(
    suite: Suite,
    *,
    top_k: int = TOP_K,
    limit: int | None = None,
    is_context_ablated: bool = False,
    tell: Tell = print,
) -> EvaluationRun:
    """Ask everything in every way, and keep what came of it."""
    asker = Asker(suite.collection, limit)
    plain = ways(top_k)
    whole = _ask(asker, suite, plain[EXACT])  # First: what is asked again is embedded no more.
    answers = {name: whole if name == EXACT else _ask(asker, suite, way) for name, way in plain.items()}
    asker.complain(tell)
    rows = [Row(name, suite.figures(found)) for name, found in answers.items()]
    if is_context_ablated and suite.without_context is not None:
        rows = [*_rows_without_context(suite.without_context(), top_k, limit, tell), *rows]
    return _keep(suite, rows, _latency(answers), len(whole), {"top_k": top_k, "limit": limit})


def _ask(asker: Asker, suite: Suite, way: Way) -> dict[str, Answer]:
    return dict(asker.ask_all(suite.questions, way))


def _rows_without_context(suite: Suite, top_k: int, limit: int | None, tell: Tell) -> list[Row]:
    asker = Asker(suite.collection, limit)
    asked = {name: way for name, way in ways(top_k).items() if name not in {EXACT, RERANK}}
    rows = [Row(f"{name}, no context", suite.figures(_ask(asker, suite, way))) for name, way in asked.items()]
    asker.complain(tell)
    return rows


def _latency(answers: Mapping[str, Mapping[str, Answer]]) -> dict[str, dict[str, float]]:
    """Return what stages took in a whole search; of the reranker, where there is one, its own stage too."""
    reranked = [answer for answer in answers.get(RERANK, {}).values() if "rerank" in answer.took_ms]
    extra = {"rerank": percentiles([answer.took_ms["rerank"] for answer in reranked])} if reranked else {}
    return latency_of(answers[EXACT].values()) | extra


def latency_of(answers: Iterable[Answer]) -> dict[str, dict[str, float]]:
    took: dict[str, list[float]] = defaultdict(list)
    for answer in answers:
        for stage, milliseconds in answer.took_ms.items():
            took[stage].append(milliseconds)
    return {stage: percentiles(values) for stage, values in took.items()}


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Return the value that half of them, and that 95 of a hundred, do not exceed; and how many there are."""
    ordered = sorted(values)

    def at(share: int) -> float:
        return round(ordered[max(0, -(-len(ordered) * share // 100) - 1)], 2)

    return {"p50": at(50), "p95": at(95), "n": len(ordered)}


def _keep(
    suite: Suite, rows: Sequence[Row], latency: dict[str, Any], count: int, asked: dict[str, Any]
) -> EvaluationRun:
    with tenant_scope(suite.collection.tenant_id):
        return EvaluationRun.objects.create(
            tenant=suite.collection.tenant,
            name=suite.name[:200],
            collection=suite.collection.name,
            question_count=count,
            measures=[{"way": row.way, "figures": row.figures} for row in rows],
            latency=latency,
            settings=asked | declared_parts(),
            code=digest_code(),
        )


def declared_parts() -> dict[str, str | None]:
    embedder, reranker = backends.embedder(), backends.reranker()
    return {
        "embedder": f"{embedder.provider}/{embedder.model}",
        "contextualizer": backends.contextualizer().name,
        "keyword_index": backends.keyword_index().name,
        "reranker": None if reranker is None else reranker.name,
    }


def digest_code() -> str:
    """Return what changes with the program: figures of two runs differ for that, or for something else."""
    digest = sha256()
    for path in sorted(path for app in APPS for path in (settings.BASE_DIR / app).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def run_before(run: EvaluationRun) -> EvaluationRun | None:
    """Return the last run of the same questions before this one."""
    with tenant_scope(run.tenant_id):
        return EvaluationRun.objects.comparable(run).filter(created_at__lt=run.created_at).first()


def figures_by_way(run: EvaluationRun | None) -> dict[str, Figures]:
    return {} if run is None else {row["way"]: row["figures"] for row in run.measures}
