"""A small corpus to search in."""

from __future__ import annotations

from typing import Any

from documents.models import Collection, Version
from documents.pipeline import ingest_version
from documents.services import add_document, create_collection
from search.answer import Answer
from search.ask import ask
from tenants.audit import Actor
from tenants.models import Tenant

ACTOR = Actor.of_command("test")
ACT = """# Harbour Safety Act

## Section 1. Definitions

(a) In this Act, “vessel” means any ship, boat or craft.

(b) “Master” means the person in command of a vessel.

## Section 2. Speed

(a) The master of a vessel shall not exceed six knots in the inner harbour.

(b) A vessel under section 3 may exceed that speed.

## Section 3. Rescue

(a) The harbour master shall promptly disclose every rescue to the authority.

(b) The authority shall not disclose the names of those who were rescued.
"""

RULES = """# Pilotage Rules

## Section 1. Application

(a) These rules apply to every vessel above forty metres, see section 2 of the Harbour Safety Act.

## Section 2. Pilots

(a) A pilot boards outside the breakwater. Form AC-2(3) is filled in before.

(b) “Vessel” means a vessel that needs a pilot.
"""


def make_collection(tenant: Tenant, name: str = "acts", **options: object) -> Collection:
    """Make a collection whose chunks are as small as they may be: each section is one."""
    options = {"max_chunk_tokens": 100, **options}
    return create_collection(tenant=tenant, name=name, description="For tests.", actor=ACTOR, **options)


def add(collection: Collection, name: str, text: str) -> Version:
    """Read a text to its end."""
    version = add_document(
        collection=collection, name=name, content=text.encode(), actor=ACTOR, is_queued=False
    )
    ingest_version(version.pk, version.tenant_id)
    return version


def fill(tenant: Tenant) -> Collection:
    collection = make_collection(tenant)
    add(collection, "harbour-safety-act.md", ACT)
    add(collection, "pilotage-rules.md", RULES)
    return collection


def labels(answer: Answer) -> list[str]:
    return [hit.section_label for hit in answer.hits]


def found(tenant: Tenant, query: str, **asked: Any) -> list[str]:
    """Return the labels of what a search finds."""
    return labels(ask(tenant=tenant, query=query, **asked))
