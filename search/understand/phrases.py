"""What a query wants word for word: quoted phrases, and names of things that no language inflects."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Opening and closing marks. An apostrophe is none: "the lessor's and the lessee's".
QUOTED = re.compile(r"\"([^\"]*)\"|“([^“”\"]*)[”\"]|„([^„“”]*)[“”]|«([^«»]*)»|»([^«»]*)«|「([^「」]*)」")
# AC-2(3), CVE-2024-1234, 2016/679, ISO/IEC 27001, REQ_12, getHTTPResponse, a::b, config.yaml
IDENTIFIER = re.compile(
    r"""(?<!\w)(?:
        [^\W_]+(?:[-_./:\\@]+[^\W_]+)+(?:\([^\W_]{1,6}\))*   # joined by signs
      | [^\W_]*[a-z][A-Z][^\W_]*                              # capitals inside
      | (?=[^\W_]*[^\W\d_])(?=[^\W_]*\d)[^\W_]{2,}            # letters and digits
    )(?!\w)""",
    re.VERBOSE,
)
HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")  # Words of a language: "cross-border".
ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|%)", re.IGNORECASE)
ABBREVIATED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?\.?|[^\W\d_]+/[^\W\d_]+")  # "e.g", "U.S", "and/or"
MOST = 10  # Of each kind; whoever quotes more has pasted a text.


@dataclass(frozen=True, slots=True)
class Wanted:
    """Quoted phrases, identifiers, and the query without its quotation marks."""

    phrases: tuple[str, ...]
    identifiers: tuple[str, ...]
    text: str


def read_phrases(query: str) -> Wanted:
    """Part a query into what is quoted and the rest; a mark without its partner is no quotation."""
    phrases = [_inside(match) for match in QUOTED.finditer(query)]
    text = " ".join(QUOTED.sub(lambda match: f" {_inside(match)} ", query).split())
    unquoted = QUOTED.sub(" ", query)
    return Wanted(
        tuple(dict.fromkeys(phrase for phrase in phrases if re.search(r"\w", phrase)))[:MOST],
        tuple(dict.fromkeys(filter(_is_identifier, IDENTIFIER.findall(unquoted))))[:MOST],
        text,
    )


def _inside(match: re.Match[str]) -> str:
    return " ".join(next(group for group in match.groups() if group is not None).split())


def _is_identifier(word: str) -> bool:
    return not any(pattern.fullmatch(word) for pattern in (HYPHENED, ORDINAL, ABBREVIATED))
