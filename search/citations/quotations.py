"""What a text quotes: between quotation marks, or set apart as a block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from search.words import RUN as UNBROKEN

FEWEST_WORDS = 3
FEWEST_CHARACTERS = 6  # Where nothing parts words.
WORD = re.compile(r"[^\W_]+")
# A straight mark has the same shape at both ends, so no paragraph may end between two of them. A single mark
# closes only where no letter follows: elsewhere it is an apostrophe.
STRAIGHT = r"\"(?P<straight>(?:[^\"\n]|\n(?!\s*\n))*)\""
SINGLE = r"(?<!\w)‘(?P<single>(?:[^‘’]|’(?=\w))*)’(?!\w)"
BLOCK = r"^[ ]{0,3}>[^\n]*(?:\n[ ]{0,3}>[^\n]*)*"
QUOTED = re.compile(
    rf"(?P<block>{BLOCK})|{STRAIGHT}|“(?P<double>[^“”]*)”|„(?P<low>[^„“”]*)[“”]|«(?P<french>[^«»]*)»"
    rf"|»(?P<german>[^«»]*)«|「(?P<corner>[^「」]*)」|{SINGLE}",
    re.MULTILINE,
)
BLOCK_MARK = re.compile(r"^[ ]{0,3}>[ ]?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that are said to be somebody else's, and where they stand, with their marks."""

    text: str
    start: int
    end: int
    is_block: bool = False


def find_quotations(text: str) -> Iterator[Quotation]:
    """Yield quotations of a few words or more in the order of the text; none is inside another."""
    for match in QUOTED.finditer(text):
        is_block = match["block"] is not None
        inside = next(group for group in match.groups() if group is not None)
        inside = BLOCK_MARK.sub("", inside).strip(' \n"“”„«»') if is_block else inside.strip()
        if _is_long_enough(inside):
            yield Quotation(inside, match.start(), match.end(), is_block)


def _is_long_enough(text: str) -> bool:
    characters = sum(len(run) for run in UNBROKEN.findall(text))
    return len(WORD.findall(text)) >= FEWEST_WORDS or characters >= FEWEST_CHARACTERS
