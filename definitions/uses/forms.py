"""The ways in which terms are written, by their first word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

WORD = re.compile(r"[^\W_]+")
LONGEST_ABBREVIATION = 6


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a term."""

    words: tuple[str, ...]  # In small letters.
    printed: tuple[str, ...]  # With the capitals that the term has.
    gaps: tuple[str, ...]  # What stands between them, apart from blanks: "(" in "200 (OK)".
    tail: str  # And behind the last: ")".
    term: int


def forms_by_first_word(terms: Sequence[Sequence[str]]) -> dict[str, list[tuple[Form, ...]]]:
    """Return for each first word the forms that begin with it, the longest first, those alike together."""
    alike: dict[tuple[str, ...], list[Form]] = {}
    for index, forms in enumerate(terms):
        for form in forms:
            words = tuple(word.lower() for word in WORD.findall(form))
            if words and all(one.term != index for one in alike.get(words, ())):
                gaps = [gap.strip() for gap in WORD.split(form)[1:]]
                new = Form(words, _printed(form, forms[0]), tuple(gaps[:-1]), gaps[-1], index)
                alike.setdefault(words, []).append(new)
    by_first: dict[str, list[tuple[Form, ...]]] = {}
    for words in sorted(alike, key=len, reverse=True):
        by_first.setdefault(words[0], []).append(tuple(alike[words]))
    return by_first


def _printed(form: str, term: str) -> tuple[str, ...]:
    """Return the words of a form with the capitals of the term itself."""
    words, models = WORD.findall(form), WORD.findall(term)
    models += [""] * len(words)
    return tuple(
        model + word[len(model) :] if word.lower().startswith(model.lower()) else word
        for word, model in zip(words, models, strict=False)
    )


def is_abbreviation(term: str) -> bool:
    """Tell "MSA" and "eID" from words that happen to be printed in capitals."""
    return any(word[1:] != word[1:].lower() and len(word) <= LONGEST_ABBREVIATION for word in term.split())
