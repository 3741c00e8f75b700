"""Findings made by hand, for what is done with them."""

from __future__ import annotations

from typing import Any

from definitions.extract import FoundDefinition, FoundReference, Step, Target
from definitions.gather import Findings
from definitions.models import CrossReference
from definitions.record import record_findings
from documents import services
from documents.models import Collection, Section, Version
from documents.pipeline import ingest_version
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR

HARBOUR = """# Harbour Act

## Section 1. Ports

(a) "Port" means a place for ships.

(b) See paragraph (a) of this section.

## Section 2. Ships

Ships obey section 1(a) and section 3 of the Pilot Act.
"""
PILOT = """# Pilot Act

## Section 3. Pilots

(a) A pilot knows the port.

(b) "Port" means any harbour.
"""


def quiet_collection(tenant: Any, name: str = "acts") -> Collection:
    """A collection in which nothing is extracted, so that all that is found is made by hand."""
    collection = factories.collection(tenant, name)
    services.update_collection(
        collection=collection, actor=ACTOR, extract_definitions=False, extract_cross_references=False
    )
    return collection


def add(collection: Collection, name: str, text: str) -> Version:
    version = services.add_document(
        collection=collection, name=name, content=text.encode(), actor=ACTOR, is_queued=False
    )
    ingest_version(version.pk, version.tenant_id)
    with tenant_scope(version.tenant_id):
        return Version.objects.select_related("document__collection", "tenant").get(pk=version.pk)


def add_with(collection: Collection, name: str, text: str, findings: Findings) -> Version:
    version = add(collection, name, text)
    record(version, findings)
    return version


def record(version: Version, findings: Findings) -> None:
    with tenant_scope(version.tenant_id):
        version.definitions.all().delete()
        version.references.all().delete()
        record_findings(version.pk, version.text, findings)


def steps(*pairs: str) -> tuple[Step, ...]:
    """Make steps of words such as "section 1" and "a"."""
    return tuple(Step(*("", pair) if " " not in pair else pair.split(" ", 1)) for pair in pairs)


def refer(text: str, words: str, *way: str, unit: int = 0, **options: Any) -> FoundReference:
    start = text.index(words)
    through = options.pop("through", None)
    target = Target(steps(*way), **options)
    return FoundReference(start, start + len(words), unit, "section", target, through)


def define(
    text: str, term: str, body: str, *, unit: int = 0, scope: int = 0, **options: Any
) -> FoundDefinition:
    start = text.index(term, text.index(body))
    span = (text.index(body), text.index(body) + len(body))
    rule: dict[str, Any] = {"style": "means", "confidence": 0.9, **options}
    return FoundDefinition(term, start, start + len(term), span, unit, scope, **rule)


def links(version: Version) -> list[tuple[str, str, str | None, str, str]]:
    """What the references of a version say: words, kind, document, label and reason."""
    with tenant_scope(version.tenant_id):
        rows = CrossReference.objects.filter(version=version).order_by("position")
        fields = ("text", "kind", "target_document__name", "target_label", "reason")
        return list(rows.values_list(*fields))


def section(version: Version, label: str) -> Section:
    with tenant_scope(version.tenant_id):
        return Section.objects.get(version=version, label=label)
