"""Find each unit of one version again in the other, wherever it stands and however it is numbered."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from documents.compare.similar import Vocabulary, find_similar
from documents.compare.units import Unit

FEWEST_WORDS = 5  # A shorter text says nothing about which unit it is: “Repealed.”
ALIKE = 0.5  # So much in common finds a unit again anywhere,
BESIDE = 0.3  # so much beside what stood beside it,
STILL_ALIKE = 0.2  # and so much where it is expected, which also counts for it.
EXPECTED = 0.15
ROUNDS = 2


class Pairs:
    """Which unit is which, of each at most once."""

    def __init__(self, old: Sequence[Unit], new: Sequence[Unit]) -> None:
        self.old, self.new = old, new
        self.to_new: dict[int, int] = {}
        self.to_old: dict[int, int] = {}
        self._places = {
            (unit.parent, _step(unit, new)): index for index, unit in reversed(list(enumerate(new)))
        }
        self._labels = {unit.label: index for index, unit in enumerate(new)}

    def join(self, old: int, new: int) -> None:
        if old not in self.to_new and new not in self.to_old:
            self.to_new[old], self.to_old[new] = new, old

    def left_old(self) -> list[int]:
        return [index for index in range(len(self.old)) if index not in self.to_new]

    def left_new(self) -> list[int]:
        return [index for index in range(len(self.new)) if index not in self.to_old]

    def expected(self, old: int) -> int | None:
        """Return where a unit ought to be: at its step below what its parent became, else by its label."""
        unit = self.old[old]
        if unit.parent is not None and unit.parent in self.to_new:
            return self._places.get((self.to_new[unit.parent], _step(unit, self.old)))
        return self._labels.get(unit.label)

    def are_below_one(self, old: int, new: int) -> bool:
        parent = self.old[old].parent
        return parent is not None and self.to_new.get(parent, -1) == self.new[new].parent


def _step(unit: Unit, units: Sequence[Unit]) -> str:
    """Return what a label adds to that of its parent: “(a)” of “Article 6(1)(a)”."""
    return unit.label if unit.parent is None else unit.label.removeprefix(units[unit.parent].label)


def match_units(old: Sequence[Unit], new: Sequence[Unit]) -> dict[int, int]:
    """Return the index in the new for each unit of the old that is still there.

    What has the same words is the same unit, and so is what stands around it. A unit that has changed is
    where it is expected, unless its words are rather somewhere else.
    """
    pairs = Pairs(old, new)
    if old and new:
        pairs.join(0, 0)  # The document itself.
    bodies = [unit.body for unit in old], [unit.body for unit in new]
    vocabulary = Vocabulary(*bodies)
    _join_same_words(pairs, vocabulary, *bodies)
    _join_parents(pairs)
    similar = list(_similar(pairs, vocabulary))
    for _ in range(ROUNDS):
        _join_alike(pairs, vocabulary, similar)
        _join_parents(pairs)
    _join_rest(pairs)
    return pairs.to_new


def _join_same_words(pairs: Pairs, vocabulary: Vocabulary, old: Sequence[str], new: Sequence[str]) -> None:
    """Join what both have once, and nobody says by chance."""
    in_new = _once(new)
    for body, index in _once(old).items():
        if body in in_new and len(vocabulary.old[index]) >= FEWEST_WORDS:
            pairs.join(index, in_new[body])


def _once(bodies: Sequence[str]) -> dict[str, int]:
    counts = Counter(bodies)
    return {body: index for index, body in enumerate(bodies) if counts[body] == 1}


def _join_parents(pairs: Pairs) -> None:
    """Join units that have most of their children in common, from the bottom up."""
    children: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for index in reversed(range(len(pairs.old))):
        for parent, _ in children.pop(index, Counter()).most_common():
            pairs.join(index, parent)
        match, above = pairs.to_new.get(index), pairs.old[index].parent
        if match is not None and above is not None and (parent_of := pairs.new[match].parent) is not None:
            children[above][parent_of] += 1


def _similar(pairs: Pairs, vocabulary: Vocabulary) -> Iterator[tuple[float, int, int]]:
    for old, new in find_similar(vocabulary, pairs.left_old(), pairs.left_new()):
        similarity = vocabulary.similarity(old, new)
        if similarity >= ALIKE:
            yield similarity, old, new


def _join_alike(pairs: Pairs, vocabulary: Vocabulary, similar: Sequence[tuple[float, int, int]]) -> None:
    """Join what has most words in common first; where a unit is expected counts for it."""
    scored = []
    for old, new, least, bonus in _places(pairs):
        if new not in pairs.to_old and (similarity := vocabulary.similarity(old, new)) >= least:
            scored.append((-similarity - bonus, abs(old - new), old, new))
    for similarity, old, new in similar:
        is_long = min(len(vocabulary.old[old]), len(vocabulary.new[new])) >= FEWEST_WORDS
        if is_long or pairs.are_below_one(old, new):
            scored.append((-similarity, abs(old - new), old, new))
    for *_, old, new in sorted(scored):
        pairs.join(old, new)


def _places(pairs: Pairs) -> Iterator[tuple[int, int, float, float]]:
    """Yield where each unit may be by what stands around it, how alike it has to be, and what that counts."""
    for old in pairs.left_old():
        expected = pairs.expected(old)
        if expected is not None:
            yield old, expected, STILL_ALIKE, EXPECTED
        for step in (-1, 1):
            neighbour = pairs.to_new.get(old + step)
            if neighbour is not None and 0 <= neighbour - step < len(pairs.new):
                yield old, neighbour - step, BESIDE, 0


def _join_rest(pairs: Pairs) -> None:
    """A unit with other words that nobody else has is what stands in its place now, from the top down."""
    for old in pairs.left_old():
        expected = pairs.expected(old)
        if expected is not None:
            pairs.join(old, expected)
