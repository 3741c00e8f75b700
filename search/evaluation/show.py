"""Lay the figures of a run out, beside those of the one before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from search.evaluation.ablate import figures_by_way
from search.models import EvaluationRun

HEADS = {
    "ndcg_at_10": "nDCG@10",
    "mrr_at_10": "MRR@10",
    "recall_at_1": "Recall@1",
    "recall_at_5": "Recall@5",
    "recall_at_10": "Recall@10",
    "recall_at_20": "Recall@20",
    "pass_at_1": "Pass@1",
    "pass_at_5": "Pass@5",
    "pass_at_10": "Pass@10",
    "pass_at_20": "Pass@20",
    "exact_at_1": "Exact@1",
    "refused": "Refused",
}
BY_KIND = "pass_at_1_"
SHOWN = 0.00005  # Differences that four digits show.


def show_run(run: EvaluationRun, before: EvaluationRun | None) -> Iterator[str]:
    yield f"{run.name}, collection {run.collection}: {run.question_count} questions, code {run.code}"
    earlier = figures_by_way(before)
    ours = figures_by_way(run)
    names = [name for name in HEADS if any(name in figures for figures in ours.values())]
    yield from table(["", *(HEADS[name] for name in names)], _cells(ours, earlier, names))
    kinds = sorted({name for figures in ours.values() for name in figures if name.startswith(BY_KIND)})
    if kinds:
        yield ""
        yield from table(["Pass@1 of", *(one[len(BY_KIND) :] for one in kinds)], _cells(ours, earlier, kinds))
    yield ""
    times = [[stage, *(f"{took[one]:.1f}" for one in ("p50", "p95"))] for stage, took in run.latency.items()]
    yield from table(["ms", "p50", "p95"], times)
    yield ""
    yield _told(before)


def _told(before: EvaluationRun | None) -> str:
    if before is None:
        return "It is the first run of these questions that is kept."
    return f"Differences are from the run of {before.created_at:%Y-%m-%d %H:%M} UTC, code {before.code}."


def _cells(
    ours: Mapping[str, Mapping[str, float]], earlier: Mapping[str, Mapping[str, float]], names: Sequence[str]
) -> list[list[str]]:
    return [
        [way, *(cell(figures.get(name), earlier.get(way, {}).get(name)) for name in names)]
        for way, figures in ours.items()
    ]


def cell(value: float | None, before: float | None) -> str:
    """Return a figure, with an arrow and the difference if there is one."""
    if value is None:
        return "–"
    change = 0.0 if before is None else value - before
    arrow = "" if abs(change) < SHOWN else f" {'▲' if change > 0 else '▼'}{abs(change):.4f}"
    return f"{value:.4f}{arrow}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        first, *rest = (
            value.rjust(width) if index else value.ljust(width)
            for index, (value, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join([first, *rest]).rstrip()


def describe_run(run: EvaluationRun, before: EvaluationRun | None) -> dict[str, Any]:
    earlier = figures_by_way(before)
    return {
        "set": run.name,
        "collection": run.collection,
        "questions": run.question_count,
        "ways": [
            {**row, "change": changes(row["figures"], earlier.get(row["way"], {}))} for row in run.measures
        ],
        "latency_ms": run.latency,
        "settings": run.settings,
        "code": run.code,
        "at": run.created_at.isoformat(),
        "compared_with": None if before is None else before.created_at.isoformat(),
    }


def changes(figures: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value - before[name], 6) for name, value in figures.items() if name in before}
