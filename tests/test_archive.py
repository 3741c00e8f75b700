"""A tenant goes into a file and comes back the same: its history, its baselines, what people said."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from definitions import services as definitions
from definitions.models import (
    CrossReference,
    Definition,
    DefinitionCorrection,
    DocumentName,
    ReferenceCorrection,
)
from documents import services
from documents.archive.check import check_archive
from documents.archive.members import MANIFEST, PRODUCT_VERSION, open_archive
from documents.archive.records import (
    BadArchive,
    BadValue,
    Records,
    moment,
    read_line,
    write_line,
    write_moment,
)
from documents.archive.take_in import FINISHED, finish_import
from documents.models import (
    Baseline,
    Collection,
    Document,
    OutlineCorrection,
    Publication,
    Section,
    State,
    Version,
    WebhookDelivery,
    WebhookEvent,
)
from documents.pipeline import ingest_version
from documents.read_context import Basis, ReadContext, Selector
from documents.services import Dates
from search.evaluation.measures import read_records
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR
from tests.processes import DATA, ROOT
from tests.searching import found

ACT = """# Harbour Safety Act

## Section 1. Definitions

(a) In this Act, “vessel” means any ship, boat or craft.

(b) A rule of the port is a rule that binds every master.

## Section 2. Speed

(a) No vessel shall exceed six knots, see section 1 of the Pilotage Rules.

(b) A vessel under section 9 may exceed that speed.
"""
RULES = "# Pilotage Rules\n\n## Section 1. Pilots\n\n(a) A pilot boards outside the breakwater.\n"
FOLDER = DATA / "versions"


def add(collection: Collection, name: str, text: str, **options: Any) -> Version:
    version = services.add_document(
        collection=collection, name=name, content=text.encode(), actor=ACTOR, is_queued=False, **options
    )
    return read(version)


def read(version: Version) -> Version:
    ingest_version(version.pk, version.tenant_id)
    with tenant_scope(version.tenant_id):
        ready = Version.objects.select_related("document__collection", "document__tenant").get(pk=version.pk)
    assert ready.state == State.READY, ready.failure
    return ready


def last(document: Document) -> Version:
    with tenant_scope(document.tenant_id):
        return Version.objects.filter(document=document).order_by("-number")[0]


def check_later() -> None:
    """Go back to the usual: to read a version has all checked at once until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def keep(collection: Collection, name: str, description: str = "") -> Baseline:
    check_later()
    return services.create_baseline(collection=collection, name=name, description=description, actor=ACTOR)


def fill(tenant: Tenant) -> None:
    """Two collections with all that can happen to documents."""
    acts = services.create_collection(
        tenant=tenant, name="acts", description="Acts.\nAnd “rules”: all.", actor=ACTOR, max_chunk_tokens=100
    )
    letters = services.create_collection(tenant=tenant, name="letters", description="no", actor=ACTOR)
    act = add(acts, "act.md", ACT, identity="Act 1", dates=Dates(date(2016, 1, 1), date(2016, 12, 31)))
    spring = keep(acts, "Spring", description="Agreed.")
    services.publish_baseline(baseline=spring, actor=ACTOR)
    services.correct_outline(
        document=act.document, opening="(b) A rule of the port is", actor=ACTOR, new_title="Rules"
    )
    read(last(act.document))
    correct_findings(act.document)
    rules = add(acts, "rules.md", RULES)
    definitions.name_document(document=rules.document, name="the Pilots’ Book", actor=ACTOR)
    add(acts, "act.md", ACT.replace("six knots", "five knots"), dates=Dates(date(2017, 1, 1)))
    services.withdraw_version(version=rules, actor=ACTOR)
    read(services.restore_version(version=rules, actor=ACTOR))
    gone = add(acts, "gone.md", "# Old Rules\n\nNothing of this holds.\n")
    services.delete_document(document=gone.document, actor=ACTOR)
    back = add(letters, "letters/back.txt", "Dear harbour master, the quay is wet.\n")
    services.delete_document(document=back.document, actor=ACTOR)
    services.restore_document(document=back.document, actor=ACTOR)
    services.withdraw_version(version=add(letters, "withdrawn.txt", "A mistake.\n"), actor=ACTOR)
    factories.version(tenant, of=back.document, state=State.FAILED, number=2)
    factories.version(tenant, of=factories.document(tenant, place=letters), state=State.QUEUED)
    summer = keep(acts, "Summer")
    services.publish_baseline(baseline=summer, actor=ACTOR)
    services.unpublish_collection(collection=acts, actor=ACTOR)
    services.publish_baseline(baseline=spring, actor=ACTOR)
    with tenant_scope(tenant.pk):
        Tenant.objects.filter(pk=tenant.pk).update(keep_versions_days=365)


