"""The page of a citation: the words as they were, for members of the tenant, whatever the words are."""

from __future__ import annotations

import json
from html import unescape

import pytest
from django.test import Client

from documents.models import Baseline, Collection, Version
from documents.services import create_baseline, publish_baseline
from search.ask import ask
from tenants.models import Membership, Tenant
from tenants.scope import tenant_scope
from tests.conftest import client_of
from tests.searching import ACT, ACTOR, add, fill, make_collection

NAME = "harbour-safety-act.md"
HOSTILE = """# <script>alert(1)</script> Act

## Section 1. <img src=x onerror=alert(2)>

(a) The “<b>master</b>” {{ shall }} {% load x %} not exceed six knots.
"""


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


def permalink(tenant: Tenant, query: str = "Section 2(a) of the Harbour Safety Act") -> str:
    return ask(tenant=tenant, query=query).hits[0].permalink


def get(client: Client, path: str) -> tuple[int, str]:
    response = client.get(path)
    return response.status_code, unescape(response.content.decode())


def test_the_words_are_shown_with_where_they_stand(reader: Membership, acts: Collection) -> None:
    status, page = get(client_of(reader), permalink(acts.tenant))
    assert status == 200
    assert "(a) The master of a vessel shall not exceed six knots in the inner harbour." in page
    assert "These words stand today: version 1 is what is read." in page
    assert "Section 2 Speed › (a)" in page
    assert "Section 2(a), harbour-safety-act.md, version 1, recorded" in page
    assert "http://testserver/t/harbour/cite/" in page
    given = json.loads(page[page.index('id="citation-json">') + 19 :].split("</pre>")[0])
    assert given["section_label"] == "Section 2(a)"
    assert given["tenant"] == str(acts.tenant_id)


def test_after_an_amendment_it_shows_the_old_words_and_the_new(reader: Membership, acts: Collection) -> None:
    path = permalink(acts.tenant)
    add(acts, NAME, ACT.replace("six knots", "four knots"))
    status, page = get(client_of(reader), path)
    assert status == 200
    assert "As cited" in page
    assert "shall not exceed six knots in the inner harbour." in page
    assert "shall not exceed four knots in the inner harbour." in page
    assert "<del>six" in page
    assert "<ins>four" in page
    assert "Changed in" in page
    assert permalink(acts.tenant) in page


def test_an_address_can_have_all_of_the_hash(reader: Membership, acts: Collection) -> None:
    hit = ask(tenant=acts.tenant, query="Section 2(a) of the Harbour Safety Act").hits[0]
    whole = hit.permalink.replace(hit.citation.content_hash[:16], hit.citation.content_hash)
    assert get(client_of(reader), whole)[0] == 200


def test_an_altered_address_shows_nothing_as_cited(reader: Membership, acts: Collection) -> None:
    path = permalink(acts.tenant)
    before, span, digest, _ = path.rsplit("/", 3)
    start, end = map(int, span.split("-"))
    other = "f" if digest[0] != "f" else "e"
    altered = [
        f"{before}/{span}/{other}{digest[1:]}/",
        f"{before}/{start + 1}-{end}/{digest}/",
        f"{before}/0-{end}/{digest}/",
        f"{before}/{start}-{10**9}/{digest}/",
        f"{before}/{start}-{'9' * 500}/{digest}/",
        f"{before}/{end}-{start}/{digest}/",
    ]
    for address in altered:
        status, page = get(client_of(reader), address)
        assert (status, "This citation has been altered" in page) == (404, True), address
        assert "knots" not in page
        assert NAME not in page
    for address in (
        f"{before}/{span}/{digest[:15]}/",
        f"{before}/{span}/{digest.upper()}x/",
        f"{before}/{span}/",
    ):
        assert get(client_of(reader), address)[0] == 404


def test_a_version_that_is_gone_or_of_another_tenant_looks_the_same(
    reader: Membership, stranger: Membership, acts: Collection
) -> None:
    path = permalink(acts.tenant)
    status, theirs = get(client_of(stranger), path.replace("/t/harbour/", "/t/meridian/"))
    assert (status, "Nothing is cited here" in theirs, NAME in theirs) == (404, True, False)
    assert get(client_of(stranger), path)[0] == 404
    with tenant_scope(acts.tenant_id):
        Version.objects.filter(document__name=NAME).delete()
    status, gone = get(client_of(reader), path)
    assert (status, "There is no such version here" in gone) == (404, True)


def test_whoever_is_not_logged_in_is_sent_to_the_login(acts: Collection) -> None:
    assert Client().get(permalink(acts.tenant)).status_code == 302


