"""Which language a text is in, told by its alphabet and its little words."""

from __future__ import annotations

import re
from collections import Counter
from math import log

from documents.language.scripts import ALONE, SHARED, main_script, script_of
from documents.language.words import FUNCTION_WORDS

BEGINNING = 20_000  # Characters that are read at the beginning,
SAMPLES = 4  # and how often, further on, some more are.
SAMPLE = 4_000
FEWEST_WORDS = 8
LEAST = 0.25  # What the average word must say for a language,
LEAST_LEAD = 2.0  # and by how much all words together must say more than for the next one.
# “(a)”, “a.” before a line, “Chapter I” and “AC-2” have no words in them, though they may look it.
MARK = re.compile(
    r"\(?\b\w{1,4}\)|^[^\w\n]{0,20}\w{1,4}[.)]|\b[A-Z]+\b(?![’'])(?=-?\d)|\b[IVXLCDM]+\b(?![’'])|\b[A-Z]\b(?![’'])",
    re.MULTILINE,
)
BETWEEN_WORDS = re.compile(r"[\s\d'’ʼ`´\"“”„«»‹›()\[\]{}<>|*_#=+~^/\\.,;:!?¿¡…·•،؛؟।–—-]+")
# How many times as often as elsewhere the most frequent word of a language stands in its texts; the others as
# often as their places in the list let expect (Zipf).
FIRST, FLATTEN = 60.0, 3.0


def _profiles() -> dict[str, dict[str, float]]:
    """Return what each word says for which languages."""
    profiles: dict[str, dict[str, float]] = {}
    for language, words in FUNCTION_WORDS.items():
        ranks = Counter[str]()  # In each alphabet, for a language that has two.
        for word in dict.fromkeys(words.split()):
            script = script_of(word[0])
            profiles.setdefault(word, {})[language] = log(FIRST * FLATTEN / (ranks[script] + FLATTEN))
            ranks[script] += 1
    return profiles


PROFILES = _profiles()
DETECTED = frozenset(FUNCTION_WORDS) | ALONE  # All that can be told apart.


def detect_language(text: str) -> str:
    """Return the name of the language in English and small letters; nothing where it cannot be told."""
    sample = sample_of(text)
    script = main_script(sample)
    return detect_by_words(sample, script) if script in SHARED else script


def sample_of(text: str) -> str:
    """Return the beginning of a text and some pieces of the rest: front pages can be in another language."""
    rest = len(text) - BEGINNING
    if rest <= SAMPLES * SAMPLE:
        return text[: BEGINNING + SAMPLES * SAMPLE]
    starts = [BEGINNING + number * (rest - SAMPLE) // (SAMPLES - 1) for number in range(SAMPLES)]
    return " ".join([text[:BEGINNING], *(text[start : start + SAMPLE] for start in starts)])


def detect_by_words(text: str, script: str) -> str:
    words = BETWEEN_WORDS.split(MARK.sub(" ", text).casefold())
    counts = Counter(word for word in words if word and script_of(word[0]) == script)
    scores = dict[str, float]()
    for word, count in counts.items():
        for language, weight in PROFILES.get(word, {}).items():
            scores[language] = scores.get(language, 0.0) + weight * count
    (best, first), (second, _) = sorted([(0.0, ""), (0.0, ""), *((v, k) for k, v in scores.items())])[:-3:-1]
    total = counts.total()
    is_sure = total >= FEWEST_WORDS and best >= LEAST * total and best - second >= LEAST_LEAD
    return first if is_sure else ""