def correct_findings(document: Document) -> None:
    """Each correction finds everything anew, so each looks first."""
    with tenant_scope(document.tenant_id):
        vessel = Definition.objects.get(term="vessel", version__superseded_at=None)
    definitions.correct_definition(definition=vessel, actor=ACTOR, variants=["craft"])
    with tenant_scope(document.tenant_id):
        reference = CrossReference.objects.get(text__contains="section 9", version__superseded_at=None)
    definitions.correct_reference(reference=reference, actor=ACTOR, target_label="Section 2")
    definitions.add_definition(document=document, label="Section 1(b)", term="rule of the port", actor=ACTOR)


def run(*arguments: Any) -> str:
    said = StringIO()
    call_command(*(str(argument) for argument in arguments), stdout=said)
    return said.getvalue()


def refused(*arguments: Any) -> str:
    with pytest.raises(CommandError) as failed:
        run(*arguments)
    return str(failed.value)


def moments(tenant: Tenant) -> list[datetime]:
    """All times at which something happened, and those just before."""
    with tenant_scope(tenant.pk):
        fields = ("recorded_at", "superseded_at", "withdrawn_at", "document__deleted_at")
        seen = {at for row in Version.objects.values_list(*fields) for at in row if at is not None}
        for periods in Document.objects.values_list("absences", flat=True):
            seen |= {end for period in periods for end in (period.lower, period.upper)}
    return sorted(seen | {at - timedelta(microseconds=1) for at in seen})


def contexts(tenant: Tenant) -> Iterator[ReadContext]:
    yield ReadContext()
    yield ReadContext(selector=Selector.PUBLISHED)
    with tenant_scope(tenant.pk):
        baselines = list(Baseline.objects.order_by("name").values_list("pk", flat=True))
    for baseline in baselines:
        yield ReadContext(selector=Selector.BASELINE, baseline_id=baseline)
    for at in moments(tenant):
        yield ReadContext(selector=Selector.AS_OF, as_of=at)
        for day in (date(2016, 6, 1), date(2017, 6, 1)):
            noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
            yield ReadContext(selector=Selector.AS_OF, as_of=noon, basis=Basis.EFFECTIVE, known_at=at)


def reads(tenant: Tenant, which: list[ReadContext]) -> list[Any]:
    """What each read context shows."""
    with tenant_scope(tenant.pk):
        return [
            sorted(Version.objects.at(context).values_list("document__name", "number", "text", "recorded_at"))
            for context in which
        ]


def told(tenant: Tenant) -> dict[str, Any]:
    """What is made anew from texts, and has to be the same."""
    version = ("version__document__name", "version__number")
    with tenant_scope(tenant.pk):
        return {
            "sections": sorted(Section.objects.values_list(*version, "position", "label", "title", "start")),
            "definitions": sorted(
                Definition.objects.values_list(*version, "position", "term", "variants", "is_corrected")
            ),
            "references": sorted(
                CrossReference.objects.values_list(
                    *version, "position", "text", "target_document__name", "target_label", "reason"
                ),
                key=str,
            ),
            "names": sorted(DocumentName.objects.values_list("document__name", "name", "is_given")),
        }


