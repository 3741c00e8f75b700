"""Questions for a meaning, and for what refers to a unit: how they are read, and which definitions answer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from definitions.extract.definitions import extract_definitions
from documents.models import Collection, Version
from documents.parse import parse_outline
from search.retrieve.definitions import find_definitions
from search.understand.questions import (
    LONGEST,
    DefinitionQuestion,
    read_citing_question,
    read_definition_question,
)
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.findings import add

ASKED = [
    ("What does “berth” mean under Harbour Act?", "berth", "Harbour Act"),
    ('What does "berth" mean?', "berth", ""),
    ("What is meant by berth?", "berth", ""),
    ("what is meant by the term 'berth' in the Harbour Act", "berth", "Harbour Act"),
    ("definition of berth (Harbour Act)", "berth", "Harbour Act"),
    ("definition of berth (Order (2014) (Harbours))", "berth", "Order (2014) (Harbours)"),
    ('definition of "410 (Gone)"', "410 (Gone)", ""),
    ("definition of 411 (Length Required) (Protocol)", "411 (Length Required)", "Protocol"),
    ("the meaning of berth", "berth", ""),
    ("How is berth defined in Truth In Berths?", "berth", "Truth In Berths"),
    ("how does the Harbour Act define berth?", "berth", "Harbour Act"),
    ("What does the Act mean by berth?", "berth", "Act"),
    ("Define berth.", "berth", ""),
    ("Where is “berth” defined?", "berth", ""),
    ("Was bedeutet „Liegeplatz“ im Sinne des Hafengesetzes?", "Liegeplatz", "Hafengesetzes"),
    ("Was ist unter Liegeplatz zu verstehen?", "Liegeplatz", ""),
    ("Wie ist Liegeplatz in der Verordnung definiert", "Liegeplatz", "Verordnung"),
    ("Definition von Liegeplatz", "Liegeplatz", ""),
    ("Que signifie « poste » au sens de la loi portuaire ?", "poste", "loi portuaire"),
    ("définition de l'exploitant", "exploitant", ""),
    ("¿Qué significa atraque según la Ley de Puertos?", "atraque", "Ley de Puertos"),
    ("definición de atraque", "atraque", ""),
    ("Che cosa si intende per ormeggio?", "ormeggio", ""),
    ("definizione di ormeggio nell'accordo", "ormeggio", "accordo"),
    ("Wat wordt bedoeld met ligplaats?", "ligplaats", ""),
    ("O que significa atracação nos termos da Lei dos Portos?", "atracação", "Lei dos Portos"),
]
WEAK = [
    ("What is a berth?", "berth", ""),
    ("what are personal data", "personal data", ""),
    ("Who is a controller under the Act?", "controller", "Act"),
    ("berth definition", "berth", ""),
    ("Was ist ein Liegeplatz?", "Liegeplatz", ""),
    ("Qu'est-ce qu'un navire ?", "navire", ""),
    ("¿Qué es un buque?", "buque", ""),
    ("Cos'è una nave?", "nave", ""),
    ("Wat is een schip?", "schip", ""),
    ("O que é um navio?", "navio", ""),
]
CITING = [
    ("Which provisions refer to § 5?", "§ 5"),
    ("Where is § 1013.4(m) cross-referenced?", "§ 1013.4(m)"),
    ("sections citing Section 3.2 of RFC7540", "Section 3.2 of RFC7540"),
    ("what cites Rule 9.3", "Rule 9.3"),
    ("references to Article 6(1)(f) GDPR", "Article 6(1)(f) GDPR"),
    ("Was verweist auf § 5?", "§ 5"),
    ("Wo wird auf Artikel 6 verwiesen?", "Artikel 6"),
    ("Quels articles renvoient à l'article 6 ?", "l'article 6"),
    ("¿Qué artículos remiten al artículo 5?", "artículo 5"),
    ("Quali articoli rinviano all'articolo 6?", "articolo 6"),
    ("Welke artikelen verwijzen naar artikel 6?", "artikel 6"),
    ("Quais artigos citam o artigo 6?", "o artigo 6"),
]
OTHERWISE = [
    "",
    "  ",
    "duties of the harbour master",
    "the application of the definition",
    "how to moor a ship",
    "What does it take to register?",
    "Where is the harbour?",
    "definition of",
    "x" * (LONGEST + 1),
]


@pytest.mark.parametrize(("query", "term", "document"), ASKED)
def test_a_question_for_a_meaning_says_the_term_and_the_document(
    query: str, term: str, document: str
) -> None:
    question = read_definition_question(query)
    assert question is not None
    assert (question.term, question.document, question.is_weak) == (term, document, False)


@pytest.mark.parametrize(("query", "term", "document"), WEAK)
def test_what_may_ask_for_a_meaning_is_said_to_be_weak(query: str, term: str, document: str) -> None:
    question = read_definition_question(query)
    assert question is not None
    assert (question.term, question.document, question.is_weak) == (term, document, True)


def test_what_can_be_parted_otherwise_is_said() -> None:
    question = read_definition_question("What is meant by data in transit?")
    assert question is not None
    assert question.readings == (("data", "transit"), ("data in transit", ""))


@pytest.mark.parametrize(("query", "cited"), CITING)
def test_a_question_for_references_says_what_is_cited(query: str, cited: str) -> None:
    assert read_citing_question(query) == cited
    assert read_definition_question(query) is None


@pytest.mark.parametrize("query", OTHERWISE)
def test_other_queries_are_neither(query: str) -> None:
    assert read_definition_question(query) is None
    assert read_citing_question(query) is None


@given(st.text(max_size=LONGEST))
def test_any_query_is_read_at_once(query: str) -> None:
    begun = time.perf_counter()
    question = read_definition_question(query)
    read_citing_question(query)
    assert time.perf_counter() - begun < 20  # Milliseconds, or minutes if something backtracks.
    assert question is None or question.term


@pytest.mark.parametrize("piece", ["what does ", "definition of in ", "( ", "a mean ", "x definition "])
def test_a_query_that_repeats_itself_is_read_at_once(piece: str) -> None:
    begun = time.perf_counter()
    read_definition_question((piece * LONGEST)[:LONGEST])
    read_citing_question((piece * LONGEST)[:LONGEST])
    assert time.perf_counter() - begun < 20  # Milliseconds, or minutes if something backtracks.


HARBOUR = """# Harbour Registration (Regulation J)

