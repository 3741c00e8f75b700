"""The page on which a document is read: what is shown of it, where, and never of another version."""

from __future__ import annotations

import re
from datetime import datetime
from html import unescape
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from documents import services
from documents.models import Collection, Document, OutlineCorrection, Section, Version
from search.reader.parts import CACHE, SIZE, Parts, divide, load_parts
from tenants.models import AuditEvent, Membership, Role, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.long_document import add_without_vectors
from tests.searching import ACT, ACTOR, add, fill, make_collection

NAME = "harbour-safety-act.md"
RULES = "pilotage-rules.md"


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


@pytest.fixture
def act(acts: Collection) -> Document:
    return document_of(acts)


@pytest.fixture
def client(reader: Membership) -> Client:
    return client_of(reader)


def document_of(collection: Collection, name: str = NAME) -> Document:
    with tenant_scope(collection.tenant_id):
        return Document.objects.select_related("tenant").get(collection=collection, name=name)


def url(document: Document, path: str = "", **query: object) -> str:
    return f"/t/harbour/documents/{document.pk}/read/{path}?{urlencode(query)}"


def body(response: Any, status: int = 200) -> str:
    assert response.status_code == status, response.status_code
    return str(response.content.decode())


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def unit_of(page: str, label: str) -> str:
    """Return the HTML of a unit, without its tools."""
    anchor = escape(f"u-{label.replace(' ', '_')}")
    found = re.search(rf'id="{re.escape(anchor)}">(.*?)(?:<span class="tools">|</div>)', page, re.DOTALL)
    assert found, label
    return found[1]


def tools_of(page: str, label: str) -> str:
    anchor = escape(f"u-{label.replace(' ', '_')}")
    found = re.search(
        rf'id="{re.escape(anchor)}">(?:(?!<div class="unit).)*?<span class="tools">(.*?)</div>',
        page,
        re.DOTALL,
    )
    assert found, label
    return found[1]


def long_text(sections: int) -> str:
    """An act whose sections have some four hundred characters each."""
    filler = "The master of a vessel shall report it to the authority without delay. " * 4
    bodies = (
        f"## Section {number}. Matter {number}\n\n(a) {filler}\n\n(b) It is {number} crowns, see section 1."
        "\n\n"
        for number in range(2, sections + 2)
    )
    head = "# Long Act\n\n## Section 1. Definitions\n\n“Vessel” means any ship, boat or craft.\n\n"
    return head + "".join(bodies)


class TestText:
    def test_stands_there_with_its_headings_and_numbers(self, client: Client, act: Document) -> None:
        page = body(client.get(url(act)))
        assert "<h2>Harbour Safety Act</h2>" in page
        attributes = 'data-at="Section 2" data-level="1" data-name="Section 2 Speed" id="u-Section_2"'
        assert f'<div class="unit indent-0" {attributes}><h3>' in page
        assert text_of(unit_of(page, "Section 2(a)")) == (
            "(a) The master of a vessel shall not exceed six knots in the inner harbour."
        )

    def test_of_a_document_is_never_markup(self, client: Client, harbour: Tenant) -> None:
        title, rest = "<script>alert(1)</script>", "{{ x }} [a](javascript:b)"
        hostile = f"# {title}\n\n## Section 1. <img src=x onerror=alert(2)>\n\n(a) {rest}\n"
        add(make_collection(harbour), "<b>.md", hostile)
        with tenant_scope(harbour.pk):
            document = Document.objects.get()
        page = body(client.get(url(document, at="Section 1")))
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "<b>.md" not in page
        assert escape("[a](javascript:b)") in page
        assert "{{ x }}" in page

    def test_of_a_document_without_structure_is_shown_too(self, client: Client, harbour: Tenant) -> None:
        add(make_collection(harbour), "note.txt", "the pilots board south of the light.\n")
        with tenant_scope(harbour.pk):
            document = Document.objects.get()
        page = body(client.get(url(document)))
        assert "the pilots board south of the light." in page
        assert "it is read as flat text" in page

    def test_of_a_document_that_is_not_ready_is_not_there_yet(self, client: Client, harbour: Tenant) -> None:
        document = factories.document(harbour)
        assert "It cannot be read yet." in body(client.get(url(document)))


