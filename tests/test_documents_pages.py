"""What readers and editors see of documents, what they can do, and what it costs."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import BytesIO
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries, Settings

from documents import services
from documents.models import Collection, Document, Source, State, Version
from documents.pipeline import ingest_version
from documents.quote import quote_files
from documents.standing import in_words, time_left
from documents.unpack import Incoming
from search.models import Budget, Call, CallState, Context, Placement
from tenants.models import Membership, Role, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of

ACT = b"# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n"


@pytest.fixture
def editor(reader: Membership) -> Membership:
    return factories.membership(reader.tenant, Role.EDITOR)


@pytest.fixture
def rules(editor: Membership) -> Collection:
    return factories.collection(editor.tenant, "rules")


@pytest.fixture
def client(editor: Membership) -> Client:
    return client_of(editor)


def body(response: Any) -> str:
    return str(response.content.decode())


def url(collection: Collection, path: str = "") -> str:
    return f"/t/harbour/collections/{collection.pk}/{path}"


def file(name: str, content: bytes = ACT) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def names(collection: Collection) -> list[str]:
    with tenant_scope(collection.tenant_id):
        return list(Document.objects.present().values_list("name", flat=True))


def version(collection: Collection, *, state: State = State.READY, name: str = "") -> Version:
    place = factories.document(collection.tenant, place=collection, name=name)
    return factories.version(collection.tenant, of=place, state=state)


class TestUpload:
    def test_takes_many_files_at_once(self, client: Client, rules: Collection) -> None:
        form = {"documents": [file("a.md"), file("b.md", b"B"), file("c.md", b"C")]}
        page = body(client.post(url(rules, "upload/"), form, follow=True))
        assert "3 documents added." in page
        assert names(rules) == ["a.md", "b.md", "c.md"]

    def test_unpacks_a_zip(self, client: Client, rules: Collection) -> None:
        made = BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            archive.writestr("acts/a.md", ACT)
            archive.writestr("../up.md", ACT)
        page = body(
            client.post(url(rules, "upload/"), {"documents": file("x.zip", made.getvalue())}, follow=True)
        )
        assert "1 document added." in page
        assert escape("../up.md: Its path leads out of the archive.") in page
        assert names(rules) == ["acts/a.md"]

    def test_keeps_the_paths_of_a_folder(self, client: Client, rules: Collection) -> None:
        form = {
            "folder": [file("a.md"), file("a.md", b"Other")],
            "paths": json.dumps(["corpus/a.md", "corpus/sub/a.md"]),
        }
        client.post(url(rules, "upload/"), form)
        assert names(rules) == ["a.md", "sub/a.md"]

    @pytest.mark.parametrize("paths", ["", "no json", "{}", '["only one"]'])
    def test_without_paths_takes_one_file_of_a_name(
        self, client: Client, rules: Collection, paths: str
    ) -> None:
        form = {"folder": [file("a.md"), file("a.md", b"Other")], "paths": paths}
        page = body(client.post(url(rules, "upload/"), form, follow=True))
        assert "1 document added." in page
        assert "a.md: Another file of this upload has the same name" in page

    def test_says_what_became_of_each(self, client: Client, rules: Collection) -> None:
        first = {"documents": [file("a.md"), file("b.md", b"B")]}
        client.post(url(rules, "upload/"), first)
        second = {"documents": [file("a.md"), file("b.md", b"B2"), file("c.md", b"C")]}
        page = body(client.post(url(rules, "upload/"), second, follow=True))
        assert "1 document added, 1 new version added, 1 file unchanged." in page

    def test_names_a_few_problems_and_counts_the_rest(
        self, client: Client, rules: Collection, settings: Settings
    ) -> None:
        settings.MAX_FILE_MB = 1
        form = {"documents": [file(f"{n:02}.md", b"x" * 1_000_001) for n in range(12)]}
        page = body(client.post(url(rules, "upload/"), form, follow=True))
        assert page.count("and 1 MB is the most") == 10
        assert "2 more files were not taken." in page
        assert names(rules) == []

    def test_of_nothing_is_refused(self, client: Client, rules: Collection) -> None:
        before = everything_of(rules.tenant)
        response = client.post(url(rules, "upload/"), {})
        assert response.status_code == 422
        assert "Choose at least one file." in body(response)
        assert everything_of(rules.tenant) == before

    def test_never_trusts_a_name(self, client: Client, rules: Collection) -> None:
        name = "<img src=x onerror=alert(1)>.md"
        client.post(url(rules, "upload/"), {"documents": file(name)})
        page = body(client.get(url(rules)))
        assert escape(name) in page
        assert "<img src=x" not in page


class TestEstimate:
    def test_is_shown_and_nothing_is_kept(self, client: Client, rules: Collection) -> None:
        form = {"documents": [file("a.md"), file("b.md", b"B")], "estimate": "1"}
        response = client.post(url(rules, "upload/"), form)
        assert response.status_code == 200
        assert names(rules) == []
        quote = quote_of(rules, {"a.md": ACT, "b.md": b"B"})
        assert f'role="status">{escape(quote)}</p>' in body(response)
        with tenant_scope(rules.tenant_id):
            assert not Source.objects.exists()

    def test_of_nothing_is_refused(self, client: Client, rules: Collection) -> None:
        before = everything_of(rules.tenant)
        response = client.post(url(rules, "upload/"), {"estimate": "1"})
        assert response.status_code == 422
        assert "Choose at least one file." in body(response)
        assert everything_of(rules.tenant) == before

    def test_is_not_for_readers(self, reader: Membership, rules: Collection) -> None:
        form = {"documents": file("a.md"), "estimate": "1"}
        assert client_of(reader).post(url(rules, "upload/"), form).status_code == 403


def quote_of(collection: Collection, files: dict[str, bytes]) -> str:
    with tenant_scope(collection.tenant_id):
        return quote_files(collection, [Incoming(*one) for one in files.items()]).sentence


QUERIES = {"documents/": 17, "collections/{collection}/": 24, "documents/{document}/": 23, "usage/": 29}


class TestLists:
    def test_show_state_progress_and_failure(self, client: Client, rules: Collection) -> None:
        version(rules, name="good.md")
        failed = version(rules, state=State.FAILED, name="bad.md")
        version(rules, state=State.PARSING, name="slow.md")
        page = body(client.get(url(rules)))
        assert "It is broken. Mend it." in page
        assert f"/documents/{failed.document_id}/retry/" in page
        assert '<progress max="100" value="10"' in page
        assert 'data-live="on"' in page
        overview = body(client.get("/t/harbour/documents/"))
        assert '<td data-label="Documents">3</td>' in overview
        assert "1 being read" in overview
        assert "1 failed" in overview

    def test_count_the_last_version_of_what_is_there(self, client: Client, rules: Collection) -> None:
        document = version(rules, state=State.FAILED).document
        with tenant_scope(rules.tenant_id):
            first = Version.objects.get()
            Version.objects.create(
                tenant=rules.tenant,
                document=document,
                number=2,
                source=first.source,
                file_name="x",
                state=State.QUEUED,
            )
        gone = version(rules, state=State.FAILED).document
        services.delete_document(document=gone, actor=factories.ACTOR)
        with tenant_scope(rules.tenant_id):
            found: Any = Collection.objects.with_counts().get()
        assert (found.document_count, found.open_count, found.failed_count) == (1, 1, 0)

    @pytest.mark.parametrize(
        ("show", "expected"), [("", ["bad.md", "good.md"]), ("failed", ["bad.md"]), ("bin", ["gone.md"])]
    )
    def test_show_what_was_chosen(
        self, client: Client, rules: Collection, show: str, expected: list[str]
    ) -> None:
        version(rules, name="good.md")
        version(rules, state=State.FAILED, name="bad.md")
        gone = version(rules, name="gone.md").document
        services.delete_document(document=gone, actor=factories.ACTOR)
        response = client.get(url(rules), {"show": show})
        assert [document.name for document in response.context["page"]] == expected

    def test_offer_nothing_to_do_to_readers(self, reader: Membership, rules: Collection) -> None:
        version(rules, state=State.FAILED, name="bad.md")
        page = body(client_of(reader).get(url(rules)))
        assert "bad.md" in page
        version(rules, state=State.EMBEDDING, name="slow.md")
        page = body(client_of(reader).get(url(rules)))
        for word in ("Upload", "Estimate cost", "Cancel", "Try again", "Delete"):
            assert f">{word}" not in page

    def test_have_pages(self, client: Client, rules: Collection) -> None:
        for number in range(51):
            factories.document(rules.tenant, place=rules, name=f"{number:02}.md")
        assert "Page 1 of 2" in body(client.get(url(rules)))
        assert "50.md" in body(client.get(url(rules), {"page": 2}))

    def test_follow_the_chunks_of_what_is_being_read(self, client: Client, rules: Collection) -> None:
        one = version(rules, state=State.EMBEDDING, name="slow.md")
        set_steps(one, 120, 412, seconds=240)
        other = version(rules, state=State.CONTEXTUALIZING, name="new.md")
        set_steps(other, 0, 1, seconds=0)
        page = body(client.get(url(rules)))
        assert "Being indexed</span>" in page
        assert "120 of 412 chunks, about 10 minutes left" in page
        assert "0 of 1 chunk</span>" in page
        assert f"/documents/{one.document_id}/cancel/" in page

    def test_show_warnings(self, client: Client, rules: Collection) -> None:
        one = version(rules)
        warning = "Situated by structure only: the budget is used up."
        with tenant_scope(rules.tenant_id):
            Version.objects.update(warnings=[warning])
        for path in (url(rules), f"/t/harbour/documents/{one.document_id}/"):
            assert f'<p class="warning">{warning}</p>' in body(client.get(path))

    @pytest.mark.parametrize("rows", [1, 20])
    @pytest.mark.parametrize("path", QUERIES)
    def test_ask_the_database_as_often_for_many_rows_as_for_one(
        self,
        rows: int,
        path: str,
        admin: Membership,
        rules: Collection,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        client = client_of(admin)
        for _ in range(rows):
            one = version(rules)
            factories.collection(rules.tenant)
            pay(one, "0.1")
        factories.section(rules.tenant, of=one)
        address = path.format(collection=rules.pk, document=one.document_id)
        with django_assert_num_queries(QUERIES[path]):
            assert client.get(f"/t/harbour/{address}").status_code == 200

    def test_never_fetch_the_text(self, client: Client, rules: Collection) -> None:
        version(rules)
        with CaptureQueriesContext(connection) as captured:
            client.get(url(rules))
        assert not [query for query in captured.captured_queries if '"text"' in query["sql"]]


class TestDocument:
    def test_shows_versions_and_outline(self, client: Client, rules: Collection) -> None:
        added = services.add_document(
            collection=rules, name="act.md", content=ACT, actor=factories.ACTOR, is_queued=False
        )
        ingest_version(added.pk, added.tenant_id)
        page = body(client.get(f"/t/harbour/documents/{added.document_id}/"))
        assert "Section 1(a)" in page
        assert "Ports" in page
        assert ">current<" in page

    def test_says_when_there_is_no_structure(self, client: Client, rules: Collection) -> None:
        one = version(rules)
        factories.section(rules.tenant, of=one)
        assert "it is read as flat text" in body(client.get(f"/t/harbour/documents/{one.document_id}/"))

    def test_shows_what_providers_were_paid(self, client: Client, rules: Collection) -> None:
        one = version(rules)
        assert '<td data-label="Cost"></td>' in body(client.get(f"/t/harbour/documents/{one.document_id}/"))
        pay(one, "0.012")
        pay(one, "0.0004")
        page = body(client.get(f"/t/harbour/documents/{one.document_id}/"))
        assert '<td data-label="Cost">$0.0124</td>' in page

    def test_shows_the_last_version_first_and_acts_on_it(self, client: Client, rules: Collection) -> None:
        one = version(rules)
        later = factories.version(rules.tenant, of=one.document, state=State.FAILED, number=2)
        pay(one, "1")
        response = client.get(f"/t/harbour/documents/{one.document_id}/")
        assert [row.pk for row in response.context["versions"]] == [later.pk, one.pk]
        assert body(response).count("/retry/") == 1

    def test_is_followed_while_it_is_read(self, client: Client, rules: Collection) -> None:
        one = version(rules, state=State.EMBEDDING)
        set_steps(one, 3, 4, seconds=30)
        page = body(client.get(f"/t/harbour/documents/{one.document_id}/"))
        assert 'data-live="on"' in page
        assert "3 of 4 chunks, less than a minute left" in page

    @pytest.mark.parametrize(
        ("state", "offered"),
        [(State.QUEUED, "cancel"), (State.FAILED, "retry"), (State.CANCELLED, "retry"), (State.READY, "")],
    )
    def test_offers_what_its_last_version_needs(
        self, client: Client, rules: Collection, state: State, offered: str
    ) -> None:
        one = version(rules, state=state)
        for path in (url(rules), f"/t/harbour/documents/{one.document_id}/"):
            page = body(client.get(path))
            actions = ("cancel", "retry")
            shown = [word for word in actions if f"/documents/{one.document_id}/{word}/" in page]
            assert shown == ([offered] if offered else [])


def set_steps(one: Version, done: int, total: int, *, seconds: int) -> None:
    """Say that so many chunks are through, and took so long."""
    now = timezone.now()
    with tenant_scope(one.tenant_id):
        Version.objects.filter(pk=one.pk).update(
            step_done=done, step_total=total, touched_at=now, step_began_at=now - timedelta(seconds=seconds)
        )


def pay(one: Version, cost: str, **more: Any) -> Call:
    with tenant_scope(one.tenant_id):
        fields = {"role": "contextualizer", "backend": "anthropic/haiku", "state": CallState.DONE} | more
        return Call.objects.create(tenant_id=one.tenant_id, version=one, cost=Decimal(cost), **fields)


NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class TestTimeLeft:
    @pytest.mark.parametrize(
        ("state", "done", "total", "expected"),
        [
            (State.EMBEDDING, 1, 4, 290),
            (State.EMBEDDING, 2, 4, 90),
            (State.CONTEXTUALIZING, 3, 4, 23),
            (State.EMBEDDING, 99, 100, 0),
            (State.EMBEDDING, 0, 4, None),
            (State.EMBEDDING, 4, 4, None),
            (State.READY, 2, 4, None),
            (State.CANCELLED, 2, 4, None),
        ],
    )
    def test_is_guessed_from_what_was_done(
        self, state: State, done: int, total: int, expected: int | None
    ) -> None:
        touched = NOW - timedelta(seconds=10)
        one = Version(
            state=state,
            step_done=done,
            step_total=total,
            touched_at=touched,
            step_began_at=touched - timedelta(seconds=100),
        )
        left = time_left(one, NOW)
        assert (None if left is None else round(left.total_seconds())) == expected

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [
            (0, "less than a minute left"),
            (29, "less than a minute left"),
            (31, "about 1 minute left"),
            (120, "about 2 minutes left"),
            (89 * 60, "about 89 minutes left"),
            (90 * 60, "about 2 hours left"),
            (10 * 3600, "about 10 hours left"),
        ],
    )
    def test_is_said_as_people_do(self, seconds: int, words: str) -> None:
        assert in_words(timedelta(seconds=seconds)) == words


class TestUsage:
    @pytest.fixture
    def page(self, admin: Membership) -> Callable[[], str]:
        return lambda: body(client_of(admin).get("/t/harbour/usage/"))

    def test_without_any_says_so(self, page: Callable[[], str]) -> None:
        assert "No provider was asked in this month." in page()
        assert '<span class="figure">$0.00</span>of $20.00 are spent' in page()

    def test_shows_the_budget_of_this_month(
        self, page: Callable[[], str], admin: Membership, settings: Settings
    ) -> None:
        budget = factories.budget(admin.tenant)
        with tenant_scope(admin.tenant_id):
            Budget.objects.filter(pk=budget.pk).update(spent=Decimal("12.34"))
        assert '<span class="figure">$12.34</span>of $20.00 are spent or set aside; $7.66 are left.' in page()
        settings.SEARCH_MONTHLY_BUDGET = Decimal("12.34")
        assert "documents are situated by their structure only." in page()
        with tenant_scope(admin.tenant_id):
            Budget.objects.update(monthly_limit=Decimal(50))
        assert "of $50.00 are spent" in page()

    def test_forgets_what_last_month_spent(self, page: Callable[[], str], admin: Membership) -> None:
        factories.budget(admin.tenant)
        with tenant_scope(admin.tenant_id):
            Budget.objects.update(spent=Decimal(3), month=date(2020, 1, 1))
        assert '<span class="figure">$0.00</span>' in page()

    def test_changes_nothing(self, page: Callable[[], str], admin: Membership) -> None:
        before = everything_of(admin.tenant)
        page()
        assert everything_of(admin.tenant) == before

    def test_sums_up_backends_and_documents(
        self, page: Callable[[], str], admin: Membership, rules: Collection
    ) -> None:
        cheap, dear = version(rules, name="cheap.md"), version(rules, name="dear.md")
        pay(cheap, "0.01", input_tokens=1000, cache_write_tokens=500)
        pay(dear, "0.05", state=CallState.FAILED, failure="It was overloaded.")
        pay(dear, "0.02")
        old = pay(cheap, "7")
        with tenant_scope(admin.tenant_id):
            Call.objects.filter(pk=old.pk).update(at=datetime(2020, 1, 1, tzinfo=UTC))
        shown = page()
        assert '<td class="number" data-label="Tokens in">1,500</td>' in shown
        assert '<td class="number" data-label="Requests">3</td>' in shown
        assert '<td class="number" data-label="Unanswered">1</td>' in shown
        assert '<td class="number" data-label="Cost">$0.0800</td>' in shown
        assert shown.index("dear.md</a></td><td") < shown.index("cheap.md</a></td><td")
        assert "It was overloaded." in shown

    def test_says_nothing_of_others(
        self, page: Callable[[], str], admin: Membership, meridian: Tenant
    ) -> None:
        other = factories.version(meridian)
        pay(other, "5", backend="secret/model")
        assert "secret/model" not in page()
        assert '<span class="figure">$0.00</span>' in page()

    def test_never_fetches_texts(self, admin: Membership, rules: Collection) -> None:
        pay(version(rules), "1")
        with CaptureQueriesContext(connection) as captured:
            client_of(admin).get("/t/harbour/usage/")
        assert not [query for query in captured.captured_queries if '"text"' in query["sql"]]

    @pytest.mark.parametrize(("role", "status"), [(Role.READER, 403), (Role.EDITOR, 403), (Role.ADMIN, 200)])
    def test_is_for_admins(self, harbour: Tenant, role: Role, status: int) -> None:
        client = client_of(factories.membership(harbour, role))
        assert client.get("/t/harbour/usage/").status_code == status
        if role != Role.READER:
            assert ("/t/harbour/usage/" in body(client.get("/t/harbour/health/"))) is (status == 200)


class TestActions:
    def act(self, client: Client, one: Version, action: str) -> str:
        return body(client.post(f"/t/harbour/documents/{one.document_id}/{action}/", follow=True))

    def test_delete_and_restore(self, client: Client, rules: Collection) -> None:
        one = version(rules, name="act.md")
        assert "act.md is in the bin." in self.act(client, one, "delete")
        assert names(rules) == []
        assert "act.md is back." in self.act(client, one, "restore")
        assert names(rules) == ["act.md"]

    def test_restore_says_why_not(self, client: Client, rules: Collection) -> None:
        one = version(rules, name="act.md")
        self.act(client, one, "delete")
        version(rules, name="act.md")
        assert "There is another act.md in rules by now." in self.act(client, one, "restore")

    def test_try_again(self, client: Client, rules: Collection) -> None:
        one = version(rules, state=State.FAILED, name="act.md")
        assert "act.md is read again." in self.act(client, one, "retry")
        assert "has not failed" in self.act(client, one, "retry")

    def test_cancel_and_try_again(self, client: Client, rules: Collection) -> None:
        one = version(rules, state=State.EMBEDDING, name="act.md")
        assert "act.md is no longer read." in self.act(client, one, "cancel")
        assert self.state(one) == State.CANCELLED
        assert "act.md is read again." in self.act(client, one, "retry")
        assert self.state(one) == State.QUEUED

    @pytest.mark.parametrize("state", [State.READY, State.FAILED, State.CANCELLED])
    def test_cancel_says_why_not(self, client: Client, rules: Collection, state: State) -> None:
        one = version(rules, state=state, name="act.md")
        before = everything_of(rules.tenant)
        assert "act.md v1 is not being read" in self.act(client, one, "cancel")
        assert everything_of(rules.tenant) == before

    @pytest.mark.parametrize("action", ["cancel", "retry"])
    def test_lead_back_to_where_they_were_chosen(
        self, client: Client, rules: Collection, action: str
    ) -> None:
        one = version(rules, state=State.QUEUED if action == "cancel" else State.FAILED)
        path = f"/t/harbour/documents/{one.document_id}/"
        response = client.post(f"{path}{action}/", {"back": "document"})
        assert (response.status_code, response["Location"]) == (302, path)

    def state(self, one: Version) -> str:
        with tenant_scope(one.tenant_id):
            return Version.objects.get(pk=one.pk).state

    def test_try_again_what_has_no_version(self, client: Client, rules: Collection) -> None:
        place = factories.document(rules.tenant, place=rules)
        response = client.post(f"/t/harbour/documents/{place.pk}/retry/")
        assert (response.status_code, response["Location"]) == (302, url(rules))


class TestCreatingACollection:
    def test_leads_to_it(self, admin: Membership) -> None:
        form = {"name": "rules", "description": "All rules."}
        response = client_of(admin).post("/t/harbour/collections/create/", form, follow=True)
        assert "All rules." in body(response)

    @pytest.mark.parametrize(
        ("name", "description", "reason"),
        [
            ("har bour", "x", "Use letters, digits, “_” and “-”."),
            ("", "x", "This field is required."),
            ("x", " ", "This field is required."),
            ("rules", "x", "There is a collection &#x27;rules&#x27;. Choose another name."),
        ],
    )
    def test_says_why_not(
        self, admin: Membership, rules: Collection, name: str, description: str, reason: str
    ) -> None:
        before = everything_of(rules.tenant)
        form = {"name": name, "description": description}
        response = client_of(admin).post("/t/harbour/collections/create/", form)
        assert response.status_code == 422
        assert reason in body(response)
        assert everything_of(rules.tenant) == before


class TestNotices:
    """What is to be said of contexts stands at the version."""

    def test_contexts_that_fell_back_are_told_with_the_reason(self, reader: Membership) -> None:
        found = factories.placement(reader.tenant, fallback="The budget is used up.")
        page = client_of(reader).get(f"/t/{reader.tenant.slug}/documents/{document_of(found)}/")
        assert (
            "1 chunk is situated by structure alone. The budget is used up. "
            "`manage.py recontextualize` asks for the rest."
        ) in page.content.decode()

    def test_documents_that_are_too_long_to_be_read_whole_are_told(self, reader: Membership) -> None:
        found = factories.placement(reader.tenant)
        with tenant_scope(reader.tenant_id):
            Context.objects.create(
                tenant=reader.tenant,
                key="0" * 64,
                version_id=found.version_id,
                contextualizer="anthropic/x",
                text="Of ports.",
                is_oversized=True,
            )
        page = client_of(reader).get(f"/t/{reader.tenant.slug}/documents/{document_of(found)}/")
        assert "The document is too long to be read whole" in page.content.decode()

    def test_contexts_as_asked_for_are_not_spoken_of(self, reader: Membership) -> None:
        found = factories.placement(reader.tenant)
        page = client_of(reader).get(f"/t/{reader.tenant.slug}/documents/{document_of(found)}/")
        assert 'class="warning"' not in page.content.decode()


def document_of(placement: Placement) -> UUID:
    with tenant_scope(placement.tenant_id):
        return Version.objects.get(pk=placement.version_id).document_id
