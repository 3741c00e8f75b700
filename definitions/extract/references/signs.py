"""References whose number stands before or inside the word: "2 kap. 3 §", 第5条第2項, 제5조제2항."""

from __future__ import annotations

import re
from collections.abc import Iterator

from definitions.extract.found import Step, Target
from definitions.extract.references.read import Mention
from documents.parse.numbers import ideographic_value
from documents.parse.words import IDEOGRAPHS

_NUMBER = r"(?:\d{1,4}|[〇零一二三四五六七八九十百千]{1,7})"
# What stands below an article; which sign is which differs, the order does not.
_BELOW = {"項": "paragraph", "项": "point", "항": "paragraph", "号": "point", "號": "point", "호": "point"}
_KINDS = IDEOGRAPHS | _BELOW
_ONE = rf"[第제][ ]?{_NUMBER}[ ]?[{''.join(_KINDS)}](?:[の之의][ ]?{_NUMBER})?"
CHAIN = re.compile(rf"{_ONE}(?:[ ]?{_ONE})*")
LINK = re.compile(
    rf"[第제][ ]?(?P<number>{_NUMBER})[ ]?(?P<sign>[{''.join(_KINDS)}])"
    rf"(?:[の之의][ ]?(?P<inserted>{_NUMBER}))?"
)
NORDIC = re.compile(
    r"(?<![\w.§])(?:(?P<chapter>\d{1,3}(?:[ ][a-z])?)[ ]kap\.?[ ])?"
    r"(?P<section>\d{1,3}(?:[ ]?[a-z])?)[ ]§(?![ ]?\d|§)"
    r"(?:[ ](?P<part>\d{1,2})[ ](?:mom|st)\.)?"
)


def find_signs(text: str) -> Iterator[Mention]:
    """Yield the mentions whose words the number does not simply follow."""
    if "第" in text or "제" in text:
        for match in CHAIN.finditer(text):
            steps = tuple(map(_read_link, LINK.finditer(match[0])))
            yield Mention(match.start(), match.end(), steps[0].kind, Target(steps))
    if " §" in text:
        for match in NORDIC.finditer(text):
            yield Mention(match.start(), match.end(), "section", Target(tuple(_read_nordic(match))))


def _read_link(match: re.Match[str]) -> Step:
    count, inserted = (ideographic_value(match[group] or "0") for group in ("number", "inserted"))
    return Step(_KINDS[match["sign"]], f"{count}-{inserted}" if inserted else str(count))


def _read_nordic(match: re.Match[str]) -> Iterator[Step]:
    if match["chapter"]:
        yield Step("chapter", match["chapter"])
    yield Step("section", match["section"])
    if match["part"]:
        yield Step("paragraph", match["part"])
