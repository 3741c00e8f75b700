"""Runs of evaluations, laid out for pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from search.dashboards.plots import Bars, Lines, draw_bars, draw_lines
from search.evaluation.show import HEADS
from search.models import EvaluationRun

DRAWN = ("ndcg_at_10", "mrr_at_10", "recall_at_10", "pass_at_1", "exact_at_1")
MOST_DRAWN = 30
SHOWN = 0.00005  # Differences that four digits show.

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Point:
    """One run of a set: the figures of the search as people use it, and how long it took."""

    run: EvaluationRun
    figures: Figures
    p95: float | None


@dataclass(frozen=True, slots=True)
class History:
    """The runs of one set of questions about one collection, the oldest first."""

    name: str
    collection: str
    question_count: int
    points: tuple[Point, ...]

    @property
    def last(self) -> Point:
        return self.points[-1]

    @property
    def measures(self) -> list[str]:
        return [name for name in DRAWN if any(name in point.figures for point in self.points)]

    @property
    def rows(self) -> list[tuple[Point, list[tuple[str, str]]]]:
        """Return each run with its figures and by how much they differ, the newest first."""
        befores: list[Figures] = [{}, *(point.figures for point in self.points[:-1])]
        rows = [
            (point, [difference(point.figures.get(name), before.get(name)) for name in self.measures])
            for point, before in zip(self.points, befores, strict=True)
        ]
        return rows[::-1]

    @property
    def heads(self) -> list[str]:
        return [HEADS[name] for name in self.measures]


def history_of(runs: Sequence[EvaluationRun]) -> History:
    ordered = sorted(runs, key=lambda run: run.created_at)
    first = ordered[0]
    points = tuple(Point(run, last_figures(run), p95_of(run)) for run in ordered)
    return History(first.name, first.collection, first.question_count, points)


def last_figures(run: EvaluationRun) -> Figures:
    """Return those of the last way, which is the search as people use it."""
    figures: Figures = run.measures[-1]["figures"] if run.measures else {}
    return figures


def p95_of(run: EvaluationRun) -> float | None:
    total: Mapping[str, float] = run.latency.get("total", {})
    return total.get("p95")


def plot_history(history: History) -> Lines:
    points = history.points[-MOST_DRAWN:]
    labels = [f"{point.run.created_at:%-d %b %H:%M}" for point in points]
    series = [(HEADS[name], [point.figures.get(name) for point in points]) for name in history.measures]
    return draw_lines(labels, series, unit="{:.2f}", top=1.0)


def plot_ways(run: EvaluationRun) -> Bars | None:
    """Draw the first figure that all ways have, a bar for each way."""
    ways = {str(row["way"]): row["figures"] for row in run.measures}
    name = next((one for one in HEADS if all(one in figures for figures in ways.values())), None)
    if not ways or name is None:
        return None
    return draw_bars(list(ways), [(HEADS[name], [figures[name] for figures in ways.values()])], unit="{:.2f}")


def describe_run(run: EvaluationRun, before: EvaluationRun | None) -> dict[str, Any]:
    """Return a table: heads, and for each way its figures with their differences from the run before."""
    earlier = {} if before is None else {row["way"]: row["figures"] for row in before.measures}
    names = [name for name in HEADS if any(name in row["figures"] for row in run.measures)]
    rows = [
        (
            row["way"],
            [difference(row["figures"].get(name), earlier.get(row["way"], {}).get(name)) for name in names],
        )
        for row in run.measures
    ]
    return {"heads": [HEADS[name] for name in names], "rows": rows}


def difference(value: float | None, before: float | None) -> tuple[str, str]:
    """Return a figure, and by how much it is better or worse than before; nothing if it is the same."""
    if value is None:
        return "–", ""
    change = 0.0 if before is None else value - before
    return f"{value:.4f}", "" if abs(change) < SHOWN else f"{change:+.4f}"
