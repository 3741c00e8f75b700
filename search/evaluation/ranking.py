"""Measure rankings of things that are known by ids: nDCG, reciprocal rank, recall and hits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log2
from pathlib import Path

from search.evaluation.measures import BadTruth, Measure

Grades = Mapping[str, float]  # How relevant each thing is to a question; what is not named is not.
Judgements = Mapping[str, Grades]  # By question.
Run = Mapping[str, Sequence[str]]  # What was found for each question, the best first.

CUT = 10
RECALL_AT = (1, 5, 10, 20, 100)
COLUMNS = 3  # Question, thing, grade.


def ndcg(grades: Grades, ranked: Sequence[str], k: int = CUT) -> float:
    """Return the gain of the first k, each discounted by its place, as a share of the greatest possible."""
    best = _discounted(sorted(grades.values(), reverse=True)[:k])
    return _discounted([grades.get(one, 0.0) for one in ranked[:k]]) / best if best else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(place + 2) for place, gain in enumerate(gains))


def reciprocal_rank(grades: Grades, ranked: Sequence[str], k: int = CUT) -> float:
    places = (place for place, one in enumerate(ranked[:k], start=1) if grades.get(one, 0.0) > 0)
    return 1 / next(places, float("inf"))


def recall(grades: Grades, ranked: Sequence[str], k: int) -> float:
    """Return the share of what is relevant that is among the first k; others call it Pass@k."""
    relevant = {one for one, grade in grades.items() if grade > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def hit(grades: Grades, ranked: Sequence[str], k: int) -> float:
    """Return 1 if anything relevant is among the first k."""
    return float(any(grades.get(one, 0.0) > 0 for one in ranked[:k]))


def measure_ranking(
    truth: Judgements, run: Run, *, suffix: str = "", recall_at: Sequence[int] = RECALL_AT
) -> list[Measure]:
    """Return the averages over all questions that something is relevant to, answered or not."""
    asked = [question for question, grades in truth.items() if any(grade > 0 for grade in grades.values())]

    def average(name: str, score: Callable[[Grades, Sequence[str]], float]) -> Measure:
        total = sum(score(truth[question], run.get(question, ())) for question in asked)
        return Measure(f"{name}{suffix}", total / len(asked) if asked else 0.0, len(asked))

    return [
        average(f"ndcg_at_{CUT}", ndcg),
        average(f"mrr_at_{CUT}", reciprocal_rank),
        *(
            average(f"recall_at_{k}", lambda grades, ranked, k=k: recall(grades, ranked, k))  # type: ignore[misc]
            for k in recall_at
        ),
    ]


def read_judgements(path: Path) -> dict[str, dict[str, float]]:
    """Return the grades of a table whose first line names its columns: question, thing, grade."""
    truth: dict[str, dict[str, float]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        cells = line.split("\t")
        if number == 1 or not line.strip():
            continue
        if len(cells) != COLUMNS:
            raise BadTruth(f"{path}, line {number}: expected three columns with tabs between them.")
        truth.setdefault(cells[0], {})[cells[1]] = _grade(path, number, cells[2])
    return truth


def _grade(path: Path, number: int, cell: str) -> float:
    try:
        return float(cell)
    except ValueError as error:
        raise BadTruth(f"{path}, line {number}: {cell!r} is no grade.") from error
