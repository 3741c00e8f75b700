"""Find a cited unit in the outline of one document, however it was typed; or the nearest that there is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from definitions.extract.found import Step, Target
from definitions.extract.references import words
from definitions.extract.references.unit_numbers import normalize
from definitions.resolve import Resolution, UnitIndex
from documents.parse.numbers import ROMAN as ROMAN_NUMERAL
from documents.parse.words import ANNEXES
from documents.roman import read_roman, write_roman
from search.understand.cited_words import DIVISION, RANK, YEAR, Steps

# What an outline does not know, and a citation may name all the same: "§ 3 Abs. 2 Satz 1".
UNSEEN = frozenset({"sentence", "indent", "subparagraph"})
# Kinds whose word is part of the number: there is no section 6 where there is an article 6.
APART = ({"article"}, {"section", "sign", "rule"}, {"recital"})
# What a law says behind its articles, each kind counted anew.
PROVISIONS = frozenset(kind.replace("_", " ") for kind in ANNEXES) - frozenset(words.BESIDE)
WORDED = re.compile(r"[^\W\d_]{2,}|§")
HEADING = re.compile(r"h(\d{1,2})")
CODE_WORD = re.compile(r"[A-Za-z]{2,6} (?P<number>\d[\d.]*[A-Za-z]?(?:\s?[RGED])?)", re.IGNORECASE)
CODED = re.compile(r"[a-z]+[-.]?\d")
NUMBER_PART = re.compile(r"\d+|[^\W\d_]+")
MOST_SHOWN = 8
MOST_DIVISIONS = 4  # That a citation names in any order.
MOST_ROMAN = 100  # Nobody counts further in roman numerals.


@dataclass(frozen=True, slots=True)
class Traced:
    """The unit that was cited; else the nearest one around it, and how many steps led there."""

    unit: int | None
    nearest: int = 0


def trace_target(index: UnitIndex, target: Target) -> Traced:
    """Try the readings of what was typed, the most literal first."""
    if not target.steps:
        return Traced(0)
    nearest = 0
    for steps in dict.fromkeys(_readings(index, target.steps)):
        found = _resolve(index, Target(steps)) if steps else Resolution(0)
        if found.unit is not None and _is_meant(index, found.unit, steps):
            return Traced(found.unit)
        nearest = max(nearest, found.nearest, key=lambda unit: measure_nearness(index, unit, target))
    return Traced(None, nearest or _find_above(index, target.steps[0]))


def _find_above(index: UnitIndex, step: Step) -> int:
    """Return the unit that would be around one whose number is printed as a whole: 3.1 for "3.1.9"."""
    number = normalize(step.number)
    while "." in number and step.kind not in words.BESIDE:
        number = number.rpartition(".")[0]
        for place in index.by_number.get(number, []):
            if any(index.numbers[child].startswith(f"{number}.") for child in index.children[place]):
                return place
    return 0


def trace_below(index: UnitIndex, start: int, steps: Sequence[Step]) -> Traced:
    """Follow the steps of a target behind its first, which led to a unit."""
    found = index.resolve_below(start, steps[1:], unseen=UNSEEN)
    if found.unit is not None and _is_meant(index, found.unit, steps):
        return Traced(found.unit)
    return Traced(None, found.nearest)


def _resolve(index: UnitIndex, target: Target) -> Resolution:
    if headed := _find_headed(index, target.steps):
        return headed
    if signed := _find_signed(index, target.steps):
        return signed
    if coded := _find_coded(index, target.steps):
        return coded
    found = index.resolve(_plain(target), unseen=UNSEEN)
    return found if found.unit is not None else _find_misprinted(index, target, found)


def _plain(target: Target) -> Target:
    """Return a target with kinds that outlines know; a bare number is looked for as a section."""
    first, *others = target.steps
    kind = "section" if first.kind in {"", DIVISION} else first.kind
    return Target((replace(first, kind=kind), *others))


CONTROL = re.compile(r"([A-Z]{2,6}[- ])\d{1,3}(?:\.\d+)*[A-Z]{0,2}(?:\(|$)")


def family_of(target: Target) -> str:
    """Return what the controls of a family begin with: "AC-" for "AC-2(3)", "SYSC " for "SYSC 4.1.1R"."""
    match = CONTROL.match(target.steps[0].number.upper()) if target.steps else None
    return match[1] if match else ""


def is_control(label: str, family: str) -> bool:
    """Tell a label of a family; with a hyphen, those of any other are codes too."""
    match = CONTROL.match(label)
    return match is not None and (match[1] == family or match[1][-1] == family[-1] == "-")


def is_year(target: Target) -> bool:
    """Tell what may be the year of the document that is named before it: "Harbour Dues Agreement 2024"."""
    return (
        len(target.steps) == 1
        and not target.steps[0].kind
        and YEAR.fullmatch(target.steps[0].number) is not None
    )


def _find_signed(index: UnitIndex, steps: Steps) -> Resolution | None:
    """Tell § 1 from "1. Abschnitt" in a document that has both."""
    first = steps[0]
    if first.kind not in {"", "section", DIVISION}:
        return None
    named = [
        place
        for place in index.by_number.get(normalize(first.number), [])
        if index.units[place].kind == "section" and index.annexes[place] is None
    ]
    signed = [place for place in named if "§" in index.units[place].marker]
    others = [place for place in named if place not in signed and WORDED.search(index.units[place].marker)]
    if not (signed and others):
        return None
    start = others[0] if first.kind == DIVISION else signed[0]
    return index.resolve_below(start, steps[1:], unseen=UNSEEN)


def _find_coded(index: UnitIndex, steps: Steps) -> Resolution | None:
    """Return a unit whose label is a code with a number: "SYSC 4.1.1 R"."""
    match = CODE_WORD.fullmatch(steps[0].number)
    if match is None:
        return None
    wanted = re.sub(r"\s", "", steps[0].number).casefold()
    labels = ((place, re.sub(r"\s", "", unit.label).casefold()) for place, unit in enumerate(index.units))
    start = next(
        (place for place, label in labels if re.fullmatch(rf"{re.escape(wanted)}[rged]?", label)), None
    )
    if start is not None:
        return index.resolve_below(start, steps[1:], unseen=UNSEEN)
    return None


def _find_misprinted(index: UnitIndex, target: Target, found: Resolution) -> Resolution:
    """Return a unit that stands where it should, under a number or a heading that is misprinted or lost."""
    place = next(
        (place for place in range(1, len(target.steps)) if _leads_to(index, target, place, found)), None
    )
    before = _number_before(target.steps[place].number) if place else ""
    below = index.children[found.nearest]
    preceding = [child for child in below if before and index.numbers[child].lstrip("-") == before]
    if place is None or not preceding or target.steps[place].kind in {*words.DIVISIONS, *words.BESIDE}:
        return found
    steps = target.steps[place:]
    behind = [child for child in below if child > preceding[0]]
    return (
        _find_unbracketed(index, preceding[0], steps)
        or _find_restarted(index, preceding[0], behind, steps[1:])
        or found
    )


def _leads_to(index: UnitIndex, target: Target, place: int, found: Resolution) -> bool:
    """Tell whether the steps before a place are those that could be taken."""
    above = index.resolve(Target(_plain(target).steps[:place]), unseen=frozenset())
    return above.unit is not None and above.unit == found.nearest


def _number_before(number: str) -> str:
    if number.isdigit() and int(number) > 1:
        return str(int(number) - 1)
    return chr(ord(number) - 1) if len(number) == 1 and "a" < number <= "z" else ""


def _find_unbracketed(index: UnitIndex, before: int, steps: Steps) -> Resolution | None:
    """Return what goes on counting in another style: "4." behind "(3)"."""
    first = next(iter(index.children[before]), None)
    if first is None or index.numbers[first].lstrip("-") != steps[0].number:
        return None
    found = index.resolve_below(first, steps[1:], unseen=UNSEEN)
    return found if found.unit is not None else None


def _find_restarted(index: UnitIndex, before: int, behind: Sequence[int], steps: Steps) -> Resolution | None:
    """Return a unit of a list that begins anew: where 1. stands again behind (1) with its 1., (2) is lost."""
    own = [child for child in index.children[before] if _is_first(index, child)]
    if not (own and behind and steps and _is_first(index, behind[0])):
        return None
    wanted = steps[0].number.strip("-.")
    unit = next((child for child in behind if index.numbers[child].lstrip("-") == wanted), None)
    is_listed = unit is not None and not index.units[unit].marker.startswith("(")
    found = index.resolve_below(unit, steps[1:], unseen=UNSEEN) if unit is not None and is_listed else None
    return found if found and found.unit is not None else None


def _is_first(index: UnitIndex, unit: int) -> bool:
    return index.units[unit].marker.strip() == "1."


def _readings(index: UnitIndex, steps: Steps) -> Iterator[Steps]:
    steps = _below_root(index, steps)
    yield steps
    if not steps:
        return
    if len(steps) > 1:
        yield _by_rank(steps)
    yield from _numbered_whole(steps)
    yield from _in_other_order(steps)
    yield from _in_other_numerals(steps)
    yield from _paragraph_in_roman(steps)
    yield from _items_in_roman(steps)
    yield from _inserted(steps)
    yield from _annexed(steps)
    if steps[0].kind in {"", "section"} and re.fullmatch(r"[A-Za-z]", steps[0].number):
        yield (replace(steps[0], kind="appendix"), *steps[1:])  # "RFC 7230 § A"
    yield from _divided(index, steps)
    if coded := CODE_WORD.fullmatch(steps[0].number):
        yield (replace(steps[0], number=coded["number"]), *steps[1:])  # In a document of that name.


def _below_root(index: UnitIndex, steps: Steps) -> Steps:
    """Leave out what names the document itself: "Part 1002" of a code, and the supplement of a comment."""
    first = steps[0]
    if first.kind == "chapter" and len(steps) > 1 and _is_chapter_of_laws(index, first.number):
        return steps[1:]
    if first.kind in words.DIVISIONS and index.units[0].kind == first.kind:
        is_root = index.numbers[0] == first.number.casefold()
        steps = steps[1:] if is_root else steps
    if len(steps) > 1 and steps[0].kind == "supplement" and steps[1].kind == "comment":
        return steps[1:]
    return steps


def _is_chapter_of_laws(index: UnitIndex, number: str) -> bool:
    """Tell whether the document itself is a chapter of a country's laws: "Pilots Ordinance (Cap. 84)"."""
    name = f"{index.units[0].label} {index.units[0].title}"
    return re.search(rf"\(cap\.? ?{re.escape(number)}\)", name, re.IGNORECASE) is not None


