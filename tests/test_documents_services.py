"""Collections, documents and versions: what changes, what is refused, and what is on the record."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from documents import services, tasks
from documents.errors import BadName, DocumentError, NameTaken, NothingToDo, TooLarge
from documents.models import (
    Chunk,
    Collection,
    Document,
    Outcome,
    OutlineCorrection,
    Section,
    Source,
    State,
    Version,
)
from documents.pipeline import ingest_version
from documents.unpack import Incoming
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR
from tests.processes import manage

ACT = b"# Harbour Act\n\n## Section 1. Ports\n\nA port must be kept clear.\n"
AMENDED = ACT + b"\n## Section 2. Ships\n\nA ship must be kept clear.\n"


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "rules")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What workers are told, instead of a broker."""
    told: list[str] = []
    monkeypatch.setattr(tasks.read_next, "delay", lambda: told.append("read"))
    return told


def add(collection: Collection, content: bytes = ACT, name: str = "act.md") -> Version:
    return services.add_document(collection=collection, name=name, content=content, actor=ACTOR)


def add_and_read(collection: Collection, content: bytes = ACT, name: str = "act.md") -> Version:
    version = add(collection, content, name)
    ingest_version(version.pk, version.tenant_id)
    return reload(version)


def reload(version: Version) -> Version:
    with tenant_scope(version.tenant_id):
        return Version.objects.select_related("document__collection", "tenant").get(pk=version.pk)


def fail(version: Version) -> Version:
    with tenant_scope(version.tenant_id):
        Version.objects.filter(pk=version.pk).update(state=State.FAILED, failure="It is broken.", attempts=1)
    return reload(version)


def versions(tenant: Tenant) -> list[tuple[str, int, str, bool]]:
    with tenant_scope(tenant.pk):
        found = Version.objects.order_by("document__name", "number")
        return [(v.document.name, v.number, v.state, v.is_current) for v in found]


def last_event(tenant: Tenant) -> str:
    with tenant_scope(tenant.pk):
        return AuditEvent.objects.for_tenant(tenant).order_by("-at")[0].sentence


class TestCollections:
    def test_are_created_with_the_defaults(self, harbour: Tenant) -> None:
        made = services.create_collection(
            tenant=harbour, name="rules", description=" All rules. ", actor=ACTOR
        )
        assert (made.description, made.chunking_strategy) == ("All rules.", "structure")
        assert (made.max_chunk_tokens, made.chunk_overlap) == (800, 50)
        assert last_event(harbour) == "Created the collection rules"

    @pytest.mark.parametrize(
        "options",
        [
            {"name": ""},
            {"name": "har bour"},
            {"name": "rules/x"},
            {"name": "x" * 101},
            {"description": " "},
            {"max_chunk_tokens": 99},
            {"max_chunk_tokens": 2001},
            {"chunk_overlap": 201},
            {"chunking_strategy": "magic"},
            {"language": "klingon"},
            {"language": "English"},
            {"context_max_tokens": 49},
            {"context_max_tokens": 201},
            {"context_concurrency": 0},
            {"context_concurrency": 51},
            {"colour": "red"},
        ],
    )
    def test_are_refused_when_a_setting_is_wrong(self, rules: Collection, options: dict[str, Any]) -> None:
        before = everything_of(rules.tenant)
        plain = {"name": "x", "description": "x"}
        with pytest.raises(ValidationError):
            services.create_collection(tenant=rules.tenant, actor=ACTOR, **{**plain, **options})
        with pytest.raises(ValidationError):
            services.update_collection(collection=rules, actor=ACTOR, **options)
        assert everything_of(rules.tenant) == before

    @pytest.mark.parametrize("tokens", [100, 2000])
    @pytest.mark.parametrize("overlap", [0, 200])
    def test_take_settings_up_to_the_limits(self, harbour: Tenant, tokens: int, overlap: int) -> None:
        made = services.create_collection(
            tenant=harbour,
            name="x" * 100,
            description="x",
            actor=ACTOR,
            max_chunk_tokens=tokens,
            chunk_overlap=overlap,
        )
        assert (made.max_chunk_tokens, made.chunk_overlap) == (tokens, overlap)

    def test_have_a_name_of_their_own_in_their_tenant(self, rules: Collection, meridian: Tenant) -> None:
        before = everything_of(rules.tenant)
        with pytest.raises(NameTaken, match=r"There is a collection 'rules'. Choose another name."):
            services.create_collection(tenant=rules.tenant, name="rules", description="x", actor=ACTOR)
        assert everything_of(rules.tenant) == before
        services.create_collection(tenant=meridian, name="rules", description="x", actor=ACTOR)

    def test_change_and_say_what_changed(self, rules: Collection) -> None:
        services.update_collection(collection=rules, actor=ACTOR, max_chunk_tokens=500, description="New.")
        assert (rules.max_chunk_tokens, rules.description) == (500, "New.")
        assert last_event(rules.tenant) == "Changed the collection rules: description, max_chunk_tokens"

    def test_that_do_not_change_leave_no_record(self, rules: Collection) -> None:
        before = everything_of(rules.tenant)
        services.update_collection(collection=rules, actor=ACTOR, max_chunk_tokens=800)
        assert everything_of(rules.tenant) == before

    def test_go_with_all_that_they_hold(self, rules: Collection) -> None:
        other = factories.collection(rules.tenant)
        add_and_read(rules)
        add_and_read(other, name="same.md")
        add_and_read(other, AMENDED, name="more.md")
        services.delete_collection(collection=rules, actor=ACTOR)
        assert last_event(rules.tenant) == "Deleted the collection rules with 1 documents"
        with tenant_scope(rules.tenant_id):
            assert Document.objects.count() == Source.objects.count() == 2
            assert set(Section.objects.values_list("version__document__collection", flat=True)) == {other.pk}

    def test_that_are_gone_are_not_deleted_or_changed_again(self, rules: Collection) -> None:
        gone = Collection(pk=rules.pk, tenant=rules.tenant, name="rules")
        services.delete_collection(collection=rules, actor=ACTOR)
        before = everything_of(rules.tenant)
        services.delete_collection(collection=rules, actor=ACTOR)
        with pytest.raises(NothingToDo, match="The collection is gone"):
            services.update_collection(collection=rules, actor=ACTOR, description="x")
        with pytest.raises(NothingToDo, match="The collection is gone"):
            services.add_document(collection=gone, name="act.md", content=ACT, actor=ACTOR)
        assert everything_of(rules.tenant) == before