class Moved:
    """An archive of a tenant that is not in this installation, and what that tenant could read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.again = path.with_name("again.zip")
        with transaction.atomic():
            tenant = factories.tenant("elsewhere")
            fill(tenant)
            self.said = run("export", path, "--tenant", "elsewhere")
            self.contexts = list(contexts(tenant))
            self.reads = reads(tenant, self.contexts)
            self.told = told(tenant)
            self.found = found(tenant, "section 2(a)")
            transaction.set_rollback(True)


@pytest.fixture(scope="module")
def original(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any
) -> Moved:
    with django_db_blocker.unblock():
        return Moved(tmp_path_factory.mktemp("archive") / "tenant.zip")


@pytest.fixture
def moved(original: Moved, tmp_path: Path, db: None) -> Moved:
    """The archive, to be changed at will."""
    mine = copy(original)
    mine.path, mine.again = tmp_path / "tenant.zip", tmp_path / "again.zip"
    mine.path.write_bytes(original.path.read_bytes())
    return mine


class TestRoundTrip:
    def test_gives_the_same_bytes_and_the_same_reads(self, moved: Moved, meridian: Tenant) -> None:
        assert moved.said.splitlines() == [
            "       2 collections",
            "       5 documents",
            "       8 versions",
            "       2 baselines",
            "       4 publications",
            "       1 document names",
            "       1 outline corrections",
            "       2 definition corrections",
            "       1 reference corrections",
            "       2 versions that are not ready: left out",
            "       1 documents without a ready version: left out",
        ]
        said = run("import", moved.path, "--tenant", "meridian")
        assert said.splitlines()[-9:] == moved.said.splitlines()[:9]
        assert "other sections" not in said
        assert reads(meridian, moved.contexts) == moved.reads
        assert len(moved.contexts) > 60
        assert told(meridian) == moved.told
        assert found(meridian, "section 2(a)") == moved.found != []
        run("export", moved.again, "--tenant", "meridian")
        assert moved.again.read_bytes() == moved.path.read_bytes()

    def test_keeps_ids_times_and_authors(self, moved: Moved, meridian: Tenant) -> None:
        run("import", moved.path, "--tenant", "meridian")
        versions = table(moved.path, "versions")
        with tenant_scope(meridian.pk):
            rows = {str(one.pk): one for one in Version.objects.all()}
            assert set(rows) == {one["id"] for one in versions}
            for one in versions:
                assert rows[one["id"]].recorded_at == moment(one["recorded_at"])
            baseline = Baseline.objects.get(name="Spring")
            (kept,) = (one for one in table(moved.path, "baselines") if one["name"] == "Spring")
            assert (str(baseline.pk), baseline.created_by) == (kept["id"], "tests")
            assert write_moment(baseline.created_at) == kept["created_at"]
            history = list(Publication.objects.order_by("number").values_list("number", "baseline__name"))
            assert history == [(1, "Spring"), (2, "Summer"), (3, None), (4, "Spring")]
            collection = Collection.objects.get(name="acts")
            assert (collection.max_chunk_tokens, collection.description) == (100, "Acts.\nAnd “rules”: all.")
            assert (
                OutlineCorrection.objects.count(),
                DefinitionCorrection.objects.count(),
                ReferenceCorrection.objects.count(),
            ) == (1, 2, 1)
            assert Tenant.objects.get().keep_versions_days == 365
            actions = AuditEvent.objects.filter(actor="manage.py import").values_list("action", flat=True)
            assert set(actions) == {"archive.import_begun", "archive.imported"}

    def test_can_make_the_tenant(self, moved: Moved) -> None:
        before = refused("import", moved.path, "--tenant", "lighthouse")
        assert before.startswith("No tenant 'lighthouse'.")
        run("import", moved.path, "--tenant", "lighthouse", "--create")
        run("export", moved.again, "--tenant", "lighthouse")
        assert moved.again.read_bytes() == moved.path.read_bytes()
        assert "--tenant 'A b'" in refused("import", moved.path, "--tenant", "A b", "--create")

    def test_of_some_collections(self, harbour: Tenant, tmp_path: Path) -> None:
        fill(harbour)
        run("export", tmp_path / "a.zip", "--tenant", "harbour", "--collection", "letters")
        assert [one["name"] for one in table(tmp_path / "a.zip", "collections")] == ["letters"]
        assert {one["name"] for one in table(tmp_path / "a.zip", "documents")} == {
            "letters/back.txt",
            "withdrawn.txt",
        }
        said = refused("export", tmp_path / "b.zip", "--tenant", "harbour", "--collection", "none")
        assert said.startswith("No collection 'none' in harbour.")
        assert not (tmp_path / "b.zip").exists()

    def test_leaves_what_a_tenant_has_as_it_is(self, moved: Moved, meridian: Tenant) -> None:
        collection = factories.collection(meridian, "own")
        add(collection, "act.md", ACT)
        before = everything_of(meridian)
        said = run("import", moved.path, "--tenant", "meridian")
        assert "How long old versions are kept stays as it is: the tenant was not empty." in said
        after = everything_of(meridian)
        kept = ("Tenant", "Document", "Version", "Section", "Chunk", "CrossReference", "Definition")
        for label, rows in before.items():
            if label.partition(".")[2] in kept:
                assert [row for row in after[label] if row["id"] in {one["id"] for one in rows}] == rows
        run("export", moved.again, "--tenant", "meridian", "--collection", "letters", "acts")
        again, original = unzip(moved.again), unzip(moved.path)
        assert json.loads(again.pop("tenant.jsonl")) == {"keep_versions_days": None}
        for name in ("tenant.jsonl", MANIFEST):
            again.pop(name, None), original.pop(name)
        assert again == original

    def test_of_nothing(self, harbour: Tenant, meridian: Tenant, tmp_path: Path) -> None:
        run("export", tmp_path / "a.zip", "--tenant", "harbour")
        run("import", tmp_path / "a.zip", "--tenant", "meridian")
        run("export", tmp_path / "b.zip", "--tenant", "meridian")
        assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()

    @pytest.mark.skipif(not FOLDER.is_dir(), reason="The documents are not here.")
    @pytest.mark.timeout(1200)
    def test_of_real_regulations(self, meridian: Tenant, tmp_path: Path) -> None:
        with transaction.atomic():
            harbour = factories.tenant("harbour")
            collection = factories.collection(harbour, "regulations")
            for one in read_records(FOLDER / "versions.jsonl"):
                text = (FOLDER / one["file"]).read_text()
                dates = Dates(date.fromisoformat(one["effective"]))
                add(collection, f"{one['doc']}.md", text, dates=dates)
            run("export", tmp_path / "a.zip", "--tenant", "harbour")
            which = list(contexts(harbour))
            before = reads(harbour, which)
            sections = told(harbour)["sections"]
            transaction.set_rollback(True)
        said = run("import", tmp_path / "a.zip", "--tenant", "meridian")
        assert "      19 versions" in said
        assert "other sections" not in said
        assert reads(meridian, which) == before
        assert told(meridian)["sections"] == sections
        run("export", tmp_path / "b.zip", "--tenant", "meridian")
        assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_tenant_is_copied_outside_of_any_transaction(tmp_path: Path) -> None:
    harbour, meridian = factories.tenant("harbour"), factories.tenant("meridian")
    fill(harbour)
    run("export", tmp_path / "a.zip", "--tenant", "harbour")
    run("import", tmp_path / "a.zip", "--tenant", "meridian", "--new-ids")
    plain = [one for one in contexts(harbour) if one.baseline_id is None]
    assert reads(meridian, plain) == reads(harbour, plain)
    assert told(meridian) == told(harbour)


def test_webhooks_are_told_once_of_what_came_in_and_can_be_seen(
    harbour: Tenant, meridian: Tenant, tmp_path: Path
) -> None:
    fill(harbour)
    run("export", tmp_path / "a.zip", "--tenant", "harbour")
    factories.webhook(meridian, WebhookEvent.VERSION_READY)
    run("import", tmp_path / "a.zip", "--tenant", "meridian", "--new-ids")
    with tenant_scope(meridian.pk):
        told = [json.loads(one.payload) for one in WebhookDelivery.objects.all()]
        seen = Version.objects.head().values_list("pk", flat=True)
        assert sorted(one["version"]["id"] for one in told) == sorted(map(str, seen))
    assert sorted(one["document"]["name"] for one in told) == ["act.md", "letters/back.txt", "rules.md"]


class TestIds:
    def test_that_are_taken_are_refused_unless_new_ones_are_wanted(
        self, harbour: Tenant, meridian: Tenant, tmp_path: Path
    ) -> None:
        fill(harbour)
        path = tmp_path / "a.zip"
        run("export", path, "--tenant", "harbour")
        before = everything_of(harbour), everything_of(meridian)
        said = refused("import", path, "--tenant", "meridian")
        assert said.startswith(f"{path}: Ids of the archive are taken in this installation")
        assert "--new-ids" in said
        assert "a collection acts, letters already" in refused(
            "import", path, "--tenant", "harbour", "--new-ids"
        )
        refused("import", path, "--tenant", "new", "--create")
        assert (everything_of(harbour), everything_of(meridian)) == before
        with pytest.raises(CommandError, match="No tenant 'new'"):
            run("export", tmp_path / "b.zip", "--tenant", "new")
        run("import", path, "--tenant", "meridian", "--new-ids")
        plain = [one for one in contexts(harbour) if one.baseline_id is None]
        assert reads(meridian, plain) == reads(harbour, plain)
        assert told(meridian) == told(harbour)
        with tenant_scope(meridian.pk):
            ids = {str(pk) for pk in Version.objects.values_list("pk", flat=True)}
        assert ids.isdisjoint(one["id"] for one in table(path, "versions"))
        assert everything_of(harbour) == {**before[0]}
        assert "a collection acts" in refused("import", path, "--tenant", "meridian", "--new-ids")

    @pytest.mark.parametrize(
        ("name", "factory"),
        [
            ("collections", factories.collection),
            ("documents", factories.document),
            ("versions", factories.version),
            ("baselines", factories.baseline),
        ],
    )
    def test_of_another_tenant_are_refused(
        self, moved: Moved, harbour: Tenant, meridian: Tenant, name: str, factory: Callable[[Tenant], Any]
    ) -> None:
        check_later()
        foreign = factory(harbour).pk
        own = table(moved.path, name)[0]["id"]
        forge(moved.path, lambda text: text.replace(own, str(foreign)))
        before = everything_of(harbour), everything_of(meridian)
        assert "Ids of the archive are taken" in refused("import", moved.path, "--tenant", "meridian")
        assert (everything_of(harbour), everything_of(meridian)) == before


class TestInterrupted:
    def test_it_goes_on_and_nothing_is_seen_before_the_end(
        self, moved: Moved, meridian: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        command = "documents.management.commands.import.ingest_version"
        done: list[UUID] = []

        def dies(version_id: UUID, tenant_id: UUID) -> None:
            if len(done) == 3:
                raise KeyboardInterrupt
            ingest_version(version_id, tenant_id)
            done.append(version_id)

        with monkeypatch.context() as patched:
            patched.setattr(command, dies)
            with pytest.raises(KeyboardInterrupt):
                run("import", moved.path, "--tenant", "meridian")
        with tenant_scope(meridian.pk):
            assert Version.objects.readable().count() == 3
            Version.objects.filter(state=State.QUEUED).update(state=State.FAILED, failure="It is broken.")
        assert [shown for shown in reads(meridian, moved.contexts) if shown] == []
        said = run("import", moved.path, "--tenant", "meridian")
        assert said.startswith("[1/5] ")
        assert reads(meridian, moved.contexts) == moved.reads
        assert told(meridian) == moved.told
        run("export", moved.again, "--tenant", "meridian")
        assert moved.again.read_bytes() == moved.path.read_bytes()

    def test_what_cannot_be_read_is_tried_again(
        self, moved: Moved, meridian: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(version_id: UUID, tenant_id: UUID) -> None:
            with tenant_scope(tenant_id):
                Version.objects.filter(pk=version_id).update(
                    state=State.FAILED, failure="No embedder. Start it."
                )

        with monkeypatch.context() as patched:
            patched.setattr("documents.management.commands.import.ingest_version", fails)
            said = refused("import", moved.path, "--tenant", "meridian")
        assert said.startswith("8 of 8 versions could not be read, and nothing is shown yet.")
        assert [shown for shown in reads(meridian, moved.contexts) if shown] == []
        run("import", moved.path, "--tenant", "meridian")
        assert reads(meridian, moved.contexts) == moved.reads

    def test_what_was_deleted_meanwhile_is_said(
        self, moved: Moved, meridian: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patched:
            patched.setattr("documents.management.commands.import.versions_to_read", lambda own: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                run("import", moved.path, "--tenant", "meridian")
        with tenant_scope(meridian.pk):
            Document.objects.filter(name="act.md").delete()
        before = everything_of(meridian)
        assert "somebody has deleted or restored" in refused("import", moved.path, "--tenant", "meridian")
        assert everything_of(meridian) == before
        with tenant_scope(meridian.pk):
            collections = list(Collection.objects.all())
        for collection in collections:
            services.delete_collection(collection=collection, actor=ACTOR)
        run("import", moved.path, "--tenant", "meridian")
        assert reads(meridian, moved.contexts) == moved.reads

    def test_what_was_added_meanwhile_stands_in_the_way(
        self, moved: Moved, meridian: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def adds(own: Any, **options: Any) -> Any:
            with tenant_scope(meridian.pk):
                acts = Collection.objects.select_related("tenant").get(name="acts")
            added.append(add(acts, "act.md", RULES).document)
            return finish_import(own, **options)

        added: list[Document] = []
        with monkeypatch.context() as patched:
            patched.setattr("documents.management.commands.import.finish_import", adds)
            assert "somebody has added a document" in refused("import", moved.path, "--tenant", "meridian")
        with tenant_scope(meridian.pk):
            assert list(Version.objects.head().values_list("document", flat=True)) == [added[0].pk]
        services.delete_document(document=added[0], actor=ACTOR)
        services.purge_document(document=added[0], actor=ACTOR)
        run("import", moved.path, "--tenant", "meridian")
        assert reads(meridian, moved.contexts) == moved.reads

    def test_it_is_finished_once(self, moved: Moved, meridian: Tenant) -> None:
        run("import", moved.path, "--tenant", "meridian")
        before = everything_of(meridian)
        assert "acts, letters already" in refused("import", moved.path, "--tenant", "meridian")
        assert everything_of(meridian) == before
        with tenant_scope(meridian.pk):
            assert AuditEvent.objects.filter(action=FINISHED).count() == 1


def table(path: Path, name: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(path) as archive:
        return [json.loads(line) for line in archive.read(f"{name}.jsonl").decode().splitlines()]


Members = dict[str, bytes]


def unzip(path: Path) -> Members:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rezip(path: Path, members: Members, *, method: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def sign(members: Members) -> None:
    """Let the manifest say what is in the archive now, as whoever forges one does."""
    manifest = json.loads(members[MANIFEST])
    signed = [name for name in members if name.endswith((".jsonl", ".yaml"))]
    manifest["digests"] = {name: sha256(members[name]).hexdigest() for name in signed}
    members[MANIFEST] = json.dumps(manifest).encode()


def forge(path: Path, change: Callable[[str], str], *, only: str = "") -> None:
    """Change the tables of an archive, with hashes that fit."""
    members = unzip(path)
    for name in list(members):
        if name.endswith((".jsonl", ".yaml")) and name.startswith(only):
            members[name] = change(members[name].decode()).encode()
    sign(members)
    rezip(path, members)


def rewrite(path: Path, name: str, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change the rows of one table."""
    rows = table(path, name)
    change(rows)
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    forge(path, lambda _: text, only=f"{name}.jsonl")


