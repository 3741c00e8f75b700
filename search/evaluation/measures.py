"""What a measurement says, and the truth it is held against."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Record = dict[str, Any]


class BadTruth(Exception):
    """A file of the set cannot be read; the message says where."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure, of how many, and of which form of the documents, `md` or `txt`, if the set has both."""

    measure: str
    value: float
    n: int
    form: str | None = None

    def as_json(self) -> str:
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None})


def read_records(path: Path) -> Iterator[Record]:
    """Yield the objects of a file that has one on each line."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _read_record(path, number, line)


def _read_record(path: Path, number: int, line: str) -> Record:
    try:
        record: Record = json.loads(line)
    except ValueError as error:
        raise BadTruth(f"{path}, line {number}: not a JSON object ({error}).") from error
    return record


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def precision_and_recall(
    prefix: str, form: str | None, *, hits: int, found: int, truth: int, right: int | None = None
) -> list[Measure]:
    """Return the three figures; `right` counts those found that are true, if several may be one truth."""
    precision, recall = share(hits if right is None else right, found), share(hits, truth)
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return [
        Measure(f"{prefix}_precision", precision, found, form),
        Measure(f"{prefix}_recall", recall, truth, form),
        Measure(f"{prefix}_f1", f1, truth, form),
    ]
