"""Find the uses of terms in a text or a stretch of it: the longest term first, the nearest scope governs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from definitions.extract.found import Span
from definitions.uses.forms import Form, forms_by_first_word, is_abbreviation
from definitions.uses.names import drop_names
from definitions.uses.verbs import is_verb
from definitions.uses.words import Match, Words

SAMPLE = 100_000  # Characters from which it is learned how a document writes its terms.
FEWEST_SEEN = 3
MOST_LOWER = 0.1


@dataclass(frozen=True, slots=True)
class Term:
    """A defined term: how it is written, where it is defined and where that holds."""

    forms: tuple[str, ...]  # The term as printed comes first.
    start: int
    end: int
    body: Span
    scope: Span


@dataclass(frozen=True, slots=True)
class TermUse:
    """A place where a term is used, and the index of the term that governs there."""

    start: int
    end: int
    term: int


def find_uses(
    text: str, terms: Sequence[Term], *, start: int = 0, end: int | None = None, skip: Iterable[Span] = ()
) -> list[TermUse]:
    """Return the uses in a stretch of a text. For many stretches, make one matcher."""
    return TermMatcher(text, terms, skip=skip).find(start, end)


class TermMatcher:
    """The terms of one text, made once. What stands in a span to skip, such as a heading, is no use.

    `names` are the terms that are met with their capitals only, if it is known; else the text tells.
    """

    def __init__(
        self,
        text: str,
        terms: Sequence[Term],
        *,
        skip: Iterable[Span] = (),
        names: Collection[int] | None = None,
    ) -> None:
        self.text = text
        self.names = names
        self.terms = terms
        self.skipped = _Spans([*skip, *((term.start, term.end) for term in terms)])
        self.forms = forms_by_first_word([term.forms for term in terms])

    def find(self, start: int = 0, end: int | None = None) -> list[TermUse]:
        """Return the uses in a stretch of the text, in its order."""
        words = Words(self.text, start, len(self.text) if end is None else end)
        matches = [match for match in self._match(words) if not is_verb(words, match)]
        uses = (self._use(words, match) for match in drop_names(words, matches))
        return [use for use in uses if use is not None]

    def _match(self, words: Words) -> Iterator[Match]:
        """Yield the longest terms from left to right."""
        behind = 0
        forms = self.forms
        for index, word in enumerate(words.lowered):
            if word in forms and index >= behind and (match := words.longest(forms[word], index)):
                behind = match.last + 1
                yield match

    def _use(self, words: Words, match: Match) -> TermUse | None:
        """Return the use of the term with the nearest scope, unless it stands in its own definition."""
        start, end = words.span(match)
        held = [form for form in match.forms if self._holds(form, words, match)]
        if not held or self.skipped.overlap(start, end):
            return None
        form = min(held, key=lambda one: self._width(one.term))
        body = self.terms[form.term].body
        if body[0] <= start < body[1]:
            return None
        return TermUse(start, words.end_of(match, form.tail), form.term)

    def _width(self, term: int) -> int:
        scope = self.terms[term].scope
        return scope[1] - scope[0]

    def _holds(self, form: Form, words: Words, match: Match) -> bool:
        scope = self.terms[form.term].scope
        if not scope[0] <= words.span(match)[0] < scope[1]:
            return False
        return form.term not in self._exact or words.has_capitals(match, form)

    @cached_property
    def _exact(self) -> frozenset[int]:
        """The terms that must be met with their capitals: abbreviations, and what is a name here."""
        if self.names is not None:
            short = (index for index, term in enumerate(self.terms) if is_abbreviation(term.forms[0]))
            return frozenset(short).union(self.names)
        seen = self._count_capitals()
        return frozenset(
            index
            for index, (term, (lower, capital)) in enumerate(zip(self.terms, seen, strict=True))
            if is_abbreviation(term.forms[0]) or (capital >= FEWEST_SEEN and lower <= MOST_LOWER * capital)
        )

    def _count_capitals(self) -> list[list[int]]:
        """Return how often each term is seen without and with its capitals, amid sentences."""
        words = Words(self.text, 0, min(len(self.text), SAMPLE))
        seen = [[0, 0] for _ in self.terms]
        for match in self._match(words):
            if words.is_amid_sentence(match.first):
                for form in match.forms:
                    seen[form.term][words.has_capitals(match, form)] += 1
        return seen


class _Spans:
    """Spans of a text that can be asked quickly."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for start, end in sorted(spans):
            if self.ends and start <= self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], end)
            else:
                self.starts.append(start)
                self.ends.append(end)

    def overlap(self, start: int, end: int) -> bool:
        index = bisect_right(self.starts, end - 1) - 1
        return index >= 0 and self.ends[index] > start
