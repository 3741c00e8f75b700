"""What refers to a unit in the middle of a range."""

from __future__ import annotations

import pytest

from definitions.graph import reference_graph
from definitions.models import CrossReference
from documents.models import Section, Version
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.findings import add

ACT = """# Harbour Act

## Section 1. Dues

(a) Ships pay.

(b) Boats pay half:

(1) by day; or

(2) by night.

(c) Rafts pay nothing.

(d) Buoys are free.

(e) So are birds.

## Section 2. Relief

Paragraphs (b) through (d) of section 1 do not apply in winter.
"""


@pytest.fixture
def version(harbour: Tenant) -> Version:
    return add(factories.collection(harbour), "act.md", ACT)


@pytest.mark.parametrize(
    ("label", "texts"),
    [
        ("Section 1(a)", []),
        ("Section 1(b)", ["Paragraphs (b)"]),
        ("Section 1(b)(1)", []),  # It is below one end of the range, not in it.
        ("Section 1(c)", ["Paragraphs (b)"]),
        ("Section 1(d)", ["(d)"]),
        ("Section 1(e)", []),
        ("Section 1", ["section 1"]),
        ("Section 2", []),
    ],
)
def test_a_range_refers_to_what_lies_between_its_ends(version: Version, label: str, texts: list[str]) -> None:
    with tenant_scope(version.tenant_id):
        section = Section.objects.get(version=version, label=label)
        references = CrossReference.objects.within(Version.objects.head()).made_to(section)
        assert [reference.text for reference in references] == texts


def test_the_graph_shows_ranges_too(version: Version) -> None:
    with tenant_scope(version.tenant_id):
        middle, after = (
            Section.objects.get(version=version, label=label) for label in ("Section 1(c)", "Section 1(e)")
        )
        graph = reference_graph(middle, versions=Version.objects.head(), direction="in")
        assert [(node.label, node.distance) for node in graph.nodes] == [
            ("Section 1(c)", 0),
            ("Section 2", 1),
        ]
        assert [edge.texts for edge in graph.edges] == [("Paragraphs (b)",)]
        assert reference_graph(after, versions=Version.objects.head(), direction="in").edges == ()
