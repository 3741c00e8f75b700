"""How much two units have in common, and which other unit has most, without asking each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log

from documents.compare.tokens import words_of

MOST_ASKED = 12  # Words by which a unit is looked for: the rarest.
COMMONEST = 50  # Units that may have such a word.
MOST_CANDIDATES = 4


class Vocabulary:
    """The words of two sets of texts, each weighed by how rare it is."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old = [words_of(text) for text in old]
        self.new = [words_of(text) for text in new]
        counts = Counter(word for words in (*self.old, *self.new) for word in words)
        total = len(self.old) + len(self.new)
        # In whole numbers: their sum is the same in any order, and sets have none.
        self.weights = {word: round(1000 * log(1 + total / count)) for word, count in counts.items()}
        self._old_sums = [self._sum(words) for words in self.old]
        self._new_sums = [self._sum(words) for words in self.new]

    def similarity(self, old: int, new: int) -> float:
        """Return the share of weight that is in both, from 0 to 1; two texts without words are the same."""
        both = self._old_sums[old] + self._new_sums[new]
        return 2 * self._sum(self.old[old] & self.new[new]) / both if both else 1.0

    def _sum(self, words: Iterable[str]) -> int:
        return sum(map(self.weights.__getitem__, words))


def find_similar(vocabulary: Vocabulary, old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of units that share rare words, a few for each of the old."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for index in new:
        for word in vocabulary.new[index]:
            places[word].append(index)
    asked = sorted((len(found), word) for word, found in places.items() if len(found) <= COMMONEST)
    ranks = {word: rank for rank, (_, word) in enumerate(asked)}
    for index in old:
        rarest = sorted(ranks[word] for word in vocabulary.old[index] if word in ranks)[:MOST_ASKED]
        shared: Counter[int] = Counter()
        for rank in rarest:
            shared.update(places[asked[rank][1]])
        for candidate in _most_shared(shared):
            yield index, candidate


def _most_shared(shared: Mapping[int, int]) -> list[int]:
    return sorted(shared, key=lambda index: (-shared[index], index))[:MOST_CANDIDATES]
