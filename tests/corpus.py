"""Law that nobody passed: texts and vectors in any number, for measuring searches.

Words are as unevenly frequent as in real rulebooks (of 7,371 passages there, the most frequent word stands in
45 %, the tenth in 20 %, the hundredth in 6 %, the thousandth in 0.7 %), and bound to topics and documents.
Vectors have a decaying spectrum, as those of language models have, around the same topics; mixtures of round
clusters would flatter an index. A document is made of its number alone, so each can be made again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Words = NDArray[Any]

VOCABULARY = 60_000
TOPICS = 500
SHIFT = 13.5  # Of the ranks: flattens the head of Zipf's law as far as rulebooks do.
GRAMMAR = [
    "the", "of", "and", "to", "in", "a", "or", "any", "that", "for",
    "by", "is", "an", "as", "with", "on", "at", "this", "be", "not",
]  # fmt: skip
# Of all words; what is left of a passage is drawn from the whole vocabulary.
GRAMMATICAL, TOPICAL, LOCAL = 0.42, 0.22, 0.06
TOPIC_WORDS, LOCAL_WORDS = 600, 30
DECAY = 0.45  # Of the spectrum: the i-th direction is i^-DECAY as long.
OF_TOPIC, OF_DOCUMENT, OF_PASSAGE = 0.9, 0.7, 1.0  # What makes a passage's vector.
NOISE = 0.9  # Of a question's vector, in units of a passage's own part.


@dataclass(frozen=True)
class Law:
    """A document: its passages, in their order, and their vectors."""

    number: int
    name: str
    passages: list[str]
    vectors: Floats


@dataclass(frozen=True)
class Question:
    text: str
    vector: Floats


class Corpus:
    def __init__(self, seed: int, *, dimensions: int = 384) -> None:
        self.seed = seed
        self.spectrum = (np.arange(1, dimensions + 1) ** -DECAY).astype(np.float32)
        chance = default_rng([seed, 0])
        self.words = make_words(chance)
        self.frequencies = 1 / (np.arange(VOCABULARY) + 1 + SHIFT)
        self.topics = self.draw(chance, (TOPICS, TOPIC_WORDS))
        self.centres = self.vectors(chance, TOPICS)

    def law(self, number: int) -> Law:
        chance = default_rng([self.seed, 1, number])
        topic = int(chance.integers(TOPICS))
        lengths = np.clip(chance.lognormal(4.7, 0.45, int(chance.integers(60, 141))), 15, 400).astype(int)
        words = self.write(chance, topic, int(lengths.sum()))
        passages = [" ".join(part) for part in np.split(words, np.cumsum(lengths)[:-1])]
        own = OF_PASSAGE * self.vectors(chance, len(passages))
        centre = OF_TOPIC * self.centres[topic] + OF_DOCUMENT * self.vectors(chance, 1)[0]
        return Law(number, f"law-{number:06}.md", passages, to_unit(own + centre))

    def question(self, number: int, laws: range) -> Question:
        """Ask for a passage of one of some laws, in some of its words and not quite in its sense."""
        chance = default_rng([self.seed, 2, number])
        law = self.law(laws[int(chance.integers(len(laws)))])
        place = int(chance.integers(len(law.passages)))
        said = [word for word in law.passages[place].split() if word not in GRAMMAR]
        words = chance.choice(said, min(len(said), int(chance.integers(4, 11))), replace=False)
        noise = NOISE * self.vectors(chance, 1)[0]
        noise *= np.linalg.norm(law.vectors[place]) / np.linalg.norm(noise) * 0.6
        return Question(" ".join(words), to_unit((law.vectors[place] + noise)[None])[0])

    def write(self, chance: Generator, topic: int, count: int) -> Words:
        """Return words: of grammar, of the topic, of this document, and any."""
        kinds = chance.random(count)
        local = self.draw(chance, LOCAL_WORDS)
        words = self.words[self.draw(chance, count)]
        for choice, first, last in (
            (np.array(GRAMMAR), 0.0, GRAMMATICAL),
            (self.words[self.topics[topic]], GRAMMATICAL, GRAMMATICAL + TOPICAL),
            (self.words[local], GRAMMATICAL + TOPICAL, GRAMMATICAL + TOPICAL + LOCAL),
        ):
            places = np.flatnonzero((kinds >= first) & (kinds < last))
            weights = np.cumsum(1 / (np.arange(len(choice)) + 3))
            drawn = np.searchsorted(weights, chance.random(len(places)) * weights[-1])
            words[places] = choice[drawn]
        return words

    def draw(self, chance: Generator, size: int | tuple[int, ...]) -> NDArray[np.int64]:
        """Return ranks of words of the vocabulary, frequent ones more often."""
        return np.asarray(np.searchsorted(self.cumulated, chance.random(size) * self.cumulated[-1]))

    @cached_property
    def cumulated(self) -> NDArray[np.float64]:
        return np.cumsum(self.frequencies)

    def vectors(self, chance: Generator, count: int) -> Floats:
        return chance.standard_normal((count, len(self.spectrum)), dtype=np.float32) * self.spectrum


def make_words(chance: Generator) -> Words:
    """Return words that no language stems, in a random order."""
    syllables = ["".join(pair) for pair in product("bdfgklmnprtvz", "aiou")]
    ends = ["".join(pair) for pair in product(syllables, "kmnrx")]
    words = ["".join(parts) for parts in product(syllables, ends)]
    words += ["".join(parts) for parts in product(syllables[::3], syllables[::2], ends[::2])]
    return np.array(words, dtype=object)[chance.permutation(len(words))[:VOCABULARY]]


def to_unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
