"""The unit that a command names, found; or an error that says what there is."""

from __future__ import annotations

from django.core.management.base import CommandError

from documents.management.find import MOST_NAMED, listed, require_version
from documents.models import Document, Section, State
from tenants.scope import tenant_scope


def require_section(document: Document, label: str | None) -> Section:
    """Return a unit of the current version; the document itself if no label is given."""
    version = require_version(document, None)
    if version.state != State.READY:
        raise CommandError(version.failure or f"{document.name} is not read yet. Try again in a moment.")
    with tenant_scope(document.tenant_id):
        sections = Section.objects.filter(version=version)
        found = sections.filter(label=label).first() if label else sections.filter(position=0).first()
        if found is not None:
            return found
        alike = sections.filter(label__istartswith=(label or "")[:6]).order_by("position")
        known = list((alike if alike.exists() else sections).values_list("label", flat=True)[:MOST_NAMED])
    raise CommandError(f"{document.name} has no {label!r}. There are: {listed(known)}.")
