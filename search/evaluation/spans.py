"""Measure answers that are stretches of text: how many of their characters were found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from search.evaluation.measures import Measure

SAME_UNIT = 0.5  # The share of two spans' union that both must have to be the same unit.
FEW, MANY = 8, 32  # Results that a reader, and that a language model, is given.


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """A stretch of a document, from its first character to behind its last."""

    document: str
    start: int
    end: int

    def shared_with(self, other: FoundSpan) -> int:
        """Return how many characters both have."""
        if self.document != other.document:
            return 0
        return max(0, min(self.end, other.end) - max(self.start, other.start))

    def touches(self, other: FoundSpan) -> bool:
        return self.shared_with(other) > 0

    def is_same_unit(self, other: FoundSpan) -> bool:
        """Tell whether they mean the same, give or take a heading or some blanks."""
        shared = self.shared_with(other)
        union = (self.end - self.start) + (other.end - other.start) - shared
        return shared / max(1, union) >= SAME_UNIT


Spans = Mapping[str, Sequence[FoundSpan]]  # By question, the best first.


def measure_spans(truth: Spans, run: Spans) -> list[Measure]:
    """Return characters of the answers that were found, and of those found how many are answers."""
    few = [_precision_and_recall(spans, run.get(question, ())[:FEW]) for question, spans in truth.items()]
    many = [_precision_and_recall(spans, run.get(question, ())[:MANY]) for question, spans in truth.items()]
    return [
        _average(f"span_recall_at_{FEW}", [recall for _, recall in few]),
        _average(f"span_recall_at_{MANY}", [recall for _, recall in many]),
        _average(f"span_precision_at_{FEW}", [precision for precision, _ in few]),
    ]


def _average(name: str, values: Sequence[float]) -> Measure:
    return Measure(name, sum(values) / len(values) if values else 0.0, len(values))


def _precision_and_recall(truth: Iterable[FoundSpan], found: Iterable[FoundSpan]) -> tuple[float, float]:
    true, ours = merge_spans(truth), merge_spans(found)
    shared = sum(one.shared_with(other) for one in ours for other in true)
    return shared / max(1, _length(ours)), shared / max(1, _length(true))


def _length(spans: Iterable[FoundSpan]) -> int:
    return sum(span.end - span.start for span in spans)


def merge_spans(spans: Iterable[FoundSpan]) -> list[FoundSpan]:
    """Return what the spans cover, each character once."""
    merged: dict[str, list[FoundSpan]] = defaultdict(list)
    for span in sorted(spans, key=lambda one: (one.document, one.start, one.end)):
        ours = merged[span.document]
        if ours and span.start <= ours[-1].end:
            ours[-1] = FoundSpan(span.document, ours[-1].start, max(ours[-1].end, span.end))
        else:
            ours.append(span)
    return [span for ours in merged.values() for span in ours]
