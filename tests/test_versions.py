"""A new upload of a document is its next version: by its name, its identity, or somebody's choice."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection

from documents import services
from documents.errors import BadDates, NameTaken
from documents.models import Collection, Document, Outcome, State, Version
from documents.pipeline import ingest_version
from documents.services import Dates
from documents.unpack import Incoming
from tenants.models import AuditEvent, Membership, Role, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.factories import ACTOR

YEAR = Dates(date(2016, 1, 1), date(2016, 12, 31))


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "rules")


def add(collection: Collection, name: str, text: str, **options: Any) -> Version:
    return services.add_document(
        collection=collection,
        name=name,
        content=text.encode(),
        actor=ACTOR,
        **{"is_queued": False, **options},
    )


def test_a_file_of_another_name_is_a_version_of_the_document_of_its_identity(rules: Collection) -> None:
    first = add(rules, "2011.md", "# Rules\n\nKeep clear.", identity=" 12  CFR 1003 ")
    second = add(rules, "2012.md", "# Rules\n\nKeep well clear.", identity="12 CFR 1003")
    assert (first.outcome, second.outcome) == (Outcome.ADDED, Outcome.REPLACED)
    assert (second.document_id, second.number, second.file_name) == (first.document_id, 2, "2012.md")
    with tenant_scope(rules.tenant_id):
        document = Document.objects.get()
    assert (document.name, document.identity) == ("2011.md", "12 CFR 1003")


def test_a_document_of_the_name_gets_the_identity_unless_it_has_another(
    rules: Collection, harbour: Tenant
) -> None:
    add(rules, "rules.md", "One.")
    assert add(rules, "rules.md", "Two.", identity="A 1").number == 2
    before = everything_of(harbour)
    with pytest.raises(NameTaken, match="known as “A 1”, not as “A 2”"):
        add(rules, "rules.md", "Three.", identity="A 2")
    assert everything_of(harbour) == before


def test_the_identity_of_a_document_in_the_bin_is_free(rules: Collection) -> None:
    first = add(rules, "a.md", "One.", identity="A 1")
    services.delete_document(document=first.document, actor=ACTOR)
    second = add(rules, "b.md", "One.", identity="A 1")
    assert (second.outcome, second.number) == (Outcome.ADDED, 1)
    with pytest.raises(NameTaken, match="another document known as “A 1” in rules"):
        services.restore_document(document=first.document, actor=ACTOR)


def test_the_same_bytes_are_no_version_unless_the_last_one_was_withdrawn(rules: Collection) -> None:
    version = add(rules, "a.md", "# Rules\n\nKeep clear.")
    ingest_version(version.pk, rules.tenant_id)
    again = add(rules, "a.md", "# Rules\n\nKeep clear.")
    assert (again.pk, again.outcome) == (version.pk, Outcome.UNCHANGED)
    services.withdraw_version(version=version, actor=ACTOR)
    back = add(rules, "a.md", "# Rules\n\nKeep clear.")
    assert (back.number, back.outcome) == (2, Outcome.REPLACED)
    ingest_version(back.pk, rules.tenant_id)
    with tenant_scope(rules.tenant_id):
        assert Version.objects.head().get().number == 2


def test_days_in_force_come_with_a_file_and_go_forward(rules: Collection, harbour: Tenant) -> None:
    version = add(rules, "a.md", "One.", dates=YEAR)
    assert (version.effective_from, version.effective_to) == tuple(YEAR)
    day = Dates(date(2016, 1, 1), date(2016, 1, 1))
    assert add(rules, "b.md", "One.", dates=day).effective_to == date(2016, 1, 1)
    before = everything_of(harbour)
    with pytest.raises(BadDates, match="2015-12-31, is before the first, 2016-01-01"):
        add(rules, "c.md", "One.", dates=Dates(date(2016, 1, 1), date(2015, 12, 31)))
    assert everything_of(harbour) == before


def test_days_in_force_can_be_set_later(rules: Collection, harbour: Tenant) -> None:
    version = add(rules, "a.md", "One.")
    services.set_effective_dates(
        version=version, effective_from=date(2016, 1, 1), effective_to=None, actor=ACTOR
    )
    with tenant_scope(harbour.pk):
        assert Version.objects.get().effective_from == date(2016, 1, 1)
        event = AuditEvent.objects.get(action="version.dated")
    assert event.detail["effective_from"] == "2016-01-01"
    before = everything_of(harbour)
    with pytest.raises(BadDates):
        services.set_effective_dates(
            version=version, effective_from=date(2016, 1, 1), effective_to=date(2015, 1, 1), actor=ACTOR
        )
    services.set_effective_dates(
        version=version, effective_from=date(2016, 1, 1), effective_to=None, actor=ACTOR
    )
    assert everything_of(harbour) == before


def dates_of(version: Version) -> tuple[date | None, date | None]:
    with tenant_scope(version.tenant_id):
        return Version.objects.values_list("effective_from", "effective_to").get(pk=version.pk)


def dated(tenant: Tenant) -> list[tuple[int, str, str]]:
    with tenant_scope(tenant.pk):
        events = AuditEvent.objects.filter(action="version.dated").order_by("pk")
        details = [event.detail for event in events]
    return [(one["number"], one["effective_from"], one["effective_to"]) for one in details]


def test_the_same_bytes_with_other_days_set_them_on_the_record(rules: Collection, harbour: Tenant) -> None:
    version = add(rules, "a.md", "# Rules\n\nKeep clear.")
    ingest_version(version.pk, rules.tenant_id)
    again = add(rules, "a.md", "# Rules\n\nKeep clear.", dates=YEAR)
    assert (again.pk, again.outcome, dates_of(again)) == (version.pk, Outcome.DATED, tuple(YEAR))
    assert dated(harbour) == [(1, str(YEAR.effective_from), str(YEAR.effective_to))]
    before = everything_of(harbour)
    for dates in (YEAR, Dates(), Dates(YEAR.effective_from), Dates(None, YEAR.effective_to)):
        same = add(rules, "a.md", "# Rules\n\nKeep clear.", dates=dates)
        assert (same.pk, same.outcome) == (version.pk, Outcome.UNCHANGED)
    with pytest.raises(BadDates, match="is before the first, 2030-01-01"):
        add(rules, "a.md", "# Rules\n\nKeep clear.", dates=Dates(date(2030, 1, 1)))
    assert everything_of(harbour) == before
    other = services.replace_document(
        document=version.document,
        file_name="b.md",
        content=b"# Rules\n\nKeep clear.",
        actor=ACTOR,
        dates=Dates(None, date(2031, 12, 31)),
        is_queued=False,
    )
    assert (other.pk, other.outcome) == (version.pk, Outcome.DATED)
    assert dates_of(other) == (YEAR.effective_from, date(2031, 12, 31))


def test_the_same_bytes_with_other_days_are_a_version_if_a_baseline_holds_the_last(
    rules: Collection, harbour: Tenant
) -> None:
    version = add(rules, "a.md", "# Rules\n\nKeep clear.", dates=YEAR)
    ingest_version(version.pk, rules.tenant_id)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")  # A worker would have ended its transaction.
    services.create_baseline(collection=rules, name="Spring", actor=ACTOR)
    same = add(rules, "a.md", "# Rules\n\nKeep clear.", dates=YEAR)
    assert (same.pk, same.outcome) == (version.pk, Outcome.UNCHANGED)
    other = add(rules, "a.md", "# Rules\n\nKeep clear.", dates=Dates(None, date(2031, 12, 31)))
    assert (other.number, other.outcome) == (2, Outcome.REPLACED)
    assert dates_of(other) == (YEAR.effective_from, date(2031, 12, 31))
    assert (dates_of(version), dated(harbour)) == (tuple(YEAR), [])


def test_what_had_failed_is_tried_again_with_the_days_that_are_said_now(
    rules: Collection, harbour: Tenant
) -> None:
    version = add(rules, "a.md", "One.")
    services.cancel_version(version=version, actor=ACTOR)
    again = add(rules, "a.md", "One.", dates=YEAR)
    assert (again.pk, again.outcome, dates_of(again)) == (version.pk, Outcome.RETRIED, tuple(YEAR))
    assert dated(harbour) == [(1, str(YEAR.effective_from), str(YEAR.effective_to))]


def test_what_stood_before_a_version_that_never_did_is_a_version_when_it_is_sent_again(
    rules: Collection,
) -> None:
    """Or else whoever tries again all that failed would put the other in the place of what was sent last."""
    first = add(rules, "a.md", "# Rules\n\nKeep clear.")
    ingest_version(first.pk, rules.tenant_id)
    services.cancel_version(version=add(rules, "a.md", "# Rules\n\nCome near."), actor=ACTOR)
    third = add(rules, "a.md", "# Rules\n\nKeep clear.")
    assert (third.number, third.outcome) == (3, Outcome.REPLACED)


def test_what_is_made_from_a_version_applies_when_it_does_and_what_is_restored_from_now_on(
    rules: Collection,
) -> None:
    version = add(rules, "a.md", "# Rules\n\nKeep clear.", dates=YEAR)
    ingest_version(version.pk, rules.tenant_id)
    reread = services.reread_document(version=version, actor=ACTOR)
    ingest_version(reread.pk, rules.tenant_id)
    restored = services.restore_version(version=version, actor=ACTOR)
    assert (reread.effective_from, reread.effective_to) == tuple(YEAR)
    assert (restored.effective_from, restored.effective_to) == (None, None)


def test_whose_version_it_is_can_be_said_of_one_file(rules: Collection) -> None:
    document = add(rules, "a.md", "One.").document
    files = [Incoming("2012.md", b"Two."), Incoming("2013.md", b"Three.")]
    added = list(
        services.add_files(collection=rules, files=files, actor=ACTOR, document=document, is_queued=False)
    )
    assert added[0].version is not None
    assert (added[0].version.document_id, added[0].version.number) == (document.pk, 2)
    assert (added[1].version, "another one was taken" in added[1].problem) == (None, True)


def test_a_version_that_is_ready_was_recorded_when_the_one_before_was_superseded(rules: Collection) -> None:
    for text in ("One.", "Two.", "Three."):
        version = add(rules, "a.md", text)
        ingest_version(version.pk, rules.tenant_id)
    with tenant_scope(rules.tenant_id):
        rows = list(Version.objects.order_by("number").values_list("recorded_at", "superseded_at"))
    assert [superseded for _, superseded in rows] == [rows[1][0], rows[2][0], None]
    recorded = [at for at, _ in rows if at is not None]
    assert len(set(recorded)) == 3
    assert recorded == sorted(recorded)


class TestCommand:
    def test_the_same_file_with_other_days_says_so(
        self, harbour: Tenant, rules: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "a.md").write_text("# Rules\n\nKeep clear.")
        ingest(tmp_path / "a.md")
        ingest(tmp_path / "a.md", "--effective-from", "2011-12-30")
        with tenant_scope(harbour.pk):
            version = Version.objects.get()
        assert (version.effective_from, version.effective_to) == (date(2011, 12, 30), None)
        assert "a.md: other dates, version 1," in capsys.readouterr().out

    def test_a_file_is_named_by_identity_or_document_and_dated(
        self, rules: Collection, tmp_path: Path
    ) -> None:
        for year in (2011, 2012, 2013):
            (tmp_path / f"{year}.md").write_text(f"# Rules\n\nKeep {year} clear.")
        ingest(tmp_path / "2011.md", "--identity", "12 CFR 1003", "--effective-from", "2011-12-30")
        ingest(tmp_path / "2012.md", "--identity", "12 CFR 1003", "--effective-to", "2012-12-31")
        ingest(tmp_path / "2013.md", "--document", "2011.md")
        with tenant_scope(rules.tenant_id):
            fields = ("number", "file_name", "effective_from", "effective_to", "state")
            rows = list(Version.objects.order_by("number").values_list(*fields))
        assert rows == [
            (1, "2011.md", date(2011, 12, 30), None, State.READY),
            (2, "2012.md", None, date(2012, 12, 31), State.READY),
            (3, "2013.md", None, None, State.READY),
        ]

    def test_a_day_that_is_none_is_refused(self, rules: Collection, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_text("One.")
        before = everything_of(rules.tenant)
        with pytest.raises(CommandError, match="effective-from"):
            ingest(tmp_path / "a.md", "--effective-from", "soon")
        with pytest.raises(CommandError, match="1 of 1 files"):
            ingest(tmp_path / "a.md", "--effective-from", "2016-01-02", "--effective-to", "2016-01-01")
        assert everything_of(rules.tenant) == before


def ingest(path: Path, *options: str) -> None:
    call_command("ingest", str(path), "--tenant", "harbour", "--collection", "rules", *options)


class TestPage:
    @pytest.fixture
    def editor(self, harbour: Tenant) -> Membership:
        return factories.membership(harbour, Role.EDITOR)

    def post(self, who: Membership, document: Document, **data: Any) -> Any:
        file = SimpleUploadedFile("2012.md", b"# Rules\n\nKeep well clear.")
        url = f"/t/harbour/documents/{document.pk}/replace/"
        return client_of(who).post(url, {"file": file, **data})

    def test_an_editor_adds_a_version_from_any_file(self, rules: Collection, editor: Membership) -> None:
        document = add(rules, "a.md", "One.").document
        response = self.post(editor, document, effective_from="2016-01-01")
        assert response.status_code == 302
        with tenant_scope(rules.tenant_id):
            version = Version.objects.get(number=2)
        assert (version.document_id, version.file_name) == (document.pk, "2012.md")
        assert version.effective_from == date(2016, 1, 1)

    def test_what_is_wrong_is_said_and_changes_nothing(
        self, rules: Collection, editor: Membership, reader: Membership, harbour: Tenant
    ) -> None:
        document = add(rules, "a.md", "One.").document
        before = everything_of(harbour)
        response = self.post(editor, document, effective_from="2016-01-02", effective_to="2016-01-01")
        assert response.status_code == 422
        assert "The last day is before the first." in response.content.decode()
        assert self.post(reader, document).status_code == 403
        assert everything_of(harbour) == before


class TestReading:
    def page(self, who: Membership, document: Document, query: str) -> str:
        response = client_of(who).get(f"/t/harbour/documents/{document.pk}/?{query}")
        assert response.status_code == 200
        return str(response.content.decode())

    @pytest.fixture
    def document(self, rules: Collection) -> Document:
        """A document of two versions, of which the first applied in a year and is published."""
        for heading, dates in (("Old rules", YEAR), ("New rules", Dates(date(2017, 1, 1)))):
            version = add(rules, "a.md", f"# Act\n\n## 1 {heading}\n\nKeep clear.", dates=dates)
            ingest_version(version.pk, rules.tenant_id)
            if dates == YEAR:
                made = services.create_baseline(collection=rules, name="First", actor=ACTOR)
                services.publish_baseline(baseline=made, actor=ACTOR)
        return version.document

    @pytest.mark.parametrize(
        ("query", "heading"),
        [
            ("", "New rules"),
            ("read=head", "New rules"),
            ("read=published", "Old rules"),
            ("read=effective&day=2016-12-31", "Old rules"),
            ("read=effective&day=2017-01-01", "New rules"),
            ("read=effective:2016-06-01", "Old rules"),
        ],
    )
    def test_a_page_shows_what_is_read(
        self, reader: Membership, document: Document, query: str, heading: str
    ) -> None:
        page = self.page(reader, document, query)
        assert [one for one in ("Old rules", "New rules") if one in page] == [heading]

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("read=recorded&day=2016-01-01", "There is nothing of it to read at that time."),
            ("read=recorded&day=", "Which day do you mean?"),
            ("read=effective&day=", "Which day do you mean?"),
            ("read=recorded&day=2999-01-01", "not known yet"),
            ("read=baseline:x", "It is not the id of a baseline."),
            ("read=%3Cscript%3E", "“&lt;script&gt;” is no date."),
        ],
    )
    def test_what_cannot_be_shown_is_said(
        self, reader: Membership, document: Document, query: str, said: str
    ) -> None:
        page = self.page(reader, document, query)
        assert said in page
        assert "rules" not in page.partition("<h2>Outline</h2>")[2].partition("</section>")[0]
