"""The numbers of units, in the form in which those of references are compared with them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from documents.parse import Unit
from documents.parse.numbers import IDEOGRAPHIC, LATIN, ideographic_value

# Units that nobody cites on the way to those in them.
TRANSPARENT = frozenset({"heading", "recitals", "subpart"})
# Of a rulebook, with the letter that says whether it is a rule or guidance: "COB 3.2.1R".
GRADED = re.compile(r"[A-Z]{2,6} (\d[\d.]*\d)[A-Z]")
OWN_NUMBER = re.compile(
    rf"((?:\b(?:LO|[LRDA])[.*]{{0,2}} )?(?:\d[^\s/()]*(?: (?:{LATIN}|[a-z]))?|[^\s/()]+))\)?$"
)
SLASHED = re.compile(r"(?:^|\s)(\d+/\w{1,3})$")  # "Article 4/1", "§ 3/A"
INSERTED = re.compile(rf"(?<=\d)(?:[ -](?={LATIN}$)| (?=[a-z]$))")  # "5 bis" and "3 a" are 5bis and 3a.
CODE = re.compile(r"^(lo|[lrda])[.*]{0,2} ?(?=\d)")  # "L. 121-1" is "L121-1".


def number_of(units: Sequence[Unit], index: int) -> str:
    """Return the number of a unit below its parent: "a" for "§ 5(a)", "1003.4" for "§ 1003.4"."""
    unit = units[index]
    if not unit.marker and unit.kind in TRANSPARENT | {"document"}:
        return ""
    label = re.sub(r"~\d+$", "", unit.label)
    if label.rpartition("/")[2] == unit.kind.capitalize():
        return ""  # The only annex of its kind.
    parent = units[unit.parent].label if unit.parent is not None else ""
    steps = "(/-" if unit.kind == "section" else "(/-."  # "5.3" is the whole number of a section in 5.
    own = (
        label[len(parent) :]
        if parent and label.startswith(parent) and label[len(parent) :][:1] in steps
        else label
    )
    if (slashed := SLASHED.search(own)) and slashed[1] in unit.marker:
        return normalize(slashed[1])
    match = OWN_NUMBER.search(own)
    return normalize(match[1].lstrip(".")) if match else ""


def normalize(number: str) -> str:
    """Return a number in the form in which numbers are compared."""
    plain = number.strip(" .()§º°").casefold().replace("‑", "-")
    if IDEOGRAPHIC.fullmatch(plain):
        return str(ideographic_value(plain))
    return INSERTED.sub("", CODE.sub(r"\1", plain))


def common_prefix(units: Sequence[Unit], numbers: Sequence[str]) -> str:
    """Return the part that the sections of a code begin with, as 1003 in § 1003.4; people leave it out."""
    parts = Counter(
        number.split(".")[0]
        for unit, number in zip(units, numbers, strict=True)
        if unit.kind == "section" and "." in number
    )
    part, count = parts.most_common(1)[0] if parts else ("", 0)
    return part if part.isdigit() and len(part) > 1 and count > parts.total() / 2 else ""