class TestUnit:
    def test_is_marked_with_its_path_and_its_neighbours(self, client: Client, act: Document) -> None:
        page = body(client.get(url(act, at="Section 2(a)")))
        assert 'class="unit indent-0 current" data-at="Section 2(a)"' in page
        crumbs = page[page.index("data-crumbs") : page.index("</ol></nav>")]
        assert re.findall(r">([^<>]+)</a>", crumbs) == ["Section 2 Speed", "Section 2(a)"]
        assert 'rel="next" href="?at=Section+2%28b%29#u-Section_2(b)"' in page
        assert 'rel="prev" href="?at=Section+2#u-Section_2"' in page
        assert "<title>Section 2(a) · harbour-safety-act.md" in page

    def test_can_be_asked_for_as_people_cite_it(self, client: Client, act: Document) -> None:
        page = body(client.get(url(act, at="sec. 2, para. (a)")))
        assert 'class="unit indent-0 current" data-at="Section 2(a)"' in page

    def test_that_does_not_exist_is_said_with_those_that_do(self, client: Client, act: Document) -> None:
        page = body(client.get(url(act, at="Section 2(c)")), 404)
        assert "Section 2(c)" in page
        assert re.search(r'<a href="\?&amp;at=Section%202%28a%29">Section 2\(a\)</a>', page)
        assert "Harbour Safety Act" in page

    def test_has_a_link_and_a_citation(self, client: Client, act: Document) -> None:
        tools = tools_of(body(client.get(url(act))), "Section 2(a)")
        assert 'class="link" href="?at=Section+2%28a%29#u-Section_2(a)"' in tools
        assert 'class="cite" href="cite/?at=Section+2%28a%29"' in tools

    def test_is_cited_by_its_permalink(self, client: Client, act: Document) -> None:
        response = client.get(url(act, "cite/", at="Section 2(a)"))
        assert response.status_code == 302
        page = unescape(body(client.get(response["Location"])))
        assert "(a) The master of a vessel shall not exceed six knots in the inner harbour." in page
        assert "These words stand today" in page
        given = client.get(
            url(act, "cite/", at="Section 2(a)"), headers={"Accept": "application/json"}
        ).json()
        assert given["citation"].startswith("Section 2(a), harbour-safety-act.md, version 1, recorded ")
        assert given["permalink"] == f"http://testserver{response['Location']}"
        assert given["permalink"] in given["citation"]

    def test_is_read_from_its_citation(self, client: Client, act: Document) -> None:
        cited = client.get(url(act, "cite/", at="Section 2(a)"))["Location"]
        page = body(client.get(cited))
        link = re.search(r'<a href="([^"]+)">Read it in its place</a>', page)
        assert link
        shown = body(client.get(unescape(link[1])))
        assert '<mark id="span">' in shown
        assert text_of(" ".join(re.findall(r"<mark[^>]*>(.*?)</mark>", shown))) == (
            "(a) The master of a vessel shall not exceed six knots in the inner harbour."
        )

    @pytest.mark.parametrize("path", ["cite/", "preview/", "mentions/", "outline/"])
    def test_that_does_not_exist_is_not_found(self, client: Client, act: Document, path: str) -> None:
        assert client.get(url(act, path, at="Section 9")).status_code == 404


