"""Numbers without a word that look like those of units: "1010.15(e)", "203(a)(1)", "9.3", "AC-2(3)"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from definitions.extract.found import Span, Step
from search.understand.cited_words import Steps, kind_of, split_steps

_ENUMS = r"(?:\((?:\d{1,3}(?:\.\d{1,2}|[A-Za-z]{0,2})|[A-Za-z]{1,2}(?:\.\d{1,2})?|[ivxlcIVXLC]{1,6})\))"
_CLOSED = r"\s(?:[a-z]{1,2}|\d{1,2})\)(?!\w)"  # "4.2.1 b) 2)"
_BELOW = rf"(?:{_ENUMS}|{_CLOSED}|(?<=\))[.-](?:\d{{1,2}}|[ivxlc]{{1,5}}|[a-z])(?!\w))"
_LISTED = r"\s?(?<=[\d ])[a-z](?=\.|\(|\s*$)|(?<=[a-z])\.\d{1,2}|\.(?=\()"  # "AC-1a.1.(b)"
BARE = re.compile(
    rf"(?<![\w.,(/$€£-])(?P<number>\d{{1,5}}(?:\.\d{{1,4}}[A-Za-z]?)+(?:-\d+)?|\d{{1,3}}(?:-\d{{1,4}}){{2}}(?:\.\d+)?"
    rf"|(?!(?:19|20)\d\d-)\d{{1,4}}-\d{{1,4}}|\d{{1,4}}[A-Za-z]{{0,2}}(?={_ENUMS})"
    rf"|[A-Z]\.\d{{1,3}}(?:\.\d{{1,3}})*|(?:LO|[LRDA])[.*]{{0,2}}\s?\d{{1,4}}(?:-\d{{1,4}}){{1,3}})(?P<tail>{_BELOW}*)(?![\w%(]|[.,]\d|/\d)",
)
CODED = re.compile(
    r"(?<![\w-])(?P<code>[A-Z]{2,6})(?:(?P<joint>-)(?P<number>\d{1,3}(?:\.\d{1,3}){0,4}[A-Z]{0,2})"
    rf"|\s(?P<section>\d{{1,3}}(?:\.\d{{1,3}}){{1,4}}[A-Z]?(?:\s?[RGED](?!\w))?))(?P<tail>(?:\s?{_BELOW}|{_LISTED})*)\.?(?![\w-])",
    re.IGNORECASE,
)
BOUND = re.compile(r"(?P<name>\w[^;?!]{1,60}?),?\s(?P<number>\d{1,4}[a-z]?(?:\.\d{1,4})*)\s*$", re.IGNORECASE)
LEADS = re.compile(
    r"(?:^|\b(?:see|does|under|in|per|with|of|to|nach|gemäß|siehe|voir|selon|cf\.?)\s)$", re.IGNORECASE
)
FRENCH = re.compile(r"(?:LO|[LRDA])[.*]{0,2}\s?\d+-")  # "L. 121-1"
LETTERED = re.compile(r"([A-Z]{2,6}-\d{1,3})([a-z])")  # "AC-2c" is c in AC-2.
LISTED = re.compile(r"^\s?([a-z])|\.(\d{1,2})|\.(?=\()")
LARGE = re.compile(r"\d{3,5}\.\d")
SOURCES = re.compile(
    r"(?:version|v|release|python|http|tls|usb|ip|ios|android|django|windows)\.?\s?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class BareNumber:
    end: int
    steps: Steps
    is_coded: bool = False  # With letters, and so perhaps the name of anything: "IL-10".


def read_bare(text: str, position: int) -> BareNumber | None:
    """Read a number at a place; one that could be a measure or a version needs words before it."""
    coded = CODED.match(text, position)
    if coded and not SOURCES.search(coded["code"]) and not (coded["section"] and kind_of(coded["code"])):
        number = coded["number"] if coded["joint"] else coded["section"]
        return _finish(coded, f"{coded['code']}{coded['joint'] or ' '}{number}")
    match = BARE.match(text, position)
    if match is None or SOURCES.search(text[:position]):
        return None
    is_range = re.fullmatch(r"\d+-\d+", match["number"]) is not None
    is_likely = (
        bool(match["tail"]) or ("-" in match["number"] and not is_range) or LARGE.match(match["number"])
    )
    is_led = LEADS.search(text[:position]) or not re.search(r"\w", text[:position] + text[match.end() :])
    return _finish(match, match["number"]) if is_likely or is_led else None


def read_bound(text: str) -> Span | None:
    """Return where the number stands that follows what may be a name, and nothing else: "GDPR 17"."""
    match = BOUND.match(text)
    return match.span("number") if match else None


def _finish(match: re.Match[str], number: str) -> BareNumber:
    tail = re.sub(r"\s(\w{1,2})\)", r"(\1)", match["tail"])
    if match.re is CODED:
        lettered = LETTERED.fullmatch(number)
        number, tail = (lettered[1], lettered[2] + tail) if lettered else (number, tail)
        tail = LISTED.sub(_bracket, tail)
    below = split_steps(re.sub(r"\s", "", tail)) if tail else ()
    kind = "article" if FRENCH.match(number) else "section"
    steps = (Step(kind, number), *(Step("", one) for one in below))
    return BareNumber(match.end(), steps, is_coded=match.re is CODED)


def _bracket(match: re.Match[str]) -> str:
    number = match[1] or match[2]
    return f"({number})" if number else ""
