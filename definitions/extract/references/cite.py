"""Write a target in one form, whatever the words of the mention: "rfc 7230 § 4.3", "Article 6(1)(f)"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from definitions.extract.found import Step, Target
from definitions.extract.references.numbers import COUNTED

SIGN = "section"


def cite_target(target: Target) -> str:
    """Return the words of a target; the same place named in two ways need not give the same words."""
    steps = "".join(_cite_steps(target.steps)).strip()
    if target.document:
        return _cite_below(target.document, target.steps, steps)
    if target.base:
        return f"{steps} of this {target.base}".strip()
    return steps


def _cite_below(document: str, steps: Sequence[Step], words: str) -> str:
    """Put a unit behind its document; a section of a code says its part itself: "cfr 12 1026.2"."""
    *family, part = document.split(" ")
    if steps and family and steps[0].number.startswith(f"{part}."):
        return f"{' '.join(family)} {words.removeprefix('§ ')}"
    return f"{document} {words}".strip()


def _cite_steps(steps: Sequence[Step]) -> Iterator[str]:
    for step in steps:
        number = step.number.rstrip(COUNTED)
        if step.kind == SIGN:
            yield f" § {number}"
        elif step.kind:
            yield f" {step.kind} {number}"
        elif number.startswith("-"):
            yield number
        else:
            yield f"({number})"