## Section 1. Definitions

(a) “Berth” means a place at a quay.

(b) “Cross-border voyage” means a voyage abroad.

(c) “Boats” means small ships.

(d) “Keel” has the meaning given in section 3(a).

## Section 2. Moorings

For purposes of this section, “berth” means a buoy.

## Section 3. Ships

(a) “Keel” means the lowest beam of a ship.
"""
PILOT = """# Pilot Act

## Section 1. Definitions

“Berth” means a bed.
"""


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    collection = factories.collection(harbour)
    add(collection, "harbour.md", HARBOUR)
    add(collection, "pilot.md", PILOT)
    return collection


def places(tenant: Tenant, question: DefinitionQuestion) -> list[tuple[str, str]]:
    with tenant_scope(tenant.pk):
        found = find_definitions(question, Version.objects.for_tenant(tenant).head())
        return [(one.version.document.name, one.section.label) for one in found]


BERTHS = [("harbour.md", "Section 1(a)"), ("pilot.md", "Section 1"), ("harbour.md", "Section 2")]


def test_all_documents_answer_in_order_and_narrow_scopes_come_last(acts: Collection, harbour: Tenant) -> None:
    assert places(harbour, DefinitionQuestion("the “Berth”")) == BERTHS


@pytest.mark.parametrize(
    ("document", "first"),
    [
        ("Pilot Act", "pilot.md"),
        ("the pilot act", "pilot.md"),
        ("pilot", "pilot.md"),
        ("Harbour Registration", "harbour.md"),
        ("Regulation J", "harbour.md"),
        ("Harbour Registration (Regulation J) as amended", "harbour.md"),
    ],
)
def test_the_document_that_is_named_answers_first(
    acts: Collection, harbour: Tenant, document: str, first: str
) -> None:
    found = places(harbour, DefinitionQuestion("berth", document))
    assert found[0][0] == first
    assert len(found) == 3


def test_a_name_that_nothing_has_keeps_nothing_back(acts: Collection, harbour: Tenant) -> None:
    assert places(harbour, DefinitionQuestion("berth", "Tax Code")) == BERTHS


@pytest.mark.parametrize(
    ("term", "label"),
    [
        ("berths", "Section 1(a)"),
        ("boat", "Section 1(c)"),
        ("cross border voyage", "Section 1(b)"),
        ("CROSS-BORDER  VOYAGES", "Section 1(b)"),
    ],
)
def test_another_number_or_spelling_is_found(
    acts: Collection, harbour: Tenant, term: str, label: str
) -> None:
    assert places(harbour, DefinitionQuestion(term))[0] == ("harbour.md", label)


def test_what_a_definition_leads_to_follows_it(acts: Collection, harbour: Tenant) -> None:
    assert places(harbour, DefinitionQuestion("keel")) == [
        ("harbour.md", "Section 1(d)"),
        ("harbour.md", "Section 3(a)"),
    ]


def test_the_longer_of_two_terms_is_meant(acts: Collection, harbour: Tenant) -> None:
    add(acts, "data.md", "# Data Act\n\n“Data” means facts.\n\n“Data in transit” means facts on their way.\n")
    question = read_definition_question("What is meant by data in transit?")
    assert question is not None
    with tenant_scope(harbour.pk):
        found = find_definitions(question, Version.objects.for_tenant(harbour).head())
    assert [one.term for one in found] == ["Data in transit", "Data"]


def test_unknown_terms_and_other_tenants_have_no_definitions(
    acts: Collection, harbour: Tenant, meridian: Tenant
) -> None:
    assert places(harbour, DefinitionQuestion("anchor")) == []
    assert places(harbour, DefinitionQuestion("«»")) == []
    assert places(meridian, DefinitionQuestion("berth")) == []


def test_it_takes_six_queries_however_many_definitions_there_are(
    acts: Collection, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    versions = Version.objects.for_tenant(harbour).head()
    with tenant_scope(harbour.pk):
        for term in ("berth", "boats"):
            with django_assert_num_queries(6):
                find_definitions(DefinitionQuestion(term, "Pilot Act"), versions)


def terms(text: str, *, is_markdown: bool = False) -> list[str]:
    return [one.term for one in extract_definitions(text, parse_outline(text, is_markdown=is_markdown).units)]


STANDARD = """# Protocol

## 1. Terms

A "client" is a program that asks. A "server" is a program that answers. A "cache" is a store of answers.

A "proxy" is a program between both. A "gateway" is a program at the edge.

The server selects one of its answers. This "selected answer" is sent to the client.
"""


def test_what_the_sentence_before_describes_is_defined_by_its_name() -> None:
    assert terms(STANDARD, is_markdown=True)[-1] == "selected answer"


def test_words_alone_at_the_head_of_a_unit_are_a_heading() -> None:
    text = STANDARD.replace("#", "").replace(" 1. Terms", "1. Terms") + (
        "\n2. Targets\n\nThere are two forms.\n\n2.1. origin-form\n\n"
        'The usual form of a target is the "origin-form".\n\n'
        "A client sends origin-form, and origin-form has a path. A proxy knows origin-form too.\n\n"
        "2.2. other-form\n\nWhat is no origin-form is another; origin-form comes first.\n"
    )
    assert "origin-form" in terms(text)
