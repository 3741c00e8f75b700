"""The unit that a command names, found; or an error that says what there is."""

from __future__ import annotations

from django.core.management.base import CommandError

from definitions.extract import extract_references
from definitions.outlines import load_outline
from documents.management.find import MOST_NAMED, listed
from documents.models import Section, Version
from documents.parse import Unit
from tenants.scope import tenant_scope


def find_position(version: Version, citation: str) -> int | None:
    """Return the place of the unit that words such as "§ 12" or "art. 6(1)" cite, if they cite one."""
    outline = load_outline(version.pk)
    words = f"See {citation}."
    mentions = extract_references(words, [Unit(0, len(words), None, 0, "document", "", "", "")])
    if not mentions or mentions[-1].target.document:
        return None
    return outline.index.resolve(mentions[0].target).unit


def require_section(version: Version, label: str | None) -> Section:
    """Return a unit of a version; the document itself if no label is given."""
    with tenant_scope(version.tenant_id):
        sections = Section.objects.filter(version=version)
        found = sections.filter(label=label).first() if label else sections.filter(position=0).first()
        if found is None and (position := find_position(version, label or "")) is not None:
            found = sections.filter(position=position).first()
        if found is not None:
            return found
        alike = sections.filter(label__istartswith=(label or "")[:6]).order_by("position")
        known = list((alike if alike.exists() else sections).values_list("label", flat=True)[:MOST_NAMED])
        name = version.document.name
    raise CommandError(f"{name} has no {label!r}. There are: {listed(known)}.")