def _by_rank(steps: Steps) -> Steps:
    """Order what was typed the other way round: "Part 1, Schedule 2"."""
    groups: list[list[Step]] = []
    for step in steps:
        if step.kind or not groups:
            groups.append([step])
        else:
            groups[-1].append(step)
    groups.sort(key=lambda group: RANK.get(group[0].kind, words.LOW))
    return tuple(step for group in groups for step in group)


def _numbered_whole(steps: Steps) -> Iterator[Steps]:
    """Read "paragraph 6(2)(b)" as one in section 6."""
    first = steps[0]
    is_whole = "." in first.number or (len(steps) > 1 and not steps[1].kind)
    if first.kind in words.WHOLE_NUMBERED and first.number[:1].isdigit() and is_whole:
        yield (replace(first, kind="section"), *steps[1:])


def _in_other_order(steps: Steps) -> Iterator[Steps]:
    """Read "Chapter 2, Part 1" in whichever order the two stand in a document."""
    count = next((place for place, step in enumerate(steps) if not _is_division(step)), len(steps))
    if 1 < count <= MOST_DIVISIONS:
        yield from ((*order, *steps[count:]) for order in permutations(steps[:count]))


def _is_division(step: Step) -> bool:
    return step.kind in words.DIVISIONS or step.kind == "subdivision"