FUTURE = write_moment(datetime.now(UTC) + timedelta(days=2))
PAST = "2001-01-01T00:00:00.000000Z"
STRAY = str(uuid4())


def row(index: int, **changes: Any) -> Callable[[list[dict[str, Any]]], object]:
    return lambda rows: rows[index].update(changes)


FORGERIES: list[tuple[str, Callable[[list[dict[str, Any]]], object], str]] = [
    ("tenant", row(0, keep_versions_days=0), "0 is no whole number"),
    ("tenant", row(0, keep_versions_days=36_501), "36501 is no whole number from 1 to 36500"),
    ("tenant", lambda rows: rows.clear(), "tenant: there is not one line"),
    ("collections", row(0, id="x"), "is no id"),
    ("collections", row(0, name="other"), "not one configuration for each"),
    ("collections", row(0, more=1), "it should have the keys id, name, created_at"),
    ("documents", row(0, name="../etc/passwd"), "its name or its identity cannot be"),
    ("documents", row(0, name=""), "a text is empty"),
    ("documents", row(0, name="a\x00b"), "cannot be kept"),
    ("documents", row(0, identity=" a  b"), "its name or its identity cannot be"),
    ("documents", row(0, collection=STRAY), "documents: a collection is not in the archive"),
    ("documents", row(0, absences=[[FUTURE, PAST]]), "the earlier first"),
    ("documents", row(0, deleted_at=FUTURE), "lies in the future"),
    ("documents", row(0, created_at="yesterday"), "is no time"),
    ("documents", row(0, created_at="2016-01-01T00:00:00+00:00"), "no time as they are written here"),
    ("documents", lambda rows: rows.append(rows[0]), "documents: an id is there twice"),
    ("documents", lambda rows: rows.pop(), "is not in the archive"),
    ("versions", row(0, document=STRAY), "versions: a document is not in the archive"),
    ("versions", row(0, number=0), "0 is no whole number from 1"),
    ("versions", row(0, number=True), "true is no whole number"),
    ("versions", row(0, number=2**31), "no whole number"),
    ("versions", row(0, recorded_at=None), "null is no text"),
    ("versions", row(0, superseded_at=PAST), "its times are out of order"),
    ("versions", row(0, superseded_at=None, withdrawn_at=FUTURE), "its times are out of order"),
    ("versions", row(0, effective_from="2016-01-02", effective_to="2016-01-01"), "is before the first"),
    ("versions", row(0, effective_from="2016-13-01"), "is no day"),
    ("versions", row(0, file_name="a/../b"), "its file name cannot be"),
    ("versions", row(0, source="../../etc/passwd"), "is no SHA-256"),
    ("versions", row(0, text="0" * 64), "texts: files are missing"),
    ("versions", row(0, pages=[-1]), "-1 is no whole number"),
    ("versions", row(0, title="x" * 501), "a text has 501 characters, and 500 is the most"),
    (
        "versions",
        lambda rows: [one.update(superseded_at=None, withdrawn_at=None) for one in rows],
        "two current versions",
    ),
    ("versions", lambda rows: [one.update(recorded_at=PAST) for one in rows], "current at the same time"),
    ("baselines", row(0, versions=[]), "baselines: "),
    ("baselines", row(0, versions=[STRAY]), "baselines: a version is not in the archive"),
    ("baselines", lambda rows: rows[0].update(versions=rows[0]["versions"] * 2), "not one version of each"),
    ("baselines", row(0, collection=STRAY), "baselines: a collection is not in the archive"),
    ("publications", row(0, number=9), "not counted from 1"),
    ("publications", row(0, baseline=STRAY), "publications: a baseline is not in the archive"),
    ("document_names", row(0, document=STRAY), "document_names: a document is not in the archive"),
    ("outline_corrections", row(0, level=-1), "-1 is no whole number"),
    ("definition_corrections", row(0, variants="x"), "is no list"),
    ("reference_corrections", row(0, target_document=STRAY), "a target is not in the archive"),
    ("reference_corrections", lambda rows: rows.append(rows[0]), "words is there twice"),
]


