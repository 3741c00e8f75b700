"""The search page: what is asked by its address, what it shows, and that nothing in a document is trusted."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from documents import services
from documents.models import Collection, Document
from search import ask as asking
from search.answer import Answer
from search.pages.asked import Asked
from tenants.models import Membership, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.factories import ACTOR
from tests.searching import ACT, add, fill, make_collection

PATH = "/t/harbour/search/"
HOSTILE = """# Rules <script>alert(1)</script>

## Section 1. <img src=x onerror=alert(2)>

(a) The knave <b onclick="alert(3)">boards</b> the sloop. [Click](javascript:alert(4))

(b) “Sloop” means a <svg onload=alert(5)> vessel, see section 1(a).
"""


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


@pytest.fixture
def client(acts: Collection) -> Client:
    """Of a reader."""
    return client_of(factories.membership(acts.tenant))


def body(response: Any) -> str:
    assert response.status_code == 200, response.status_code
    return str(response.content.decode())


def ask(client: Client, query: str, **asked: Any) -> str:
    return body(client.get(PATH, {"q": query, **asked}))


def results(page: str) -> list[str]:
    """Each result, as its markup says it."""
    return re.findall(r'<li class="result".*?\n</li>', page, re.DOTALL)


def headings(page: str) -> list[str]:
    return [plain(one) for one in re.findall(r"<h2><a href=.*?</a></h2>", page)]


def plain(markup: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", "", markup)).split())


def links(markup: str, words: str) -> list[str]:
    return [unescape(one) for one in re.findall(rf'<a [^>]*href="([^"]*)"[^>]*>{re.escape(words)}<', markup)]


def document_of(tenant: Tenant, name: str) -> Document:
    with tenant_scope(tenant.pk):
        return Document.objects.get(name=name)


class TestBeforeAnythingIsAsked:
    def test_shows_examples_that_find_something(self, client: Client, acts: Collection) -> None:
        page = body(client.get(PATH))
        examples = re.findall(r'<span class="example">(.*?)</span>', page)
        assert len(examples) == 3
        for example in examples:
            found = ask(client, unescape(example))
            assert headings(found), example
            assert "Nothing confident found" not in found

    def test_says_that_there_is_nothing_yet(self, reader: Membership) -> None:
        page = body(client_of(reader).get(PATH))
        assert "There is nothing to search in yet." in page
        assert 'href="/t/harbour/documents/"' in page

    def test_shows_saved_searches_that_somebody_may_see(self, reader: Membership) -> None:
        factories.saved_search(reader.tenant, owner=reader.user, name="My own", is_shared=False)
        factories.saved_search(reader.tenant, name="Shared by another")
        factories.saved_search(reader.tenant, name="Private of another", is_shared=False)
        page = body(client_of(reader).get(PATH))
        assert re.findall(r'class="chip" href="\?q=vessel" data-go>([^<]*)', page) == [
            "My own",
            "Shared by another",
        ]

    def test_a_blank_question_is_none(self, client: Client) -> None:
        assert "For example" in ask(client, "   ")


class TestResults:
    def test_a_citation_shows_the_unit_itself_with_its_words(self, client: Client, harbour: Tenant) -> None:
        page = ask(client, "Section 2(b) of the Harbour Safety Act")
        first = results(page)[0]
        document = document_of(harbour, "harbour-safety-act.md")
        assert headings(first) == ["Section 2(b)"]
        assert (
            plain(re.findall(r'<p class="path">(.*?)</p>', first)[0])
            == "Harbour Safety Act › Section 2 Speed"
        )
        assert (
            '<div class="words-shown"><p>(b) A vessel under section 3 may exceed that speed.</p></div>'
            in first
        )
        assert '<span class="tag ready">cited</span>' in first
        assert links(first, "Section 2(b)")[0].startswith(f"/t/harbour/documents/{document.pk}/")
        assert links(first, "Section 2(b)")[0].endswith("?at=Section+2%28b%29")

    def test_each_has_its_terms_references_and_citation(self, client: Client, harbour: Tenant) -> None:
        first = results(ask(client, "Section 2(b) of the Harbour Safety Act"))[0]
        assert "<summary>1 defined term</summary>" in first
        assert re.search(r"<dt>vessel</dt><dd>[^<]*any ship, boat or craft", first)
        assert links(first, "Section 1(a)")[0].endswith("?at=Section+1%28a%29")
        assert "<summary>refers to 1 place</summary>" in first
        assert links(first, "section 3")[0].endswith("?at=Section+3")
        permalink = re.findall(r'<a href="(http://testserver/t/harbour/cite/[^"]*)">Permalink', first)[0]
        cited = unescape(re.findall(r'id="cite-1">([^<]*)<', first)[0])
        day = f"{timezone.now():%-d %b %Y}"
        assert cited.startswith(
            f"Section 2(b), harbour-safety-act.md, version 1, recorded {day}. {permalink} (SHA-256 "
        )
        assert body(client.get(permalink)).count("may exceed that speed") == 1

    def test_what_refers_to_a_unit_is_counted_and_linked(self, client: Client) -> None:
        first = results(ask(client, "Section 3 of the Harbour Safety Act"))[0]
        assert "<summary>referred to in 1 place</summary>" in first
        assert links(first, "Section 2(b)")[0].endswith("?at=Section+2%28b%29")

    def test_words_that_were_asked_for_are_marked(self, client: Client) -> None:
        page = ask(client, "exceed six knots")
        marked = re.findall(r"<mark>(.*?)</mark>", results(page)[0])
        assert marked == ["exceed six knots", "exceed"]
        assert '<span class="tag open">by words and meaning</span>' in results(page)[0]

    def test_signs_of_markdown_are_not_shown(self, client: Client, acts: Collection) -> None:
        add(
            acts, "table.md", "# Tides\n\n| Hour | **Ebb** |\n|---|---|\n| dawn | zephyr |\n| dusk | calm |\n"
        )
        first = results(ask(client, "zephyr at dawn"))[0]
        shown = plain(re.findall(r'<p class="snippet">(.*?)</p>', first)[0])
        assert shown == "… dawn · zephyr · dusk · calm …"

    def test_a_phrase_says_so(self, client: Client) -> None:
        page = ask(client, '"shall not disclose"')
        assert headings(page)[0].startswith("Section 3")
        assert '<span class="tag ready">word for word</span>' in results(page)[0]

    def test_a_term_shows_its_definition(self, client: Client) -> None:
        page = ask(client, "What does “master” mean?")
        assert headings(page)[0] == "Section 1(b)"
        assert '<span class="tag ready">defines it</span>' in results(page)[0]

    def test_definitions_that_others_give_differently_are_linked(self, client: Client) -> None:
        with_vessel = results(ask(client, "Section 1(a) of the Pilotage Rules"))[0]
        without = results(ask(client, "Section 2(a) of the Pilotage Rules"))[0]
        assert links(with_vessel, "Others say something else") == [
            "?q=What+does+%E2%80%9CVessel%E2%80%9D+mean%3F"
        ]
        assert "Others say something else" not in without

    def test_the_same_words_elsewhere_are_told(self, client: Client, acts: Collection) -> None:
        add(acts, "copy-of-the-act.md", ACT)
        first = results(ask(client, "exceed six knots in the inner harbour"))[0]
        assert "the same words in 1 more place" in first

    def test_what_is_not_there_is_said_with_what_is(self, client: Client, harbour: Tenant) -> None:
        page = ask(client, "section 2(d) of the Harbour Safety Act")
        assert "Section 2(d) does not exist in harbour-safety-act.md; Section 2 has (a) and (b)." in page
        assert results(page) == []
        assert "Nothing confident found" not in page
        link = links(page, "Section 2(b)")[0]
        pk = document_of(harbour, "harbour-safety-act.md").pk
        assert link == f"?q=Section+2%28b%29&document={pk}"
        assert headings(body(client.get(f"{PATH}{link}")))[0] == "Section 2(b)"

    def test_a_misspelt_word_has_a_suggestion(self, client: Client) -> None:
        page = ask(client, "brekwater")
        assert links(page, "breakwater") == ["?q=breakwater"]

    def test_nothing_confident_is_said_before_the_nearest(self, client: Client) -> None:
        page = ask(client, "zebra crossing paint colour")
        assert "Nothing confident found" in page or "<h2>Nothing found</h2>" in page
        assert "Put what must be there word for word between quotation marks." in page

    def test_a_question_that_is_too_long_is_refused(self, client: Client) -> None:
        page = ask(client, "x" * 10_001)
        assert "The query is longer than 10,000 characters. Shorten it." in page

    def test_a_leg_that_is_missing_is_said(
        self, client: Client, monkeypatch: pytest.MonkeyPatch, acts: Collection
    ) -> None:
        def without_meaning(**options: Any) -> Answer:
            return replace(asking.ask(**options), degraded={"semantic": "It took too long."})

        monkeypatch.setattr("search.pages.search.ask", without_meaning)
        assert "One way of looking is missing (semantic): It took too long." in ask(client, "knots")


class TestWhatIsAsked:
    def test_everything_is_in_the_address(self, client: Client) -> None:
        page = ask(client, "vessel", mode="keyword", top="20", group="1", file="md")
        assert '<option value="keyword" selected>by words</option>' in page
        assert '<option value="20" selected>20 results</option>' in page
        assert 'name="group" value="1" form="search-form" checked>' in page
        assert re.search(r'name="file" value="md" form="search-form" checked>', page)
        assert links(page, "Explain") == ["?q=vessel&mode=keyword&top=20&file=md&group=1&explain=1"]

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ("q=+a+b+&top=0&mode=nonsense", "q=a+b"),
            ("q=a&top=101", "q=a"),
            ("q=a&top=100", "q=a&top=100"),
            ("q=a&top=1", "q=a&top=1"),
            ("q=a&top=%D9%A3&document=nobody", "q=a"),
            ("q=a&type=content&type=nonsense", "q=a&type=content"),
            ("q=a%00b", "q=ab"),
            ("q=a&part=results&format=csv&utm=1", "q=a"),
        ],
    )
    def test_what_makes_no_sense_is_left_out(self, given: str, words: str) -> None:
        assert Asked.read_from(QueryDict(given)).words == words

    def test_filters_narrow_and_can_be_undone(self, client: Client, harbour: Tenant) -> None:
        rules = document_of(harbour, "pilotage-rules.md")
        page = ask(client, "vessel", document=str(rules.pk))
        assert {plain(one) for one in re.findall(r"<span>[a-z-]*\.md</span>", "".join(results(page)))} == {
            "pilotage-rules.md"
        }
        assert re.search(rf'value="{rules.pk}" form="search-form" checked>', page)
        assert 'harbour-safety-act.md</span> <span class="count faint">' in page
        assert links(page, "Clear filters") == ["?q=vessel"]

    def test_a_collection_that_is_not_there_is_said_with_the_cure(self, client: Client) -> None:
        page = ask(client, "vessel", collection="nowhere")
        assert "There is no collection “nowhere”." in page
        assert links(page, "Search in everything") == ["?q=vessel"]

    def test_an_explanation_is_given_on_demand(self, client: Client) -> None:
        assert '<table class="legs">' not in ask(client, "knots")
        page = ask(client, "knots", explain="1")
        assert "<dt>Taken for</dt><dd>keyword</dd>" in page
        assert '<tr><td>by words</td><td class="number">1</td>' in results(page)[0]
        assert re.search(r"<dt>total</dt><dd>[\d.]+ ms</dd>", page)

    def test_more_results_are_a_link_away(self, client: Client) -> None:
        assert links(ask(client, "vessel", top="1"), "More results") == ["?q=vessel&top=10"]
        assert links(ask(client, "vessel", top="100"), "More results") == []

    def test_results_of_a_document_are_grouped(self, client: Client) -> None:
        page = ask(client, "vessel", group="1")
        assert [plain(one) for one in re.findall(r'<li class="group">(.*?)</li>', page)] == sorted(
            {"Harbour Safety Act", "Pilotage Rules"},
            key=page.index,
        )

    def test_the_part_that_changes_comes_alone(self, client: Client) -> None:
        part = ask(client, "knots", part="results")
        assert "<html" not in part
        assert headings(part) == headings(ask(client, "knots"))
        assert "part=results" not in part


class TestReadContext:
    @pytest.fixture
    def published(self, acts: Collection) -> None:
        made = services.create_baseline(collection=acts, name="Spring", actor=ACTOR)
        services.publish_baseline(baseline=made, actor=ACTOR)
        add(acts, "harbour-safety-act.md", ACT.replace("six knots", "four knots"))

    def test_is_switched_said_and_stays_in_every_link(self, client: Client, published: None) -> None:
        page = ask(client, "Section 2(a) of the Harbour Safety Act", read="published")
        assert "exceed six knots" in results(page)[0]
        assert "You are reading what is published: “Spring”." in page
        assert links(page, "Read what is current") == ["?q=Section+2%28a%29+of+the+Harbour+Safety+Act"]
        assert links(results(page)[0], "Section 2(a)")[0].endswith("at=Section+2%28a%29&read=published")
        assert links(page, "Explain")[0].endswith("&read=published&explain=1")
        assert "exceed four knots" in results(ask(client, "Section 2(a) of the Harbour Safety Act"))[0]

    def test_that_is_refused_searches_nothing(self, client: Client) -> None:
        page = ask(client, "vessel", read="published")
        assert "Nothing is published here." in page
        assert results(page) == []

    def test_is_kept_by_examples(self, client: Client, published: None) -> None:
        page = body(client.get(PATH, {"read": "published"}))
        examples = re.findall(r'<a class="card" href="([^"]*)"', page)
        assert [one.endswith("&amp;read=published") for one in examples] == [True, True, True]


class TestHostileDocuments:
    def test_their_text_is_shown_as_text(self, client: Client, harbour: Tenant) -> None:
        add(make_collection(harbour, "rules"), "<u>rules</u>.md", HOSTILE)
        for query in (
            "knave boards the sloop",
            "Section 1(b)",
            "What does “sloop” mean?",
            "<script>alert(9)</script>",
        ):
            page = ask(client, query, explain="1")
            assert "knave" in page or "sloop" in page.lower() or "alert(9)" in page
            for tag in ("<script>", "<img src=x", "<b ", "<svg onload", "<u>"):
                assert tag not in page, (query, tag)
            assert 'href="javascript:' not in page

    def test_a_question_is_shown_as_text(self, client: Client) -> None:
        page = ask(client, '"><script>alert(1)</script>', read='"><script>')
        assert "<script>alert" not in page


class TestQueries:
    @pytest.mark.parametrize(
        ("asked", "count"),
        [
            ({}, 37),
            ({"top": "100"}, 37),
            ({"part": "results"}, 32),
            ({"part": "typed"}, 29),
            ({"file": "md"}, 45),
        ],
    )
    def test_are_as_many_for_many_results(
        self,
        client: Client,
        django_assert_num_queries: DjangoAssertNumQueries,
        asked: dict[str, str],
        count: int,
    ) -> None:
        ask(client, "vessel")
        with django_assert_num_queries(count):
            ask(client, "vessel", **asked)

    def test_of_the_page_before_anything_is_asked(
        self, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(21):
            client.get(PATH)


def test_the_overview_has_the_box_and_search_comes_first(client: Client) -> None:
    page = body(client.get("/t/harbour/"))
    assert '<form class="search-box" method="get" action="/t/harbour/search/">' in page
    navigation = re.findall(r'<a href="([^"]*)"', page.partition("<nav")[2].partition("</nav>")[0])
    assert navigation[0] == PATH
