"""The glossary and the references of a collection, as they are read and as they are drawn."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from definitions import glossary
from definitions.gather import Findings
from definitions.glossary import count_letters, find_terms, load_entries
from definitions.layout import lay_out
from definitions.models import Definition
from definitions.network import Network, Owners, cut_outline, document_network, join, unit_network
from documents import services
from documents.models import Collection, Document, Section, Version
from tenants.models import Membership, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.findings import HARBOUR, PILOT, add, add_with, quiet_collection, refer

HOSTILE = "<img src=x onerror=alert(1)>"
ACT = """# Act

## Article 1. One

1. See Article 2(1) and Article 2.

## Article 2. Two

1. See Article 1 now.

## Article 3. Three

See the Rules and Article 77.
"""
USING = HARBOUR + "\n## Section 3. Dues\n\nA Port and a Port charge dues.\n"
RULES = "# Rules\n\n## Article 9. Nine\n\nSee Article 2 of the Act.\n"


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    """Two documents that say something else of the same term."""
    collection = factories.collection(harbour, "acts")
    add(collection, "harbour.md", HARBOUR)
    add(collection, "pilot.md", PILOT)
    return collection


@pytest.fixture
def linked(harbour: Tenant) -> Collection:
    """Two documents that refer to one another, and once to nowhere."""
    collection = quiet_collection(harbour, "linked")
    references = (
        refer(ACT, "Article 2(1)", "article 2", "1", unit=2),
        refer(ACT, "Article 2.", "article 2", unit=2),
        refer(ACT, "Article 1 now", "article 1", unit=4),
        refer(ACT, "Rules", unit=5, document="rules"),
        refer(ACT, "Article 77", "article 77", unit=5),
    )
    add_with(collection, "act.md", ACT, Findings(references=references, names=("Act",)))
    back = refer(RULES, "Article 2 of the Act", "article 2", unit=1, document="act")
    add_with(collection, "rules.md", RULES, Findings(references=(back,), names=("Rules",)))
    return collection


@pytest.fixture
def client(reader: Membership) -> Client:
    return client_of(reader)


def body(response: Any) -> str:
    return str(response.content.decode())


def url(collection: Collection, path: str = "glossary/") -> str:
    return f"/t/harbour/collections/{collection.pk}/{path}"


def terms(response: Any) -> list[str]:
    return [entry.term for entry in response.context["entries"]]


def define(collection: Collection, *names: str) -> None:
    version = factories.version(collection.tenant, of=factories.document(collection.tenant, place=collection))
    place = factories.section(collection.tenant, of=version)
    for name in names:
        factories.definition(collection.tenant, place=place, term=name)


class TestGlossary:
    def test_shows_meanings_side_by_side_and_that_they_differ(self, client: Client, acts: Collection) -> None:
        response = client.get(url(acts))
        (entry,) = response.context["entries"]
        assert (entry.term, entry.count, entry.is_conflicting) == ("Port", 2, True)
        page = body(response)
        assert "means a place for ships." in page
        assert "means any harbour." in page
        assert "meanings differ" in page
        assert page.index("harbour.md, Section 1(a)") < page.index("pilot.md, Section 3(b)")

    def test_that_agrees_says_nothing(self, client: Client, harbour: Tenant) -> None:
        same = factories.collection(harbour, "same")
        add(same, "a.md", PILOT)
        add(same, "b.md", PILOT.replace("any harbour.", "ANY\nharbour"))
        response = client.get(url(same))
        assert [(entry.count, entry.is_conflicting) for entry in response.context["entries"]] == [(2, False)]

    @pytest.mark.parametrize(
        ("asked", "expected"),
        [
            ({}, ["9 knots", "berth", "Breast line", "Vessel"]),
            ({"letter": "B"}, ["berth", "Breast line"]),
            ({"letter": "b"}, ["berth", "Breast line"]),
            ({"letter": "#"}, ["9 knots"]),
            ({"letter": "Q"}, []),
            ({"letter": "%"}, ["9 knots", "berth", "Breast line", "Vessel"]),
            ({"q": "LINE"}, ["Breast line"]),
            ({"q": "the  vessel"}, ["Vessel"]),
            ({"q": "%"}, []),
            ({"q": "r", "letter": "B"}, ["berth", "Breast line"]),
            ({"q": "\0berth"}, ["berth"]),
            ({"page": "99"}, ["9 knots", "berth", "Breast line", "Vessel"]),
        ],
    )
    def test_is_narrowed_by_letter_and_word(
        self, client: Client, harbour: Tenant, asked: dict[str, str], expected: list[str]
    ) -> None:
        place = factories.collection(harbour)
        define(place, "Vessel", "berth", "Breast line", "9 knots")
        assert terms(client.get(url(place), asked)) == expected

    def test_counts_letters(self, harbour: Tenant) -> None:
        place = factories.collection(harbour)
        define(place, "Vessel", "berth", "Breast line", "9 knots", "Ärger")
        with tenant_scope(harbour.pk):
            assert count_letters(Version.objects.head()) == {"B": 2, "V": 1, "#": 2}

    def test_has_pages(self, client: Client, harbour: Tenant) -> None:
        place = factories.collection(harbour)
        define(place, *(f"term {number:02}" for number in range(31)))
        first = client.get(url(place))
        assert (len(terms(first)), terms(client.get(url(place), {"page": 2}))) == (30, ["term 30"])
        assert "Page 1 of 2" in body(first)

    def test_shows_a_few_meanings_of_each_and_counts_the_rest(self, client: Client, harbour: Tenant) -> None:
        place = factories.collection(harbour)
        for _ in range(8):
            define(place, "Port")
        (entry,) = client.get(url(place)).context["entries"]
        assert (len(entry.definitions), entry.more) == (6, 2)
        assert "2 more definitions" in body(client.get(url(place)))
        assert (
            len(client.get(url(place, "glossary/term/"), {"term": "port"}).context["entry"].definitions) == 8
        )

    def test_is_that_of_what_is_read(self, client: Client, harbour: Tenant) -> None:
        place = factories.collection(harbour, "acts")
        first = add(place, "pilot.md", PILOT)
        services.create_baseline(collection=place, name="one", actor=factories.ACTOR)
        add(place, "pilot.md", PILOT.replace("any harbour", "every harbour"))
        assert "every harbour" in body(client.get(url(place)))
        with tenant_scope(harbour.pk):
            recorded = Version.objects.get(pk=first.pk).recorded_at
        assert recorded is not None
        then = client.get(url(place), {"read": recorded.isoformat()})
        assert "any harbour" in body(then)
        assert "every harbour" not in body(then)
        assert "read=" in body(then).split('class="letters"')[1].split("</nav>")[0]
        refused = client.get(url(place), {"read": "nonsense"})
        assert refused.status_code == 200
        assert refused.context["reading"].problem
        assert "harbour." not in body(refused)

    def test_tells_other_collections_and_the_bin_apart(self, client: Client, acts: Collection) -> None:
        elsewhere = factories.collection(acts.tenant)
        assert "No document here defines a term." in body(client.get(url(elsewhere)))
        with tenant_scope(acts.tenant_id):
            documents = [version.document for version in Version.objects.select_related("document__tenant")]
        for document in documents:
            services.delete_document(document=document, actor=factories.ACTOR)
        assert terms(client.get(url(acts))) == []

    def test_shows_hostile_terms_as_text(self, client: Client, harbour: Tenant) -> None:
        place = factories.collection(harbour)
        define(place, HOSTILE)
        for path, asked in (("glossary/", {}), ("glossary/term/", {"term": HOSTILE.casefold()})):
            page = body(client.get(url(place, path), asked))
            assert HOSTILE not in page
            assert escape(HOSTILE) in page
        missing = body(client.get(url(place, "glossary/term/"), {"term": "<b>"}))
        assert "Nothing here defines “&lt;b&gt;”." in missing

    def test_changes_nothing(self, client: Client, acts: Collection, linked: Collection) -> None:
        before = everything_of(acts.tenant)
        for path in ("glossary/", "glossary/term/?term=port", "references/", "references/?show=waiting"):
            assert client.get(url(acts, path)).status_code == 200
            assert client.get(url(linked, path)).status_code == 200
        assert everything_of(acts.tenant) == before

    @pytest.mark.parametrize("count", [1, 20])
    def test_asks_the_database_as_often_for_many_terms_as_for_one(
        self, client: Client, harbour: Tenant, count: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        place = factories.collection(harbour)
        for number in range(count):
            define(place, f"term {number}", "Port")
        with django_assert_num_queries(23):
            assert client.get(url(place)).status_code == 200

    def test_fetches_no_text_of_a_version(self, harbour: Tenant) -> None:
        place = factories.collection(harbour)
        define(place, "Port")
        with tenant_scope(harbour.pk):
            versions = Version.objects.head()
            (entry,) = load_entries(versions, list(find_terms(versions)))
            assert "text" in entry.definitions[0].version.get_deferred_fields()


class TestTerm:
    def test_is_used_where_its_document_uses_it(self, client: Client, harbour: Tenant) -> None:
        place = factories.collection(harbour)
        add(place, "harbour.md", USING)
        add(place, "other.md", "# Other\n\n## Section 1. Ports\n\nA Port is nice.\n")
        uses = client.get(url(place, "glossary/term/"), {"term": "port"}).context["uses"]
        assert [(use.definition.version.document.name, use.label, use.count) for use in uses] == [
            ("harbour.md", "Section 3", 2)
        ]

    @pytest.mark.parametrize(
        ("bound", "most", "expected", "more"),
        [
            ("MOST_UNITS", 0, [], 2),
            ("MOST_UNITS", 1, ["a.md"], 1),
            ("MOST_UNITS", 2, ["a.md", "b.md"], 0),
            ("MOST_TEXTS", 1, ["a.md"], 1),
            ("MOST_TEXTS", 2, ["a.md", "b.md"], 0),
            ("MOST_READ", 1, ["a.md"], 1),
            ("MOST_READ", 2 * len(USING) - 1, ["a.md"], 1),
            ("MOST_READ", 2 * len(USING), ["a.md", "b.md"], 0),
        ],
    )
    def test_has_a_bound_and_says_so(
        self,
        client: Client,
        harbour: Tenant,
        monkeypatch: pytest.MonkeyPatch,
        *,
        bound: str,
        most: int,
        expected: list[str],
        more: int,
    ) -> None:
        place = factories.collection(harbour)
        for name in ("a.md", "b.md"):
            add(place, name, USING)
        monkeypatch.setattr(glossary, bound, most)
        response = client.get(url(place, "glossary/term/"), {"term": "port"})
        assert [use.definition.version.document.name for use in response.context["uses"]] == expected
        assert response.context["more_uses"] == more
        assert ("Not all uses in" in body(response)) is bool(more)
        assert "No unit of these documents uses it." not in body(response)

    @pytest.mark.parametrize("count", [1, 7])
    def test_asks_the_database_as_often_for_many_documents_as_for_one(
        self, client: Client, harbour: Tenant, count: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        place = factories.collection(harbour)
        for number in range(count):
            add(place, f"{number}.md", USING)
        with django_assert_num_queries(21):
            response = client.get(url(place, "glossary/term/"), {"term": "port"})
        assert [use.label for use in response.context["uses"]] == ["Section 3"] * count

    def test_reads_a_text_as_far_as_its_definitions_hold(self, acts: Collection) -> None:
        with tenant_scope(acts.tenant_id):
            row = Definition.objects.select_related("scope").get(version__document__name="harbour.md")
            row.scope.end = 20
            assert glossary._load_texts({row.version_id: [row]}) == {row.version_id: HARBOUR[:20]}

    @pytest.mark.parametrize(
        ("one", "other", "expected"),
        [
            ({}, {}, True),
            ({}, {"words": "A  PLACE;"}, False),
            ({}, {"given_start": 3}, False),
            ({}, {"position": 2}, False),
            (
                {"version_id": 1, "scope_id": 5, "position": 2},
                {"version_id": 1, "scope_id": 5, "position": 2},
                True,
            ),
            ({"version_id": 1, "scope_id": 5}, {"version_id": 1, "scope_id": 6}, False),
        ],
    )
    def test_conflicts_where_two_hold_in_the_same_place(
        self, one: dict[str, Any], other: dict[str, Any], expected: bool
    ) -> None:
        assert (
            glossary.is_conflicting([saying("A place", 1, **one), saying("Another", 2, **other)]) is expected
        )


def saying(meaning: str, number: int, **changes: Any) -> Definition:
    facts: dict[str, Any] = {
        "words": meaning,
        "version_id": number,
        "scope_id": number,
        "given_start": None,
        "position": 0,
    }
    facts |= changes
    made = Definition(given_start=facts["given_start"])
    made.version_id, made.scope_id = facts["version_id"], facts["scope_id"]
    made._state.fields_cache["scope"] = Section(pk=facts["scope_id"], position=facts["position"])
    made.meaning = facts["words"]  # type: ignore[attr-defined]
    return made


def drawn(network: Network) -> tuple[list[str], set[tuple[str, str, int]]]:
    names = [row.name for row in lay_out(network).rows]
    return names, {(names[one.source], names[one.target], one.count) for one in network.bundles}


class TestNetwork:
    def test_joins_documents(self, linked: Collection) -> None:
        with tenant_scope(linked.tenant_id):
            network = document_network(Version.objects.head())
        assert drawn(network) == (
            ["act.md", "rules.md"],
            {("act.md", "rules.md", 1), ("rules.md", "act.md", 1)},
        )
        assert [(knot.inside, knot.made, knot.met) for knot in network.knots] == [(3, 1, 1), (0, 1, 1)]

    def test_joins_units_in_the_order_of_the_document(self, linked: Collection) -> None:
        with tenant_scope(linked.tenant_id):
            version = Version.objects.select_related("document").get(document__name="act.md")
            network = unit_network(version, Version.objects.head())
        names, bundles = drawn(network)
        assert names == [
            "Article 1 One",
            "Article 1(1)",
            "Article 2 Two",
            "Article 2(1)",
            "Article 3 Three",
            "rules.md",
        ]
        assert bundles == {
            ("Article 1(1)", "Article 2(1)", 1),
            ("Article 1(1)", "Article 2 Two", 1),
            ("Article 2(1)", "Article 1 One", 1),
            ("Article 3 Three", "rules.md", 1),
            ("rules.md", "Article 2 Two", 1),
        }

    def test_of_few_rows_stands_for_what_is_below_them(self, linked: Collection) -> None:
        with tenant_scope(linked.tenant_id):
            version = Version.objects.select_related("document").get(document__name="act.md")
            network = unit_network(version, Version.objects.head(), most=16)
        names, bundles = drawn(network)
        assert names == ["Article 1 One", "Article 2 Two", "Article 3 Three", "rules.md"]
        assert ("Article 1 One", "Article 2 Two", 2) in bundles

    def test_sums_up_those_that_fewest_references_join(self) -> None:
        labels = {name: (name, "", True) for name in "abcd"}
        pairs: Any = {("a", "b"): 5, ("b", "a"): 1, ("c", "a"): 1, ("d", "c"): 1, ("d", "b"): 1}
        network = join(labels, Counter(pairs), most=3)
        names, bundles = drawn(network)
        assert names == ["a", "b", "2 others"]
        assert bundles == {("a", "b", 5), ("b", "a", 1), ("2 others", "a", 1), ("2 others", "b", 1)}
        assert network.knots[2].inside == 1

    def test_looks_the_same_each_time(self) -> None:
        labels = {name: (name, "", True) for name in "abc"}
        pairs = {("a", "b"): 2, ("c", "a"): 1, ("b", "c"): 2}
        one = lay_out(join(labels, Counter(pairs), most=60))
        other = lay_out(join(labels, Counter(dict(reversed(pairs.items()))), most=60))
        assert one.rows == other.rows
        assert {arc.path for arc in one.arcs} == {arc.path for arc in other.arcs}
        assert [arc.is_forward for arc in one.arcs].count(True) == 2

    @pytest.mark.parametrize(("most", "expected"), [(1, [0]), (2, [0]), (3, [0, 1, 3]), (4, [0, 1, 2, 3])])
    def test_is_cut_as_deep_as_fits(self, most: int, expected: list[int]) -> None:
        assert cut_outline([(0, 0, 9), (1, 1, 5), (2, 2, 5), (1, 5, 9)], most) == expected

    def test_finds_the_unit_around_a_place(self) -> None:
        sections = [("D", "", 0, 0, 20), ("A", "", 1, 2, 8), ("A(1)", "", 2, 4, 6), ("B", "", 1, 10, 20)]
        owners = Owners(sections, [0, 1, 2, 3])
        places = {place: owners.at(place) for place in (0, 2, 4, 6, 8, 10, 19)}
        assert places == {
            0: "unit:",
            2: "unit:A",
            4: "unit:A(1)",
            6: "unit:A",
            8: "unit:",
            10: "unit:B",
            19: "unit:B",
        }
        assert (owners.of("A(1)"), owners.of("gone")) == ("unit:A(1)", "unit:")


class TestReferences:
    def document(self, collection: Collection, name: str) -> str:
        with tenant_scope(collection.tenant_id):
            return str(Version.objects.get(document__name=name).document_id)

    def listed(self, response: Any) -> list[tuple[str, str, bool]]:
        return [(row.place, row.text, row.meant.section_id is not None) for row in response.context["page"]]

    def test_are_drawn_and_listed(self, client: Client, linked: Collection) -> None:
        response = client.get(url(linked, "references/"))
        assert len(self.listed(response)) == 6
        page = body(response)
        assert page.count('class="arc') == 2
        assert f"?document={self.document(linked, 'act.md')}" in page
        assert "style=" not in page

    def test_are_narrowed(self, client: Client, linked: Collection) -> None:
        act, rules = (self.document(linked, name) for name in ("act.md", "rules.md"))
        address = url(linked, "references/")
        of_unit = self.listed(client.get(address, {"document": act, "unit": "Article 1"}))
        assert of_unit == [("Article 1(1)", "Article 2(1)", True), ("Article 1(1)", "Article 2.", True)]
        between = self.listed(client.get(address, {"document": rules, "to": act}))
        assert between == [("Article 9", "Article 2 of the Act", True)]
        nowhere = client.get(address, {"show": "waiting"})
        assert self.listed(nowhere) == [("Article 3", "Article 77", False)]
        assert nowhere.context["page"][0].reason in body(nowhere)

    @pytest.mark.parametrize(
        ("asked", "status"),
        [
            ({"document": "nonsense"}, 200),
            ({"document": str(uuid4())}, 404),
            ({"to": "x", "unit": "y\0", "show": "z", "page": "-1"}, 200),
        ],
    )
    def test_survive_any_address(
        self, client: Client, linked: Collection, asked: dict[str, str], status: int
    ) -> None:
        assert client.get(url(linked, "references/"), asked).status_code == status

    def test_of_a_document_of_another_tenant_are_not_shown(
        self, client: Client, linked: Collection, meridian: Tenant
    ) -> None:
        other = factories.version(meridian)
        asked = {"document": str(other.document_id)}
        assert client.get(url(linked, "references/"), asked).status_code == 404

    def test_of_nothing_say_so(self, client: Client, harbour: Tenant) -> None:
        empty = factories.collection(harbour)
        assert "No document here refers to another place." in body(client.get(url(empty, "references/")))

    def test_show_hostile_names_as_text(self, client: Client, linked: Collection) -> None:
        with tenant_scope(linked.tenant_id):
            Document.objects.filter(name="rules.md").update(name=HOSTILE)
        page = body(client.get(url(linked, "references/")))
        assert HOSTILE not in page
        assert escape(HOSTILE) in page

    @pytest.mark.parametrize("count", [1, 12])
    def test_ask_the_database_as_often_for_many_rows_as_for_one(
        self, client: Client, harbour: Tenant, count: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        place = factories.collection(harbour)
        for _ in range(count):
            one = factories.version(harbour, of=factories.document(harbour, place=place))
            other = factories.version(harbour, of=factories.document(harbour, place=place))
            section = factories.section(harbour, of=one)
            factories.cross_reference(harbour, place=section, target=other.document)
        with django_assert_num_queries(27):
            assert client.get(url(place, "references/")).status_code == 200
