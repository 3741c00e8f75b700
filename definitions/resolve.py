"""Find the unit that a reference means, in the outline of its own document or of another."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from definitions.extract.found import Step, Target
from definitions.extract.references.numbers import COUNTED
from definitions.extract.references.unit_numbers import (
    GRADED,
    TRANSPARENT,
    common_prefix,
    normalize,
    number_of,
)
from definitions.extract.references.words import BELOW, BESIDE, CITED, DEFINITION, DIVISIONS
from documents.parse import Unit

# Below what an outline knows: a target that only lacks these is met by the unit around them.
UNSEEN = frozenset({"sentence", "indent", "subparagraph", "number", "point", "item"})
# Kinds that an annex may count anew: those of contract clauses that are annexed to an agreement.
RESTARTED = frozenset({"clause", "article", "rule"})
NUMBERED_THROUGH = frozenset({"section", "article", "rule", "regulation", "requirement"})
# What a list begins with, and what comes next.
FIRST = {"1": "2", "a": "b", "i": "ii"}
# A unit that is opened by such a word is no paragraph: "Section 3" below "Schedule 1" says where it belongs.
WORDED = re.compile(r"(?:section|sec\.|rule|regulation|article|art\.)\s", re.IGNORECASE)
MOST_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Resolution:
    """The unit that is meant, or why there is none."""

    unit: int | None
    reason: str = ""
    nearest: int = 0  # The last unit on the way to one that is not there.


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
            if graded := GRADED.fullmatch(unit.marker):
                self.by_number[normalize(graded[1])].append(index)
            if unit.parent is not None:
                self.children[unit.parent].append(index)
            inherited = None if unit.parent is None else self.annexes[unit.parent]
            self.annexes.append(index if unit.kind in BESIDE and inherited is None else inherited)
        self.prefix = common_prefix(units, self.numbers)
        self.first_cited = next((index for index, unit in enumerate(units) if unit.kind in CITED), 0)

    def resolve(
        self, target: Target, *, near: int | None = None, unseen: frozenset[str] = UNSEEN
    ) -> Resolution:
        """Return the unit of a target; `near` is the unit that the mention stands in, if in this document.

        A target that lacks nothing but steps of the kinds `unseen` is met by the unit around them.
        """
        if not target.steps:
            return Resolution(self._base(target.base, near) if target.base else 0)
        if all(map(_is_counted, target.steps)):
            return Resolution(self._count(target, near or 0))
        unit, taken = self._search(target, near, unseen)
        if unit is not None and taken == len(target.steps):
            return Resolution(unit)
        reason = self._explain(target.steps, taken, unit or 0)
        if divided := self._divide(target.steps[0]) if not taken else ():
            other = self.resolve(
                replace(target, steps=(*divided, *target.steps[1:])), near=near, unseen=unseen
            )
            return other if other.unit is not None else Resolution(None, reason, other.nearest)
        return Resolution(None, reason, unit or 0)

    def _divide(self, step: Step) -> tuple[Step, ...]:
        """Read "6.1" and "6b" as 6 and what is in it, for documents that number so and are cited so."""
        first, *others = re.sub(r"(?<=\d)(?=[a-z]$)", ".", step.number).split(".")
        is_divided = bool(others) and all(part.isalnum() for part in (first, *others))
        if not is_divided or self._has_inserted(first, letters=step.number[-1:].isalpha()):
            return ()
        return (Step(step.kind, first), *(Step("", part) for part in others))

    def _has_inserted(self, number: str, *, letters: bool) -> bool:
        """Tell whether a document has a 6a, or a 6.1, beside its 6: then 6b is another, and not in 6."""
        others = "abcdefgh" if letters else (".1", ".2", ".3", ".4", ".5")
        inserted = (unit for other in others for unit in self.by_number.get(f"{number}{other}", []))
        return any(self.units[unit].kind in CITED and self.annexes[unit] is None for unit in inserted)

    def resolve_below(
        self, start: int, steps: Sequence[Step], *, unseen: frozenset[str] = UNSEEN
    ) -> Resolution:
        """Return the unit that steps lead to from another."""
        unit, taken = self._descend(start, steps)
        if self._is_enough(unit, steps[taken:], unseen):
            return Resolution(unit)
        return Resolution(None, self._explain(steps, taken, unit), unit)

    def _search(self, target: Target, near: int | None, unseen: frozenset[str]) -> tuple[int | None, int]:
        """Return the unit that the most steps lead to, and how many they are."""
        best: tuple[int | None, int] = (None, 0)
        for start, given in self._starts(target, near):
            unit, count = self._descend(start, target.steps[given:])
            taken = given + count
            if taken and self._is_enough(unit, target.steps[taken:], unseen):
                return unit, len(target.steps)
            if taken > best[1]:
                best = unit, taken
        return best

    def _is_enough(self, unit: int, missing: Sequence[Step], unseen: frozenset[str]) -> bool:
        """Tell whether what could not be found is what an outline does not know."""
        return all(step.kind in unseen for step in missing) and not (missing and self.numbered_below(unit))

    def numbered_below(self, unit: int) -> list[str]:
        """Return the numbers that stand right below a unit."""
        return [self.numbers[child].lstrip("-") for child in self.children[unit] if self.numbers[child]]

    def _count(self, target: Target, near: int) -> int:
        """Return the unit in which "the first subparagraph" is counted; "eerste lid" may be numbered."""
        if target.base:
            return self._base(target.base, near)
        below = (self._child(around, target.steps[0]) for around in self._around(near))
        return next((unit for unit in below if unit is not None), self._paragraph(near))

    def _paragraph(self, index: int) -> int:
        """Return the paragraph around a place, whose sentences and blocks are counted: "Satz 1"."""
        around = [index for index in self._around(index) if self.units[index].kind in BELOW]
        return around[-1] if around else index

    def _starts(self, target: Target, near: int | None) -> Iterator[tuple[int, int]]:
        """Yield the units to go down from, the most likely first, and how many steps they are themselves."""
        first = target.steps[0]
        base = self._base(target.base, near) if target.base and near is not None else 0
        if base:
            yield base, 0
            if self._is_named(base, first.number):
                yield base, 1  # "paragraph 4(a)(9) of this section", in section 4.
        if near is not None and first.kind in {"", *BELOW}:
            yield from ((around, 0) for around in self._around(near))
        if first.kind == DEFINITION:
            lists = (unit.parent for unit in self.units if _defines(unit, first.number))
            yield from ((around, 0) for around in dict.fromkeys(lists) if around is not None)
            return
        yield from ((index, 1) for index in self._named(first, near))
        yield 0, 0

    def _base(self, kind: str, near: int | None) -> int:
        """Return the unit around a place that "this section" means; the document if there is none."""
        if kind == "subsection":
            return self._paragraph(near or 0)
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
        if step.number == "":
            found = [index for index, unit in enumerate(self.units) if unit.kind == step.kind]
        if self.prefix and step.number.isdigit() and step.kind not in {*DIVISIONS, *BESIDE}:
            found = [*self.by_number.get(f"{self.prefix}.{step.number}", []), *found]
        if step.kind in NUMBERED_THROUGH | {"clause"}:
            found = [index for index in found if not self._is_in_cited(index)]
        above = frozenset() if near is None else frozenset(self._around(near))
        fitting = sorted(
            (self._distance(index, step, near, above), index) for index in found if self._fits(index, step)
        )
        is_strange = bool(fitting) and near is not None and fitting[0][0][0] and fitting[0][0][2]
        if is_strange and step.kind in {*BELOW, *NUMBERED_THROUGH}:
            return []  # What is looked for in the body and is not there must not be found in an annex.
        return [index for distance, index in fitting if distance[:2] == fitting[0][0][:2]]

    def _fits(self, index: int, step: Step) -> bool:
        kind = self.units[index].kind
        if step.kind in DIVISIONS:
            return kind == step.kind
        if step.kind == "recital":
            return kind == "recital" or (kind in BELOW and index < self.first_cited)
        if step.kind in BESIDE:
            return kind in BESIDE or self.annexes[index] is not None
        if step.kind in BELOW and not self._is_cited_so(index):
            return False
        if step.kind in NUMBERED_THROUGH and self._is_listed(index):
            return False
        return kind not in DIVISIONS and kind != "recital" and (kind not in BESIDE or step.kind == "")

    def _is_cited_so(self, index: int) -> bool:
        """Tell whether "paragraph 5" can mean it from anywhere: no recital, no article and nothing in one."""
        in_list = self._is_listed(index) or self.units[self.units[index].parent or 0].kind in CITED
        is_paragraph = self.units[index].kind == "paragraph" and self.annexes[index] is None
        is_article = self.units[index].kind == "article"
        return index >= self.first_cited and not is_article and not (is_paragraph and in_list)

    def _is_listed(self, index: int) -> bool:
        """Tell what stands in a list of a list: "(2)" in "(a)" is no section 2."""
        return {self.units[index].kind, self.units[self.units[index].parent or 0].kind} == {"paragraph"}

    def _is_in_cited(self, index: int) -> bool:
        """Tell a number in a section: "(9)" in section 5 is no section 9."""
        parent = self.units[index].parent
        return self.units[index].kind == "paragraph" and self.units[parent or 0].kind in CITED

    def _distance(
        self, index: int, step: Step, near: int | None, above: frozenset[int]
    ) -> tuple[bool, bool, bool, int, int]:
        """Order units by how well they fit: comments stand in annexes, other things in the body.

        Of those that fit alike the nearest is first: "Section 1" in Article II is the one of Article II.
        """
        kind = self.units[index].kind
        is_own = near is not None and self.annexes[index] == self.annexes[near]
        in_annex = self.annexes[index] not in {None, index}
        is_expected = in_annex == (step.kind == "comment")
        is_counted_anew = kind == step.kind if step.kind in CITED else kind == "paragraph"
        if is_own and is_counted_anew and step.kind in RESTARTED | {"", *BELOW}:
            is_expected = True
        return (
            not is_expected,
            kind not in _alike(step.kind),
            not is_own,
            -sum(unit in above for unit in self._around(index)),
            self.units[index].level,
        )

    def _is_named(self, index: int, number: str) -> bool:
        own = self.numbers[index]
        return own == normalize(number) or own.endswith(f".{normalize(number)}")

    def _descend(self, index: int, steps: Sequence[Step]) -> tuple[int, int]:
        """Return how far down the steps lead, and how many of them could be taken."""
        count, term = 0, ""
        for step in steps:
            below = self._child(index, step, term)
            if step.kind == DEFINITION:
                term = step.number  # Says which of several lists the next step is in.
            elif below is None and (not _is_counted(step) or self._is_beyond(index, step)):
                break
            index = index if below is None else below
            count += 1
        return index, count

    def _is_beyond(self, index: int, step: Step) -> bool:
        """Tell "derde lid" of an article whose paragraphs are numbered, and are two."""
        numbers = self.numbered_below(index)
        return step.kind == "paragraph" and len(numbers) > 1 and all(number.isdigit() for number in numbers)

    def _child(self, index: int, step: Step, term: str = "") -> int | None:
        """Return the unit with a number below another: directly, or below units that nobody cites."""
        if (_is_counted(step) and step.kind != "paragraph") or step.kind == DEFINITION:
            return None
        level = [child for child in self.children[index] if term and _defines(self.units[child], term)]
        level = level or list(self.children[index])
        numbers = {self.numbers[child].lstrip("-") for child in level}
        while level:
            found = [child for child in level if self._matches(child, step)]
            if found:
                return min(found, key=lambda child: self.numbers[child] != normalize(step.number))
            is_open = step.kind in {*CITED, *DIVISIONS, *BESIDE} or self.units[index].kind in BESIDE
            level = [
                below
                for child in level
                if is_open or self.units[child].kind in TRANSPARENT
                if step.kind in BESIDE or self.units[child].kind not in BESIDE
                for below in self.children[child]
            ]
        # The first of a list may be printed without its number: "§ 5 … Stk. 2. …" has a stk. 1.
        following = FIRST.get(normalize(step.number)) if step.kind in {"", *BELOW} else None
        return index if index and following in numbers else None

    def _matches(self, child: int, step: Step) -> bool:
        if step.number == "":
            return self.units[child].kind == step.kind
        if self.numbers[child].lstrip("-") != normalize(step.number).lstrip("-"):
            return False
        unit = self.units[child]
        if step.kind in {"", *BELOW}:
            is_before_body = unit.parent == 0 and child < self.first_cited
            return unit.kind not in DIVISIONS and not is_before_body and not WORDED.match(unit.marker)
        return self._fits(child, step)

    def _explain(self, steps: Sequence[Step], taken: int, unit: int) -> str:
        """Say what there is instead: "§ 203(a) has 1, 2, 3, no 9."."""
        missing = steps[min(taken, len(steps) - 1)]
        shown = f"{missing.kind} {missing.number.strip('-.')}".strip()
        numbers = self.numbered_below(unit)
        if not unit:
            return f"There is no {shown} in this document."
        if not numbers:
            return f"{self.units[unit].label} has no {shown}: nothing in it is numbered."
        few = numbers if len(numbers) <= MOST_SHOWN else [*numbers[:2], "…", numbers[-1]]
        return f"{self.units[unit].label} has {', '.join(few)}, no {shown}."


def _defines(unit: Unit, term: str) -> bool:
    """Tell whether a unit is of the list that says what a term means: 1(1) “vessel”(a)."""
    return f"“{term}”".casefold() in unit.label.casefold()


def _alike(kind: str) -> frozenset[str]:
    """Return the kinds of units that a word means in an outline."""
    if kind == "comment":
        return frozenset({"section"})
    if kind in BELOW:
        return frozenset({"paragraph", kind})
    if kind in BESIDE:
        return frozenset(BESIDE)
    return frozenset({kind})


def _is_counted(step: Step) -> bool:
    """Tell what is counted and not numbered: "second subparagraph", "Satz 2"."""
    return step.number.endswith(COUNTED) or step.kind in {"sentence", "indent"}
