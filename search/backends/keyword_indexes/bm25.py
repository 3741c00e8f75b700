"""The part of BM25 that depends on a question, and which passages are worth a score.

To score all passages that have some word of a question would take long where there are many. A passage is a
candidate if the words that it shares with the question are rare enough together: one rare word, two that are
less so, three. How rare is enough is chosen so that there are some thousand candidates, whatever the size of
the tenant. On 100,000 made-up passages the best ten of two hundred questions were then those of all passages,
and of the best fifty 99.9 %; on real rulebooks 99.98 % and 99.0 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple
from uuid import UUID

from search.lexemes import K1

ENOUGH = 1_000  # Candidates, if words stood together as often as chance has it.
WORDS = 12  # Of a question, the rarest, make candidates; all of them make scores.
TOGETHER = 3
SCANNED = 50_000  # Entries of the index that are looked through for words that others must accompany.
MOST_WORDS = 1_000  # Of a question that is a document itself.


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a question, and in how many passages it stands."""

    lexeme: str
    passage_count: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as one tenant's passages of one language see it."""

    tenant_id: UUID
    language: str
    counts: Mapping[str, int]  # In how many passages each of its words stands.
    terms: Sequence[Term]  # Those that some passage has, the rarest first.
    unknown: Sequence[str]
    total: int
    past: int  # Of the passages, those that no current version says.
    weights: str  # The inverse frequencies as a sparse vector.

    def at_head(self) -> Asked:
        """Return it as those passages see it that are not past, if words are as frequent there."""
        if not self.past:
            return self
        share = (self.total - self.past) / self.total
        terms = [Term(term.lexeme, math.ceil(term.passage_count * share)) for term in self.terms]
        return replace(self, terms=terms, total=self.total - self.past, past=0)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Words of which a passage must have all, in one of several groups."""

    groups: tuple[tuple[Term, ...], ...]
    expected: float  # How many passages that is, if words stood together by chance.


class _Rated(NamedTuple):
    term: Term
    rarity: float
    share: float  # Of all passages that have it.


class _Group(NamedTuple):
    terms: tuple[Term, ...]
    rarity: float
    spare: float  # How rare it is without its commonest word.
    expected: float


def inverse_frequency(passage_count: int, total: int) -> float:
    return math.log(1 + (total - passage_count + 0.5) / (passage_count + 0.5))


def best_possible(terms: Iterable[Term], unknown: Sequence[str], total: int) -> float:
    """Return the score of a passage that has all words without end, those too that no passage has."""
    counts = [*(term.passage_count for term in terms), *(0 for _ in unknown)]
    return sum(inverse_frequency(count, total) * (K1 + 1) for count in counts)


def rarest_first(terms: Sequence[Term]) -> list[Term]:
    return sorted(terms, key=lambda term: (term.passage_count, term.lexeme))[:MOST_WORDS]


def choose_candidates(terms: Sequence[Term], total: int, *, enough: int = ENOUGH) -> Candidates:
    """Return the groups of words, rarest first, that make about enough candidates; the rarest at least."""
    groups = list(_groups(terms[:WORDS], total))
    least = sorted({group.rarity for group in groups}, reverse=True)
    low, high = 0, len(least) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _expected(_at_least(groups, least[middle])) <= enough:
            low = middle
        else:
            high = middle - 1
    chosen = _at_least(groups, least[low])
    return Candidates(tuple(group.terms for group in chosen), _expected(chosen))


def _groups(terms: Sequence[Term], total: int) -> Iterator[_Group]:
    leading = set(_leading(terms))
    rated = [_rate(term, total) for term in terms]
    for size in range(1, TOGETHER + 1):
        for chosen in combinations(rated, size):
            if size == 1 or chosen[0].term in leading:
                yield _group(chosen, total)


def _rate(term: Term, total: int) -> _Rated:
    return _Rated(term, inverse_frequency(term.passage_count, total), min(1.0, term.passage_count / total))


def _leading(terms: Sequence[Term]) -> list[Term]:
    """Return the rarest words: the index reads all entries of one to find those that have another too."""
    seen = 0
    leading: list[Term] = []
    for term in terms:
        seen += term.passage_count
        if leading and seen > SCANNED:
            break
        leading.append(term)
    return leading


def _group(rated: tuple[_Rated, ...], total: int) -> _Group:
    spare = sum([one.rarity for one in rated[:-1]])
    expected = total * math.prod([one.share for one in rated])
    return _Group(tuple([one.term for one in rated]), spare + rated[-1].rarity, spare, expected)


def _at_least(groups: Sequence[_Group], rarity: float) -> list[_Group]:
    """Return the groups that are rare enough, and would not be without one of their words."""
    return [group for group in groups if group.spare < rarity <= group.rarity]


def _expected(groups: Sequence[_Group]) -> float:
    return sum(group.expected for group in groups)
