"""Reading files and printing outlines from the command line."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, OutputWrapper

from documents import services
from documents.demo import DEMO_FILES
from documents.load_demo import load_demo_documents
from documents.management.commands import ingest
from documents.management.progress import Progress, failure_table, reason_and_cure
from documents.models import Collection, Document, State, Version
from documents.pipeline import ingest_version
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR

ACT = "# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n\n(b) A quay too.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    (corpus / "acts").mkdir(parents=True)
    (corpus / "acts" / "act.md").write_text(ACT)
    (corpus / "notice.txt").write_text("Ships keep to the right.\n")
    return corpus


def run(*arguments: Any, tty: bool = False) -> str:
    said = StringIO()
    said.isatty = lambda: tty  # type: ignore[method-assign]
    call_command(*(str(argument) for argument in arguments), stdout=said)
    return said.getvalue()


def run_failing(*arguments: Any) -> tuple[str, str]:
    said = StringIO()
    with pytest.raises(CommandError) as failed:
        call_command(*(str(argument) for argument in arguments), stdout=said)
    assert failed.value.returncode == 1
    return said.getvalue(), str(failed.value)


def read(path: Path, *options: str) -> tuple[Any, ...]:
    return "ingest", path, "--tenant", "harbour", "--collection", "rules", *options


class TestIngest:
    def test_reads_a_folder(self, harbour: Tenant, folder: Path) -> None:
        lines = run(*read(folder, "--create")).splitlines()
        assert lines[0].startswith("[1/2] notice.txt: added, version 1, 1 section, 1 chunk, structure ")
        assert lines[1].startswith("[2/2] acts/act.md: added, version 1, 4 sections, ")
        assert lines[2].startswith("2 of 2 files read in ")
        with tenant_scope(harbour.pk):
            assert Version.objects.head().count() == 2
            assert AuditEvent.objects.filter(actor="manage.py ingest").count() == 3

    def test_reads_a_file(self, harbour: Tenant, folder: Path) -> None:
        assert "[1/1] act.md: added" in run(*read(folder / "acts" / "act.md", "--create"))

    def test_says_what_is_unchanged_and_what_is_new(self, harbour: Tenant, folder: Path) -> None:
        run(*read(folder, "--create"))
        (folder / "notice.txt").write_text("Ships keep to the left.\n")
        said = run(*read(folder))
        assert "notice.txt: new version, version 2" in said
        assert "acts/act.md: unchanged, version 1" in said

    def test_goes_on_after_a_bad_file_and_says_so_in_the_end(self, harbour: Tenant, folder: Path) -> None:
        (folder / "a-empty.md").write_text("")
        (folder / "b-noise.bin").write_bytes(bytes(range(256)) * 20)
        said, error = run_failing(*read(folder, "--create"))
        assert error == "2 of 4 files could not be read."
        assert "[1/4] a-empty.md: failed" in said
        assert "2 of 4 files read in " in said
        table = said.split("\n\n")[1].splitlines()
        assert table[0].split() == ["File", "Reason", "Cure"]
        assert table[2].startswith("a-empty.md ")
        with tenant_scope(harbour.pk):
            assert Version.objects.head().count() == 2

    def test_draws_a_bar_on_a_terminal(self, harbour: Tenant, folder: Path) -> None:
        said = run(*read(folder, "--create"), tty=True)
        assert "\r\x1b[K" + "█" * 12 + "░" * 12 + " 1/2 0 failed" in said
        assert "█" * 24 + " 2/2 0 failed" in said

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (
                ["ingest", "/nowhere/at/all", "--tenant", "harbour", "--collection", "x"],
                "There is no file and no folder /nowhere",
            ),
            (
                ["ingest", ".", "--tenant", "nobody", "--collection", "x"],
                "No tenant 'nobody'. There are: harb",
            ),
            (["ingest", ".", "--tenant", "harbour", "--collection", "x"], "No collection 'x' in harbour."),
            (
                ["ingest", ".", "--tenant", "harbour", "--collection", "a b", "--create"],
                "Use letters, digits",
            ),
        ],
    )
    def test_says_what_is_wrong(self, harbour: Tenant, arguments: list[str], reason: str) -> None:
        before = everything_of(harbour)
        assert reason in run_failing(*arguments)[1]
        assert everything_of(harbour) == before

    def test_takes_up_what_an_earlier_run_left(self, harbour: Tenant, folder: Path) -> None:
        collection = factories.collection(harbour, "rules")
        services.add_document(
            collection=collection, name="notice.txt", content=b"Keep right.\n", actor=ACTOR, is_queued=False
        )
        (folder / "notice.txt").write_text("Keep right.\n")
        assert "notice.txt: unchanged, version 1, 1 section" in run(*read(folder))

    def test_waits_for_a_worker_that_was_faster(
        self, harbour: Tenant, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def worker_has_it(version_id: Any, tenant_id: Any) -> None:
            with tenant_scope(tenant_id):
                Version.objects.filter(pk=version_id).update(state=State.PARSING)

        def worker_is_done(seconds: float) -> None:
            with tenant_scope(harbour.pk):
                waiting = Version.objects.get(state=State.PARSING)
                Version.objects.filter(pk=waiting.pk).update(state=State.QUEUED)
            ingest_version(waiting.pk, harbour.pk)

        monkeypatch.setattr(ingest, "ingest_version", worker_has_it)
        monkeypatch.setattr("documents.management.commands.ingest.time.sleep", worker_is_done)
        assert "2 of 2 files read" in run(*read(folder, "--create"))

    def test_does_not_wait_for_ever(
        self, harbour: Tenant, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = iter(range(0, 10_000, 200))
        monkeypatch.setattr(ingest, "ingest_version", lambda *ids: None)
        monkeypatch.setattr("documents.management.commands.ingest.time.sleep", lambda seconds: None)
        monkeypatch.setattr("documents.management.commands.ingest.time.monotonic", lambda: next(clock))
        assert "A worker has had it in hand for too long" in ingest_one(factories.collection(harbour))


def ingest_one(collection: Collection) -> str:
    version = services.add_document(
        collection=collection, name="a.md", content=b"A", actor=ACTOR, is_queued=False
    )
    return ingest.read_now(services.Added("a.md", version))[1]


class TestOutline:
    @pytest.fixture
    def act(self, harbour: Tenant) -> Version:
        return self.add(factories.collection(harbour, "rules"))

    def add(self, collection: Collection, text: str = ACT) -> Version:
        version = services.add_document(
            collection=collection, name="act.md", content=text.encode(), actor=ACTOR, is_queued=False
        )
        ingest_version(version.pk, version.tenant_id)
        return version

    def test_prints_the_tree(self, act: Version) -> None:
        lines = run("outline", "act.md", "--tenant", "harbour").splitlines()
        assert lines[0] == "act.md, version 1, structure: high"
        assert [line for line in lines if "Section 1  Ports" in line]
        indents = {line.strip().split("  ")[0]: len(line) - len(line.lstrip()) for line in lines[1:]}
        assert indents["Section 1(a)"] == indents["Section 1"] + 2 == indents["Section 1(b)"]

    def test_finds_by_id_and_by_version(self, act: Version) -> None:
        self.add(act.document.collection, ACT.replace("Ports", "Harbours"))
        assert "Harbours" in run("outline", act.document_id, "--tenant", "harbour")
        said = run("outline", "act.md", "--tenant", "harbour", "--version", "1")
        assert said.startswith("act.md, version 1, ")
        assert "Ports" in said

    def test_asks_which_of_two(self, act: Version, harbour: Tenant) -> None:
        self.add(factories.collection(harbour, "other"))
        _, error = run_failing("outline", "act.md", "--tenant", "harbour")
        assert error == "'act.md' is in several collections. Say which with --collection: other, rules."
        assert run("outline", "act.md", "--tenant", "harbour", "--collection", "rules")

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["none.md"], "No document 'none.md'. There are: act.md."),
            (["act.md", "--collection", "x"], "No collection 'x' in harbour. There are: rules."),
            (["act.md", "--version", "9"], "act.md has no version 9. There are: 1."),
            (["00000000-0000-0000-0000-000000000000"], "No document"),
        ],
    )
    def test_says_what_there_is(self, act: Version, arguments: list[str], reason: str) -> None:
        assert reason in run_failing("outline", *arguments, "--tenant", "harbour")[1]

    def test_says_why_there_is_none(self, harbour: Tenant) -> None:
        collection = factories.collection(harbour, "rules")
        services.add_document(
            collection=collection, name="new.md", content=b"x", actor=ACTOR, is_queued=False
        )
        assert "new.md is not read yet." in run_failing("outline", "new.md", "--tenant", "harbour")[1]
        factories.version(
            harbour,
            of=factories.document(harbour, place=collection, name="bad.md"),
            state=State.FAILED,
        )
        assert run_failing("outline", "bad.md", "--tenant", "harbour")[1] == "It is broken. Mend it."

    def test_cuts_long_titles(self, harbour: Tenant) -> None:
        self.add(factories.collection(harbour, "rules"), f"# Act\n\n## Section 1. {'long ' * 60}\n\nText.\n")
        lines = run("outline", "act.md", "--tenant", "harbour").splitlines()
        assert max(map(len, lines)) < 110
        assert lines[-1].endswith("…")


class TestProgress:
    def test_counts_more_than_was_announced(self) -> None:
        said = StringIO()
        progress = Progress(OutputWrapper(said), total=1)
        for name in ("a", "b"):
            progress.advance(name, "added", "")
        assert said.getvalue() == "[1/1] a: added\n[2/2] b: added\n"

    @pytest.mark.parametrize(
        ("problem", "expected"),
        [
            ("It is broken. Mend it. Then try.", ("It is broken.", "Mend it. Then try.")),
            ("It is broken.", ("It is broken.", "")),
            ("", ("", "")),
        ],
    )
    def test_parts_reason_and_cure(self, problem: str, expected: tuple[str, str]) -> None:
        assert reason_and_cure(problem) == expected

    @pytest.mark.parametrize("width", [20, 80, 200])
    def test_tables_lose_no_word(self, width: int) -> None:
        failures = [("a" * 50, "It is broken. Mend it."), ("b.md", "Empty. Write something into it.")]
        text = "".join(failure_table(failures, width))
        for word in ("broken.", "Mend", "something", "b.md"):
            assert word in text
        assert text.count("a") >= 50


class TestDemo:
    def test_is_loaded_once(self, harbour: Tenant) -> None:
        made = list(load_demo_documents())
        assert made[0] == "Made the collection harbour-rules."
        assert len(made) == 1 + len(DEMO_FILES)
        before = everything_of(harbour)
        assert list(load_demo_documents()) == []
        assert everything_of(harbour) == before

    def test_every_file_becomes_ready(self, harbour: Tenant) -> None:
        list(load_demo_documents())
        with tenant_scope(harbour.pk):
            waiting = list(Version.objects.open())
        for version in waiting:
            ingest_version(version.pk, version.tenant_id)
        with tenant_scope(harbour.pk):
            assert Version.objects.head().count() == Document.objects.count() == len(DEMO_FILES)
