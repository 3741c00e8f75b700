"""What readers see of versions and baselines beside each other, and what editors and admins can do."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from documents import services
from documents.models import Baseline, Collection, Document, Publication, State, Version
from documents.pages import baselines as baseline_pages
from documents.pages import compare as compare_pages
from tenants.models import AuditEvent, Membership, Role, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.factories import ACTOR
from tests.versions import FEES, LIGHTS, PILOTS, WASTE, act, add_version, add_versions, collection

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return collection(harbour)


@pytest.fixture
def client(rules: Collection) -> Client:
    """Of an editor."""
    return client_of(factories.membership(rules.tenant, Role.EDITOR))


@pytest.fixture
def act_of_three(rules: Collection) -> Document:
    """A document with three versions: one more section, then another in front of it."""
    later = FEES.replace("board", "state")
    return add_versions(rules, act(PILOTS), act(PILOTS, FEES), act(PILOTS, WASTE, later))[0]


def body(response: Any) -> str:
    assert response.status_code == 200, response.status_code
    return str(response.content.decode())


def compare_url(document: Document, query: str = "") -> str:
    return f"/t/harbour/documents/{document.pk}/compare/{query}"


def history_url(document: Document, query: str = "") -> str:
    return f"/t/harbour/documents/{document.pk}/history/{query}"


class TestCompare:
    def test_shows_the_last_two_versions_with_the_words_marked(
        self, client: Client, act_of_three: Document
    ) -> None:
        page = body(client.get(compare_url(act_of_three)))
        assert '<option value="2" selected>' in page
        assert '<option value="3" selected>' in page
        assert "The master pays what the <del>board</del><ins>state</ins> has published" in page
        assert '<span class="faint">was Section 2</span>' in page
        assert "<ins>Section 2. Waste\n\nNobody throws oil" in page

    def test_of_versions_that_are_chosen(self, client: Client, act_of_three: Document) -> None:
        page = body(client.get(compare_url(act_of_three, "?old=1&new=2")))
        assert "<ins>Section 2. Fees" in page
        back = body(client.get(compare_url(act_of_three, "?old=2&new=1")))
        assert "<del>Section 2. Fees" in back

    def test_of_a_version_with_itself_says_that_both_say_the_same(
        self, client: Client, act_of_three: Document
    ) -> None:
        assert "Both versions say the same." in body(client.get(compare_url(act_of_three, "?old=2&new=2")))

    @pytest.mark.parametrize("number", ["9", "0", "x", "", "1" * 10, "٣"])
    def test_of_a_version_that_is_not_there_is_not_found(
        self, client: Client, act_of_three: Document, number: str
    ) -> None:
        assert client.get(compare_url(act_of_three), {"old": number}).status_code == 404

    def test_leaves_out_versions_that_never_were_ready(self, client: Client, act_of_three: Document) -> None:
        factories.version(act_of_three.tenant, of=act_of_three, number=4, state=State.FAILED)
        assert '<option value="4"' not in body(client.get(compare_url(act_of_three)))
        assert client.get(compare_url(act_of_three, "?new=4")).status_code == 404

    def test_folds_what_says_what_it_said(self, client: Client, rules: Collection) -> None:
        others = [PILOTS, FEES, LIGHTS, WASTE]
        document, _ = add_versions(rules, act(*others), act(*others, "Ice\n\nNobody walks on it.\n\n"))
        page = body(client.get(compare_url(document)))
        assert "5 units with the same words</summary>" in page
        short = body(client.get(compare_url(document, "?show=changed")))
        assert "with the same words" not in short
        assert "<ins>Section 5. Ice" in short

    def test_folds_long_stretches_inside_a_unit(self, client: Client, rules: Collection) -> None:
        long = "Every vessel shows a light. " * 100
        document, _ = add_versions(rules, act(f"One\n\n{long}old"), act(f"One\n\n{long}new"))
        page = body(client.get(compare_url(document)))
        assert "characters that are the same" in page
        assert "<del>old</del><ins>new</ins>" in page

    def test_pages_what_is_long_and_links_across(
        self, client: Client, rules: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(compare_pages, "BLOCKS_PER_PAGE", 2)
        document, _ = add_versions(rules, act(PILOTS), act(PILOTS, FEES, LIGHTS, WASTE))
        page = body(client.get(compare_url(document, "?show=changed")))
        assert 'href="#unit-2"' in page
        assert 'href="?old=1&amp;new=2&amp;show=changed&amp;page=2#unit-4"' in page
        assert "Page 1 of 2" in page
        assert "<ins>Section 4. Waste" in body(client.get(compare_url(document, "?show=changed&page=2")))

    def test_of_one_version_says_so(self, client: Client, rules: Collection) -> None:
        document, _ = add_versions(rules, act(PILOTS))
        assert "nothing to compare it with" in body(client.get(compare_url(document)))
        empty = factories.document(rules.tenant, place=rules, name="empty.md")
        assert "nothing to compare it with" in body(client.get(compare_url(empty)))
        assert client.get(compare_url(empty, "?old=1")).status_code == 404

    def test_takes_as_many_queries_for_many_changes(
        self, client: Client, rules: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        bodies = [f"Unit\n\nVessel number {number} is moored at quay {number}.\n\n" for number in range(30)]
        document, _ = add_versions(rules, act(*bodies[:1]), act(*bodies))
        with django_assert_num_queries(20):
            client.get(compare_url(document))


class TestHistory:
    def test_shows_each_step_of_a_unit(self, client: Client, act_of_three: Document) -> None:
        page = body(client.get(history_url(act_of_three), {"label": "Section 3"}))
        assert "Version 3" in page
        assert "was Section 2, is Section 3" in page
        assert "Section <del>2</del><ins>3</ins>. Fees" in page
        assert "<del>board</del><ins>state</ins>" in page
        assert "Version 1" not in page

    def test_says_when_a_version_applies_and_was_withdrawn(
        self, client: Client, act_of_three: Document
    ) -> None:
        with tenant_scope(act_of_three.tenant_id):
            second = Version.objects.get(document=act_of_three, number=2)
        services.set_effective_dates(
            version=second, effective_from=date(2020, 1, 2), effective_to=None, actor=ACTOR
        )
        services.withdraw_version(version=second, actor=ACTOR)
        page = body(client.get(history_url(act_of_three), {"label": "Section 3"}))
        assert "applies from 2 Jan 2020" in page
        assert "Withdrawn" in page

    @pytest.mark.parametrize("label", ["Section 9", "", "x" * 400, "\0", HOSTILE])
    def test_of_no_unit_says_how_labels_are_written(
        self, client: Client, act_of_three: Document, label: str
    ) -> None:
        page = body(client.get(history_url(act_of_three), {"label": label}))
        assert "No version has a unit" in page
        assert HOSTILE not in page

    def test_asks_for_a_unit(self, client: Client, act_of_three: Document) -> None:
        page = body(client.get(history_url(act_of_three)))
        assert "Which unit" in page
        assert "No version" not in page

    def test_takes_a_known_number_of_queries(
        self, client: Client, act_of_three: Document, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(24):
            client.get(history_url(act_of_three), {"label": "Section 3"})


def baselines_url(place: Collection, path: str = "") -> str:
    return f"/t/harbour/collections/{place.pk}/{path or 'baselines/'}"


def kept(place: Collection) -> list[tuple[str, int]]:
    with tenant_scope(place.tenant_id):
        return list(Baseline.objects.order_by("created_at").values_list("name", "size"))


class TestBaselines:
    def test_are_listed_with_what_was_published(
        self, client: Client, act_of_three: Document, rules: Collection
    ) -> None:
        first = services.create_baseline(
            collection=rules, name="Spring", description="As agreed.", actor=ACTOR
        )
        services.create_baseline(collection=rules, name="Summer", actor=ACTOR)
        services.publish_baseline(baseline=first, actor=ACTOR)
        page = body(client.get(baselines_url(rules)))
        assert f'{first.pk}/">Spring</a> <span class="tag ready">published</span>' in page
        assert "As agreed." in page
        assert 'Spring</a> <span class="tag ready">now</span>' in page
        assert "Publish<" not in page
        services.unpublish_collection(collection=rules, actor=ACTOR)
        assert 'Nothing <span class="tag ready">now</span>' in body(client.get(baselines_url(rules)))

    @pytest.mark.parametrize(
        ("form", "size"),
        [
            ({"of": "head"}, 1),
            ({"of": "recorded", "day": str(timezone.now().date())}, 1),
            ({"of": "effective", "day": "2999-01-01"}, 1),
        ],
    )
    def test_are_made_by_editors(
        self, client: Client, act_of_three: Document, rules: Collection, form: dict[str, str], size: int
    ) -> None:
        url = baselines_url(rules, "baselines/create/")
        page = body(client.post(url, {"name": "Spring", "description": "Agreed.", **form}, follow=True))
        assert "Spring is kept." in page
        assert kept(rules) == [("Spring", size)]

    def test_are_made_of_versions_that_are_chosen(
        self, client: Client, act_of_three: Document, rules: Collection
    ) -> None:
        with tenant_scope(rules.tenant_id):
            first = Version.objects.get(document=act_of_three, number=1)
        other = add_version(rules, act(WASTE), "other.md")
        shown = body(client.get(baselines_url(rules)))
        assert f'<option value="{first.pk}">' in shown
        assert f'<option value="{other.pk}" selected>' in shown
        form = {"name": "Old", "of": "chosen", "versions": [str(first.pk), ""]}
        client.post(baselines_url(rules, "baselines/create/"), form)
        with tenant_scope(rules.tenant_id):
            assert Version.objects.get(baselines__baseline__name="Old") == first

    @pytest.mark.parametrize(
        ("form", "said"),
        [
            ({"of": "head"}, "There is a baseline &#x27;Taken&#x27;"),
            ({"of": "head", "name": " "}, "This field is required."),
            ({"of": "recorded"}, "Which day do you mean?"),
            ({"of": "recorded", "day": "2999-01-01"}, "Name a time in the past."),
            ({"of": "recorded", "day": "2001-01-01", "name": "a"}, "There is nothing to keep"),
            ({"of": "recorded", "day": "soon"}, "Enter a valid date."),
            ({"of": "chosen"}, "Choose at least one version."),
            ({"of": "chosen", "versions": ["x"]}, "These are no versions."),
            ({"of": "chosen", "versions": [str(uuid4())]}, "There is no ready version"),
            ({"of": "else"}, "Select a valid choice."),
        ],
    )
    def test_that_cannot_be_made_say_why(
        self, client: Client, act_of_three: Document, rules: Collection, form: dict[str, Any], said: str
    ) -> None:
        services.create_baseline(collection=rules, name="Taken", actor=ACTOR)
        before = everything_of(rules.tenant)
        response = client.post(baselines_url(rules, "baselines/create/"), {"name": "Taken", **form})
        assert response.status_code == 422
        assert said in response.content.decode()
        assert everything_of(rules.tenant) == before

    def test_of_a_large_collection_are_not_chosen_on_the_page(
        self, client: Client, act_of_three: Document, rules: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        add_version(rules, act(WASTE), "other.md")
        monkeypatch.setattr(baseline_pages, "MOST_CHOICES", 1)
        assert "Choose versions" not in body(client.get(baselines_url(rules)))

    def test_are_published_by_admins(
        self, act_of_three: Document, rules: Collection, admin: Membership
    ) -> None:
        made = services.create_baseline(collection=rules, name="Spring", actor=ACTOR)
        client = client_of(admin)
        url = f"/t/harbour/baselines/{made.pk}/publish/"
        assert "Spring is published." in body(client.post(url, follow=True))
        assert "Spring is published already." in body(client.post(url, follow=True))
        url = baselines_url(rules, "unpublish/")
        assert "Nothing is published any more." in body(client.post(url, follow=True))
        assert "Nothing is published." in body(client.post(url, follow=True))
        with tenant_scope(rules.tenant_id):
            moves = Publication.objects.order_by("number").values_list("baseline__name", "published_by")
            assert list(moves) == [("Spring", admin.user.email), (None, admin.user.email)]

    def test_take_as_many_queries_for_many(
        self, client: Client, rules: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(4):
            add_version(rules, act(f"Pier {number}"), f"{number}.md")
            made = services.create_baseline(collection=rules, name=str(number), actor=ACTOR)
            services.publish_baseline(baseline=made, actor=ACTOR)
        with django_assert_num_queries(22):
            client.get(baselines_url(rules))
        with django_assert_num_queries(21):
            client.get(f"/t/harbour/baselines/{made.pk}/")


class TestBaseline:
    def test_shows_its_documents(self, client: Client, act_of_three: Document, rules: Collection) -> None:
        made = services.create_baseline(
            collection=rules, name="Spring", description="As agreed.", actor=ACTOR
        )
        services.delete_document(document=act_of_three, actor=ACTOR)
        page = body(client.get(f"/t/harbour/baselines/{made.pk}/"))
        assert "As agreed." in page
        assert "act.md</a>" in page
        assert "In the bin" in page
        assert "Publish" not in page

    def test_beside_another_shows_what_became_of_documents(
        self, client: Client, rules: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        document, _ = add_versions(rules, act(PILOTS))
        add_version(rules, act(WASTE), "same.md")
        old = services.create_baseline(collection=rules, name="old", actor=ACTOR)
        add_version(rules, act(PILOTS, FEES))
        add_version(rules, act(LIGHTS), "new.md")
        new = services.create_baseline(collection=rules, name="new", actor=ACTOR)
        url = f"/t/harbour/baselines/{new.pk}/"
        with django_assert_num_queries(25):
            page = body(client.get(url, {"with": str(old.pk)}))
        assert '<td data-label="Versions">1 → 2</td>' in page
        assert '<span class="tag ready">1 added</span>' in page
        assert f"/documents/{document.pk}/compare/?old=1&amp;new=2" in page
        assert "<li>new.md" in page
        assert "1 document unchanged" in page
        same = body(client.get(f"/t/harbour/baselines/{old.pk}/", {"with": str(new.pk)}))
        assert "<h3>Removed</h3>" in same

    def test_is_not_compared_with_what_is_not_of_its_collection(
        self, client: Client, act_of_three: Document, rules: Collection
    ) -> None:
        made = services.create_baseline(collection=rules, name="Spring", actor=ACTOR)
        elsewhere = factories.baseline(rules.tenant)
        for other in (str(elsewhere.pk), str(made.pk), str(uuid4()), "x"):
            assert client.get(f"/t/harbour/baselines/{made.pk}/", {"with": other}).status_code == 404


def version_of(document: Document, number: int) -> Version:
    with tenant_scope(document.tenant_id):
        return Version.objects.get(document=document, number=number)


class TestOneVersion:
    def send(self, client: Client, version: Version, what: str, **form: str) -> str:
        return body(client.post(f"/t/harbour/versions/{version.pk}/{what}/", form, follow=True))

    def test_is_restored(self, client: Client, act_of_three: Document) -> None:
        page = self.send(client, version_of(act_of_three, 1), "restore")
        assert "What version 1 said is the newest version again." in page
        assert version_of(act_of_three, 4).text == version_of(act_of_three, 1).text
        before = everything_of(act_of_three.tenant)
        assert "is the current version." in self.send(client, version_of(act_of_three, 3), "restore")
        assert everything_of(act_of_three.tenant) == before

    def test_is_withdrawn(self, client: Client, act_of_three: Document) -> None:
        page = self.send(client, version_of(act_of_three, 3), "withdraw")
        assert "Version 3 is withdrawn." in page
        assert '<span class="tag failed">withdrawn</span>' in page
        assert version_of(act_of_three, 3).withdrawn_at is not None
        assert "withdrawn already" in self.send(client, version_of(act_of_three, 3), "withdraw")

    def test_is_dated(self, client: Client, act_of_three: Document) -> None:
        version = version_of(act_of_three, 3)
        page = self.send(client, version, "dates", effective_from="2020-01-02", effective_to="2021-03-04")
        assert "Version 3 applies as you said." in page
        assert '<time datetime="2020-01-02">2 Jan 2020</time>' in page
        assert 'name="effective_to" value="2021-03-04"' in page
        before = everything_of(act_of_three.tenant)
        wrong = self.send(client, version, "dates", effective_from="2020-01-02", effective_to="2019-01-01")
        assert "is before the first" in wrong
        assert "First day: Enter a valid date." in self.send(client, version, "dates", effective_from="x")
        assert everything_of(act_of_three.tenant) == before
        self.send(client, version, "dates", effective_from="", effective_to="")
        assert version_of(act_of_three, 3).effective_from is None

    def test_offers_readers_nothing(self, act_of_three: Document, reader: Membership) -> None:
        page = body(client_of(reader).get(f"/t/harbour/documents/{act_of_three.pk}/"))
        assert "Withdraw" not in page
        assert "Compare versions" in page
        assert f"{history_url(act_of_three)}?label=Section%201" in page


class TestHostileDocuments:
    def test_are_shown_as_text(self, client: Client, rules: Collection) -> None:
        name = f"{HOSTILE}.md".replace("/", "_")
        texts = [
            f"# {HOSTILE}\n\n## {HOSTILE} one\n\nShe said {HOSTILE} {word} and went.\n"
            for word in ("<b>old</b>", "<i>new</i>")
        ]
        document, (old, new) = add_versions(rules, *texts, name=name)
        both = [
            services.create_baseline(
                collection=rules,
                name=f"{HOSTILE}{one.number}",
                description=HOSTILE,
                actor=ACTOR,
                versions=[one.pk],
            )
            for one in (old, new)
        ]
        services.publish_baseline(baseline=both[0], actor=ACTOR)
        label = f"{HOSTILE} one"
        urls = [
            compare_url(document),
            history_url(document, f"?label={label}"),
            baselines_url(rules),
            f"/t/harbour/baselines/{both[1].pk}/",
            f"/t/harbour/baselines/{both[1].pk}/?with={both[0].pk}",
            f"/t/harbour/documents/{document.pk}/",
        ]
        for url in urls:
            page = body(client.get(url))
            assert "<script>alert" not in page
            assert escape("<script>alert") in page
            assert "<b>old" not in page
        assert escape("b>old</b") in body(client.get(urls[0]))
        assert "Version 2" in body(client.get(urls[1]))


def test_what_is_done_is_on_the_record(client: Client, act_of_three: Document, rules: Collection) -> None:
    client.post(f"/t/harbour/versions/{version_of(act_of_three, 3).pk}/withdraw/")
    client.post(baselines_url(rules, "baselines/create/"), {"name": "Old", "of": "recorded"})
    with tenant_scope(rules.tenant_id):
        event = AuditEvent.objects.order_by("-at")[0]
    assert (event.action, event.target) == ("version.withdrawn", "act.md")
