"""What was found out about a reference or a quotation in a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from documents.compare import Segment
from documents.read_context import DescribedContext
from search.citations.verification import Reading


class Kind(StrEnum):
    REFERENCE = "reference"
    QUOTATION = "quotation"


class Outcome(StrEnum):
    RESOLVED = "resolved"  # Of references.
    AMBIGUOUS = "ambiguous"
    MISSING = "missing"
    FOUND = "found"  # Of quotations.
    ELSEWHERE = "elsewhere"  # Word for word, and not in what it is cited from.
    NEARLY = "nearly"
    NOT_FOUND = "not_found"
    UNCHECKED = "unchecked"  # Of either, with the reason.

    @property
    def is_right(self) -> bool:
        return self in {Outcome.RESOLVED, Outcome.FOUND}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    kind: Kind
    text: str
    span: tuple[int, int]  # In the text that was checked.
    status: Outcome
    sentence: str  # For people.
    places: tuple[Reading, ...] = ()  # Where it is; of many, the first few.
    place_count: int = 0
    existing: tuple[str, ...] = ()  # Labels of what there is, where a reference leads nowhere.
    reference: str = ""  # Of a quotation: what it is cited from.
    difference: tuple[Segment, ...] = ()
    share: float | None = None  # Of the words that a passage has that says nearly the same.


@dataclass(frozen=True, slots=True)
class Checks:
    """All that was checked in a text, in its order."""

    checked: Sequence[Checked]
    counts: Mapping[str, int] = field(default_factory=dict)
    is_right: bool = True  # Every reference leads somewhere, every quotation stands where it is said to.
    read_context: DescribedContext = field(default_factory=dict)


def sum_up(checked: Sequence[Checked], read_context: Mapping[str, Any]) -> Checks:
    counts = Counter(str(one.status) for one in checked)
    return Checks(checked, dict(counts), all(one.status.is_right for one in checked), read_context)
