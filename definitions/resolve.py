"""Find the unit that a reference means, in the outline of its own document or of another."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from definitions.extract.found import Step, Target
from definitions.extract.references.words import BELOW, BESIDE, CITED, DIVISIONS
from documents.parse import Unit

# Below what an outline knows: a target that only lacks these is met by the unit around them.
UNSEEN = frozenset({"sentence", "indent", "subparagraph", "number", "point"})
# Units that nobody cites on the way to those in them.
TRANSPARENT = frozenset({"heading", "recitals", "subpart"})
MOST_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Resolution:
    """The unit that is meant, or why there is none."""

    unit: int | None
    reason: str = ""


class UnitIndex:
    """The units of one outline, by their numbers. Made once for all references of a version."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.units = units
        self.numbers = [number_of(units, index) for index in range(len(units))]
        self.children: dict[int, list[int]] = defaultdict(list)
        self.by_number: dict[str, list[int]] = defaultdict(list)
        self.annexes: list[int | None] = []
        for index, unit in enumerate(units):
            self.by_number[self.numbers[index]].append(index)
            if unit.parent is not None:
                self.children[unit.parent].append(index)
            inherited = None if unit.parent is None else self.annexes[unit.parent]
            self.annexes.append(index if unit.kind in BESIDE and inherited is None else inherited)
        self.prefix = _common_prefix(units, self.numbers)

    def resolve(self, target: Target, *, near: int | None = None) -> Resolution:
        """Return the unit of a target; `near` is the unit that the mention stands in, if in this document."""
        if not target.steps:
            return Resolution(self._base(target.base, near) if target.base else 0)
        best = (0, 0)
        for start, given in self._starts(target, near):
            unit, count = self._descend(start, target.steps[given:])
            taken = given + count
            if taken and all(step.kind in UNSEEN for step in target.steps[taken:]):
                return Resolution(unit)
            best = max(best, (taken, unit), key=lambda one: one[0])
        if divided := _divide(target.steps[0]):
            return self.resolve(replace(target, steps=(*divided, *target.steps[1:])), near=near)
        return Resolution(None, self._explain(target.steps, *best))

    def _starts(self, target: Target, near: int | None) -> Iterator[tuple[int, int]]:
        """Yield the units to go down from, the most likely first, and how many steps they are themselves."""
        first = target.steps[0]
        if target.base and near is not None:
            base = self._base(target.base, near)
            yield base, 0
            if self._is_named(base, first.number):
                yield base, 1  # "paragraph 4(a)(9) of this section", in section 4.
        if near is not None and first.kind in {"", *BELOW}:
            yield from ((around, 0) for around in self._around(near))
        yield from ((index, 1) for index in self._named(first, near))
        yield 0, 0

    def _base(self, kind: str, near: int | None) -> int:
        """Return the unit around a place that "this section" means; the document if there is none."""
        accepted = _alike(kind)
        return next((index for index in self._around(near or 0) if self.units[index].kind in accepted), 0)

    def _around(self, index: int) -> Iterator[int]:
        place: int | None = index
        while place is not None:
            yield place
            place = self.units[place].parent

    def _named(self, step: Step, near: int | None) -> list[int]:
        """Return the units of the whole document that a first step can mean, the most likely first."""
        found = self.by_number.get(normalize(step.number), [])
        if not found and step.number == "":
            found = [index for index, unit in enumerate(self.units) if unit.kind == step.kind]
        if self.prefix and step.number.isdigit() and step.kind not in {*DIVISIONS, *BESIDE}:
            found = [*self.by_number.get(f"{self.prefix}.{step.number}", []), *found]
        fitting = sorted(
            (self._distance(index, step, near), index) for index in found if self._fits(index, step)
        )
        # What is looked for in the body and is not there must not be found in an annex.
        return [index for distance, index in fitting if distance[:2] == fitting[0][0][:2]]

    def _fits(self, index: int, step: Step) -> bool:
        kind = self.units[index].kind
        if step.kind in DIVISIONS or step.kind == "recital":
            return kind == step.kind
        if step.kind in BESIDE:
            return kind in BESIDE or self.annexes[index] is not None
        return kind not in DIVISIONS and kind != "recital" and (kind not in BESIDE or step.kind == "")

    def _distance(self, index: int, step: Step, near: int | None) -> tuple[bool, bool, bool, int]:
        """Order units by how well they fit: comments stand in annexes, other things in the body."""
        is_own = near is not None and self.annexes[index] == self.annexes[near]
        in_annex = self.annexes[index] not in {None, index}
        is_expected = in_annex == (step.kind == "comment")
        is_alike = self.units[index].kind in _alike(step.kind)
        in_list = self.units[index].kind == "paragraph"
        return (
            not is_expected and not (is_own and in_list),
            not is_alike,
            not is_own,
            self.units[index].level,
        )

    def _is_named(self, index: int, number: str) -> bool:
        own = self.numbers[index]
        return own == normalize(number) or own.endswith(f".{normalize(number)}")

    def _descend(self, index: int, steps: Sequence[Step]) -> tuple[int, int]:
        """Return how far down the steps lead, and how many of them could be taken."""
        count = 0
        for step in steps:
            below = self._child(index, step)
            if below is None:
                break
            index = below
            count += 1
        return index, count

    def _child(self, index: int, step: Step) -> int | None:
        """Return the unit with a number below another: directly, or below units that nobody cites."""
        level = list(self.children[index])
        while level:
            found = [child for child in level if self._matches(child, step)]
            if found:
                return min(found, key=lambda child: self.numbers[child] != normalize(step.number))
            is_open = step.kind in {*CITED, *DIVISIONS, *BESIDE} or self.units[index].kind in BESIDE
            level = [
                below
                for child in level
                if is_open or self.units[child].kind in TRANSPARENT
                for below in self.children[child]
            ]
        return None

    def _matches(self, child: int, step: Step) -> bool:
        if step.number == "":
            return self.units[child].kind == step.kind
        is_number = self.numbers[child].lstrip("-") == normalize(step.number).lstrip("-")
        return is_number and (step.kind in {"", *BELOW} or self._fits(child, step))

    def _explain(self, steps: Sequence[Step], taken: int, unit: int) -> str:
        """Say what there is instead: "§ 203(a) has 1, 2, 3, no 9."."""
        missing = steps[min(taken, len(steps) - 1)]
        shown = f"{missing.kind} {missing.number.lstrip('-')}".strip()
        numbers = [self.numbers[child].lstrip("-") for child in self.children[unit] if self.numbers[child]]
        if not unit:
            return f"There is no {shown} in this document."
        if not numbers:
            return f"{self.units[unit].label} has no {shown}: nothing in it is numbered."
        few = numbers if len(numbers) <= MOST_SHOWN else [*numbers[:2], "…", numbers[-1]]
        return f"{self.units[unit].label} has {', '.join(few)}, no {shown}."