class TestAdding:
    def test_keeps_the_file_and_tells_a_worker(
        self,
        rules: Collection,
        sent: list[str],
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            version = add(rules, name="acts\\act.md")
        assert sent == ["read"]
        assert (version.outcome, version.number, version.state) == (Outcome.ADDED, 1, "queued")
        assert (version.document.name, version.file_name) == ("acts/act.md", "acts/act.md")
        with tenant_scope(rules.tenant_id):
            source = Source.objects.get()
        assert (bytes(source.content), source.size) == (ACT, len(ACT))
        assert last_event(rules.tenant) == "Added acts/act.md to rules"

    def test_a_broker_that_does_not_answer_loses_nothing(
        self,
        rules: Collection,
        monkeypatch: pytest.MonkeyPatch,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        def refuse() -> None:
            raise ConnectionError

        monkeypatch.setattr(tasks.read_next, "delay", refuse)
        with django_capture_on_commit_callbacks(execute=True):
            add(rules)
        assert versions(rules.tenant) == [("act.md", 1, "queued", False)]

    def test_the_same_name_again_makes_a_version(self, rules: Collection) -> None:
        add_and_read(rules)
        version = add(rules, AMENDED)
        assert (version.outcome, version.number) == (Outcome.REPLACED, 2)
        assert versions(rules.tenant) == [("act.md", 1, "ready", True), ("act.md", 2, "queued", False)]
        assert last_event(rules.tenant) == "Added version 2 of act.md to rules"

    @pytest.mark.parametrize("is_read", [True, False])
    def test_the_same_content_again_makes_none(self, rules: Collection, is_read: bool) -> None:
        first = (add_and_read if is_read else add)(rules)
        before = everything_of(rules.tenant)
        again = add(rules)
        assert (again.pk, again.outcome) == (first.pk, Outcome.UNCHANGED)
        assert everything_of(rules.tenant) == before

    def test_the_content_before_last_makes_one(self, rules: Collection) -> None:
        add_and_read(rules)
        add_and_read(rules, AMENDED)
        assert add(rules).number == 3
        with tenant_scope(rules.tenant_id):
            assert Source.objects.count() == 2

    def test_the_content_that_failed_is_tried_again(self, rules: Collection) -> None:
        failed = fail(add(rules))
        again = add(rules)
        assert (again.pk, again.outcome, again.number) == (failed.pk, Outcome.RETRIED, 1)
        assert (reload(again).state, reload(again).failure, reload(again).attempts) == ("queued", "", 0)
        assert last_event(rules.tenant) == "Had version 1 of act.md read again"

    def test_one_content_is_kept_once_in_a_tenant(self, rules: Collection, meridian: Tenant) -> None:
        for name in ("a.md", "b.md"):
            add(rules, name=name)
        add(factories.collection(meridian), name="a.md")
        for tenant in (rules.tenant, meridian):
            with tenant_scope(tenant.pk):
                assert Source.objects.count() == 1

    def test_a_name_in_the_bin_is_free(self, rules: Collection) -> None:
        version = add(rules)
        services.delete_document(document=version.document, actor=ACTOR)
        again = add(rules)
        assert (again.outcome, again.number) == (Outcome.ADDED, 1)
        assert again.document_id != version.document_id

    @pytest.mark.parametrize(("size", "accepted"), [(1_000_000, True), (1_000_001, False)])
    def test_files_have_a_largest_size(
        self, rules: Collection, settings: Settings, size: int, accepted: bool
    ) -> None:
        settings.MAX_FILE_MB = 1
        before = everything_of(rules.tenant)
        if accepted:
            assert add(rules, b"x" * size).number == 1
            return
        with pytest.raises(TooLarge, match=r"The file has 1\.0 MB, and 1 MB is the most\. Split it"):
            add(rules, b"x" * size)
        assert everything_of(rules.tenant) == before

    @pytest.mark.parametrize("name", ["", "../x", "a\0b", "x" * 301])
    def test_a_name_that_cannot_be_kept_is_refused(self, rules: Collection, name: str) -> None:
        before = everything_of(rules.tenant)
        with pytest.raises(BadName):
            add(rules, name=name)
        assert everything_of(rules.tenant) == before

    def test_one_bad_file_does_not_stop_the_others(self, rules: Collection) -> None:
        files = [
            Incoming("a.md", ACT),
            Incoming("bad.md", problem="It is damaged."),
            Incoming("../up.md", ACT),
            Incoming("./a.md", AMENDED),
            Incoming("b.md", AMENDED),
        ]
        found = list(services.add_files(collection=rules, files=files, actor=ACTOR))
        assert [(one.name, one.version is not None) for one in found] == [
            ("a.md", True),
            ("bad.md", False),
            ("../up.md", False),
            ("./a.md", False),
            ("b.md", True),
        ]
        assert found[1].problem == "It is damaged."
        assert "the same name" in found[3].problem
        assert versions(rules.tenant) == [("a.md", 1, "queued", False), ("b.md", 1, "queued", False)]

    def test_a_document_is_replaced_by_a_file_of_another_name(self, rules: Collection) -> None:
        version = add_and_read(rules)
        new = services.replace_document(
            document=version.document, file_name="act-2026.md", content=AMENDED, actor=ACTOR
        )
        assert (new.document.name, new.file_name, new.number) == ("act.md", "act-2026.md", 2)

    def test_what_is_in_the_bin_is_not_replaced(self, rules: Collection) -> None:
        version = add(rules)
        services.delete_document(document=version.document, actor=ACTOR)
        before = everything_of(rules.tenant)
        with pytest.raises(NothingToDo, match=r"act.md is in the bin. Restore it first."):
            services.replace_document(document=version.document, file_name="x", content=ACT, actor=ACTOR)
        assert everything_of(rules.tenant) == before

    @pytest.mark.django_db(transaction=True, databases=["default", "owner"])
    @pytest.mark.parametrize("contents", [(ACT, ACT), (ACT, AMENDED)])
    def test_two_people_at_once_make_one_document(
        self, sent: list[Any], contents: tuple[bytes, bytes]
    ) -> None:
        rules = factories.collection(factories.tenant("harbour"), "rules")
        barrier = threading.Barrier(2)
        errors: list[BaseException] = []

        def upload(content: bytes) -> None:
            barrier.wait()
            try:
                add(rules, content)
            except DocumentError as error:
                errors.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=upload, args=[content]) for content in contents]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        with tenant_scope(rules.tenant_id):
            assert Document.objects.count() == 1
            assert Source.objects.count() == Version.objects.count() == len(set(contents))


