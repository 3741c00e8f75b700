"""What people said about definitions and references, applied to what was found in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from definitions.extract.found import FoundDefinition, FoundReference, Span, Target
from definitions.extract.innermost import innermost_unit
from definitions.terms import term_key
from documents.parse import Unit

GIVEN = "given"  # The style of a definition, and the form of a reference, that a person has shown.


@dataclass(frozen=True, slots=True)
class DefinitionFix:
    """What a definition of a unit really is; None and nothing leave what was found."""

    label: str
    key: str
    is_rejected: bool = False
    is_added: bool = False
    term: str = ""
    variants: tuple[str, ...] | None = None
    scope_label: str | None = None
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Goal:
    """The unit that a person says is meant, by document (None is its own) and label."""

    document: UUID | None
    label: str


@dataclass(frozen=True, slots=True)
class ReferenceFix:
    label: str
    text: str
    occurrence: int
    goal: Goal
    is_rejected: bool = False
    is_added: bool = False


@dataclass(frozen=True, slots=True)
class KnownDefinition:
    found: FoundDefinition
    is_corrected: bool = False


@dataclass(frozen=True, slots=True)
class KnownReference:
    found: FoundReference
    goal: Goal | None = None  # Said by a person.


@dataclass(frozen=True, slots=True)
class Page:
    """A text with its units and their labels; that of the document itself is empty."""

    text: str
    units: Sequence[Unit]
    labels: Sequence[str]

    def unit_of(self, label: str) -> int | None:
        try:
            return self.labels.index(label)
        except ValueError:
            return None

    def innermost(self, position: int) -> int:
        return innermost_unit(self.units, [unit.start for unit in self.units], position)

    def find(self, words: str, unit: int, occurrence: int = 1) -> Span | None:
        """Return where words stand in a unit, whatever the blanks between them."""
        spans = find_words(words, self.text, self.units[unit])
        return spans[occurrence - 1] if 0 < occurrence <= len(spans) else None


def find_words(words: str, text: str, unit: Unit) -> list[Span]:
    """Return all places of whole words in a unit."""
    if not (parts := words.split()):
        return []
    pattern = r"\s+".join(map(re.escape, parts))
    before, after = (r"\b" if re.match(r"\w", sign) else "" for sign in (parts[0][0], parts[-1][-1]))
    found = re.compile(f"{before}{pattern}{after}").finditer(text, unit.start, unit.end)
    return [match.span() for match in found]


def correct_definitions(
    page: Page, found: Sequence[FoundDefinition], fixes: Sequence[DefinitionFix]
) -> list[KnownDefinition]:
    """Drop, change and add. A correction waits while its unit or its words are not there."""
    known = [KnownDefinition(one) for one in found]
    for fix in fixes:
        if (unit := page.unit_of(fix.label)) is not None:
            known = _fix_definition(page, known, fix, unit)
    return sorted(known, key=lambda one: (one.found.start, one.found.end))


def _fix_definition(
    page: Page, known: list[KnownDefinition], fix: DefinitionFix, unit: int
) -> list[KnownDefinition]:
    meant = [one for one in known if one.found.unit == unit and term_key(one.found.term) == fix.key]
    others = [one for one in known if one not in meant]
    if fix.is_rejected:
        return others
    changed = [KnownDefinition(_change(page, one.found, fix), is_corrected=True) for one in meant]
    if not meant and fix.is_added and (shown := _show(page, fix, unit)):
        changed = [KnownDefinition(shown, is_corrected=True)]
    return [*others, *changed]


def _change(page: Page, found: FoundDefinition, fix: DefinitionFix) -> FoundDefinition:
    start, end = (page.find(fix.term, found.unit) if fix.term else None) or (found.start, found.end)
    scope = None if fix.scope_label is None else page.unit_of(fix.scope_label)
    return replace(
        found,
        term=fix.term or found.term,
        start=start,
        end=end,
        body=page.find(fix.meaning, found.unit) or found.body,
        scope=found.scope if scope is None else scope,
        variants=found.variants if fix.variants is None else fix.variants,
    )


def _show(page: Page, fix: DefinitionFix, unit: int) -> FoundDefinition | None:
    """Make a definition of words that a person has shown."""
    spans = find_words(fix.term, page.text, page.units[unit])
    if not spans:
        return None
    meaning = page.find(fix.meaning, unit)
    span = _nearest(page.text, spans, meaning)
    return FoundDefinition(
        term=fix.term,
        start=span[0],
        end=span[1],
        body=meaning or paragraph_around(page.text, span),
        unit=page.innermost(span[0]) if fix.label == "" else unit,
        scope=page.unit_of(fix.scope_label or "") or 0,
        style=GIVEN,
        confidence=1.0,
        variants=fix.variants or (),
    )


def _nearest(text: str, spans: Sequence[Span], meaning: Span | None) -> Span:
    """Return the place of a term that its meaning follows, or the first that is no heading."""
    if meaning is not None:
        return max((span for span in spans if span[0] <= meaning[1]), default=spans[0])
    return next((span for span in spans if text[text.rfind("\n", 0, span[0]) + 1] != "#"), spans[0])


def paragraph_around(text: str, span: Span) -> Span:
    start = text.rfind("\n\n", 0, span[0])
    end = text.find("\n\n", span[1])
    return (0 if start < 0 else start + 2), (len(text.rstrip()) if end < 0 else end)


def correct_references(
    page: Page, found: Sequence[FoundReference], fixes: Sequence[ReferenceFix]
) -> list[KnownReference]:
    known = [KnownReference(one) for one in found]
    for fix in fixes:
        unit = page.unit_of(fix.label)
        span = None if unit is None else page.find(fix.text, unit, fix.occurrence)
        if span is not None:
            known = _fix_reference(page, known, fix, span)
    return sorted(known, key=lambda one: (one.found.start, one.found.end))


def _fix_reference(
    page: Page, known: list[KnownReference], fix: ReferenceFix, span: Span
) -> list[KnownReference]:
    meant = [one for one in known if (one.found.start, one.found.end) == span]
    others = [one for one in known if one not in meant]
    if fix.is_rejected:
        return others
    if meant:
        return [*others, *(KnownReference(one.found, fix.goal) for one in meant[:1])]
    if not fix.is_added:
        return known
    apart = [one for one in known if one.found.end <= span[0] or span[1] <= one.found.start]
    shown = FoundReference(span[0], span[1], page.innermost(span[0]), GIVEN, Target())
    return [*apart, KnownReference(shown, fix.goal)]
