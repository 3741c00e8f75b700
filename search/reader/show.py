"""Show a part of a document: its text as HTML, with links at terms and references, and tools at each unit."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

from documents.render import Mark, PageMark, ShownUnit, Wrap, write_text
from search.backends.keyword_indexes.rows import lexemes_of
from search.enrich import DefinitionInForce, ReferenceMade, stem_words
from search.enrich.units import PlacedUnit
from search.highlight import Highlighter, tokens_of, words_to_stem
from search.reader.opened import Opened, anchor_of
from search.reader.part import PartRead
from search.round_trips import ask

PLAIN = "simple"  # The language of a version that has none.
LONGEST_QUESTION = 400
HIGHEST_HEADING = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be marked and offered besides the text."""

    current: int | None = None  # The position of the unit that is asked for.
    span: tuple[int, int] | None = None
    words: str = ""
    has_history: bool = False
    may_correct: bool = False


@dataclass(frozen=True, slots=True)
class ShownMeaning:
    """A definition that is shown beside the uses of its term."""

    definition: DefinitionInForce
    address: str
    is_elsewhere: bool


@dataclass(frozen=True, slots=True)
class ShownPart:
    index: int
    size: int
    html: SafeString
    meanings: list[ShownMeaning]
    heads: list[tuple[int, PlacedUnit]]  # Headings around the part, with which of h2 to h6 each is.
    above: str  # Labels, levels and names of the units around it, for the script.


def show_part(opened: Opened, part: PartRead, asked: Asked) -> ShownPart:
    version = opened.version
    depths = Depths(part.above)
    html = write_text(
        part.text,
        units=list(_units(opened, part, asked, depths)),
        is_markdown=version.is_markdown,
        wraps=[*_references(opened, part), *_terms(opened, part)],
        marks=list(_marks(opened, part, asked)),
        pages=list(_pages(opened, part.span)),
        table_name=gettext("Table"),
        page_name=gettext("Page"),
    )
    return ShownPart(
        index=part.index,
        size=len(part.text),
        html=mark_safe(html),  # noqa: S308
        meanings=_meanings(opened, part),
        heads=Depths(()).enter(part.above),
        above=json.dumps([(unit.label, unit.level, name_of(unit)) for unit in part.above if unit.position]),
    )


class Depths:
    """How deep headings and paragraphs are, unit after unit."""

    def __init__(self, above: Sequence[PlacedUnit]) -> None:
        self.around: list[PlacedUnit] = []
        self.enter(above)

    def enter(self, units: Sequence[PlacedUnit]) -> list[tuple[int, PlacedUnit]]:
        """Go through units, and return those that are headings, each with its number among h2 to h6."""
        found = []
        for unit in units:
            heading, _ = self.place(unit)
            if is_heading(unit):
                found.append((min(heading, 6), unit))
        return found

    def place(self, unit: PlacedUnit) -> tuple[int, int]:
        """Return which heading and how far indented a unit is; it is open from now on."""
        while self.around and self.around[-1].level >= unit.level:
            self.around.pop()
        heading = HIGHEST_HEADING + sum(map(is_heading, self.around))
        indent = sum(bool(one.position) and not is_heading(one) for one in self.around)
        self.around.append(unit)
        return heading, indent


def is_heading(unit: PlacedUnit) -> bool:
    return unit.kind != "paragraph" and bool(unit.title)


def _units(opened: Opened, part: PartRead, asked: Asked, depths: Depths) -> Iterator[ShownUnit]:
    begin = part.span[0]
    if not part.units or part.units[0].start > begin:
        yield _rest(part)
    tools = Tools(opened, asked)
    for unit in part.units:
        heading, indent = depths.place(unit)
        yield ShownUnit(
            start=unit.start - begin,
            anchor=anchor_of(label_in(unit)),
            label=label_in(unit),
            name=name_of(unit) if unit.position and is_heading(unit) else "",
            level=unit.level,
            kind=unit.kind,
            marker=unit.marker,
            title=unit.title,
            heading=heading,
            indent=indent if not is_heading(unit) else 0,
            is_current=unit.position == asked.current,
            tools=tools.write(unit, part.mentions.get(unit.position, 0)) if unit.position else "",
        )


def _rest(part: PartRead) -> ShownUnit:
    """Return what goes on of a unit that began in the part before."""
    last = part.above[-1] if part.above else None
    paragraphs = sum(not is_heading(unit) for unit in part.above[1:])
    return ShownUnit(
        start=0,
        label=label_in(last) if last else "",
        indent=max(0, paragraphs - 1),
        heading=HIGHEST_HEADING + len(part.above) - paragraphs,
        is_rest=True,
    )


def label_in(unit: PlacedUnit) -> str:
    """Return the label; the document itself has none, since its title may change."""
    return unit.label if unit.position else ""