def _paragraph_in_roman(steps: Steps) -> Iterator[Steps]:
    """Read the II of "art. L. 111-2 II", which is no second Absatz."""
    if len(steps) > 1 and steps[1].kind == "paragraph" and steps[1].number.isdigit():
        numeral = write_roman(int(steps[1].number)).upper() if 0 < int(steps[1].number) < MOST_ROMAN else ""
        yield (steps[0], Step("point", numeral), *steps[2:])


def _items_in_roman(steps: Steps) -> Iterator[Steps]:
    """Read "item 2" as (ii), as in translations of Japanese laws."""
    if any(step.kind == "item" and step.number.isdigit() for step in steps):
        yield tuple(
            replace(step, number=write_roman(int(step.number)))
            if step.kind == "item" and step.number.isdigit() and 0 < int(step.number) < MOST_ROMAN
            else step
            for step in steps
        )


def _inserted(steps: Steps) -> Iterator[Steps]:
    """Read "3-A" and "II-A" as 3A and IIA."""
    plain = re.sub(r"(?<=[\dIVX])-(?=[A-Z]$)", "", steps[0].number)
    if plain != steps[0].number:
        yield (replace(steps[0], number=plain), *steps[1:])
    if len(steps) > 1 and steps[1].number[:1] == "-" and steps[1].number[1:].isupper() and not steps[1].kind:
        yield (replace(steps[0], number=steps[0].number + steps[1].number[1:]), *steps[2:])