class TestForgeries:
    """What an archive says is checked before anything is written."""

    @pytest.fixture
    def path(self, moved: Moved) -> Path:
        return moved.path

    def require_refused(self, path: Path, tenant: Tenant, reason: str) -> None:
        before = everything_of(tenant)
        assert reason in refused("import", path, "--tenant", tenant.slug)
        assert everything_of(tenant) == before

    @pytest.mark.parametrize(("name", "change", "reason"), FORGERIES)
    def test_a_row_that_cannot_be_is_refused(
        self, path: Path, meridian: Tenant, name: str, change: Any, reason: str
    ) -> None:
        rewrite(path, name, change)
        self.require_refused(path, meridian, reason)

    @pytest.mark.parametrize("line", ["", "{", "[]", "null", "[" * 100_000, "\ufeff{}", '{"id": NaN}'])
    def test_a_line_that_is_none_is_refused(self, path: Path, meridian: Tenant, line: str) -> None:
        forge(path, lambda text: text + line + "\n", only="documents")
        self.require_refused(path, meridian, "documents.jsonl, line 6: ")

    def test_a_configuration_that_cannot_be_is_refused(self, path: Path, meridian: Tenant) -> None:
        forge(path, lambda text: text.replace("top_k: 10", "top_k: 0"), only="collections/acts")
        self.require_refused(path, meridian, "`top_k`: 0 is out of bounds.")

    def test_a_language_that_is_not_here_is_refused(self, path: Path, meridian: Tenant) -> None:
        forge(path, lambda text: text.replace("english", "klingon"), only="collections/acts")
        self.require_refused(path, meridian, "PostgreSQL knows no “klingon” here")

    def change(self, path: Path, change: Callable[[Members], object], **options: Any) -> None:
        members = unzip(path)
        change(members)
        rezip(path, members, **options)

    @pytest.mark.parametrize("folder", ["sources", "texts"])
    def test_a_file_that_is_damaged_is_refused(self, path: Path, meridian: Tenant, folder: str) -> None:
        def damage(members: Members) -> None:
            name = next(name for name in members if name.startswith(folder))
            members[name] = b"?" + members[name][1:]

        self.change(path, damage)
        self.require_refused(path, meridian, "it is damaged.")

    @pytest.mark.parametrize("content", [b"\xff", b" \n", b"a\x00b"])
    def test_a_text_that_is_none_is_refused(self, path: Path, meridian: Tenant, content: bytes) -> None:
        old = table(path, "versions")[0]["text"]
        new = sha256(content).hexdigest()
        forge(path, lambda text: text.replace(old, new))

        def exchange(members: Members) -> None:
            del members[f"texts/{old}"]
            members[f"texts/{new}"] = content

        self.change(path, exchange)
        self.require_refused(path, meridian, "it is no text.")

    def test_a_table_that_is_not_signed_is_refused(self, path: Path, meridian: Tenant) -> None:
        self.change(path, lambda members: members.update({"documents.jsonl": b""}))
        self.require_refused(path, meridian, "The archive is damaged")

    def test_an_archive_of_another_format_is_refused(self, path: Path, meridian: Tenant) -> None:
        for old, new, reason in (
            (b'"format_version": 1', b'"format_version": 2', "of format 2, and 1 is read here"),
            (b"pandect-archive", b"something-else", "was not written by `manage.py export`"),
            (b'"counts"', b'"count"', "damaged"),
        ):
            members = unzip(path)
            members[MANIFEST] = members[MANIFEST].replace(old, new)
            rezip(path.with_name("other.zip"), members)
            self.require_refused(path.with_name("other.zip"), meridian, reason)

    @pytest.mark.parametrize(
        "name",
        [
            "../evil",
            "/etc/passwd",
            "sources/short",
            "collections/a b.yaml",
            "evil.jsonl",
            "sources/",
            "C:\\x",
        ],
    )
    def test_other_names_are_refused(self, path: Path, meridian: Tenant, name: str) -> None:
        self.change(path, lambda members: members.update({name: b"x"}))
        self.require_refused(path, meridian, "was not written by `manage.py export`")

    def test_what_is_compressed_is_refused(self, path: Path, meridian: Tenant) -> None:
        bomb = {f"sources/{'0' * 64}": bytes(50_000_000)}
        self.change(path, lambda members: members.update(bomb), method=zipfile.ZIP_DEFLATED)
        assert path.stat().st_size < 500_000
        self.require_refused(path, meridian, "was packed anew")

    def test_members_over_members_are_refused(self, path: Path, meridian: Tenant) -> None:
        with zipfile.ZipFile(path, "a") as archive:
            names = [name for name in archive.namelist() if name.startswith("sources/")]
            for number in range(2000):
                entry = zipfile.ZipInfo(f"sources/{number:064x}")
                first = archive.getinfo(names[0])
                entry.header_offset, entry.CRC = first.header_offset, first.CRC
                entry.file_size = entry.compress_size = 10_000
                archive.filelist.append(entry)
                archive.NameToInfo[entry.filename] = entry
            archive._didModify = True  # type: ignore[attr-defined]
        self.require_refused(path, meridian, "was not written by")

    def test_a_file_that_is_too_large_is_refused(self, path: Path, meridian: Tenant, settings: Any) -> None:
        settings.MAX_FILE_MB = 0
        self.require_refused(path, meridian, "PANDECT_MAX_FILE_MB")

    @pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip", b"PK\x05\x06" + bytes(18)])
    def test_what_is_no_archive_is_refused(self, meridian: Tenant, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "a.zip").write_bytes(content)
        before = everything_of(meridian)
        assert refused("import", tmp_path / "a.zip", "--tenant", "meridian").endswith(".")
        assert everything_of(meridian) == before
        assert "There is no file" in refused("import", tmp_path, "--tenant", "meridian")

    @pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
    def test_what_is_cut_off_is_refused(self, path: Path, meridian: Tenant, share: float) -> None:
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * share)])
        self.require_refused(path, meridian, "damaged")