@pytest.mark.parametrize(("size", "code"), [("1000", 0), ("1001", 1), ("0", 1), ("many", 1)])
def test_the_largest_file_is_set_within_what_the_database_takes(tmp_path: Path, size: str, code: int) -> None:
    finished = manage(tmp_path, "check", PANDECT_MAX_FILE_MB=size)
    assert finished.returncode == code, finished.stderr
    assert (f"PANDECT_MAX_FILE_MB={size}: " in finished.stderr) == bool(code)


class TestTheBin:
    def test_hides_and_gives_back(self, rules: Collection) -> None:
        document = add_and_read(rules).document
        services.delete_document(document=document, actor=ACTOR)
        assert last_event(rules.tenant) == "Moved act.md of rules to the bin"
        with tenant_scope(rules.tenant_id):
            assert not Document.objects.present().exists()
            assert not Version.objects.head().exists()
        services.restore_document(document=document, actor=ACTOR)
        assert last_event(rules.tenant) == "Took act.md of rules out of the bin"
        with tenant_scope(rules.tenant_id):
            assert Version.objects.head().count() == 1

    def test_takes_and_gives_back_once(self, rules: Collection) -> None:
        document = add(rules).document
        for service in (services.delete_document, services.restore_document):
            service(document=document, actor=ACTOR)
            before = everything_of(rules.tenant)
            service(document=document, actor=ACTOR)
            assert everything_of(rules.tenant) == before

    def test_does_not_give_back_a_name_that_is_taken(self, rules: Collection) -> None:
        document = add(rules).document
        services.delete_document(document=document, actor=ACTOR)
        add(rules, AMENDED)
        before = everything_of(rules.tenant)
        with pytest.raises(NameTaken, match=r"There is another act.md in rules by now. Delete that one"):
            services.restore_document(document=document, actor=ACTOR)
        assert everything_of(rules.tenant) == before

    def test_is_emptied_for_good(self, rules: Collection) -> None:
        document = add_and_read(rules).document
        add_and_read(rules, AMENDED)
        services.correct_outline(document=document, opening="Ports", level=1, actor=ACTOR)
        add_and_read(rules, AMENDED, name="other.md")
        services.delete_document(document=document, actor=ACTOR)
        services.purge_document(document=document, actor=ACTOR)
        assert last_event(rules.tenant) == "Deleted act.md of rules for good"
        with tenant_scope(rules.tenant_id):
            assert list(Document.objects.values_list("name", flat=True)) == ["other.md"]
            assert Version.objects.count() == 1
            assert [bytes(source.content) for source in Source.objects.all()] == [AMENDED]
            assert not OutlineCorrection.objects.exists()
            for model in (Section, Chunk):
                assert set(model.objects.values_list("version__document__name", flat=True)) == {"other.md"}

    def test_is_the_only_place_from_which_documents_go_for_good(self, rules: Collection) -> None:
        document = add(rules).document
        before = everything_of(rules.tenant)
        with pytest.raises(NothingToDo, match=r"act.md is not in the bin. Delete it first."):
            services.purge_document(document=document, actor=ACTOR)
        assert everything_of(rules.tenant) == before

    def test_does_not_hold_what_is_gone(self, rules: Collection) -> None:
        document = add(rules).document
        services.delete_document(document=document, actor=ACTOR)
        services.purge_document(document=Document.objects.model(**vars_of(document)), actor=ACTOR)
        before = everything_of(rules.tenant)
        for service in (services.delete_document, services.restore_document, services.purge_document):
            with pytest.raises(NothingToDo, match="is gone"):
                service(document=document, actor=ACTOR)
        assert everything_of(rules.tenant) == before