def name_of(unit: PlacedUnit) -> str:
    """Return what a unit is called: its label, and its title if it has one of its own."""
    has_title = is_heading(unit) and unit.title != unit.label
    return f"{unit.label} {unit.title}" if has_title else unit.label


class Tools:
    """What can be done with a unit, as links that need no script."""

    def __init__(self, opened: Opened, asked: Asked) -> None:
        address = opened.address
        self.address = address
        self.link, self.cite = gettext("Link"), gettext("Cite")
        self.others: list[tuple[str, str, str]] = []
        arguments = [address.slug, address.document]
        if asked.has_history:
            self.others.append((gettext("History"), reverse("history", args=arguments), "label"))
        if asked.may_correct:
            self.others.append((gettext("Correct"), reverse("corrections", args=arguments), "at"))

    def write(self, unit: PlacedUnit, mentions: int) -> str:
        label, query = unit.label, self.address.query(at=unit.label)
        links = [
            _tool("link", self.address.unit(label), self.link, label),
            _tool("cite", f"cite/?{query}", self.cite, label),
        ]
        links += [
            _tool("more", f"{path}?{urlencode({name: label})}", words, label)
            for words, path, name in self.others
        ]
        if mentions:
            count = ngettext("%(count)d mention", "%(count)d mentions", mentions) % {"count": mentions}
            links.append(_tool("mentions", f"mentions/?{query}", count, label))
        return f'<span class="tools">{"".join(links)}</span>'


def _tool(kind: str, address: str, words: str, label: str) -> str:
    name = f'<span class="visually-hidden"> {escape(label)}</span>'
    return f'<a class="{kind}" href="{escape(address)}">{escape(words)}{name}</a>'


def _references(opened: Opened, part: PartRead) -> Iterator[Wrap]:
    for one in part.references:
        start, end = one.span[0] - part.span[0], one.span[1] - part.span[0]
        yield Wrap(start, end, *_reference(opened, one))


def _reference(opened: Opened, one: ReferenceMade) -> tuple[str, dict[str, str]]:
    """Return a link to what is referred to; where there is nothing, why."""
    if one.target_section_id is not None and one.target_document_id is not None:
        address = opened.address.elsewhere(one.target_document_id, one.target_label)
        is_own = one.target_document_id == opened.document.pk
        return "a", {"class": "reference" if is_own else "reference other", "href": address}
    reason = one.reason or gettext("What is meant is not here.")
    return "span", {"class": "lost", "role": "note", "tabindex": "0", "title": reason}


def _terms(opened: Opened, part: PartRead) -> Iterator[Wrap]:
    """Yield the uses of terms that do not overlap a reference."""
    taken = sorted(one.span for one in part.references)
    for definition in part.definitions:
        address = opened.address.elsewhere(definition.document_id, definition.section_label)
        attributes = {"class": "term", "href": address, "data-meaning": f"m-{definition.definition_id}"}
        for start, end in definition.uses:
            index = bisect_left(taken, (end, 0))
            if not any(first < end and start < last for first, last in taken[max(0, index - 3) : index]):
                yield Wrap(start - part.span[0], end - part.span[0], "a", attributes)


def _meanings(opened: Opened, part: PartRead) -> list[ShownMeaning]:
    distinct = {one.definition_id: one for one in part.definitions}
    return [
        ShownMeaning(
            one,
            opened.address.elsewhere(one.document_id, one.section_label),
            one.document_id != opened.document.pk,
        )
        for one in distinct.values()
    ]


def _marks(opened: Opened, part: PartRead, asked: Asked) -> Iterator[Mark]:
    begin, end = part.span
    if asked.span is not None:
        first, last = asked.span
        if first < end and last > begin:
            anchor = "span" if begin <= first else ""
            yield Mark(max(first, begin) - begin, min(last, end) - begin, anchor=anchor)
    if asked.words.strip():
        yield from _found(opened, part, asked.words[:LONGEST_QUESTION])


def _found(opened: Opened, part: PartRead, words: str) -> Iterator[Mark]:
    """Yield the words of a question, as the language of the version stems them."""
    language = opened.version.language or PLAIN
    lexemes = lexemes_of(words, language=language)
    tokens = tokens_of(part.text)
    stems = ask(stem_words(words_to_stem(tokens, lexemes), language=language))
    highlighter = Highlighter(words=lexemes, phrases=(), stem=stems)
    for mark in highlighter.marks(part.text, tokens=tokens):
        yield Mark(mark.start, mark.end, kind="word")


def _pages(opened: Opened, span: tuple[int, int]) -> Iterator[PageMark]:
    """Yield where pages begin in a part; of several that begin at one place, the last has the text."""
    version = opened.version
    is_drawn = version.file_name.lower().endswith(".pdf")
    starts = {start: number for number, start in enumerate(version.pages, start=1)}
    for start, number in starts.items():
        if span[0] <= start < span[1]:
            picture = reverse("page_picture", args=[opened.address.slug, version.pk, number])
            yield PageMark(start - span[0], number, picture if is_drawn else "")
