"""Who reads other versions than the heads is told of references what these versions make of them."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from definitions import strays
from definitions.graph import reference_graph
from definitions.meant import NOT_IN_IT, NOT_READ, SEVERAL
from definitions.models import CrossReference
from definitions.network import unit_network
from definitions.readable import Readable, holders_of
from definitions.services import correct_reference
from definitions.strays import find_strays, strays_to
from documents import services
from documents.models import Collection, Document, Section, Version
from documents.pipeline import ingest_version
from documents.read_context import HEAD, Basis, ReadContext, Selector
from documents.services import Dates
from documents.visible import visible_versions
from search.answer import Hit
from search.ask import ask
from search.enrich import ReferenceMade
from search.read import list_references_at, lookup_definition_at, read_section
from search.reader.mentions import count_mentions, mentions_of
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.factories import ACTOR
from tests.searching import ACT as LONG_ACT
from tests.searching import RULES as LONG_RULES
from tests.searching import add, make_collection

NAME, OTHER = "harbour-safety-act.md", "pilotage-rules.md"
ACT = LONG_ACT
RULES = LONG_RULES.replace("section 2 of", "section 3 of")
SHORT = ACT[: ACT.index("## Section 3")]
GONE = "There is no section 3 in harbour-safety-act.md."


def as_of_now() -> ReadContext:
    return ReadContext(selector=Selector.AS_OF, as_of=timezone.now())


def document_of(collection: Collection, name: str) -> Document:
    with tenant_scope(collection.tenant_id):
        return Document.objects.select_related("tenant").get(collection=collection, name=name)


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    """An act, and rules that refer to its section 3."""
    collection = make_collection(harbour)
    add(collection, OTHER, RULES)
    add(collection, NAME, ACT)
    return collection


def list_at(collection: Collection, context: ReadContext, **asked: Any) -> tuple[ReferenceMade, ...]:
    return list_references_at(tenant=collection.tenant, read_context=context, **asked).references


def led(made: ReferenceMade) -> tuple[str, str, bool, str]:
    return made.target_document_name, made.target_label, made.target_section_id is not None, made.reason


def hit_of(collection: Collection, query: str, context: ReadContext) -> Hit:
    return ask(tenant=collection.tenant, query=query, read_context=context).hits[0]


def referring(collection: Collection, context: ReadContext) -> dict[str, Any]:
    """Ask by every way what refers to section 3 of the act."""
    tenant = collection.tenant
    to = list_at(collection, context, document=NAME, label="Section 3", direction="in")
    hit = hit_of(collection, "section 3 of the Harbour Safety Act", context)
    unit = read_section(tenant=tenant, document=NAME, label="Section 3", read_context=context)
    query = "which provisions refer to section 3 of the Harbour Safety Act"
    asked = ask(tenant=tenant, query=query, read_context=context)
    with tenant_scope(tenant.pk):
        versions = visible_versions(tenant=tenant, context=context).versions
        section = Section.objects.get(pk=unit.id)
        (holder,) = holders_of([section.version_id]).values()
        pages = [(row.version.document.name, row.section.label) for row in mentions_of(section, versions)]
        counted = count_mentions(holder, range(100), Readable.of(versions)).get(section.position)
    return {
        "list": [(one.document_name, one.section_label) for one in to],
        "targets": {(one.target_label, one.target_section_id == unit.id) for one in to},
        "hit": sorted((one.document_name, one.section_label) for one in hit.referenced_by),
        "count": hit.referenced_by_count,
        "asked": [(one.document_name, one.section_label) for one in asked.hits],
        "pages": pages,
        "counted": counted,
    }


BOTH = [(NAME, "Section 2(b)"), (OTHER, "Section 1(a)")]
EVERY_WAY = {
    "list": BOTH,
    "targets": {("Section 3", True)},
    "hit": BOTH,
    "count": 2,
    "asked": BOTH,
    "pages": BOTH,
    "counted": 2,
}


class TestAUnitThatIsGone:
    def test_is_led_to_as_of_before(self, acts: Collection) -> None:
        before = as_of_now()
        add(acts, NAME, SHORT)
        now, then = (list_at(acts, context, document=OTHER)[0] for context in (HEAD, before))
        assert led(then) == (NAME, "Section 3", True, "")
        assert led(now) == (NAME, "", False, GONE)
        assert now.target_document_id == then.target_document_id == document_of(acts, NAME).pk

    def test_is_referred_to_as_of_before(self, acts: Collection) -> None:
        before = as_of_now()
        assert referring(acts, before) == referring(acts, HEAD) == EVERY_WAY
        add(acts, NAME, SHORT)
        assert referring(acts, before) == EVERY_WAY

    def test_is_referred_to_in_a_baseline(self, acts: Collection) -> None:
        baseline = services.create_baseline(collection=acts, name="2024", actor=ACTOR)
        add(acts, NAME, SHORT)
        add(acts, OTHER, RULES.replace("forty", "fifty"))
        context = ReadContext(selector=Selector.BASELINE, baseline_id=baseline.pk)
        assert referring(acts, context) == EVERY_WAY

    def test_is_drawn_as_of_before(self, acts: Collection) -> None:
        before = as_of_now()
        add(acts, NAME, SHORT)
        assert drawn(acts, OTHER, before) == {("Section 1(a)", NAME): 2}
        assert drawn(acts, OTHER, HEAD) == {("Section 1(a)", NAME): 1}
        assert drawn(acts, NAME, before) == {
            ("Section 2(b)", "Section 3"): 1,
            (OTHER, "Section 3"): 1,
            (OTHER, ""): 1,
        }
        assert edges(acts, NAME, "Section 3", before, "in") == {
            ("Section 2(b)", "Section 3"),
            ("Section 1(a)", "Section 3"),
        }
        assert edges(acts, OTHER, "Section 1", before, "out") == {
            ("Section 1", "Section 3"),
            ("Section 1", "Harbour Safety Act"),
        }
        assert edges(acts, OTHER, "Section 1", HEAD, "out") == {("Section 1", "Harbour Safety Act")}

    def test_gives_a_meaning_as_of_before(self, harbour: Tenant) -> None:
        collection = make_collection(harbour)
        add(
            collection,
            "act.md",
            "# Port Act\n\n## Section 1. Words\n\nNo.\n\n## Section 3. More\n\n“Keel” means a beam.\n",
        )
        rules = (
            "# Rules\n\n## Section 1. Words\n\n“Keel” has the meaning given in section 3 of the Port Act.\n"
        )
        add(collection, "rules.md", rules)
        before = as_of_now()
        add(collection, "act.md", "# Port Act\n\n## Section 1. Words\n\nNo.\n")
        found = {}
        for context in (HEAD, before):
            answer = lookup_definition_at(
                tenant=harbour, term="keel", document="rules.md", label="Section 1", read_context=context
            )
            found[context.selector.value] = [one.meaning for one in answer.given]
        assert found == {"head": [], "as_of": ["“Keel” means a beam."]}


def drawn(collection: Collection, name: str, context: ReadContext) -> dict[tuple[str, str], int]:
    """Return the ends of the bundles around a document, and how many references each has."""
    document = document_of(collection, name)
    with tenant_scope(collection.tenant_id):
        versions = visible_versions(tenant=collection.tenant, context=context).versions
        version = versions.select_related("document").get(document=document)
        found = unit_network(version, versions)
    return {
        (found.knots[one.source].label, found.knots[one.target].label): one.count for one in found.bundles
    }


def edges(
    collection: Collection, name: str, label: str, context: ReadContext, direction: Any
) -> set[tuple[str, str]]:
    document = document_of(collection, name)
    with tenant_scope(collection.tenant_id):
        versions = visible_versions(tenant=collection.tenant, context=context).versions
        section = Section.objects.get(version__in=versions.filter(document=document), label=label)
        graph = reference_graph(section, versions=versions, direction=direction)
    labels = {node.id: node.label for node in graph.nodes}
    return {(labels[edge.source], labels[edge.target]) for edge in graph.edges}


class TestAUnitThatIsCalledOtherwiseNow:
    def test_is_referred_to_by_the_name_that_it_had(self, acts: Collection) -> None:
        before = as_of_now()
        add(acts, NAME, ACT.replace("## Section", "## Article"))
        (now, *_), (then, *_) = (list_at(acts, context, document=OTHER) for context in (HEAD, before))
        assert (led(now), led(then)) == ((NAME, "Article 3", True, ""), (NAME, "Section 3", True, ""))
        assert referring(acts, before) == EVERY_WAY
        to = list_at(acts, HEAD, document=NAME, label="Article 3", direction="in")
        assert [(one.document_name, one.section_label) for one in to] == [
            (NAME, "Article 2(b)"),
            (OTHER, "Section 1(a)"),
        ]


class TestWhatIsNotRead:
    def test_is_not_named(self, harbour: Tenant) -> None:
        collection = make_collection(harbour)
        add(collection, OTHER, RULES)
        before = as_of_now()
        add(collection, NAME, ACT)
        first, second, form = list_at(collection, before, document=OTHER)
        for one in (first, second):
            assert (led(one), one.target_document_id) == (("", "", False, NOT_READ), None)
        assert led(form) == (OTHER, "", False, "There is no form AC-2 in this document.")

    def test_is_not_named_where_several_are_called_so(self, acts: Collection) -> None:
        before = as_of_now()
        add(acts, f"secret/{NAME}", ACT)
        for context in (before, HEAD):
            first = list_at(acts, context, document=OTHER)[0]
            assert (led(first), first.target_document_id) == (("", "", False, SEVERAL), None)

    def test_is_not_drawn(self, acts: Collection) -> None:
        before = as_of_now()
        assert drawn(acts, OTHER, HEAD) == {("Section 1(a)", NAME): 2}
        services.delete_document(document=document_of(acts, NAME), actor=ACTOR)
        assert drawn(acts, OTHER, HEAD) == {}
        assert drawn(acts, OTHER, before) == {("Section 1(a)", NAME): 2}

    def test_of_a_collection_that_is_not_read_is_not_referring(self, acts: Collection) -> None:
        before = as_of_now()
        services.delete_document(document=document_of(acts, OTHER), actor=ACTOR)
        add(acts, NAME, SHORT)
        after = ReadContext(selector=Selector.AS_OF, as_of=timezone.now())
        to = list_at(acts, before, document=NAME, label="Section 3", direction="in")
        assert [one.document_name for one in to] == [NAME, OTHER]
        to = list_at(acts, after, document=NAME, direction="in")
        assert to == ()


def test_what_never_led_there_in_the_head_leads_there_on_a_day_in_force(harbour: Tenant) -> None:
    """The rules came when the act had lost the section, and apply on a day when it had not."""
    collection = make_collection(harbour)
    for name, text, begins in (
        (NAME, ACT, date(2010, 1, 1)),
        (NAME, SHORT, date(2016, 1, 1)),
        (OTHER, RULES, date(2012, 1, 1)),
    ):
        version = services.add_document(
            collection=collection,
            name=name,
            content=text.encode(),
            actor=ACTOR,
            dates=Dates(begins),
            is_queued=False,
        )
        ingest_version(version.pk, version.tenant_id)
    day = ReadContext(selector=Selector.AS_OF, as_of=timezone.now().replace(year=2013), basis=Basis.EFFECTIVE)
    assert led(list_at(collection, day, document=OTHER)[0]) == (NAME, "Section 3", True, "")
    assert referring(collection, day) == EVERY_WAY


def test_what_a_person_meant_is_led_to_as_of_before(acts: Collection) -> None:
    with tenant_scope(acts.tenant_id):
        row = CrossReference.objects.select_related("tenant").get(
            text="section 3", version__document__name=OTHER
        )
    correct_reference(
        reference=row, actor=ACTOR, target_label="Section 3(a)", target_document=document_of(acts, NAME)
    )
    before = as_of_now()
    add(acts, NAME, SHORT)
    after = as_of_now()
    add(acts, NAME, SHORT.replace("six", "five"))
    said = "There is no Section 3(a) in the version that is current."
    for context, expected in (
        (before, (NAME, "Section 3(a)", True, "")),
        (after, (NAME, "", False, NOT_IN_IT)),
        (HEAD, (NAME, "", False, said)),
    ):
        assert led(list_at(acts, context, document=OTHER)[0]) == expected
    to = list_at(acts, before, document=NAME, label="Section 3(a)", direction="in")
    assert [(one.document_name, one.target_label) for one in to] == [(OTHER, "Section 3(a)")]


def test_a_range_that_is_gone_refers_to_what_lay_between_its_ends(harbour: Tenant) -> None:
    collection = make_collection(harbour)
    act = "# Port Act\n\n" + "".join(f"## Section {n}. Dues {n}\n\nShips pay {n}.\n\n" for n in range(1, 7))
    relief = "# Rules\n\n## Section 1. Relief\n\nSections 3 to 5 of the Port Act do not apply.\n"
    add(collection, "act.md", act)
    add(collection, "rules.md", relief)
    before = as_of_now()

    def counts() -> list[int]:
        labels = [f"Section {number}" for number in range(1, 7)]
        into: Any = {"document": "act.md", "direction": "in"}
        return [len(list_at(collection, before, label=label, **into)) for label in labels]

    assert counts() == [0, 0, 1, 1, 1, 0]
    add(collection, "act.md", act[: act.index("## Section 3")])
    assert counts() == [0, 0, 1, 1, 1, 0]


class TestSize:
    @pytest.mark.parametrize(
        ("direction", "label", "head", "then"), [("out", "Section 1", 5, 5), ("in", "", 5, 7)]
    )
    def test_it_takes_so_many_queries_however_much_is_lost(
        self, acts: Collection, direction: Any, label: str, head: int, then: int
    ) -> None:
        before = as_of_now()
        name = OTHER if direction == "out" else NAME
        add(acts, NAME, SHORT)
        for number in range(3):
            add(acts, f"{number}.md", RULES.replace("Pilotage", f"Dock {number}"))
            for context, count in ((HEAD, head), (before, then)):
                list_at(acts, context, document=name, label=label, direction=direction)  # Outlines are kept.
                with tenant_scope(acts.tenant_id), CaptureQueriesContext(connection) as queries:
                    list_at(acts, context, document=name, label=label, direction=direction)
                assert len(queries) == count, [one["sql"][:100] for one in queries]

    def test_at_the_head_nothing_is_looked_for(self, acts: Collection) -> None:
        with tenant_scope(acts.tenant_id), CaptureQueriesContext(connection) as queries:
            version = Version.objects.head().get(document__name=NAME)
            assert strays_to({version.pk}, visible_versions(tenant=acts.tenant).versions) == ()
        assert len(queries) == 1

    def test_so_many_are_looked_at(self, acts: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
        before = as_of_now()
        add(acts, NAME, SHORT)
        with tenant_scope(acts.tenant_id):
            versions = visible_versions(tenant=acts.tenant, context=before).versions
            holders = holders_of(versions.values_list("pk", flat=True)).values()
            assert [one.label for one in find_strays(holders, Readable.of(versions))] == ["Section 3"]
            monkeypatch.setattr(strays, "MOST", 0)
            assert find_strays(holders, Readable.of(versions)) == ()
