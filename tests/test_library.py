"""The library: files in portions, a price that waits for a yes, and many documents handled at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks, Settings

from documents import agreement, services, tasks
from documents.configuration import STORED
from documents.models import Collection, Document, State, Version
from documents.pages.configuration_form import GROUPS
from documents.pages.listing import Listing
from documents.services import many
from tenants.models import AuditEvent, Membership, Role
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.providers.anthropic_server import AnthropicServer

ACT = b"# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n"
JSON = {"Accept": "application/json"}
QUOTE = (
    "1 chunk, none of them known already. Writing 1 context costs about $0.01, at most $0.01, "
    "and takes about 3 seconds."
)
HOSTILE = "<img src=x onerror=alert(1)>.md"


@pytest.fixture
def editor(reader: Membership) -> Membership:
    return factories.membership(reader.tenant, Role.EDITOR)


@pytest.fixture
def rules(editor: Membership) -> Collection:
    return factories.collection(editor.tenant, "rules")


@pytest.fixture
def client(editor: Membership) -> Client:
    return client_of(editor)


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as server:
        yield server


@pytest.fixture
def paid(server: AnthropicServer, settings: Settings) -> AnthropicServer:
    """Declare a provider who wants money for contexts."""
    declared = {
        "BACKEND": "search.backends.contextualizers.anthropic.AnthropicContextualizer",
        "OPTIONS": {"api_key": "key", "base_url": server.url, "waits": ()},
    }
    settings.SEARCH_BACKENDS = {**settings.SEARCH_BACKENDS, "contextualizer": declared}
    return server


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What workers are told, instead of telling them."""
    said: list[str] = []
    monkeypatch.setattr(tasks.read_next, "delay", lambda: said.append("read"))
    monkeypatch.setattr(tasks.cancel_batches, "delay", lambda version, tenant: said.append(version))
    return said


def body(response: Any) -> str:
    return str(response.content.decode())


def url(collection: Collection, path: str = "") -> str:
    return f"/t/harbour/collections/{collection.pk}/{path}"


def file(name: str, content: bytes = ACT) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def names(collection: Collection) -> list[str]:
    with tenant_scope(collection.tenant_id):
        return list(Document.objects.present().values_list("name", flat=True))


def version(collection: Collection, name: str = "", *, state: State = State.READY) -> Version:
    place = factories.document(collection.tenant, place=collection, name=name)
    return factories.version(collection.tenant, of=place, state=state)


def states(collection: Collection) -> dict[str, str]:
    with tenant_scope(collection.tenant_id):
        rows = Version.objects.newest().filter(document__deleted_at=None)
        return dict(rows.order_by("document__name").values_list("document__name", "state"))


def last_events(collection: Collection) -> list[tuple[str, str]]:
    with tenant_scope(collection.tenant_id):
        events = AuditEvent.objects.for_tenant(collection.tenant).order_by("-at")
        return [(event.action, event.target) for event in events[:3]]


class TestPortions:
    """What the script of the page sends: some files at a time, with their paths."""

    def test_are_answered_file_by_file(self, client: Client, rules: Collection) -> None:
        first = {"folder": [file("a.md"), file("b.md", b"B")], "paths": json.dumps(["x/a.md", "x/sub/b.md"])}
        answer = client.post(url(rules, "upload/"), first, headers=JSON)
        assert answer.json() == {
            "files": [
                {"name": "a.md", "outcome": "added", "problem": ""},
                {"name": "sub/b.md", "outcome": "added", "problem": ""},
            ]
        }
        again = {"folder": [file("a.md"), file("b.md", b"B2")], "paths": json.dumps(["x/a.md", "x/sub/b.md"])}
        answer = client.post(url(rules, "upload/"), again, headers=JSON)
        assert [one["outcome"] for one in answer.json()["files"]] == ["unchanged", "replaced"]
        assert names(rules) == ["a.md", "sub/b.md"]

    def test_leave_no_message_for_the_next_page(self, client: Client, rules: Collection) -> None:
        client.post(url(rules, "upload/"), {"folder": file("a.md")}, headers=JSON)
        assert "1 document added" not in body(client.get(url(rules))).split("upload-words")[0]

    def test_say_what_is_wrong_with_a_file(
        self, client: Client, rules: Collection, settings: Settings
    ) -> None:
        settings.MAX_FILE_MB = 1
        answer = client.post(url(rules, "upload/"), {"folder": file("a.md", b"x" * 1_000_001)}, headers=JSON)
        assert answer.json()["files"][0]["outcome"] == ""
        assert "1 MB is the most" in answer.json()["files"][0]["problem"]
        assert names(rules) == []

    def test_of_nothing_are_refused(self, client: Client, rules: Collection) -> None:
        before = everything_of(rules.tenant)
        answer = client.post(url(rules, "upload/"), {}, headers=JSON)
        assert (answer.status_code, answer.json()) == (422, {"errors": ["Choose at least one file."]})
        assert everything_of(rules.tenant) == before