class TestTerms:
    def test_lead_to_their_definition_which_stands_beside_them(self, client: Client, act: Document) -> None:
        page = body(client.get(url(act)))
        terms = re.findall(
            r'<a class="term" href="([^"]+)" data-meaning="(m-[^"]+)">([^<]+)</a>',
            unit_of(page, "Section 2(a)"),
        )
        assert [word for _, _, word in terms] == ["master", "vessel"]
        href, meaning, _ = terms[1]
        assert href == f"/t/harbour/documents/{act.pk}/read/?at=Section+1%28a%29#u-Section_1(a)"
        shown = page[page.index(f'id="{meaning}" hidden>') :].split("</div>")[0]
        assert "vessel” means any ship, boat or craft." in text_of(shown)
        assert "Defined in Section 1(a)" in shown

    def test_are_those_of_the_version_that_is_read(
        self, client: Client, acts: Collection, act: Document
    ) -> None:
        add(acts, NAME, ACT.replace("any ship, boat or craft", "any floating thing"))
        assert "any floating thing" in body(client.get(url(act)))
        old = body(client.get(url(act, version=1)))
        assert "any ship, boat or craft" in old
        assert "any floating thing" not in old


class TestReferences:
    def test_lead_to_what_they_mean(self, client: Client, act: Document) -> None:
        page = body(client.get(url(act)))
        address = f"/t/harbour/documents/{act.pk}/read/?at=Section+3#u-Section_3"
        assert f'<a class="reference" href="{address}">section 3</a>' in unit_of(page, "Section 2(b)")

    def test_lead_to_other_documents(self, client: Client, acts: Collection, act: Document) -> None:
        page = body(client.get(url(document_of(acts, RULES))))
        assert (
            f'<a class="reference other" href="/t/harbour/documents/{act.pk}/read/?at=Section+2#u-Section_2">'
            in unit_of(page, "Section 1(a)")
        )

    def test_that_lead_nowhere_say_why(self, client: Client, harbour: Tenant) -> None:
        add(
            make_collection(harbour),
            "a.md",
            "# Act\n\n## Section 1. Ports\n\n(a) A port under section 9 is closed.\n",
        )
        with tenant_scope(harbour.pk):
            document = Document.objects.get()
        page = unit_of(body(client.get(url(document))), "Section 1(a)")
        found = re.search(
            r'<span class="lost" role="note" tabindex="0" title="([^"]+)">section 9</span>', page
        )
        assert found
        assert "9" in found[1]

    def test_are_previewed(self, client: Client, act: Document) -> None:
        preview = body(client.get(url(act, "preview/", at="Section 3")))
        assert "<h4>Section 3. Rescue</h4>" in preview
        assert "The harbour master shall promptly disclose every rescue" in preview
        assert "<html" not in preview

    def test_to_a_unit_are_counted_and_listed(self, client: Client, acts: Collection, act: Document) -> None:
        page = body(client.get(url(act)))
        assert 'class="mentions" href="mentions/?at=Section+3">1 mention<' in tools_of(page, "Section 3")
        assert 'class="mentions" href="mentions/?at=Section+2">1 mention<' in tools_of(page, "Section 2")
        assert "mention" not in tools_of(page, "Section 2(a)")
        listed = body(client.get(url(act, "mentions/", at="Section 2")))
        rules = document_of(acts, RULES)
        assert f'href="/t/harbour/documents/{rules.pk}/read/?at=Section+1%28a%29#u-Section_1(a)"' in listed
        assert "pilotage-rules.md" in listed
        assert "Nothing that is read here refers to it." in body(
            client.get(url(act, "mentions/", at="Section 2(a)"))
        )

    def test_to_ranges_count_for_what_lies_inside(self, client: Client, harbour: Tenant) -> None:
        text = "# Act\n\n" + "".join(f"## Section {n}. Of {n}\n\n(a) Words.\n\n" for n in range(1, 6))
        add(make_collection(harbour), "a.md", f"{text}## Section 6. Rest\n\n(a) Sections 1 to 4 apply.\n")
        with tenant_scope(harbour.pk):
            document = Document.objects.get()
        page = body(client.get(url(document)))
        counts = [
            len(re.findall(r"class=\"mentions\"[^>]*>1 mention<", tools_of(page, f"Section {n}")))
            for n in range(1, 6)
        ]
        listed = [
            "Section 6(a)" in body(client.get(url(document, "mentions/", at=f"Section {n}")))
            for n in range(1, 6)
        ]
        assert counts == [int(one) for one in listed]
        assert counts[1:3] == [1, 1]
        assert counts[4] == 0