def _divide(step: Step) -> tuple[Step, ...]:
    """Read "6.1" as 6 and 1 within it, for documents that number so and are cited so."""
    first, *others = step.number.split(".")
    is_divided = bool(others) and all(part.isalnum() for part in (first, *others))
    return (Step(step.kind, first), *(Step("", part) for part in others)) if is_divided else ()


def _alike(kind: str) -> frozenset[str]:
    """Return the kinds of units that a word means in an outline."""
    if kind == "comment":
        return frozenset({"section"})
    if kind in BELOW:
        return frozenset({"paragraph", kind})
    if kind in BESIDE:
        return frozenset(BESIDE)
    return frozenset({kind})


def number_of(units: Sequence[Unit], index: int) -> str:
    """Return the number of a unit below its parent: "a" for "§ 5(a)", "1003.4" for "§ 1003.4"."""
    unit = units[index]
    if not unit.marker and unit.kind in TRANSPARENT | {"document"}:
        return ""
    label = re.sub(r"~\d+$", "", unit.label)
    parent = units[unit.parent].label if unit.parent is not None else ""
    steps = "(/-" if unit.kind == "section" else "(/-."  # "5.3" is the whole number of a section in 5.
    own = (
        label[len(parent) :]
        if parent and label.startswith(parent) and label[len(parent) :][:1] in steps
        else label
    )
    match = re.search(r"([^\s/()]+)\)?$", own)
    return normalize(match[1].lstrip(".")) if match else ""


def normalize(number: str) -> str:
    """Return a number in the form in which numbers are compared."""
    return number.strip(" .()§").casefold().replace("‑", "-")


def _common_prefix(units: Sequence[Unit], numbers: Sequence[str]) -> str:
    """Return the part that the sections of a code begin with, as 1003 in § 1003.4; people leave it out."""
    found = [
        number.split(".")[0]
        for unit, number in zip(units, numbers, strict=True)
        if unit.kind == "section" and "." in number
    ]
    first = max(set(found), key=found.count) if found else ""
    return first if first.isdigit() and found.count(first) > len(found) / 2 and len(first) > 1 else ""