class TestPrice:
    def test_is_not_asked_for_where_nothing_costs_money(self, client: Client, rules: Collection) -> None:
        page = body(client.get(url(rules)))
        assert 'data-paid="no"' in page
        client.post(url(rules, "upload/"), {"documents": file("a.md")})
        assert names(rules) == ["a.md"]

    def test_waits_for_a_yes(self, client: Client, rules: Collection, paid: AnthropicServer) -> None:
        before = everything_of(rules.tenant)
        assert 'data-paid="yes"' in body(client.get(url(rules)))
        page = body(client.post(url(rules, "upload/"), {"documents": file("a.md")}))
        assert "Nothing is uploaded yet." in page
        assert "Upload for at most $0.01" in page
        assert everything_of(rules.tenant) == before
        token = page.split('name="agreed" value="')[1].split('"')[0]
        client.post(url(rules, "upload/"), {"documents": file("a.md"), "agreed": token})
        assert names(rules) == ["a.md"]

    def test_is_agreed_to_for_just_these_files(
        self, client: Client, rules: Collection, paid: AnthropicServer
    ) -> None:
        quote = client.post(url(rules, "upload/"), {"folder": file("a.md"), "estimate": "1"}, headers=JSON)
        token = quote.json()["quote"]["token"]
        other = {"folder": file("a.md", ACT + b"More.\n"), "agreed": token}
        refused = client.post(url(rules, "upload/"), other, headers=JSON)
        assert refused.status_code == 409
        assert float(refused.json()["quote"]["most_cost"]) > 0
        assert names(rules) == []
        elsewhere = factories.collection(rules.tenant, "elsewhere")
        same = {"folder": file("a.md"), "agreed": token}
        assert client.post(url(elsewhere, "upload/"), same, headers=JSON).status_code == 409
        same = {"folder": file("renamed.md"), "agreed": token}
        assert client.post(url(rules, "upload/"), same, headers=JSON).status_code == 200
        assert names(rules) == ["renamed.md"]

    @pytest.mark.parametrize("token", ["", "x", "x:y:z"])
    def test_is_not_agreed_to_by_what_nobody_handed_out(
        self, client: Client, rules: Collection, paid: AnthropicServer, token: str
    ) -> None:
        form = {"folder": file("a.md"), "agreed": token}
        assert client.post(url(rules, "upload/"), form, headers=JSON).status_code == 409
        assert names(rules) == []

    def test_is_not_agreed_to_for_ever(
        self, client: Client, rules: Collection, paid: AnthropicServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        quote = client.post(url(rules, "upload/"), {"folder": file("a.md"), "estimate": "1"}, headers=JSON)
        monkeypatch.setattr(agreement, "LONGEST", -1)
        form = {"folder": file("a.md"), "agreed": quote.json()["quote"]["token"]}
        assert client.post(url(rules, "upload/"), form, headers=JSON).status_code == 409

    @pytest.mark.usefixtures("paid")
    @pytest.mark.parametrize(("above", "status"), [("0", 409), ("0.0001", 409), ("5", 200)])
    def test_is_asked_for_above_an_amount(
        self, client: Client, rules: Collection, settings: Settings, above: str, status: int
    ) -> None:
        settings.ASK_ABOVE = above
        answer = client.post(url(rules, "upload/"), {"folder": file("a.md")}, headers=JSON)
        assert answer.status_code == status
        assert names(rules) == (["a.md"] if status == 200 else [])

    def test_is_not_asked_for_in_a_collection_without_contexts(
        self, client: Client, rules: Collection, paid: AnthropicServer
    ) -> None:
        services.update_collection(collection=rules, actor=factories.ACTOR, contextual_embeddings=False)
        client.post(url(rules, "upload/"), {"documents": file("a.md")})
        assert names(rules) == ["a.md"]
        assert 'data-paid="no"' in body(client.get(url(rules)))


@pytest.mark.usefixtures("paid")
class TestPriceOfReadingAgain:
    """What is read again or replaced is quoted as an upload is, and waits for a yes."""

    @pytest.fixture
    def failed(self, rules: Collection) -> Version:
        return self.add(rules, "a.md", State.FAILED)

    def add(self, rules: Collection, name: str, state: State, content: bytes = ACT) -> Version:
        made = services.add_document(
            collection=rules, name=name, content=content, actor=factories.ACTOR, is_queued=False
        )
        with tenant_scope(rules.tenant_id):
            facts: dict[str, Any] = {"failure": "It is broken."}
            if state == State.READY:
                facts = {"text": content.decode(), "recorded_at": timezone.now()}
            Version.objects.filter(pk=made.pk).update(state=state, **facts)
        return made

    def agreed(self, page: str) -> str:
        return page.split('name="agreed" value="')[1].split('"', maxsplit=1)[0]

    def test_of_a_document(self, client: Client, rules: Collection, failed: Version, told: list[str]) -> None:
        address = f"/t/harbour/documents/{failed.document_id}/retry/"
        before = everything_of(rules.tenant)
        response = client.post(address, {"back": "document"})
        assert response.context["quote"] == QUOTE
        page = body(response)
        assert "Read for at most $0.01" in page
        assert '<input type="hidden" name="back" value="document">' in page
        assert everything_of(rules.tenant) == before
        answer = client.post(address, {"back": "document", "agreed": self.agreed(page)})
        assert answer["Location"] == f"/t/harbour/documents/{failed.document_id}/"
        assert states(rules) == {"a.md": "queued"}

    @pytest.mark.parametrize("token", ["", "x:y:z"])
    def test_is_not_agreed_to_by_what_nobody_handed_out(
        self, client: Client, rules: Collection, failed: Version, token: str
    ) -> None:
        client.post(f"/t/harbour/documents/{failed.document_id}/retry/", {"agreed": token})
        assert states(rules) == {"a.md": "failed"}

    def test_of_what_cannot_be_read_again_is_not_asked_for(self, client: Client, rules: Collection) -> None:
        ready = self.add(rules, "a.md", State.READY)
        answer = client.post(f"/t/harbour/documents/{ready.document_id}/retry/", follow=True)
        assert "has not failed: it is ready." in body(answer)

    def test_is_not_asked_for_where_nothing_is_paid(
        self, client: Client, rules: Collection, failed: Version, told: list[str]
    ) -> None:
        services.update_collection(collection=rules, actor=factories.ACTOR, contextual_embeddings=False)
        client.post(f"/t/harbour/documents/{failed.document_id}/retry/")
        assert states(rules) == {"a.md": "queued"}

    @pytest.mark.parametrize("path", ["retry/", "act/"])
    def test_of_several(
        self, client: Client, rules: Collection, failed: Version, told: list[str], path: str
    ) -> None:
        other = self.add(rules, "b.md", State.FAILED, ACT + b"More.\n")
        self.add(rules, "c.md", State.READY)
        form = {"act": "retry", "document": [str(failed.document_id), str(other.document_id)]}
        before = everything_of(rules.tenant)
        page = body(client.post(url(rules, path), form if path == "act/" else {}))
        assert "2 chunks, none of them known already. Writing 2 contexts costs about $0.01, at most" in page
        for pk in form["document"]:
            assert f'<input type="hidden" name="document" value="{pk}">' in page
        assert everything_of(rules.tenant) == before
        address = page.rsplit('<form method="post" action="', 1)[1].split('"', 1)[0]
        assert address == url(rules, "act/") + ("?show=failed" if path == "retry/" else "")
        client.post(address, {**form, "agreed": self.agreed(page)})
        assert states(rules) == {"a.md": "queued", "b.md": "queued", "c.md": "ready"}

    def test_of_another_file(self, client: Client, rules: Collection, failed: Version) -> None:
        address = f"/t/harbour/documents/{failed.document_id}/replace/"
        before = everything_of(rules.tenant)
        page = body(client.post(address, {"file": file("b.md", ACT + b"More.\n")}))
        assert "Nothing is uploaded yet." in page
        assert "Upload for at most $0.01" in page
        assert QUOTE in page
        assert everything_of(rules.tenant) == before
        client.post(address, {"file": file("b.md", ACT + b"Else.\n"), "agreed": self.agreed(page)})
        assert everything_of(rules.tenant) == before
        client.post(address, {"file": file("b.md", ACT + b"More.\n"), "agreed": self.agreed(page)})
        with tenant_scope(rules.tenant_id):
            assert Version.objects.filter(document=failed.document_id).count() == 2

    def test_of_an_older_version(self, client: Client, rules: Collection, told: list[str]) -> None:
        old = self.add(rules, "a.md", State.READY)
        with tenant_scope(rules.tenant_id):
            Version.objects.filter(pk=old.pk).update(superseded_at=timezone.now())
        address = f"/t/harbour/versions/{old.pk}/restore/"
        before = everything_of(rules.tenant)
        page = body(client.post(address))
        assert "Read for at most $0.01" in page
        assert everything_of(rules.tenant) == before
        client.post(address, {"agreed": self.agreed(page)})
        with tenant_scope(rules.tenant_id):
            assert Version.objects.filter(document=old.document_id).count() == 2


class TestListing:
    @pytest.fixture(autouse=True)
    def documents(self, rules: Collection) -> None:
        version(rules, "acts/Beta.md")
        version(rules, "acts/alpha.md", state=State.FAILED)
        version(rules, "gamma 100%.md", state=State.EMBEDDING)
        version(rules, "delta.md", state=State.CANCELLED)
        services.delete_document(document=version(rules, "old.md").document, actor=factories.ACTOR)

    @pytest.mark.parametrize(
        ("asked", "expected"),
        [
            ({}, ["acts/Beta.md", "acts/alpha.md", "delta.md", "gamma 100%.md"]),
            ({"show": "nonsense", "sort": "nonsense", "page": "x"}, None),
            ({"show": "ready"}, ["acts/Beta.md"]),
            ({"show": "failed"}, ["acts/alpha.md"]),
            ({"show": "open"}, ["gamma 100%.md"]),
            ({"show": "cancelled"}, ["delta.md"]),
            ({"show": "bin"}, ["old.md"]),
            ({"q": "BETA"}, ["acts/Beta.md"]),
            ({"q": "acts a.md"}, ["acts/Beta.md", "acts/alpha.md"]),
            ({"q": "0%"}, ["gamma 100%.md"]),
            ({"q": "_"}, []),
            ({"q": "a\0lpha"}, ["acts/alpha.md"]),
            ({"show": "failed", "q": "beta"}, []),
            ({"sort": "-name"}, ["gamma 100%.md", "delta.md", "acts/alpha.md", "acts/Beta.md"]),
            ({"sort": "newest"}, ["delta.md", "gamma 100%.md", "acts/alpha.md", "acts/Beta.md"]),
        ],
    )
    def test_shows_what_was_asked_for(
        self, client: Client, rules: Collection, asked: dict[str, str], expected: list[str] | None
    ) -> None:
        response = client.get(url(rules), asked)
        all_of_them = ["acts/Beta.md", "acts/alpha.md", "delta.md", "gamma 100%.md"]
        shown = [document.name for document in response.context["page"]]
        assert sorted(shown) == sorted(all_of_them if expected is None else expected)
        if asked.get("sort") in {"-name", "newest"}:
            with tenant_scope(rules.tenant_id):
                order = "-name" if asked["sort"] == "-name" else "-versions__queued_at"
                own = Document.objects.present().order_by(order)
                assert shown == list(own.values_list("name", flat=True))

    def test_puts_the_largest_first(self, client: Client, rules: Collection) -> None:
        large = services.add_document(
            collection=rules, name="large.md", content=b"x" * 9_999, actor=factories.ACTOR, is_queued=False
        )
        response = client.get(url(rules), {"sort": "largest"})
        assert response.context["page"][0].pk == large.document_id

    def test_counts_each_state_that_there_is(self, client: Client, rules: Collection) -> None:
        tabs = client.get(url(rules)).context["tabs"]
        assert [(name, count) for _, name, count, _ in tabs] == [
            ("All", 4),
            ("Being read", 1),
            ("Ready", 1),
            ("Failed", 1),
            ("Cancelled", 1),
            ("Bin", 1),
        ]

    def test_keeps_what_was_asked_for_in_its_links(self) -> None:
        listing = Listing("failed", "a & b", "-name")
        assert listing.query() == "show=failed&q=a+%26+b&sort=-name"
        assert listing.query(show="") == "q=a+%26+b&sort=-name"
        assert Listing().query() == ""

    def test_shows_hostile_words_as_text(self, client: Client, rules: Collection) -> None:
        version(rules, HOSTILE)
        page = body(client.get(url(rules), {"q": "<img"}))
        assert escape(HOSTILE) in page
        assert "<img src=x" not in page
        assert "No name here has “&lt;b&gt;” in it." in body(client.get(url(rules), {"q": "<b>"}))


class TestAllAtOnce:
    def test_what_failed_is_tried_again(
        self,
        client: Client,
        rules: Collection,
        told: list[str],
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        for number in range(3):
            version(rules, f"{number}.md", state=State.FAILED)
        version(rules, "ready.md")
        gone = version(rules, "gone.md", state=State.FAILED)
        services.delete_document(document=gone.document, actor=factories.ACTOR)
        other = version(factories.collection(rules.tenant), "other.md", state=State.FAILED)
        with django_capture_on_commit_callbacks(execute=True):
            page = body(client.post(url(rules, "retry/"), follow=True))
        assert "3 documents are read again." in page
        assert states(rules) == {
            "0.md": "queued",
            "1.md": "queued",
            "2.md": "queued",
            "other.md": "failed",
            "ready.md": "ready",
        }
        assert told == ["read"] * 3
        with tenant_scope(rules.tenant_id):
            again = Version.objects.filter(state=State.QUEUED).first()
            assert again is not None
            assert (again.failure, again.attempts, again.step_total) == ("", 0, 0)
            assert Version.objects.get(pk=gone.pk).state == Version.objects.get(pk=other.pk).state == "failed"
        assert last_events(rules)[0] == ("collection.retried", "rules")

    def test_an_older_version_that_failed_stays_failed(
        self, client: Client, rules: Collection, told: list[str]
    ) -> None:
        first = version(rules, "a.md", state=State.FAILED)
        factories.version(rules.tenant, of=first.document, number=2)
        before = everything_of(rules.tenant)
        assert "0 documents are read again." in body(client.post(url(rules, "retry/"), follow=True))
        assert everything_of(rules.tenant) == before

    def test_goes_no_further_than_one_act_can(
        self, client: Client, rules: Collection, told: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(many, "MOST_AT_ONCE", 2)
        for number in range(3):
            version(rules, f"{number}.md", state=State.FAILED)
        client.post(url(rules, "retry/"))
        assert sorted(states(rules).values()) == ["failed", "queued", "queued"]
        client.post(url(rules, "retry/"))
        assert sorted(states(rules).values()) == ["queued", "queued", "queued"]

    def test_what_is_being_read_is_cancelled(
        self,
        client: Client,
        rules: Collection,
        told: list[str],
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        version(rules, "a.md", state=State.QUEUED)
        asked = version(rules, "b.md", state=State.CONTEXTUALIZING)
        with tenant_scope(rules.tenant_id):
            asked.context_batches.create(tenant=rules.tenant, contextualizer="x", keys=[], reserved=0)
        version(rules, "c.md")
        with django_capture_on_commit_callbacks(execute=True):
            page = body(client.post(url(rules, "cancel/"), follow=True))
        assert "2 documents are no longer read." in page
        assert states(rules) == {"a.md": "cancelled", "b.md": "cancelled", "c.md": "ready"}
        assert told == [str(asked.pk)]
        assert last_events(rules)[0] == ("collection.cancelled", "rules")


class TestTicked:
    def act(self, client: Client, rules: Collection, act: str, *ids: object, query: str = "") -> str:
        form = {"act": act, "document": [str(one) for one in ids]}
        return body(client.post(url(rules, f"act/{query}"), form, follow=True))

    def test_documents_go_to_the_bin_and_come_back(self, client: Client, rules: Collection) -> None:
        one, _, three = (version(rules, f"{name}.md").document for name in "abc")
        page = self.act(client, rules, "delete", one.pk, three.pk)
        assert "2 documents are in the bin." in page
        assert names(rules) == ["b.md"]
        assert [action for action, _ in last_events(rules)[:2]] == ["document.deleted"] * 2
        page = self.act(client, rules, "restore", one.pk, query="?show=bin")
        assert "1 document is back." in page
        assert 'value="bin"' in page  # It shows what it showed before.
        assert names(rules) == ["a.md", "b.md"]

    def test_each_that_cannot_be_says_why(self, client: Client, rules: Collection, told: list[str]) -> None:
        failed, ready = version(rules, "a.md", state=State.FAILED), version(rules, "b.md")
        page = self.act(client, rules, "retry", failed.document_id, ready.document_id)
        assert "1 document is read again." in page
        assert "b.md v1 has not failed: it is ready." in page
        page = self.act(client, rules, "cancel", failed.document_id, ready.document_id)
        assert "1 document is no longer read." in page
        assert states(rules) == {"a.md": "cancelled", "b.md": "ready"}

    @pytest.mark.parametrize("act", ["", "purge", "delete"])
    def test_nothing_is_done_to_nothing(self, client: Client, rules: Collection, act: str) -> None:
        one = version(rules, "a.md")
        elsewhere = version(factories.collection(rules.tenant))
        before = everything_of(rules.tenant)
        ids = [one.document_id] if act != "delete" else ["no id", uuid4(), elsewhere.document_id]
        assert "Nothing was done." in self.act(client, rules, act, *ids)
        assert everything_of(rules.tenant) == before

    def test_documents_of_another_tenant_are_not_touched(
        self, client: Client, rules: Collection, stranger: Membership
    ) -> None:
        other = factories.version(stranger.tenant)
        before = everything_of(stranger.tenant)
        assert "Nothing was done." in self.act(client, rules, "delete", other.document_id)
        assert everything_of(stranger.tenant) == before


class TestSettings:
    @pytest.fixture
    def form(self, rules: Collection) -> dict[str, Any]:
        values = {name: getattr(rules, name) for name in STORED}
        return {name: value for name, value in values.items() if value not in (None, False)}

    @pytest.fixture
    def save(self, admin: Membership, rules: Collection, form: dict[str, Any]) -> Callable[..., Any]:
        def send(**changes: Any) -> Any:
            asked = {name: value for name, value in {**form, **changes}.items() if value is not None}
            return client_of(admin).post(url(rules, "settings/"), asked, follow=True)

        return send

    def test_have_a_field_for_each_key(self) -> None:
        grouped = [name for _, names in GROUPS for name in names]
        assert sorted(grouped) == sorted(STORED)

    def test_are_shown_as_they_are(self, admin: Membership, rules: Collection) -> None:
        page = body(client_of(admin).get(url(rules, "settings/")))
        assert 'name="top_k" value="10" min="1" max="100"' in page
        assert '<option value="hybrid" selected>All ways together</option>' in page
        assert "name: rules" in page
        assert "The weights sum to" not in page.split("data-weights")[0]

    def test_are_changed_on_the_record(self, save: Callable[..., Any], rules: Collection) -> None:
        page = body(save(top_k="25", max_chunk_tokens="400", extract_definitions=None))
        assert "top_k: from the next search on." in page
        assert "max_chunk_tokens: for versions to come" in page
        with tenant_scope(rules.tenant_id):
            found = Collection.objects.get(pk=rules.pk)
        assert (found.top_k, found.max_chunk_tokens, found.extract_definitions) == (25, 400, False)
        assert (found.extract_cross_references, found.min_score) == (True, None)
        assert last_events(rules)[0] == ("collection.changed", "rules")

    def test_that_stay_the_same_are_not_on_the_record(
        self, save: Callable[..., Any], rules: Collection
    ) -> None:
        before = everything_of(rules.tenant)
        assert "Nothing is different." in body(save())
        assert everything_of(rules.tenant) == before

    def test_warn_of_weights_that_do_not_sum_to_one(
        self, save: Callable[..., Any], admin: Membership, rules: Collection
    ) -> None:
        warning = "The weights sum to 1.3, not to 1: 0.8 + 0.3 + 0.2."
        assert warning in body(save(semantic_weight="0.8"))
        assert warning in body(client_of(admin).get(url(rules, "settings/")))
        assert "The weights sum to" not in body(save(semantic_weight="0.5")).split("data-weights")[0]

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"top_k": "0"}, "greater than or equal to 1"),
            ({"top_k": "101"}, "less than or equal to 100"),
            ({"max_chunk_tokens": "99"}, "greater than or equal to 100"),
            ({"chunk_overlap": "201"}, "less than or equal to 200"),
            ({"semantic_weight": "1.01"}, "less than or equal to 1"),
            ({"name": "no blanks"}, "Use letters, digits, “_” and “-”."),
            ({"name": ""}, "This field is required."),
            ({"description": " "}, "This field is required."),
            ({"search_mode": "psychic"}, "Select a valid choice."),
            ({"language": "klingon"}, "PostgreSQL knows no “klingon” here."),
            ({"enable_reranking": "on"}, "Name the model of the reranker, or do not enable it."),
            ({"enable_reranking": "on", "reranker_model": "x"}, "no reranker is declared here."),
        ],
    )
    def test_out_of_bounds_are_refused(
        self, save: Callable[..., Any], rules: Collection, changes: dict[str, str], message: str
    ) -> None:
        before = everything_of(rules.tenant)
        response = save(**changes)
        assert response.status_code == 422
        assert message in body(response)
        assert everything_of(rules.tenant) == before

    def test_refuse_a_name_that_is_taken(self, save: Callable[..., Any], rules: Collection) -> None:
        factories.collection(rules.tenant, "other")
        before = everything_of(rules.tenant)
        response = save(name="other")
        assert response.status_code == 422
        assert "Choose another name." in body(response)
        assert everything_of(rules.tenant) == before

    def test_show_hostile_words_as_text(self, save: Callable[..., Any]) -> None:
        page = body(save(description="</pre><script>alert(1)</script>"))
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)" in page

    def test_are_for_admins(self, client: Client, rules: Collection) -> None:
        assert client.get(url(rules, "settings/")).status_code == 403
        assert "settings/" not in body(client.get(url(rules)))

    def test_take_the_same_number_of_queries(
        self, admin: Membership, rules: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        client = client_of(admin)
        with django_assert_num_queries(17):
            client.get(url(rules, "settings/"))
