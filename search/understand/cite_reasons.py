"""Say to people that something cited does not exist, and what does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from definitions.extract.found import Target
from definitions.extract.references.cite import cite_target
from definitions.resolve import UnitIndex
from search.understand.citations import CitedPlace

MOST_SHOWN, FEWEST_LISTED = 6, 3
SIGN = "§ "
SECTION = re.compile(r"s(?:s|ecs?|ections?)?\b", re.IGNORECASE)


def explain_document(key: str) -> str:
    """Say that no document has a name."""
    return f"No document here is called “{show_document(key)}”."


def show_document(key: str) -> str:
    """Return a key as people write it: "12 CFR part 1026", "RFC 9999"."""
    if match := re.fullmatch(r"cfr (\d+) (\d+)", key):
        return f"{match[1]} CFR part {match[2]}"
    if match := re.fullmatch(r"(rfc|usc) (\d+)", key):
        return f"RFC {match[2]}" if match[1] == "rfc" else f"{match[2]} U.S.C."
    return key


def explain_nowhere(place: CitedPlace) -> str:
    return f"{cite_place(place)} does not exist in any document here."


def explain_missing(
    place: CitedPlace, index: UnitIndex, nearest: int, existing: Sequence[str], document: str
) -> str:
    """Say what is missing and what is there: "203(a)(9) does not exist; 203(a) has (1)–(4)."."""
    missing = f"{cite_place(place)} does not exist in {document}"
    if not nearest:
        return f"{missing}; it has {show_labels(existing)}." if existing else f"{missing}."
    label = index.units[nearest].label
    if not existing:
        return f"{missing}; nothing in {label} is numbered."
    if existing[0] not in {index.units[child].label for child in index.children[nearest]}:
        return f"{missing}; there is {show_choice(existing)}."
    return f"{missing}; {label} has {show_labels([show_below(label, one) for one in existing])}."


def show_below(label: str, below: str) -> str:
    """Return what a label adds to the one above it: (a), A.1 in an annex, but 3.1.1 as a whole."""
    added = below.removeprefix(label)
    return below if added.startswith(".") else added.removeprefix("/").lstrip()


def show_choice(labels: Sequence[str]) -> str:
    *others, last = labels
    return f"{', '.join(others)} or {last}" if others else last


def show_labels(labels: Sequence[str]) -> str:
    """Write a list, a long one by its ends: "(1)–(4)"."""
    if len(labels) < FEWEST_LISTED:
        return " and ".join(labels)
    if len(labels) <= MOST_SHOWN:
        return (
            f"{labels[0]}–{labels[-1]}"
            if _is_counted(labels)
            else f"{', '.join(labels[:-1])} and {labels[-1]}"
        )
    return f"{labels[0]}–{labels[-1]}"


def _is_counted(labels: Sequence[str]) -> bool:
    """Tell whether no number between the first and the last is left out."""
    numbers = [re.findall(r"\d+", label)[-1:] for label in labels]
    values = [int(number[0]) if number else None for number in numbers]
    if None not in values:
        return values == list(range(values[0] or 0, (values[0] or 0) + len(values)))
    letters = [label.strip("()-. ") for label in labels]
    return all(len(letter) == 1 for letter in letters) and [
        ord(one) - ord(letters[0]) for one in letters
    ] == list(range(len(letters)))


def cite_place(place: CitedPlace) -> str:
    """Return what is cited, a section by the word that was typed: "§ 203(a)", "Section 12", "3.1.9"."""
    first, *others = place.target.steps
    cited = cite_target(Target((replace(first, kind=first.kind or "section"), *others)))
    number = cited.removeprefix(SIGN)
    if number != cited and "§" not in place.text:
        if SECTION.match(place.text):
            cited = f"section {number}"
        elif place.text.casefold().startswith(first.number.casefold()):
            return number
    return cited[:1].upper() + cited[1:]
