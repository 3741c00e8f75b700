"""The first words of a unit, for whoever looks at a reference to it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from documents.models import Section
from documents.render import ShownUnit, write_text
from search.cite import label_of
from search.reader.opened import Opened
from search.reader.part import read_words

LONGEST = 700


@dataclass(frozen=True, slots=True)
class Preview:
    label: str
    document: str
    path: tuple[str, ...]
    html: SafeString
    is_cut: bool


def preview_of(opened: Opened, section: Section) -> Preview:
    length = section.end - section.start
    text = read_words(opened.version.pk, (section.start, min(section.end, section.start + LONGEST)))
    if length > LONGEST:
        text = text.rsplit(None, 1)[0]
    unit = ShownUnit(start=0, kind=section.kind, marker=section.marker, title=section.title, heading=4)
    html = write_text(text, units=[unit], is_markdown=opened.version.is_markdown)
    return Preview(
        label=label_of(section),
        document=opened.document.name,
        path=tuple(section.path),
        html=mark_safe(html),  # noqa: S308
        is_cut=length > len(text),
    )