def _annexed(steps: Steps) -> Iterator[Steps]:
    """Leave out the unit that an annex belongs to: "Anlage 1 zu § 4 Abs. 2"."""
    place = next((place for place, step in enumerate(steps) if step.kind in words.BESIDE), 0)
    if place and not any(step.kind in {*words.DIVISIONS, *words.BESIDE} for step in steps[:place]):
        yield steps[place:]


def _in_other_numerals(steps: Steps) -> Iterator[Steps]:
    """Read "Chapter 3" as "Chapter III" and the other way round, for what bears either."""
    first, *others = map(_in_other_numeral, steps)
    yield (first, *steps[1:])
    yield (steps[0], *others)
    yield (first, *others)


def _in_other_numeral(step: Step) -> Step:
    if step.kind not in {*words.DIVISIONS, *words.BESIDE, *PROVISIONS, "article"}:
        return step
    if step.number.isdigit() and 0 < int(step.number) < MOST_ROMAN:
        return replace(step, number=write_roman(int(step.number)).upper())
    if ROMAN_NUMERAL.fullmatch(step.number.lower()):
        return replace(step, number=str(read_roman(step.number)))
    return step


def _divided(index: UnitIndex, steps: Steps) -> Iterator[Steps]:
    """Read "6-1" and "6:1" as 6 and what is in it, and "3" with "-A" as one number."""
    if len(steps) > 1 and steps[1].number.startswith("-") and not steps[1].kind:
        yield (replace(steps[0], number=steps[0].number + steps[1].number), *steps[2:])
    for place, step in enumerate(steps):
        if behind := re.fullmatch(r"([A-Z]) (\d+)", step.number):  # "Part A 2"
            parts = (replace(step, number=behind[1]), Step("", behind[2]))
            yield (*steps[:place], *parts, *steps[place + 1 :])
    first, *others = re.split(r"[-:/]", steps[0].number)
    if others and first.isdigit() and all(part.isalnum() for part in others):
        yield (replace(steps[0], number=first), *(Step("", part) for part in others), *steps[1:])


