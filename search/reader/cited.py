"""Cite a unit of a version that is read, as a search result is cited."""

from __future__ import annotations

from documents.models import Section
from search.citations.verification import Reading
from search.citations.volume import Volume
from search.reader.opened import Opened


def cite_unit(opened: Opened, section: Section) -> Reading:
    """Return the citation of a unit, with the permalink of its words. In the tenant's scope."""
    volume = Volume(opened.version, opened.reading.tenant)
    span = (section.start, section.end)
    return volume.read(span, section.position, opened.reading.described, most=0)
