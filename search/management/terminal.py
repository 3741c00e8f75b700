"""An answer as lines of a terminal: no wider than it is, and coloured only where somebody looks."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from documents.management.progress import on_one_line
from search.answer import Answer, Confidence, Hit, NotFound
from search.highlight import Highlight

NARROWEST = 40
INDENT = "    "
ON, OFF = "\ue000", "\ue001"  # Around what is marked, until lines are made.
MARKS = re.compile(f"[{ON}{OFF}]")
DIM, MARKED, PLAIN = "\x1b[2m", "\x1b[1;33m", "\x1b[0m"
OPENING = 160  # Characters of a result that has no snippets.
LONGEST_STEP = 60
MOST_DEFINITIONS = 5
LEGS = {"semantic": "meaning", "keyword": "words", "exact": "exact"}


@dataclass(frozen=True, slots=True)
class Terminal:
    width: int = 80
    is_coloured: bool = False

    def show(self, answer: Answer) -> Iterator[str]:
        """Yield the lines of an answer."""
        for missing in answer.not_found:
            yield from self.not_found(missing)
        if answer.suggestion:
            yield from self.wrap(f"Did you mean: {clean(answer.suggestion)}?")
        if answer.confidence == Confidence.LOW:
            yield from self.wrap("Nothing fits well. This is the nearest:")
        for hit in answer.hits:
            yield from self.hit(hit)
        if not answer.hits and not answer.not_found:
            yield "Nothing was found."
        for leg, reason in answer.degraded.items():
            yield from self.wrap(f"Missing: {leg}. {clean(reason)}")
        for name, fact in (answer.explanation or {}).items():
            yield from self.wrap(f"{name}: {clean(str(fact))}", dim=True)

    def not_found(self, missing: NotFound) -> Iterator[str]:
        yield from self.wrap(f"{ON}“{clean(missing.text)}”{OFF}: {clean(missing.reason)}")
        if missing.existing:
            yield from self.wrap(f"There are: {', '.join(map(clean, missing.existing))}.", INDENT)

    def hit(self, hit: Hit) -> Iterator[str]:
        steps = (hit.source.title or hit.document_name, *hit.source.path)
        place = " › ".join(shorten(clean(step), LONGEST_STEP) for step in steps)
        label = f" ({clean(hit.section_label)})" if hit.section_label else ""
        yield from self.wrap(f"{hit.rank:>2}. {ON}{place}{OFF}{label}", "", INDENT)
        yield from self.wrap(" · ".join(facts_of(hit)), INDENT, dim=True)
        for snippet in hit.highlights or (beginning(hit),):
            yield from self.wrap(marked(snippet), INDENT)
        for one in hit.definitions[:MOST_DEFINITIONS]:
            where = clean(one.section_label or one.document_name)
            line = f"“{clean(one.term)}” ({where}): {clean(one.meaning)}"
            yield from self.wrap(shorten(line, self.room - len(INDENT)), INDENT, dim=True)
        yield ""

    @property
    def room(self) -> int:
        return max(NARROWEST, self.width)

    def wrap(
        self, text: str, indent: str = "", rest: str | None = None, *, dim: bool = False
    ) -> Iterator[str]:
        following = indent if rest is None else rest
        lines = textwrap.wrap(text, self.room, initial_indent=indent, subsequent_indent=following)
        yield from self.colour(lines, dim=dim)

    def colour(self, lines: list[str], *, dim: bool) -> Iterator[str]:
        """Yield lines with colours instead of marks; what is marked may go on in the next line."""
        is_on = False
        for line in lines:
            begun = is_on
            for mark in MARKS.findall(line):
                is_on = mark == ON
            if not self.is_coloured:
                yield MARKS.sub("", line)
                continue
            shown = line.replace(ON, MARKED).replace(OFF, PLAIN)
            yield f"{DIM if dim else ''}{MARKED if begun else ''}{shown}{PLAIN if is_on or dim else ''}"


def clean(text: str) -> str:
    return MARKS.sub("\ufffd", on_one_line(text))


def facts_of(hit: Hit) -> Iterator[str]:
    """Say where a result stands and why it was found."""
    yield clean(hit.document_name)
    yield f"version {hit.source.version}"
    if hit.pages:
        first, last = hit.pages
        yield f"page {first}" if first == last else f"pages {first}–{last}"
    ranks = (f"{LEGS.get(leg, leg)} {rank}" for leg, rank in hit.ranks.items())
    yield hit.why or f"found by {', '.join(ranks)}"
    yield f"{hit.score:.2f}"


def beginning(hit: Hit) -> Highlight:
    return Highlight(hit.content[:OPENING], 0, OPENING, ())


def marked(snippet: Highlight) -> str:
    """Return a snippet on one line with its marks, whatever its blanks were."""
    done, parts = 0, []
    for start, end in snippet.marks:
        parts += [fold(snippet.text[done:start]), ON, fold(snippet.text[start:end]), OFF]
        done = end
    return "".join([*parts, fold(snippet.text[done:])]).strip()


def fold(part: str) -> str:
    """Clean a part of a line, and keep the blanks at its ends."""
    inner = clean(part)
    if not inner:
        return " " if part else ""
    return " " * part[0].isspace() + inner + " " * part[-1].isspace()


def shorten(line: str, most: int) -> str:
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
