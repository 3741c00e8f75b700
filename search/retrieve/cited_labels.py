"""Where a citation without a document may be: by the labels that its unit can have.

Labels are canonical, "Article 6(1)(f)" in any language, so a handful of spellings meets most of them by an
index, however many documents there are. What they do not meet is looked for in the outlines of the versions
that have the first step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from uuid import UUID

from definitions.extract.found import Step, Target
from definitions.extract.references import words
from documents.models import Section, VersionQuerySet
from documents.parse.numbers import LATIN, ROMAN
from documents.roman import read_roman, write_roman
from search.retrieve.cited_outlines import Head
from search.understand.cited_units import MOST_ROMAN

# How units are called that a word can mean: those called so themselves, and those of its kin.
CALLED = {
    "section": ("§ {}", "Section {}", "{}"),
    "article": ("Article {}",),
    "rule": ("Rule {}", "{}"),
    "regulation": ("Rule {}", "{}"),
    "clause": ("Clause {}", "{}"),
    "requirement": ("Requirement {}", "{}"),
    "policy": ("Policy {}", "{}"),
    "principle": ("Principle {}", "{}"),
    "guideline": ("Guideline {}", "{}"),
    "recital": ("Recital {}",),
    "comment": ("Supplement I/Section {}",),
} | dict.fromkeys(words.WHOLE_NUMBERED, ("{}", "§ {}", "Section {}"))
KIN = {
    "": ("Article {}", "Rule {}", "Clause {}"),
    "section": ("Rule {}", "Clause {}"),
    "article": ("{}",),
    "rule": ("Section {}", "§ {}"),
    "regulation": ("Section {}", "§ {}"),
    "clause": ("Section {}", "§ {}"),
    "requirement": ("Section {}",),
    "recital": ("Recitals/{}",),
    "comment": ("Supplement I",),
} | dict.fromkeys(words.WHOLE_NUMBERED, ("Article {}", "Rule {}", "Clause {}"))
BESIDE = (
    "Schedule {}",
    "Annex {}",
    "Appendix {}",
    "Exhibit {}",
    "Attachment {}",
    "Addendum {}",
    "Supplement {}",
)
STEPS = ("({})", "-{}", ".{}")
MOST_LABELS = 2_000
MOST_ALIKE = 4  # Units of one version whose labels a citation can mean.
DEEPEST = 4  # Steps that are spelled in all ways; a hundred labels are asked for at once.


@dataclass(frozen=True, slots=True)
class Labelled:
    """Units with a label that was asked for; without any, those that the first step leads to."""

    units: tuple[UUID, ...] = ()
    heads: tuple[Head, ...] = ()
    is_wide: bool = False  # Whether the heads are large: a part, or the supplement that holds a comment.


def find_by_label(
    target: Target, versions: VersionQuerySet, preferred: frozenset[UUID], most: int
) -> Labelled:
    """Look for whole citations first, then for their first steps; kin only if nothing is called so.

    Labels are canonical: where some documents have the whole label, others need not be searched.
    """
    for called in (CALLED, KIN):
        heads = list(_heads(target.steps[0], called))
        if units := _find(_whole_labels(target.steps, heads), versions, preferred, most):
            return Labelled(units=tuple(unit.pk for unit in units))
        heads.extend(label for step in _other_divisions(target.steps) for label in _heads(step, called))
        first = _find(heads, versions, preferred, most) if len(target.steps) > 1 else []
        if first:
            is_wide = target.steps[0].kind in {"comment", *words.DIVISIONS, *words.BESIDE}
            return Labelled(heads=tuple(first), is_wide=is_wide)
    return Labelled()


def _other_divisions(steps: Sequence[Step]) -> list[Step]:
    """Return the divisions of which the first may be a part: "Part 1, Chapter 2" is said of either."""
    return [step for step in steps[1:] if step.kind in words.DIVISIONS and steps[0].kind in words.DIVISIONS]


def _find(
    labels: Sequence[str], versions: VersionQuerySet, preferred: frozenset[UUID], most: int
) -> list[Head]:
    """Return one unit of each version, in the order of the labels and then of the documents."""
    if not labels:
        return []
    order = {label: place for place, label in enumerate(labels)}
    rows = Section.objects.filter(label__in=labels, version__in=versions.values("pk"))
    found = rows.order_by("version__document__name", "version__document_id", "position").values_list(
        "pk", "version", "position", "end", "label"
    )
    own = list(found.filter(version__document__in=preferred)[: MOST_ALIKE * most]) if preferred else []
    listed = sorted(own or found[: MOST_ALIKE * most], key=lambda row: order[row[4]])
    best = {row[1]: Head(*row[:4]) for row in reversed(listed)}
    return [best[version] for version in dict.fromkeys(row[1] for row in listed)][:most]


def _heads(step: Step, called: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield the labels of the first step."""
    kind = step.kind or ("section" if called is CALLED else "")
    own = (f"{kind.capitalize()} {{}}",)
    patterns: tuple[str, ...]
    if kind in words.BESIDE:
        patterns = own if called is CALLED else BESIDE
    else:
        patterns = called.get(kind, own if called is CALLED else ())
    numbers = dict.fromkeys(_spellings(step, is_kin=called is KIN))
    yield from dict.fromkeys(pattern.format(number).strip() for pattern in patterns for number in numbers)


def _spellings(step: Step, *, is_kin: bool) -> Iterator[str]:
    number = step.number
    yield from (number, number.upper(), number.lower())
    if inserted := re.fullmatch(rf"(\d+|[IVXLC]+)[ -]?({LATIN}|[A-Z])", number):
        yield from (joint.join(inserted.groups()) for joint in ("", "-", " "))
    if number[:1].isalpha() and number[1:2].isdigit():
        yield f"{number[0].upper()}. {number[1:]}"
    if step.kind in {*words.DIVISIONS, *words.BESIDE, "article"} and is_kin | (step.kind != "article"):
        if number.isdigit() and 0 < int(number) < MOST_ROMAN:
            yield write_roman(int(number)).upper()
        elif ROMAN.fullmatch(number.lower()):
            yield str(read_roman(number))


def _whole_labels(steps: Sequence[Step], heads: Sequence[str]) -> list[str]:
    """Return the labels of a citation whose steps are all numbers."""
    below = steps[1:]
    if not below:
        return list(heads)
    if len(below) > DEEPEST or any(step.kind in words.CITED or step.number[:1] == "." for step in below):
        return []
    spelled = [
        dict.fromkeys(form.format(number) for form in STEPS for number in _cases(step.number.lstrip("-")))
        for step in below
    ]
    tails = ["".join(tail) for tail in product(*spelled)]
    return [head + tail for head in heads for tail in tails][:MOST_LABELS]


def _cases(number: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((number, number.lower()))) if number.isupper() else (number,)
