"""Searches that people keep, and results that they take away."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from documents.models import Collection
from search import saved as services
from search.errors import SavedSearchRefused
from search.models import SavedSearch
from search.pages.export import COLUMNS, cell_of, in_markdown
from tenants.models import AuditEvent, Membership, Role, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.factories import ACTOR
from tests.searching import add, fill

SEARCHES = "/t/harbour/searches/"


def all_of(tenant: Tenant) -> list[tuple[str, str, bool]]:
    with tenant_scope(tenant.pk):
        return list(SavedSearch.objects.values_list("name", "query", "is_shared"))


def post(who: Membership, path: str, **data: str) -> Any:
    return client_of(who).post(f"{SEARCHES}{path}", data)


def body(response: Any) -> str:
    assert response.status_code == 200
    return str(response.content.decode())


class TestSaving:
    def test_keeps_what_the_address_says_and_goes_back_there(self, reader: Membership) -> None:
        query = "q=six+knots&mode=keyword&read=effective%3A2020-01-01&part=results&evil=1"
        response = post(reader, "save/", name="Speed", query=query, is_shared="on")
        kept = "q=six+knots&read=effective%3A2020-01-01&mode=keyword"
        assert (response.status_code, response["Location"]) == (302, f"/t/harbour/search/?{kept}")
        assert all_of(reader.tenant) == [("Speed", kept, True)]

    def test_one_of_the_same_name_asks_this_from_now_on(self, reader: Membership) -> None:
        post(reader, "save/", name="Speed", query="q=six+knots", is_shared="on")
        post(reader, "save/", name="Speed", query="q=four+knots")
        assert all_of(reader.tenant) == [("Speed", "q=four+knots", False)]

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            ({"name": "", "query": "q=a"}, "This field is required."),
            ({"name": " ", "query": "q=a"}, "This field is required."),
            ({"name": "x" * 101, "query": "q=a"}, "at most 100 characters"),
            ({"name": "x", "query": "mode=keyword"}, "There is no search to keep. Search first."),
            ({"name": "x", "query": ""}, "This field is required."),
        ],
    )
    def test_what_is_wrong_is_said_and_keeps_nothing(
        self, reader: Membership, data: dict[str, str], said: str
    ) -> None:
        before = everything_of(reader.tenant)
        response = client_of(reader).post(f"{SEARCHES}save/", data, follow=True)
        assert said in body(response)
        assert everything_of(reader.tenant) == before

    def test_there_is_an_end_to_it(self, reader: Membership, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(services, "MOST_SAVED", 1)
        post(reader, "save/", name="One", query="q=a")
        post(reader, "save/", name="One", query="q=b")
        response = client_of(reader).post(f"{SEARCHES}save/", {"name": "Two", "query": "q=c"}, follow=True)
        assert "You keep 1 searches already. Delete some of them first." in body(response)
        assert all_of(reader.tenant) == [("One", "q=b", False)]

    def test_is_on_the_record_without_what_is_private(self, reader: Membership) -> None:
        post(reader, "save/", name="Divorce", query="q=a")
        post(reader, "save/", name="Speed", query="q=b", is_shared="on")
        with tenant_scope(reader.tenant_id):
            events = AuditEvent.objects.filter(action="search.saved").order_by("at")
            assert [event.target for event in events] == ["", "Speed"]


class TestListing:
    def test_shows_ones_own_and_those_that_are_shared(self, reader: Membership) -> None:
        factories.saved_search(reader.tenant, owner=reader.user, name="Mine", is_shared=False)
        factories.saved_search(reader.tenant, name="Ours")
        factories.saved_search(reader.tenant, name="Theirs", is_shared=False)
        page = body(client_of(reader).get(SEARCHES))
        assert re.findall(r'<a href="/t/harbour/search/\?q=vessel">([^<]*)', page) == ["Mine", "Ours"]
        assert page.count("/change/") == 1

    def test_of_another_tenant_are_not_there(self, reader: Membership, meridian: Tenant) -> None:
        factories.saved_search(meridian, name="Foreign")
        assert "Foreign" not in body(client_of(reader).get(SEARCHES))


class TestChanging:
    def test_the_owner_renames_shares_and_deletes(self, reader: Membership) -> None:
        saved = factories.saved_search(reader.tenant, owner=reader.user, name="Old", is_shared=False)
        post(reader, f"{saved.pk}/change/", name="New", is_shared="on")
        assert all_of(reader.tenant) == [("New", "q=vessel", True)]
        post(reader, f"{saved.pk}/delete/")
        assert all_of(reader.tenant) == []

    def test_a_name_that_is_taken_is_refused(self, reader: Membership) -> None:
        factories.saved_search(reader.tenant, owner=reader.user, name="One")
        saved = factories.saved_search(reader.tenant, owner=reader.user, name="Two")
        before = everything_of(reader.tenant)
        path = f"{SEARCHES}{saved.pk}/change/"
        page = body(client_of(reader).post(path, {"name": "One"}, follow=True))
        assert "You have a saved search of this name." in page
        assert everything_of(reader.tenant) == before

    @pytest.mark.parametrize("path", ["change/", "delete/"])
    def test_others_may_not_unless_they_are_admins(
        self, reader: Membership, admin: Membership, path: str
    ) -> None:
        saved = factories.saved_search(reader.tenant, name="Shared")
        before = everything_of(reader.tenant)
        response = client_of(reader).post(f"{SEARCHES}{saved.pk}/{path}", {"name": "Mine"}, follow=True)
        assert "It belongs to somebody else." in body(response)
        assert everything_of(reader.tenant) == before
        post(admin, f"{saved.pk}/{path}", name="Changed")
        assert all_of(reader.tenant) != [("Shared", "q=vessel", True)]

    @pytest.mark.parametrize("path", ["change/", "delete/"])
    def test_what_is_private_is_not_there_for_others_not_even_admins(
        self, admin: Membership, path: str
    ) -> None:
        saved = factories.saved_search(admin.tenant, is_shared=False)
        before = everything_of(admin.tenant)
        assert post(admin, f"{saved.pk}/{path}", name="Mine").status_code == 404
        assert everything_of(admin.tenant) == before

    def test_the_service_asks_who_it_is_too(self, admin: Membership) -> None:
        saved = factories.saved_search(admin.tenant, is_shared=False)
        with pytest.raises(SavedSearchRefused):
            services.forget_search(saved=saved, membership=admin, actor=ACTOR)
        assert len(all_of(admin.tenant)) == 1


class TestExport:
    @pytest.fixture
    def acts(self, harbour: Tenant) -> Collection:
        return fill(harbour)

    @pytest.fixture
    def client(self, acts: Collection) -> Client:
        return client_of(factories.membership(acts.tenant, Role.READER))

    def export(self, client: Client, kind: str, query: str = "Section 2(a) of the Harbour Safety Act") -> Any:
        return client.get("/t/harbour/search/", {"q": query, "format": kind, "top": "2"})

    def test_as_a_table(self, client: Client) -> None:
        response = self.export(client, "csv")
        day = f"{timezone.now():%Y-%m-%d}"
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        assert response["Content-Disposition"] == f'attachment; filename="search-harbour-{day}.csv"'
        text = response.content.decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text)))
        assert tuple(rows[0]) == COLUMNS
        assert len(rows) == 2
        first = rows[0]
        assert (first["rank"], first["section"], first["document"], first["version"]) == (
            "1",
            "Section 2(a)",
            "harbour-safety-act.md",
            "1",
        )
        assert "shall not exceed six knots" in first["text"]
        assert first["permalink"].startswith("http://testserver/t/harbour/cite/")
        assert re.fullmatch("[0-9a-f]{64}", first["content_hash"])
        assert first["permalink"] in first["citation"]
        assert first["read_context"] == "head"

    @pytest.mark.parametrize(
        ("value", "cell"),
        [
            ("=1+1", "'=1+1"),
            ("+49", "'+49"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\r=1"),
            (" =1", "' =1"),
            ("\n=cmd|' /C calc'!A0", "'\n=cmd|' /C calc'!A0"),
            ("＝1", "'＝1"),
            ("a=1", "a=1"),
            ("(a) -1", "(a) -1"),
            ("", ""),
            (3, 3),
            (-0.5, -0.5),
        ],
    )
    def test_no_cell_is_a_formula(self, value: object, cell: object) -> None:
        assert cell_of(value) == cell

    def test_a_document_cannot_put_a_formula_into_a_table(self, client: Client, acts: Collection) -> None:
        add(acts, "=cmd.md", '=HYPERLINK("http://evil.example","zebra crossing")\n')
        text = self.export(client, "csv", "zebra crossing").content.decode("utf-8-sig")
        first = next(iter(csv.DictReader(io.StringIO(text))))
        assert first["document"] == "'=cmd.md"
        assert first["text"].startswith("'=HYPERLINK")

    def test_as_json(self, client: Client) -> None:
        response = self.export(client, "json")
        told = json.loads(response.content)
        assert response["Content-Type"] == "application/json"
        assert told["query"] == "Section 2(a) of the Harbour Safety Act"
        assert told["read_context"] == {"selector": "head"}
        assert told["confidence"] == "exact"
        first = told["results"][0]
        assert first["citation_fields"]["content_hash"] == first["content_hash"]
        assert first["citation_fields"]["section_label"] == "Section 2(a)"

    def test_as_markdown(self, client: Client) -> None:
        response = self.export(client, "md")
        text = response.content.decode()
        assert text.startswith("# Section 2(a) of the Harbour Safety Act\n\nRead: head, at ")
        assert (
            "\n## 1. Section 2(a)\n\nHarbour Safety Act › Section 2 Speed › (a)\n\n> (a) The master" in text
        )
        assert re.search(
            r"\nSection 2\(a\), harbour-safety-act\.md, version 1, recorded .* <http://testserver/t/", text
        )

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("<script>", r"\<script\>"),
            ("[x](javascript:y)", r"\[x\](javascript:y)"),
            ("# a\n- b", r"\# a - b"),
            ("- a", r"\- a"),
            ("1. a", r"1\. a"),
            ("a*b_c`d", r"a\*b\_c\`d"),
        ],
    )
    def test_words_of_a_document_are_no_markdown(self, text: str, shown: str) -> None:
        assert in_markdown(text) == shown

    def test_of_a_place_that_is_not_there_says_so(self, client: Client) -> None:
        text = self.export(client, "md", "Section 2(z) of the Harbour Safety Act").content.decode()
        assert "Section 2 has (a) and (b)." in text
        assert "## 1." not in text

    def test_of_nothing_is_the_page(self, client: Client) -> None:
        response = client.get("/t/harbour/search/", {"format": "csv"})
        assert "text/html" in response["Content-Type"]
