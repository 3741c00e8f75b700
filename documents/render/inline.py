"""Read what is emphasised and linked inside a block of Markdown.

Only what is beyond doubt: the converters escape nothing but the beginnings of lines, so a star or an
underline may well be a character. An address that is not of the web or of mail is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

Span = tuple[int, int]

SIGN = re.compile(r"\*\*|__|(?<![*_])[*_](?![*_])|`")
LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\(((?:https?://|mailto:)[^\s()<>\"']{1,1000})\)")
TAGS = {"**": "strong", "__": "strong", "*": "em", "_": "em", "`": "code"}
LONGEST = 500  # Characters between two signs.


@dataclass(frozen=True, slots=True)
class Style:
    """A stretch that is emphasised, or leads to an address."""

    start: int
    end: int
    tag: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Inline:
    hidden: tuple[Span, ...] = ()
    styles: tuple[Style, ...] = ()


def read_inline(text: str, span: Span) -> Inline:
    """Return the signs in a stretch, which are not shown, and what they do."""
    links = list(LINK.finditer(text, *span))
    taken = [match.span() for match in links]
    hidden: list[Span] = []
    styles: list[Style] = []
    for match in links:
        hidden += [(match.start(), match.start(1)), (match.end(1), match.end())]
        styles.append(Style(*match.span(1), "a", match[2]))
    for opening, closing in _pairs(text, span):
        if not any(start < closing[1] and opening[0] < end for start, end in taken):
            hidden += [opening, closing]
            styles.append(Style(opening[1], closing[0], TAGS[text[slice(*opening)]]))
    return Inline(tuple(sorted(hidden)), tuple(sorted(styles, key=lambda one: (one.start, -one.end))))


def _pairs(text: str, span: Span) -> Iterator[tuple[Span, Span]]:
    """Yield signs that open with those that close, each inside the one before it or behind it."""
    waiting: list[tuple[str, Span]] = []
    for match in SIGN.finditer(text, *span):
        sign, place = match[0], match.span()
        if waiting and waiting[-1][0] == "`" != sign:
            continue
        found = next((index for index, (other, _) in enumerate(waiting) if other == sign), None)
        if found is not None and _closes(text, waiting[found][1], place):
            yield waiting[found][1], place
            del waiting[found:]
        elif _opens(text, place):
            waiting = [one for one in waiting if one[0] != sign]
            waiting.append((sign, place))


def _opens(text: str, sign: Span) -> bool:
    before, behind = text[sign[0] - 1 : sign[0]], text[sign[1] : sign[1] + 1]
    return bool(behind.strip()) and not before.isalnum()


def _closes(text: str, opening: Span, sign: Span) -> bool:
    before, behind = text[sign[0] - 1], text[sign[1] : sign[1] + 1]
    inside = sign[0] - opening[1]
    return 0 < inside <= LONGEST and not before.isspace() and not behind.isalnum()