class TestMarks:
    def test_show_the_words_that_were_searched_for(self, client: Client, act: Document) -> None:
        page = unit_of(body(client.get(url(act, q="exceeding speeds"))), "Section 2(a)")
        assert re.findall(r'<mark class="word">(.*?)</mark>', page) == ["exceed"]

    def test_show_a_span(self, client: Client, act: Document) -> None:
        start = ACT.index("six knots")
        page = body(client.get(url(act, span=f"{start}-{start + 9}")))
        assert re.findall(r'<mark id="span">(.*?)</mark>', page) == ["six knots"]
        assert 'data-at="Section 2(a)"' in page

    @pytest.mark.parametrize("span", ["9-3", "x", "-1-4", "5", "999999999-9999999999", "4-4"])
    def test_of_no_span_are_none(self, client: Client, act: Document, span: str) -> None:
        assert 'id="span"' not in body(client.get(url(act, span=span)))

    def test_beyond_the_end_are_none(self, client: Client, act: Document) -> None:
        assert 'id="span"' not in body(client.get(url(act, span="900000-900005")))


class TestVersions:
    @pytest.fixture
    def before(self, acts: Collection) -> datetime:
        """When the act still was as it was."""
        moment = timezone.now()
        add(
            acts,
            NAME,
            ACT.replace("six knots", "nine knots").replace("Section 3. Rescue", "Section 3. Salvage"),
        )
        return moment

    def test_the_current_one_is_read_unless_another_is_asked_for(
        self, client: Client, act: Document, before: datetime
    ) -> None:
        now, old = body(client.get(url(act))), body(client.get(url(act, read=before.isoformat())))
        assert "nine knots" in now
        assert "six knots" not in now
        assert "six knots" in old
        assert "nine knots" not in old
        assert "Salvage" not in old
        assert "It is not the current one." in text_of(old)
        assert "It is not the current one." not in text_of(now)

    def test_one_is_read_by_its_number(self, client: Client, act: Document, before: datetime) -> None:
        page = body(client.get(url(act, version=1, at="Section 2")))
        assert "six knots" in page
        assert "nine knots" not in page
        assert f'href="/t/harbour/documents/{act.pk}/read/?at=Section%202">Read version 2</a>' in page
        assert f"/t/harbour/documents/{act.pk}/compare/?old=1&amp;new=2" in page
        assert 'href="?version=1&amp;at=Section+2%28a%29#u-Section_2(a)"' in page

    @pytest.mark.parametrize("number", ["3", "0", "x", "-1", "99999999999"])
    def test_of_no_such_number_are_not_found(
        self, client: Client, act: Document, before: datetime, number: str
    ) -> None:
        assert client.get(url(act, version=number)).status_code == 404

    @pytest.mark.parametrize("path", ["part/", "preview/", "outline/", "mentions/", "cite/"])
    def test_what_is_fetched_is_of_the_version_that_is_read(
        self, client: Client, act: Document, before: datetime, path: str
    ) -> None:
        asked = {"part": 0, "at": "Section 3"}
        old = client.get(url(act, path, read=before.isoformat(), **asked), follow=True)
        new = client.get(url(act, path, **asked), follow=True)
        assert "Salvage" not in body(old).split("What is different")[0]
        if path in {"part/", "preview/", "cite/"}:
            assert "Rescue" in body(old)
            assert "Salvage" in body(new)

    def test_links_stay_in_what_is_read(self, client: Client, act: Document, before: datetime) -> None:
        read = before.isoformat().replace("+00:00", "Z")
        page = body(client.get(url(act, read=read)))
        hrefs = re.findall(r'<a class="(?:term|reference|link|cite)" href="([^"]+)"', page)
        assert hrefs
        assert all(urlencode({"read": read}) in unescape(href) for href in hrefs)

    def test_a_context_that_cannot_be_read_is_refused_in_words(self, client: Client, act: Document) -> None:
        page = body(client.get(url(act, read="nonsense")))
        assert "is no date" in page
        assert "six knots" not in page
        assert client.get(url(act, "part/", read="nonsense", part=0)).status_code == 404

    def test_nothing_is_shown_from_before_there_was_anything(self, client: Client, act: Document) -> None:
        page = body(client.get(url(act, read="2001-01-01")))
        assert "There is nothing of it to read at that time." in page
        assert "six knots" not in page
        assert client.get(url(act, "part/", read="2001-01-01", part=0)).status_code == 404

    def test_what_is_published_is_read_and_nothing_else(
        self, client: Client, acts: Collection, act: Document
    ) -> None:
        baseline = services.create_baseline(collection=acts, name="2025", actor=ACTOR)
        services.publish_baseline(baseline=baseline, actor=ACTOR)
        add(acts, NAME, ACT.replace("six knots", "nine knots"))
        for read in ("published", f"baseline:{baseline.pk}"):
            page = body(client.get(url(act, read=read)))
            assert "six knots" in page
            assert "nine knots" not in page

    def test_history_is_offered_where_there_is_any(
        self, client: Client, acts: Collection, act: Document
    ) -> None:
        assert "History" not in tools_of(body(client.get(url(act))), "Section 2")
        add(acts, NAME, ACT.replace("six", "nine"))
        tools = tools_of(body(client.get(url(act))), "Section 2")
        assert f'href="/t/harbour/documents/{act.pk}/history/?label=Section+2"' in tools


