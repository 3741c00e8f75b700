"""References are walked both ways, at the depth that is asked for, and stay small enough to draw."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from definitions import graph as graph_module
from definitions.gather import Findings
from definitions.graph import Graph, reference_graph
from definitions.models import CrossReference
from documents.models import Collection, Section, Version
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.findings import add_with, quiet_collection, refer, section

ACT = """# Act

## Article 1. One

1. See Article 2(1) and Article 2.

2. See Article 1(1).

## Article 2. Two

1. See Article 3.

## Article 3. Three

See Article 1 and the Rules.
"""
RULES = "# Rules\n\n## Article 9. Nine\n\nSee Article 2 of the Act.\n"


@pytest.fixture
def act(harbour: Tenant) -> Version:
    acts = quiet_collection(harbour)
    references = (
        refer(ACT, "Article 2(1)", "article 2", "1", unit=2),
        refer(ACT, "Article 2.", "article 2", unit=2),
        refer(ACT, "Article 1(1)", "article 1", "1", unit=3),
        refer(ACT, "Article 3.", "article 3", unit=5),
        refer(ACT, "Article 1 and", "article 1", unit=6),
        refer(ACT, "Rules", unit=6, document="rules"),
    )
    version = add_with(acts, "act.md", ACT, Findings(references=references, names=("Act",)))
    back = refer(RULES, "Article 2 of the Act", "article 2", unit=1, document="act")
    add_with(acts, "rules.md", RULES, Findings(references=(back,), names=("Rules",)))
    return version


def walk(version: Version, label: str, **options: Any) -> Graph:
    place = section(version, label)
    with tenant_scope(version.tenant_id):
        return reference_graph(place, versions=Version.objects.head(), **options)


def nodes(graph: Graph) -> list[tuple[str, str, int]]:
    return [(node.document, node.label, node.distance) for node in graph.nodes]


def edges(graph: Graph) -> set[tuple[str, str, int]]:
    labels = {node.id: node.label for node in graph.nodes}
    return {(labels[edge.source], labels[edge.target], edge.count) for edge in graph.edges}


class TestWalking:
    def test_out_of_a_unit_counts_what_stands_below_it(self, act: Version) -> None:
        graph = walk(act, "Article 1", direction="out")
        assert nodes(graph) == [
            ("act.md", "Article 1", 0),
            ("act.md", "Article 1(1)", 1),
            ("act.md", "Article 2", 1),
            ("act.md", "Article 2(1)", 1),
        ]
        assert edges(graph) == {
            ("Article 1", "Article 1(1)", 1),
            ("Article 1", "Article 2", 1),
            ("Article 1", "Article 2(1)", 1),
        }
        assert not graph.is_cut

    def test_into_a_unit_counts_what_means_units_below_it(self, act: Version) -> None:
        graph = walk(act, "Article 2", direction="in")
        assert edges(graph) == {("Article 1(1)", "Article 2", 2), ("Article 9", "Article 2", 1)}
        assert ("rules.md", "Article 9", 1) in nodes(graph)

    def test_lifted_draws_articles(self, act: Version) -> None:
        graph = walk(act, "Article 2(1)", lifted=True, depth=2)
        assert nodes(graph)[0] == ("act.md", "Article 2", 0)
        assert edges(graph) == {
            ("Article 1", "Article 2", 2),
            ("Article 2", "Article 3", 1),
            ("Article 9", "Article 2", 1),
            ("Article 3", "Article 1", 1),
            ("Article 3", "Rules", 1),
        }

    def test_goes_as_deep_as_it_is_asked_to(self, act: Version) -> None:
        assert nodes(walk(act, "Article 2", direction="out", depth=3, lifted=True)) == [
            ("act.md", "Article 2", 0),
            ("act.md", "Article 3", 1),
            ("act.md", "Article 1", 2),
            ("rules.md", "Rules", 2),
        ]

    def test_keeps_the_words_as_printed(self, act: Version) -> None:
        graph = walk(act, "Article 2", direction="in", lifted=True)
        (edge,) = [edge for edge in graph.edges if edge.count == 2]
        assert edge.texts == ("Article 2(1)", "Article 2.")

    def test_reaches_whole_documents(self, act: Version) -> None:
        with tenant_scope(act.tenant_id):
            rules = Section.objects.get(label="Rules")
            graph = reference_graph(rules, versions=Version.objects.head(), direction="in")
        assert edges(graph) == {("Article 3", "Rules", 1)}

    def test_shows_nothing_of_versions_that_are_not_read(self, act: Version) -> None:
        place = section(act, "Article 3")
        with tenant_scope(act.tenant_id):
            versions = Version.objects.filter(pk=act.pk)
            graph = reference_graph(place, versions=versions, direction="out")
        assert edges(graph) == {("Article 3", "Article 1", 1)}


class TestSize:
    @pytest.mark.parametrize(("most", "count", "is_cut"), [(4, 4, False), (3, 3, True), (1, 1, True)])
    def test_is_limited_and_says_so(self, act: Version, most: int, count: int, is_cut: bool) -> None:
        graph = walk(act, "Article 1", direction="out", most=most)
        assert (len(graph.nodes), graph.is_cut) == (count, is_cut)
        ids = {node.id for node in graph.nodes}
        assert all({edge.source, edge.target} <= ids for edge in graph.edges)

    @pytest.mark.parametrize(("most", "is_cut"), [(3, False), (2, True)])
    def test_of_what_is_read_is_limited_too(
        self, act: Version, most: int, is_cut: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(graph_module, "MOST_READ", most)
        assert walk(act, "Article 1", direction="out").is_cut is is_cut

    @pytest.mark.parametrize(
        ("options", "queries"),
        [
            ({"direction": "out"}, 3),
            ({"direction": "in"}, 5),
            ({}, 6),
            ({"lifted": True}, 8),
            ({"depth": 2}, 11),
            ({"depth": 2, "lifted": True}, 14),
        ],
    )
    def test_costs_so_many_queries(
        self,
        act: Version,
        options: dict[str, Any],
        queries: int,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        place = section(act, "Article 1")
        with tenant_scope(act.tenant_id), django_assert_num_queries(queries):
            reference_graph(place, versions=Version.objects.head(), **options)


class TestReading:
    def test_what_refers_to_a_unit_or_below_it(
        self, act: Version, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        one, two, whole = (section(act, label) for label in ("Article 1", "Article 2", "Act"))
        with tenant_scope(act.tenant_id):
            rows = CrossReference.objects.within(Version.objects.head())
            assert [row.text for row in rows.made_to(one)] == ["Article 1 and"]
            with django_assert_num_queries(1):
                found = {row.text for row in rows.made_to(two, below=True)}
            assert found == {"Article 2(1)", "Article 2.", "Article 2 of the Act"}
            assert {row.text for row in rows.made_to(two)} == {"Article 2.", "Article 2 of the Act"}
            assert rows.made_to(whole).count() == 0
            assert rows.made_to(whole, below=True).count() == 6

    def test_targets_in_the_version_that_is_read(
        self, act: Version, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with tenant_scope(act.tenant_id):
            acts = Collection.objects.get()
        rules = section_of_rules(act)
        add_with(acts, "act.md", ACT.replace("Article 3", "Article 4"), Findings(names=("Act",)))
        with tenant_scope(act.tenant_id):
            head: Any = CrossReference.objects.made_in(rules).with_targets(Version.objects.head())
            with django_assert_num_queries(1):
                (row,) = head
            target = Section.objects.get(pk=row.target_section)
            assert (target.label, target.version_id == act.pk) == ("Article 2", False)
            old: Any = CrossReference.objects.made_in(rules).with_targets(Version.objects.filter(pk=act.pk))
            assert Section.objects.get(pk=old.get().target_section).version_id == act.pk
            none: Any = CrossReference.objects.made_in(rules).with_targets(Version.objects.none())
            assert none.get().target_section is None
            own: Any = CrossReference.objects.filter(version=act).with_targets(Version.objects.none())
            assert {one.target_section is not None for one in own if one.kind == "internal"} == {True}


def section_of_rules(act: Version) -> Section:
    with tenant_scope(act.tenant_id):
        return Section.objects.get(label="Article 9")
