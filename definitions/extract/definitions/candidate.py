"""A term that a rule takes for defined, before it is settled what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from definitions.extract.found import Span


@dataclass(frozen=True, slots=True)
class Candidate:
    """Where the term is printed and where its statement turns from the term to the meaning."""

    start: int
    end: int
    stated: int  # Where the words that define begin: the sentence, or the head of the paragraph.
    turn: int  # Behind the verb, the dash or the bracket.
    style: str
    confidence: float
    given: bool = False  # Whether the verb says that the meaning is given elsewhere.
    among: tuple[Span, ...] = ()  # The terms that share the statement, this one included.

    def of_terms(self, spans: Sequence[Span]) -> Iterator[Candidate]:
        """Yield one for each of the terms that share this statement."""
        for start, end in spans:
            yield replace(self, start=start, end=end, among=tuple(spans))
