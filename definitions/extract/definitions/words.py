"""The words in which definitions are drafted, in all languages at once: none is guessed."""

from __future__ import annotations

from definitions.extract.definitions.english import ENGLISH
from definitions.extract.definitions.other_languages import (
    DUTCH,
    FRENCH,
    GERMAN,
    ITALIAN,
    PORTUGUESE,
    SPANISH,
)

LANGUAGES = (ENGLISH, FRENCH, GERMAN, SPANISH, ITALIAN, PORTUGUESE, DUTCH)


def either(field: str) -> str:
    """Return the words of one kind in all languages as one group of a pattern."""
    return "(?:" + "|".join(words for language in LANGUAGES if (words := getattr(language, field))) + ")"