class TestOutline:
    def test_shows_what_stands_beside_and_below_what_is_read(self, client: Client, act: Document) -> None:
        tree = body(client.get(url(act, at="Section 2(a)"))).split("data-tree")[1].split("</nav>")[0]
        assert re.findall(r'data-label="([^"]+)"', tree) == [
            "Section 1", "Section 2", "Section 2(a)", "Section 2(b)", "Section 3",
        ]  # fmt: skip
        assert re.findall(r'aria-current="location">([^<]+)<', tree) == ["Section 2(a) "]
        assert tree.count('aria-expanded="true"') == 1

    def test_sends_what_stands_below_a_unit(self, client: Client, act: Document) -> None:
        page = body(client.get(url(act, "outline/", at="Section 3")))
        assert re.findall(r'data-label="([^"]+)"', page) == ["Section 3(a)", "Section 3(b)"]

    def test_finds_by_number_and_title(self, client: Client, act: Document) -> None:
        found = body(client.get(url(act, "outline/", find="resc")))
        assert re.findall(r'data-label="([^"]+)"', found) == ["Section 3"]
        both = body(client.get(url(act, "outline/", find="2 (b)")))
        assert re.findall(r'data-label="([^"]+)"', both) == ["Section 2(b)"]
        assert "No unit has these words" in body(client.get(url(act, "outline/", find="%")))
        assert 'data-label="Section 3"' in body(client.get(url(act, find="resc")))


