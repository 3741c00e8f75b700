"""Make golden queries from what a collection says of itself: its headings, definitions and references.

The truth of such queries is as good as the outline they are made of. They show what a change of the search
does to a corpus that nobody has written queries for, and are a start for somebody who writes them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, zip_longest
from random import Random
from typing import TypeVar

from documents.models import Collection
from search.evaluation.corpus import Corpus, Place, load_corpus
from search.evaluation.golden import Expectation, GoldenQuery, Kind
from search.evaluation.judge import fold

MOST = 60
CITED = re.compile(r"[^\W\d_]+ \d+(?:\(\w{1,5}\))*")  # "Section 14(2)": what people cite, and no deeper.
SHORT = {"Section": ("s. {}", "§ {}", "sec {}"), "Article": ("art. {}", "Art {}"), "Schedule": ("sched. {}",)}
WORD = re.compile(r"\w[\w’'-]*")
SENTENCE = re.compile(r"[^.;:\n|#*]{40,400}")
PHRASE_WORDS = 7
FAR = 900  # No document counts its units so far.
MEANINGS = (
    "What does “{}” mean in the {}?",
    "definition of {}, {}",
    "How is {} defined in the {}?",
    "meaning of {} under the {}",
)
REFERRING = ("Which provisions refer to {}?", "Where is {} mentioned?", "what cites {}")


Made = tuple[str, Kind, tuple[Expectation, ...]]
T = TypeVar("T")


def generate_golden(collection: Collection, *, seed: int = 0, most: int = MOST) -> list[GoldenQuery]:
    """Return queries of every kind in turn, always the same ones for a seed."""
    corpus, random = load_corpus(collection), Random(seed)  # noqa: S311
    kinds = [list(make(corpus, random)) for make in MAKERS]
    mixed = [one for one in chain.from_iterable(zip_longest(*kinds)) if one is not None]
    return [
        GoldenQuery(str(number), query, kind, expect)
        for number, (query, kind, expect) in enumerate(mixed[:most], start=1)
    ]


def cite_units(corpus: Corpus, random: Random) -> Iterator[Made]:
    for place in shuffled(filter(is_citable, corpus.places), random):
        yield cite(place, random), Kind.CITATION, (place.expectation,)


def cite_nothing(corpus: Corpus, random: Random) -> Iterator[Made]:
    """Citations of units that are not there: their numbers are beyond those of any document."""
    for place in shuffled(filter(is_citable, corpus.places), random):
        word, number = place.label.partition("(")[0].split(" ")
        yield f"{word} {int(number) + FAR} of the {place.title}", Kind.CITATION, ()


def ask_for_meanings(corpus: Corpus, random: Random) -> Iterator[Made]:
    for term in shuffled(corpus.terms, random):
        query = random.choice(MEANINGS).format(term.term, term.place.title)
        yield query, Kind.DEFINITION, (term.place.expectation,)


def name_headings(corpus: Corpus, random: Random) -> Iterator[Made]:
    """Headings that no other unit has, as people type them."""
    counts = Counter(fold(place.heading) for place in corpus.places)
    for place in shuffled(corpus.places, random):
        if len(WORD.findall(place.heading)) > 1 and counts[fold(place.heading)] == 1:
            yield " ".join(WORD.findall(place.heading)).lower(), Kind.KEYWORD, (place.expectation,)


def quote_phrases(corpus: Corpus, random: Random) -> Iterator[Made]:
    """Words in a row that stand in one place alone."""
    texts = [fold(text) for text in corpus.texts.values()]
    for place in shuffled(corpus.places, random):
        phrase = pick_phrase(place.text, random)
        if phrase and sum(text.count(fold(phrase)) for text in texts) == 1:
            yield f"“{phrase}”", Kind.PHRASE, (Expectation(place.document, text=phrase),)


def pick_phrase(text: str, random: Random) -> str:
    """Return some words in a row as they are printed, or nothing if no sentence has so many."""
    sentences = [" ".join(one.split()) for one in SENTENCE.findall(text)]
    rows = [row for row in (sentence.split(" ") for sentence in sentences) if len(row) > PHRASE_WORDS]
    if not rows:
        return ""
    row = random.choice(rows)
    start = random.randrange(len(row) - PHRASE_WORDS)
    return " ".join(row[start : start + PHRASE_WORDS]).strip(",—–-()“”\"'’")


def ask_who_refers(corpus: Corpus, random: Random) -> Iterator[Made]:
    for cited in shuffled(corpus.cited, random):
        name = f"{cited.place.label} of the {cited.place.title}"
        expected = tuple(dict.fromkeys(place.expectation for place in cited.by))
        yield random.choice(REFERRING).format(name), Kind.QUESTION, expected


MAKERS: tuple[Callable[[Corpus, Random], Iterator[Made]], ...] = (
    cite_units,
    ask_for_meanings,
    name_headings,
    quote_phrases,
    ask_who_refers,
    cite_nothing,
)


def is_citable(place: Place) -> bool:
    return bool(place.title and CITED.fullmatch(place.label))


def cite(place: Place, random: Random) -> str:
    """Return a citation in one of the usual spellings."""
    word, _, number = place.label.partition(" ")
    spelled = random.choice(
        [place.label, place.label.lower(), *(one.format(number) for one in SHORT.get(word, ()))]
    )
    return random.choice(
        [f"{spelled} of the {place.title}", f"{place.title}, {spelled}", f"{place.title} {spelled}"]
    )


def shuffled(items: Iterable[T], random: Random) -> list[T]:
    found = list(items)
    random.shuffle(found)
    return found
