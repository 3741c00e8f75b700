"""The defined terms of a unit, for whoever shows its text."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from definitions.show import show_terms
from documents.models import Section, Version
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.findings import add

ACT = """# Harbour Act

## Section 1. Definitions

In this Act:

(a) Berth means a place at a quay.

(b) Vessel means a ship or a boat.

## Section 2. Berths

Every berth is numbered. Berths at the quay are for vessels only; berthing elsewhere is an offence.

## Section 3. Moorings

For purposes of this section, “berth” means a mooring buoy.

A vessel at a berth shows a light.
"""


@pytest.fixture
def version(harbour: Tenant) -> Version:
    return add(factories.collection(harbour), "act.md", ACT)


def shown(version: Version, label: str) -> list[tuple[str, str]]:
    """Return the words of each use, and the label of the unit that defines them."""
    with tenant_scope(version.tenant_id):
        section = Section.objects.get(version=version, label=label)
        return [
            (version.text[use.start : use.end], use.definition.section.label) for use in show_terms(section)
        ]


def test_uses_come_with_the_definition_of_the_document(version: Version) -> None:
    assert shown(version, "Section 2") == [
        ("berth", "Section 1(a)"),
        ("Berths", "Section 1(a)"),
        ("vessels", "Section 1(b)"),
    ]


def test_a_nearer_scope_governs(version: Version) -> None:
    assert shown(version, "Section 3") == [("vessel", "Section 1(b)"), ("berth", "Section 3")]


def test_a_unit_without_uses_shows_none(version: Version) -> None:
    assert shown(version, "Section 1(b)") == []


def test_a_version_without_definitions_is_not_even_read(harbour: Tenant) -> None:
    version = add(
        factories.collection(harbour), "flat.md", "# Notes\n\n## Section 1. Tides\n\nHigh at noon.\n"
    )
    with tenant_scope(version.tenant_id):
        section = Section.objects.get(version=version, label="Section 1")
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert show_terms(section) == []
    assert len(queries) == 1


def test_it_takes_three_queries_whatever_the_number_of_uses(version: Version) -> None:
    with tenant_scope(version.tenant_id):
        whole = Section.objects.get(version=version, position=0)
        with CaptureQueriesContext(connection) as queries:
            assert len(show_terms(whole)) == 5
    assert len(queries) == 3
