"""Read the numbers of references: "1013.2(e)(1)" is three steps, and "(h)" behind it replaces two of them."""

from __future__ import annotations

import re
from functools import lru_cache

from definitions.extract.found import Step
from definitions.extract.references import words

ENUM = r"\((?:\d{1,3}[A-Za-z]{0,2}|[a-z]{1,2}|[ivxlc]{1,6}|[A-Z]{1,2}|[IVXLC]{1,6}|bis|ter)\)"
TAIL = rf"(?:[ ]?{ENUM})*"
LATIN = r"(?:[ -]?(?:bis|ter|quater|quinquies|sexies|septies|octies)\b(?![ ]§?\d))?"
CODE = r"(?:(?:LO|[LRDA])[.*]{0,2}[ ]?|[A-Z]{1,3}[.-]?)"  # "L. 121-1", "B-4"
NUMBER = (
    rf"{CODE}?\d{{1,5}}(?:[.:/‑-]\d{{1,4}}(?![\d/]))*[A-Za-z]{{0,2}}(?![A-Za-z])"
    rf"(?:[.-]\d{{1,3}}[A-Za-z]{{0,2}}(?![A-Za-z\d]))*{LATIN}(?:\.?[º°])?"
)
DOTTED = r"(?:\.(?:[ivxlc]{1,6}|[A-Z]|[a-z])(?!\w))*"  # "9.ii"
ROMAN = rf"[IVXLCDM]{{1,7}}[A-H]{{0,2}}(?!\w)(?:\.[A-Z](?!\w))?(?:\.\d{{1,2}}(?!\w))?{LATIN}"
CAPITAL = r"[A-Z](?:\.\d{1,3})*(?![\w’'])"
ITEM = rf"(?:{ENUM}{TAIL}|[a-z]{{1,2}}\))"
HYPHEN = r"[-–‑]\d{1,2}(?:\.[a-zA-Z0-9]{1,5})*(?!\w)"  # Of a comment: "4(a)-2.ii".

FULL = re.compile(
    rf"(?P<number>{NUMBER}){TAIL}(?P<hyphen>{HYPHEN})?{DOTTED}"
    rf"|(?P<roman>{ROMAN}){TAIL}|(?P<capital>{CAPITAL}){TAIL}|{ITEM}{DOTTED}"
)
ELLIPTIC = re.compile(rf"{ITEM}{DOTTED}|{HYPHEN}|\.[ivxlc]{{1,6}}(?!\w)|[ivxlc]{{1,6}}(?![\w’'])")
BARE = re.compile(rf"(?:{NUMBER}|{ROMAN}|{CAPITAL}){TAIL}{DOTTED}")

_TOKEN = re.compile(r"\((\w+)\)|([A-Za-z]{1,2})\)|[-–‑.]?([\w:/º°]+(?:[.‑-]\d+[A-Za-z]{0,2})*)")
_ROMAN = re.compile(r"[ivxlc]+")
_FIRST = re.compile(r"^1(?:er|re)$")  # "article 1er"
COUNTED = "."


@lru_cache(maxsize=20_000)
def read_steps(number: str) -> tuple[str, ...]:
    """Return the numbers in "1013.2(e)(1)" or "4(a)-2.ii", the outermost first."""
    head = re.match(rf"(?:{NUMBER}|{ROMAN}|{CAPITAL})", number)
    steps: list[str] = []
    position = 0
    if head and head.end():
        steps = _split_roman(head[0])
        position = head.end()
    for match in _TOKEN.finditer(number, position):
        parts = [part for part in (match[1] or match[2] or match[3]).split(".") if part]
        joint = "-" if match[0][0] in "-–‑" else ""  # A comment below (a): "4(a)-2".
        steps.extend([joint + parts[0], *parts[1:]])
    return tuple(_FIRST.sub("1", step.strip(" .º°").replace("‑", "-")) for step in steps)


def _split_roman(head: str) -> list[str]:
    """Read "I.D.3" as three; "A.1.2" and "5.3.1" are one number each."""
    return head.split(".") if re.match(r"[IVX]+\.[A-Z]\b", head) else [head]


def count(ordinal: str) -> str:
    """Return the number of what is counted rather than numbered: "second subparagraph" is "2."."""
    return words.ORDINALS[ordinal.lower()] + COUNTED


def style_of(number: str) -> str:
    """Return how a number is written: "1", "a", "A", or "i" for what may be a roman numeral."""
    if number[:1].isdigit():
        return "1"
    if number.isupper():
        return "A"
    return (
        "i" if _ROMAN.fullmatch(number) and number not in {"c", "l"} else "a"
    )  # Nobody counts to (c) as 100.


def go_on(before: tuple[Step, ...], numbers: tuple[str, ...], *, joint: str = "") -> tuple[Step, ...]:
    """Return the steps of a member of a list that leaves out what it shares with the one before it.

    It replaces the innermost step that is written alike: "(e)(1) and (h)" is (e)(1) and (h). A joint such as
    "-" in "4(a)-2 through -4" replaces the last step.
    """
    if joint:
        return (*before[:-1], *(Step("", number) for number in numbers))
    for place in range(len(before) - 1, -1, -1):
        if _is_alike(before[place].number, numbers[0]):
            kind = before[place].kind
            return (*before[:place], Step(kind, numbers[0]), *(Step("", number) for number in numbers[1:]))
    return (*before, *(Step("", number) for number in numbers))


def count_on(before: tuple[Step, ...], numbers: tuple[str, ...]) -> tuple[Step, ...]:
    """Return the steps of a full number: "Absätze 1 und 2" goes on from the last step that has a word."""
    place = max(index for index, step in enumerate(before) if step.kind)
    kind = before[place].kind
    return (*before[:place], Step(kind, numbers[0]), *(Step("", number) for number in numbers[1:]))


def _is_alike(before: str, after: str) -> bool:
    """Tell whether two numbers can stand in one list: i goes on from h as a letter, from i as a numeral."""
    styles = {style_of(before), style_of(after)}
    if len(styles) == 1:
        return True
    if styles != {"a", "i"}:
        return False
    if style_of(after) == "i":  # "(h), (i)"
        return len(after) == 1 and after > before
    return len(before) == 1 and after > before  # "(i), (j)"