@settings(deadline=None, max_examples=200, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(0, 10**7), st.binary(max_size=4)), min_size=1, max_size=4))
def test_whatever_is_damaged_an_archive_is_read_or_refused(
    original: Moved, tmp_path_factory: pytest.TempPathFactory, damages: list[tuple[int, bytes]]
) -> None:
    content = bytearray(original.path.read_bytes())
    for position, piece in damages:
        start = position % len(content)
        content[start : start + len(piece)] = piece
    path = tmp_path_factory.getbasetemp() / "damaged.zip"
    path.write_bytes(content)
    with suppress(BadArchive), open_archive(path, largest=10**6) as opened:
        check_archive(opened, now=datetime.now(UTC))


class TestExport:
    def test_nothing_of_another_tenant_is_in_it(
        self, harbour: Tenant, meridian: Tenant, tmp_path: Path
    ) -> None:
        factories.one_of_each(meridian)
        fill(harbour)
        before = everything_of(meridian)
        run("export", tmp_path / "a.zip", "--tenant", "harbour")
        content = (tmp_path / "a.zip").read_bytes().decode("latin-1")
        with tenant_scope(meridian.pk):
            foreign = [
                *Document.objects.values_list("pk", flat=True),
                *Version.objects.values_list("pk", flat=True),
            ]
        assert foreign
        assert [one for one in foreign if str(one) in content] == []
        assert everything_of(meridian) == before

    def test_a_file_is_not_written_over_and_read_by_nobody_else(
        self, harbour: Tenant, tmp_path: Path
    ) -> None:
        path = tmp_path / "a.zip"
        run("export", path, "--tenant", "harbour")
        assert path.stat().st_mode & 0o777 == 0o600
        content = path.read_bytes()
        assert refused("export", path, "--tenant", "harbour").endswith("Name another file, or delete it.")
        assert path.read_bytes() == content
        assert "cannot be written" in refused("export", tmp_path / "no" / "a.zip", "--tenant", "harbour")
        assert [one.name for one in tmp_path.iterdir()] == ["a.zip"]

    def test_it_is_on_the_record(self, harbour: Tenant, tmp_path: Path) -> None:
        run("export", tmp_path / "a.zip", "--tenant", "harbour")
        with tenant_scope(harbour.pk):
            event = AuditEvent.objects.get(action="tenant.exported")
        assert (event.actor, event.target) == ("manage.py export", "a.zip")

    def test_it_knows_the_version_of_the_product(self) -> None:
        assert f"## {PRODUCT_VERSION}" in (ROOT / "CHANGELOG.md").read_text()

    def test_a_description_that_no_file_could_hold_is_refused(self, harbour: Tenant, tmp_path: Path) -> None:
        factories.collection(harbour, "long")
        with tenant_scope(harbour.pk):
            Collection.objects.update(description="x" * 100_001)
        assert "Shorten its description" in refused("export", tmp_path / "a.zip", "--tenant", "harbour")
        assert list(tmp_path.iterdir()) == []


class TestLines:
    def test_times_are_written_in_one_way(self) -> None:
        at = datetime(2016, 3, 1, 12, tzinfo=UTC)
        assert write_moment(at) == "2016-03-01T12:00:00.000000Z"
        assert moment("2016-03-01T12:00:00.000000Z") == at
        for other in ("2016-03-01", "2016-03-01T12:00:00Z", "2016-03-01T13:00:00.000000+01:00", 1, None, "Z"):
            with pytest.raises(BadValue):
                moment(other)

    def test_an_empty_archive_has_no_last_moment(self) -> None:
        assert max(Records().moments(), default=None) is None

    def test_lines_are_read_as_they_are_written(self, harbour: Tenant, tmp_path: Path) -> None:
        from documents.archive.records import KIND_OF

        fill(harbour)
        run("export", tmp_path / "a.zip", "--tenant", "harbour")
        members = unzip(tmp_path / "a.zip")
        for name, kind in KIND_OF.items():
            lines = members[f"{name}.jsonl"].decode().splitlines(keepends=True)
            assert lines
            assert [write_line(read_line(kind, line)) for line in lines] == lines