def _find_headed(index: UnitIndex, steps: Sequence[Step]) -> Resolution | None:
    """Return a unit below a heading that has no number and is counted: "comment 1013-h1.4"."""
    match = HEADING.fullmatch(steps[0].number) if steps[0].kind == "comment" else None
    if match is None:
        return None
    annex = next((place for place, unit in enumerate(index.units) if unit.kind == "supplement"), None)
    headings = (
        [child for child in index.children.get(annex, []) if index.units[child].kind == "heading"]
        if annex is not None
        else []
    )
    if int(match[1]) not in range(1, len(headings) + 1):
        return Resolution(None, nearest=annex or 0)
    unit = headings[int(match[1]) - 1]
    for step in steps[1:]:
        below = [
            child for child in index.children.get(unit, []) if index.numbers[child].strip("-.") == step.number
        ]
        if not below:
            return Resolution(None, nearest=unit)
        unit = below[0]
    return Resolution(unit)


def _is_meant(index: UnitIndex, unit: int, steps: Sequence[Step]) -> bool:
    """Tell whether a unit that is found by its numbers is also what the words and signs around them say."""
    return (
        _is_called_so(index, unit, steps)
        and _is_annexed_so(index, unit, steps)
        and _is_printed_so(index, unit, steps)
        and _is_divided_so(index, unit, steps)
    )


def _is_annexed_so(index: UnitIndex, unit: int, steps: Sequence[Step]) -> bool:
    """Tell whether "appendix K" is an annex, or has the code of a unit in one: "Appendix A-3"."""
    if steps and steps[0].kind in PROVISIONS:
        return any(index.units[place].kind == steps[0].kind for place in _around(index, unit))
    if not steps or steps[0].kind not in words.BESIDE:
        return True
    number = steps[0].number.casefold()
    return bool(CODED.match(number)) or any(
        index.units[place].kind in words.BESIDE and (not number or index.numbers[place] == number)
        for place in _around(index, unit)
    )


def _is_printed_so(index: UnitIndex, unit: int, steps: Sequence[Step]) -> bool:
    """Tell "4(a)-3" from "4(a)(3)": what is cited with a dash is not printed in brackets."""
    place = next((place for place, step in enumerate(steps) if step.number.startswith("-")), None)
    if place is None or steps[0].kind != "comment":
        return True
    around = list(_around(index, unit))
    above = around[min(len(steps) - 1 - place, len(around) - 1)]
    return not index.units[above].marker.startswith("(")


def _is_divided_so(index: UnitIndex, unit: int, steps: Sequence[Step]) -> bool:
    """Tell "3. Abschnitt" from § 3."""
    wanted = next((step.number.casefold() for step in steps if step.kind == DIVISION), None)
    named = (index.units[place].marker for place in _around(index, unit) if index.numbers[place] == wanted)
    return wanted is None or any("§" not in marker for marker in named)


def _around(index: UnitIndex, unit: int) -> Iterator[int]:
    place: int | None = unit
    while place is not None:
        yield place
        place = index.units[place].parent


def _is_called_so(index: UnitIndex, unit: int, steps: Sequence[Step]) -> bool:
    """Tell whether the word that was typed can be that of the unit: there is no "Section 6" of articles."""
    wanted = next((step for step in steps if step.kind in words.CITED), None)
    if wanted is None or wanted.kind == "comment":
        return True
    number = wanted.number.casefold()
    numbers = {number, f"{index.prefix}.{number}"}  # "section 4" is § 1003.4 in a part of a code.
    named = [place for place in _around(index, unit) if index.numbers[place] in numbers]
    if named and all(_is_inside(index, place, wanted.kind) for place in named):
        return False
    worded = [index.units[place].kind for place in named if WORDED.search(index.units[place].marker)]
    return not worded or any(not _is_apart(wanted.kind, kind) for kind in worded)


def _is_inside(index: UnitIndex, unit: int, kind: str) -> bool:
    """Tell the II of a list in Article 1 from an article II."""
    _, *above = _around(index, unit)
    return index.units[unit].kind == "paragraph" and any(index.units[place].kind == kind for place in above)


