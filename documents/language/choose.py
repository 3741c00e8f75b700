"""By which text-search configuration the words of a text are stemmed, and what its owner is told of that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from documents.language.detect import DETECTED, detect_language

AUTO = "auto"  # What is wanted of a text that is in a language of its own.
UNSTEMMED = "simple"  # The configuration that leaves words as they are.
AS_WRITTEN = "Its words are searched as they are written, and not in their other forms."
STEMMED = "Set the language of the collection to “auto”, and add the file again."


@dataclass(frozen=True, slots=True)
class Language:
    configuration: str
    warning: str = ""


def choose_language(text: str, wanted: str, known: Collection[str]) -> Language:
    """Return the configuration that is wanted or, if that is “auto”, the one for the language of the text."""
    detected = detect_language(text)
    if wanted != AUTO:
        is_other = detected != wanted and detected in known and wanted in DETECTED
        return Language(wanted, _warn_of_other(detected, wanted) if is_other else "")
    if detected in known:
        return Language(detected)
    said = (
        f"It is in {detected.capitalize()}, which the database cannot stem."
        if detected
        else ("It cannot be told which language it is in.")
    )
    return Language(UNSTEMMED, f"{said} {AS_WRITTEN}")


def _warn_of_other(detected: str, wanted: str) -> str:
    return f"It is in {detected.capitalize()}, and its words are stemmed as “{wanted}”. {STEMMED}"


def without_language(warnings: Sequence[str]) -> list[str]:
    """Return the warnings that are of other things."""
    return [warning for warning in warnings if not warning.endswith((AS_WRITTEN, STEMMED))]