class TestParts:
    def test_are_cut_where_units_begin(self, client: Client, harbour: Tenant) -> None:
        version = add_without_vectors(make_collection(harbour), "long.md", long_text(150))
        with tenant_scope(harbour.pk):
            parts = load_parts(version.pk)
            text = Version.objects.get(pk=version.pk).text
            tops = set(Section.objects.filter(version=version, level=1).values_list("start", flat=True))
        assert len(parts) > 3
        assert parts.length == len(text)
        assert set(parts.starts[1:]) <= tops
        assert max(end - start for start, end in map(parts.span, range(len(parts)))) < 2 * SIZE

    def test_together_are_the_whole_text_and_all_units_once(self, client: Client, harbour: Tenant) -> None:
        version = add_without_vectors(make_collection(harbour), "long.md", long_text(150))
        with tenant_scope(harbour.pk):
            count = len(load_parts(version.pk))
            labels = list(
                Section.objects.filter(version=version, position__gt=0)
                .order_by("position")
                .values_list("label", flat=True)
            )
        pages = [body(client.get(url(version.document, "part/", part=index))) for index in range(count)]
        shown = re.findall(r'data-at="([^"]+)" data-level="\d+"[^>]* id=', "".join(pages))
        assert shown == labels
        assert client.get(url(version.document, "part/", part=count)).status_code == 404
        assert client.get(url(version.document, "part/")).status_code == 404

    def test_of_flat_text_are_cut_at_chunks(self, client: Client, harbour: Tenant) -> None:
        text = "the pilots board south of the light and leave before the breakwater. " * 1000
        version = add_without_vectors(make_collection(harbour), "flat.txt", text)
        with tenant_scope(harbour.pk):
            parts = load_parts(version.pk)
        assert len(parts) == 1 + (len(text) - 1) // SIZE
        pages = [body(client.get(url(version.document, "part/", part=index))) for index in range(len(parts))]
        assert " ".join(map(text_of, pages)) == text.strip()

    def test_around_a_unit_that_is_asked_for_is_shown_with_links_to_the_others(
        self, client: Client, harbour: Tenant
    ) -> None:
        version = add_without_vectors(make_collection(harbour), "long.md", long_text(150))
        with tenant_scope(harbour.pk):
            parts = load_parts(version.pk)
            place = Section.objects.get(version=version, label="Section 100").start
        index = parts.at(place)
        page = body(client.get(url(version.document, at="Section 100")))
        assert "It is 100 crowns" in page
        assert "It is 2 crowns" not in page
        assert f'data-part="{index}" data-size' in page
        assert page.count('class="part waiting"') == len(parts) - 1
        assert f'rel="prev" href="?part={index - 1}"' in page
        assert f'rel="next" href="?part={index + 1}"' in page

    def test_begin_with_what_they_stand_in(self, client: Client, harbour: Tenant) -> None:
        version = add_without_vectors(make_collection(harbour), "long.md", long_text(150))
        page = body(client.get(url(version.document, "part/", part=1)))
        assert '<div class="running" data-running><h2> Long Act</h2></div>' in page
        assert 'data-above="[]"' in page

    @pytest.mark.parametrize(
        ("cuts", "starts", "positions"),
        [
            ([], (0,), (0, 9)),
            ([(16_500, 4, 3)], (0, 16_500), (0, 4, 9)),
            ([(16_500, None, None), (33_000, 6, 5)], (0, 16_500, 33_000), (0, 5, 6, 9)),
            ([(16_500, None, None)], (0, 16_500), (0, 9, 9)),
        ],
    )
    def test_know_the_units_that_begin_in_them(
        self, cuts: list[Any], starts: tuple[int, ...], positions: tuple[int, ...]
    ) -> None:
        assert divide(cuts, 40_000, 9) == Parts(40_000, starts, positions)


class TestEffort:
    """What is asked of the database does not grow with the document."""

    def count(self, client: Client, address: str) -> int:
        client.get(address)
        CACHE.kept.clear()
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200
        return len(captured)

    def test_is_the_same_for_a_long_document(self, client: Client, harbour: Tenant) -> None:
        acts = make_collection(harbour)
        short = add_without_vectors(acts, "short.md", long_text(60)).document
        long = add_without_vectors(acts, "long.md", long_text(600)).document
        for query in ({"at": "Section 50(a)"}, {"at": "Section 50"}):
            assert self.count(client, url(short, **query)) == self.count(client, url(long, **query)) == 33
        assert (
            self.count(client, url(short, "part/", part=1))
            == self.count(client, url(long, "part/", part=1))
            == 25
        )