def _is_apart(wanted: str, kind: str) -> bool:
    return any(wanted in group and kind not in group for group in APART) and any(
        kind in group for group in APART
    )


def measure_nearness(index: UnitIndex, nearest: int, target: Target) -> tuple[int, bool, int]:
    """Tell of two outlines in which more of a citation is: first its numbers, then its word, then its depth.

    "Clause 3.1.9" is nearer to 3.1 than to Article 12(3), however deep that is.
    """
    wanted = [part for step in target.steps for part in NUMBER_PART.findall(step.number.casefold())]
    said: list[str] = []
    met = 0
    for place in _around(index, nearest):
        said = NUMBER_PART.findall(index.numbers[place].casefold()) + said
        if said and said == wanted[: len(said)]:
            met = len(said)
    kinds = {index.units[place].kind for place in _around(index, nearest)}
    is_called_so = bool(target.steps) and target.steps[0].kind in kinds
    return met, is_called_so, index.units[nearest].level


def show_existing(index: UnitIndex, nearest: int, target: Target) -> tuple[str, ...]:
    """Return the labels of what there is: below the nearest unit, or of the same kind."""
    if nearest and (deeper := _find_deeper(index, nearest, target.steps)):
        return tuple(index.units[unit].label for unit in deeper[:MOST_SHOWN])
    if nearest:
        below = [child for child in index.children[nearest] if index.numbers[child]]
        return tuple(index.units[child].label for child in below)
    kind = next((step.kind for step in target.steps if step.kind), "")
    accepted = {"comment": {"section"}, "rule": {"rule", "section"}, "clause": {"clause", "section"}}.get(
        kind, {kind}
    )
    alike = [
        place
        for place, unit in enumerate(index.units)
        if place and unit.kind in accepted and (index.annexes[place] in {None, place}) == (kind != "comment")
    ]
    return tuple(index.units[place].label for place in _nearest_numbers(index, alike, target))


def _find_deeper(index: UnitIndex, nearest: int, steps: Steps) -> list[int]:
    """Return what is meant if a level was left out: Article 6(1)(f) for "Article 6(f)"."""
    numbers = [step.number.strip("-.").casefold() for step in steps]
    own = re.split(r"[.\s]", index.numbers[nearest])[-1]
    led = [place for place, number in enumerate(numbers) if re.split(r"[.\s]", number)[-1] == own]
    rest = numbers[led[-1] + 1 :] if led else []
    if not rest:
        return []
    below = (unit for child in index.children[nearest] for unit in _below(index, child))
    return [unit for unit in below if unit not in index.children[nearest] and _ends(index, unit, rest)]


def _below(index: UnitIndex, unit: int) -> Iterator[int]:
    yield unit
    for child in index.children.get(unit, []):
        yield from _below(index, child)


def _ends(index: UnitIndex, unit: int, numbers: Sequence[str]) -> bool:
    """Tell whether the last numbers on the way to a unit are these."""
    around = (index.numbers[place].strip("-.").casefold() for place in _around(index, unit))
    return all(number == own for number, own in zip(reversed(numbers), around, strict=False))


def _nearest_numbers(index: UnitIndex, alike: Sequence[int], target: Target) -> list[int]:
    """Leave out the middle of a long list: the first, those around the number, the last."""
    if len(alike) <= MOST_SHOWN:
        return list(alike)
    wanted = _key(target.steps[0].number)
    before = sum(_key(index.numbers[place]) <= wanted for place in alike)
    around = alike[max(before - 2, 0) : before + 2]
    return sorted({alike[0], *around, alike[-1]})


def _key(number: str) -> tuple[tuple[int, str], ...]:
    return tuple(
        (int(part), "") if part.isdigit() else (0, part) for part in re.findall(r"\d+|[^\W\d]+", number)
    )
