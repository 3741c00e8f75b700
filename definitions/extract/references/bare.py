"""References without a word that the outline vouches for: "see 4.3.2", "AC-2(3)", "COB 3.2.1R"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from definitions.extract.found import Step, Target
from definitions.extract.references.members import Member, read_list
from definitions.extract.references.numbers import read_steps
from definitions.extract.references.patterns import FOLLOWED
from definitions.extract.references.read import Mention
from documents.parse import Unit

# Before a number that is one of a unit: without such words "4.2" may be anything.
_LEADS = (
    r"see(?:\salso)?|with|according\sto|(?:specified|given|described|defined|listed|stated|detailed|required)\s(?:in|by)"
    r"|conform(?:s|ing)?\sto|requirements\sof|provisions\sof|meets?|satisf(?:y|ies)|siehe|gemäß|nach|voir|selon"
)
DECIMAL = re.compile(
    rf"(?<!\w)(?i:{_LEADS})\s(?P<number>(?:\d{{1,2}}|[A-Z])(?:\.\d{{1,3}}){{1,5}}(?:\([a-z0-9]{{1,3}}\))*)(?![\w.]*\w)"
)
PLAIN = re.compile(r"(?:\d{1,2}|[A-Z])(?:\.\d{1,3}){1,5}")
CODED = re.compile(r"([A-Z]{2,6})([- ])\d{1,3}(?:\.\d{1,3}){0,4}[A-Z]{0,2}")
FEWEST = 2  # Units with one code that make it a family.


def find_bare(text: str, units: Sequence[Unit]) -> Iterator[Mention]:
    """Yield numbers that stand alone, if a unit of this document has them."""
    numbers = {marker for unit in units if PLAIN.fullmatch(marker := unit.marker.rstrip("."))}
    if numbers:
        yield from _find_decimal(text, numbers)
    families = _families(units)
    if families:
        yield from _find_coded(text, families)


def _find_decimal(text: str, numbers: set[str]) -> Iterator[Mention]:
    for match in DECIMAL.finditer(text):
        first, *others = read_steps(match["number"])
        if first not in numbers or not FOLLOWED.match(text, match.end()):
            continue
        steps = (Step("section", first), *(Step("", other) for other in others))
        member = Member(match.start("number"), match.end(), steps)
        for one in read_list(text, member, is_plural=True):
            yield Mention(one.start, one.end, "section", Target(one.steps), one.is_range_end)


def _families(units: Sequence[Unit]) -> set[str]:
    """Return the codes that units of this document begin with, such as "AC-" and "COB "."""
    codes = Counter(match[1] + match[2] for unit in units if (match := CODED.match(unit.marker)))
    return {code for code, count in codes.items() if count >= FEWEST}


def _find_coded(text: str, families: set[str]) -> Iterator[Mention]:
    code = "|".join(sorted(map(re.escape, families)))
    coded = re.compile(
        rf"(?<![\w-])(?P<family>{code})(?P<number>\d{{1,3}}(?:\.\d{{1,3}}){{0,4}}[A-Z]{{0,2}})(?P<below>(?:\([a-z0-9]{{1,4}}\))*)"
        r"(?![\w-])"
    )
    for match in coded.finditer(text):
        family = match["family"] if match["family"].endswith("-") else ""
        first = Step("section", f"{family}{match['number']}")
        below = re.findall(r"\((\w+)\)", match["below"])
        yield Mention(
            match.start(), match.end(), "section", Target((first, *(Step("", one) for one in below)))
        )