def test_a_hostile_document_is_shown_as_text(reader: Membership, harbour: Tenant) -> None:
    collection = make_collection(harbour)
    add(collection, "<script>.md", HOSTILE)
    path = permalink(harbour, "Section 1")
    add(collection, "<script>.md", HOSTILE.replace("six", "<i>four</i>"))
    page = client_of(reader).get(path).content.decode()
    assert "&lt;b&gt;master&lt;/b&gt;" in page
    assert "{% load x %}" in unescape(page)
    for live in ("<script>alert", "<img src=x", "<b>master", "<i>four"):
        assert live not in page


class TestReadContexts:
    """A citation of version 1, after version 1 was published and version 2 came."""

    @pytest.fixture
    def path(self, acts: Collection) -> str:
        return permalink(acts.tenant)

    @pytest.fixture
    def spring(self, acts: Collection, path: str) -> Baseline:
        baseline = create_baseline(collection=acts, name="spring", actor=ACTOR)
        publish_baseline(baseline=baseline, actor=ACTOR)
        add(acts, NAME, ACT.replace("six knots", "four knots"))
        return baseline

    def test_head_is_what_is_read_unless_another_is_chosen(
        self, reader: Membership, spring: Baseline, path: str
    ) -> None:
        for address in (path, f"{path}?read=head"):
            page = get(client_of(reader), address)[1]
            assert "Section 2(a) says something else today, in version 2." in page
            assert "<h2>As it stands today</h2>" in page
            assert "You are reading" not in page
            assert f'<option value="baseline:{spring.pk}">spring</option>' in page

    def test_words_stand_where_their_version_is_read(
        self, reader: Membership, spring: Baseline, path: str
    ) -> None:
        said = {
            "published": "These words stand as published: version 1 is what is read.",
            f"baseline:{spring.pk}": "These words stand in that baseline: version 1 is what is read.",
        }
        for words, sentence in said.items():
            status, page = get(client_of(reader), f"{path}?read={words}")
            assert (status, sentence in page) == (200, True), words
            assert "What is different" not in page
            assert "Changed in" not in page
            assert "You are reading" in page

    def test_other_words_are_shown_beside_those_that_are_read(
        self, reader: Membership, acts: Collection, spring: Baseline, path: str
    ) -> None:
        newer = permalink(acts.tenant)
        status, page = get(client_of(reader), f"{newer}?read=published")
        assert status == 200
        assert "Section 2(a) says something else as published, in version 1." in page
        assert "<h2>As it stands there</h2>" in page
        assert "<del>four" in page
        assert "<ins>six" in page

    def test_a_time_before_the_document_is_said(
        self, reader: Membership, spring: Baseline, path: str
    ) -> None:
        page = get(client_of(reader), f"{path}?read=recorded&day=2001-01-01")[1]
        assert f"{NAME} says nothing as of 1 Jan 2001, 23:59 UTC: it was not here yet, or in the bin." in page
        assert "shall not exceed six knots" in page

    def test_the_citation_for_programs_says_what_was_read(
        self, reader: Membership, spring: Baseline, path: str
    ) -> None:
        page = get(client_of(reader), f"{path}?read=published")[1]
        given = json.loads(page[page.index('id="citation-json">') + 19 :].split("</pre>")[0])
        assert given["read_context"]["selector"] == "published"

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ("published", "Nothing is published here. Publish a baseline first, or read “head”."),
            ("baseline:00000000-0000-4000-8000-000000000000", "There is no such baseline here."),
            ("someday", "“someday” is no date."),
        ],
    )
    def test_what_cannot_be_read_is_said_and_nothing_is_compared(
        self, reader: Membership, acts: Collection, path: str, words: str, said: str
    ) -> None:
        add(acts, NAME, ACT.replace("six knots", "four knots"))
        status, page = get(client_of(reader), f"{path}?read={words}")
        assert (status, said in page) == (200, True)
        assert "shall not exceed six knots" in page
        assert "four knots" not in page
        assert 'class="standing"' not in page
        assert "Changed in" not in page

    def test_baselines_of_other_collections_are_not_offered(
        self, reader: Membership, acts: Collection, spring: Baseline, path: str
    ) -> None:
        other = make_collection(acts.tenant, "other")
        add(other, "zoo.md", "# Zoo\n\nZebras eat grass.\n")
        summer = create_baseline(collection=other, name="summer", actor=ACTOR)
        page = get(client_of(reader), path)[1]
        assert "summer" not in page
        assert (
            "There is no such baseline here."
            in get(client_of(reader), f"{path}?read=baseline:{summer.pk}")[1]
        )


def test_what_the_page_asks_the_database(
    reader: Membership, acts: Collection, django_assert_num_queries: object
) -> None:
    path, client = permalink(acts.tenant), client_of(reader)
    client.get(path)
    with django_assert_num_queries(21):  # type: ignore[operator]
        client.get(path)