class TestWalls:
    @pytest.mark.parametrize("path", ["", "part/", "outline/", "preview/", "mentions/", "cite/"])
    def test_stand_around_the_documents_of_a_tenant(
        self, act: Document, stranger: Membership, path: str
    ) -> None:
        asked = {"part": 0, "at": "Section 2"}
        assert client_of(stranger).get(url(act, path, **asked)).status_code == 404
        own = f"/t/meridian/documents/{act.pk}/read/{path}?part=0&at=Section+2"
        assert client_of(stranger).get(own).status_code == 404

    def test_hide_what_is_in_the_bin(self, client: Client, act: Document) -> None:
        services.delete_document(document=act, actor=ACTOR)
        assert "six knots" not in body(client.get(url(act)))
        assert "This document is in the bin." in body(client.get(url(act, version=1)))


class TestCorrections:
    @pytest.fixture
    def editor(self, harbour: Tenant) -> Client:
        return client_of(factories.membership(harbour, Role.EDITOR))

    def form(self, **changes: object) -> dict[str, object]:
        usual = {
            "at": "Section 2",
            "is_unit": "on",
            "level": 1,
            "new_label": "Section 2",
            "new_title": "Speed",
        }
        return {name: value for name, value in {**usual, **changes}.items() if value is not None}

    def place(self, document: Document, path: str = "", **query: object) -> str:
        return f"/t/harbour/documents/{document.pk}/corrections/{path}?{urlencode(query)}"

    def test_are_offered_to_editors_alone(self, client: Client, editor: Client, act: Document) -> None:
        assert "Correct" not in tools_of(body(client.get(url(act))), "Section 2")
        assert f'href="/t/harbour/documents/{act.pk}/corrections/?at=Section+2"' in tools_of(
            body(editor.get(url(act))), "Section 2"
        )
        page = body(editor.get(self.place(act, at="Section 2")))
        assert "Correct Section 2" in page
        assert 'name="new_title" value="Speed"' in page

    def test_make_a_new_version(self, editor: Client, act: Document) -> None:
        page = body(editor.post(self.place(act, "add/"), self.form(new_title="Speed limits"), follow=True))
        assert "The corrected outline makes a new version." in page
        assert "Title: Speed limits." in page
        with tenant_scope(act.tenant_id):
            assert list(Version.objects.filter(document=act).values_list("number", flat=True)) == [2, 1]
            made = OutlineCorrection.objects.get()
            assert (made.label, made.new_title, made.level, made.is_unit) == (
                "Section 2",
                "Speed limits",
                None,
                True,
            )
            assert AuditEvent.objects.filter(action="outline.corrected").count() == 1

    def test_can_say_that_no_unit_begins(self, editor: Client, act: Document) -> None:
        page = body(editor.post(self.place(act, "add/"), self.form(is_unit=None), follow=True))
        assert "No unit begins here." in page
        with tenant_scope(act.tenant_id):
            assert OutlineCorrection.objects.get().is_unit is False

    def test_are_taken_back(self, editor: Client, act: Document) -> None:
        editor.post(self.place(act, "add/"), self.form(level=2))
        with tenant_scope(act.tenant_id):
            made = OutlineCorrection.objects.get()
        page = body(editor.post(f"/t/harbour/corrections/{made.pk}/remove/", follow=True))
        assert "The correction is taken back" in page
        assert "Nothing yet." in page
        with tenant_scope(act.tenant_id):
            assert not OutlineCorrection.objects.exists()

    def test_of_nothing_are_refused(self, editor: Client, harbour: Tenant, act: Document) -> None:
        before = everything_of(harbour)
        page = body(editor.post(self.place(act, "add/"), self.form()), 422)
        assert "Nothing is different yet." in page
        assert editor.post(self.place(act, "add/"), self.form(at="Section 9")).status_code == 404
        assert editor.post(f"/t/harbour/corrections/{uuid4()}/remove/").status_code == 404
        assert everything_of(harbour) == before