def vars_of(document: Document) -> dict[str, Any]:
    return {field.attname: getattr(document, field.attname) for field in document._meta.concrete_fields}


class TestVersions:
    def test_that_failed_are_tried_again(self, rules: Collection) -> None:
        failed = fail(add(rules))
        again = services.retry_version(version=failed, actor=ACTOR)
        assert (again.pk, reload(again).state, reload(again).failure) == (failed.pk, "queued", "")

    def test_that_did_not_fail_are_not_tried_again(self, rules: Collection) -> None:
        for version in (add(rules), add_and_read(rules, name="b.md")):
            before = everything_of(rules.tenant)
            with pytest.raises(NothingToDo, match="has not failed"):
                services.retry_version(version=version, actor=ACTOR)
            assert everything_of(rules.tenant) == before

    def test_come_back_as_the_newest_without_conversion(
        self, rules: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = add_and_read(rules)
        add_and_read(rules, AMENDED)
        monkeypatch.setattr("documents.pipeline.convert_in_child", None)
        third = services.restore_version(version=first, actor=ACTOR)
        ingest_version(third.pk, third.tenant_id)
        assert versions(rules.tenant) == [
            ("act.md", 1, "ready", False),
            ("act.md", 2, "ready", False),
            ("act.md", 3, "ready", True),
        ]
        assert reload(third).text == ACT.decode()
        assert last_event(rules.tenant) == "Made version 1 of act.md its version 3"

    def test_that_are_current_or_never_were_do_not_come_back(self, rules: Collection) -> None:
        for version, reason in ((add_and_read(rules), "current"), (fail(add(rules, AMENDED)), "never ready")):
            before = everything_of(rules.tenant)
            with pytest.raises(NothingToDo, match=reason):
                services.restore_version(version=version, actor=ACTOR)
            assert everything_of(rules.tenant) == before

    def test_are_read_anew_beside_what_is_there(self, rules: Collection) -> None:
        first = add_and_read(rules)
        second = services.reread_document(version=first, actor=ACTOR)
        assert (second.number, second.text, second.source_id) == (2, "", first.source_id)
        ingest_version(second.pk, second.tenant_id)
        assert reload(second).is_current
        assert reload(first).text == reload(second).text

    def test_that_are_being_read_are_not_read_anew(self, rules: Collection) -> None:
        version = add(rules)
        before = everything_of(rules.tenant)
        with pytest.raises(NothingToDo, match="is being read already"):
            services.reread_document(version=version, actor=ACTOR)
        assert everything_of(rules.tenant) == before


class TestCorrections:
    def test_make_a_new_version_and_leave_the_old_one_as_it_is(self, rules: Collection) -> None:
        first = add_and_read(rules)
        services.correct_outline(
            document=first.document, opening="Section 1. Ports", actor=ACTOR, new_title="Harbours"
        )
        assert last_event(rules.tenant) == "Corrected the outline of act.md at “Section 1. Ports”"
        assert versions(rules.tenant) == [("act.md", 1, "ready", True), ("act.md", 2, "queued", False)]

    def test_that_follow_each_other_share_the_version_that_waits(self, rules: Collection) -> None:
        first = add_and_read(rules)
        for level in (1, 2, 3):
            services.correct_outline(document=first.document, opening="Ports", level=level, actor=ACTOR)
        assert [number for _, number, _, _ in versions(rules.tenant)] == [1, 2]
        with tenant_scope(rules.tenant_id):
            assert [correction.level for correction in OutlineCorrection.objects.all()] == [3]

    def test_never_bring_an_older_text_back(self, rules: Collection) -> None:
        first = add_and_read(rules)
        second = add(rules, AMENDED)
        with tenant_scope(rules.tenant_id):
            Version.objects.filter(pk=second.pk).update(state=State.CONVERTING)
        services.correct_outline(document=first.document, opening="Ports", level=2, actor=ACTOR)
        assert [number for _, number, _, _ in versions(rules.tenant)] == [1, 2]

    def test_of_what_was_never_read_are_refused(self, rules: Collection) -> None:
        document = fail(add(rules)).document
        before = everything_of(rules.tenant)
        with pytest.raises(NothingToDo, match=r"act.md has no outline yet."):
            services.correct_outline(document=document, opening="Ports", level=2, actor=ACTOR)
        assert everything_of(rules.tenant) == before

    @pytest.mark.parametrize(
        "options",
        [{"opening": ""}, {"opening": "x" * 201}, {"level": -1}, {"new_label": "x" * 301}],
    )
    def test_that_say_nothing_sensible_are_refused(self, rules: Collection, options: dict[str, Any]) -> None:
        document = add_and_read(rules).document
        before = everything_of(rules.tenant)
        with pytest.raises(ValidationError):
            services.correct_outline(document=document, actor=ACTOR, **{"opening": "Ports", **options})
        assert everything_of(rules.tenant) == before

    def test_are_taken_back_once(self, rules: Collection) -> None:
        first = add_and_read(rules)
        correction = services.correct_outline(document=first.document, opening="Ports", level=2, actor=ACTOR)
        same = OutlineCorrection(pk=correction.pk, tenant_id=rules.tenant_id, document=first.document)
        services.remove_correction(correction=correction, actor=ACTOR)
        assert last_event(rules.tenant) == "Took back the correction of act.md at “Ports”"
        before = everything_of(rules.tenant)
        services.remove_correction(correction=same, actor=ACTOR)
        assert everything_of(rules.tenant) == before
