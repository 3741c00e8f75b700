"""From a file to a version: whole or not at all, whoever dies on the way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from documents import pipeline, publish, services, tasks
from documents.chunk import Piece
from documents.claim import Claim, ClaimLost, advance, claim_version, fail_version, stuck_after
from documents.convert import Converted, convert_in_child
from documents.errors import Encrypted
from documents.models import Chunk, Collection, Section, State, Version
from documents.parse import Unit
from documents.pipeline import ingest_version
from documents.publish import OPENING, insert_rows, opening_words, page_range, unique_labels
from documents.reconcile import MOST_ATTEMPTS, release_stuck_versions, waiting_untold
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR

ACT = b"""# Harbour Act

## Section 1. Ports

(a) A port must be kept clear.

(b) A port includes its quays.

## Section 2. Ships

A ship may not be left alone.
"""
AMENDED = ACT.replace(b"quays", b"quays and jetties")


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "rules")


@pytest.fixture
def version(rules: Collection) -> Version:
    return add(rules)


def add(collection: Collection, content: bytes = ACT, name: str = "act.md") -> Version:
    return services.add_document(
        collection=collection, name=name, content=content, actor=ACTOR, is_queued=False
    )


def read(version: Version) -> Version:
    ingest_version(version.pk, version.tenant_id)
    return reload(version)


def go_on(version: Version) -> None:
    """Do what the queues do, one step after another, until it ends."""
    steps = {
        State.QUEUED: pipeline.read_waiting,
        State.CONTEXTUALIZING: pipeline.contextualize_waiting,
        State.EMBEDDING: pipeline.embed_waiting,
    }
    while (state := State(reload(version).state)).is_open:
        assert steps[state](version.pk, version.tenant_id)


def reload(version: Version) -> Version:
    with tenant_scope(version.tenant_id):
        return Version.objects.select_related("document__collection", "document__tenant").get(pk=version.pk)


def change(version: Version, **fields: Any) -> None:
    with tenant_scope(version.tenant_id):
        Version.objects.filter(pk=version.pk).update(**fields)


def rows_of(version: Version) -> tuple[list[Section], list[Chunk]]:
    with tenant_scope(version.tenant_id):
        return (
            list(Section.objects.filter(version=version).select_related("parent").order_by("position")),
            list(Chunk.objects.filter(version=version).select_related("section").order_by("position")),
        )


def said(version: Version) -> list[tuple[Any, ...]]:
    """What was read from a version, without the ids, which are new each time."""
    sections, chunks = rows_of(version)
    return [
        *((s.position, s.label, s.title, s.level, s.path, s.start, s.end) for s in sections),
        *((c.position, c.section.position, c.start, c.end, c.digest, c.type) for c in chunks),
    ]


class TestReading:
    def test_makes_a_version_ready(self, version: Version) -> None:
        done = read(version)
        assert (done.state, done.failure, done.attempts) == ("ready", "", 1)
        assert (done.text, done.is_markdown, done.grade) == (ACT.decode(), True, "high")
        assert done.recorded_at is not None
        assert done.is_current

    def test_writes_the_tree(self, version: Version) -> None:
        sections, _ = rows_of(read(version))
        whole = sections[0]
        assert (whole.position, whole.parent_id, whole.level) == (0, None, 0)
        assert (whole.start, whole.end) == (0, len(ACT))
        by_marker = {section.marker: section for section in sections}
        assert by_marker["(a)"].parent == by_marker["(b)"].parent
        parent = by_marker["(a)"].parent
        assert parent is not None
        assert parent.title == "Ports"
        assert by_marker["(a)"].path[-1].endswith("Ports")
        assert ACT.decode()[by_marker["(b)"].start :].startswith("(b) A port includes its quays.")

    def test_tiles_the_text_with_chunks(self, version: Version) -> None:
        _, chunks = rows_of(read(version))
        text = ACT.decode()
        assert "".join(text[chunk.start : chunk.end] for chunk in chunks) == text
        assert [chunk.digest for chunk in chunks] == [
            sha256(text[chunk.start : chunk.end].encode()).hexdigest() for chunk in chunks
        ]

    def test_uses_the_settings_of_the_collection(
        self, rules: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        services.update_collection(
            collection=rules, actor=ACTOR, max_chunk_tokens=100, chunk_overlap=7, chunking_strategy="token"
        )
        seen: dict[str, Any] = {}

        def chunk(text: str, outline: object, **options: Any) -> tuple[()]:
            seen.update(options)
            return ()

        monkeypatch.setattr(pipeline, "chunk_outline", chunk)
        read(add(rules))
        assert seen == {"max_tokens": 100, "overlap": 7, "strategy": "token", "definitions": []}

    def test_a_chunk_that_says_what_terms_mean_is_a_definition(self, rules: Collection) -> None:
        content = b'# Rules\n\n## Section 1. Terms\n\nA "berth" means a place at a quay.\n'
        _, chunks = rows_of(read(add(rules, content)))
        assert [chunk.type for chunk in chunks] == ["definition"]

    def test_obeys_corrections(self, version: Version) -> None:
        done = read(version)
        services.correct_outline(
            document=done.document, opening="## Section 2. Ships", new_title="Vessels", actor=ACTOR
        )
        with tenant_scope(version.tenant_id):
            second = Version.objects.get(number=2)
        sections, _ = rows_of(read(second))
        assert "Vessels" in [section.title for section in sections]
        assert "Vessels" not in [section.title for section in rows_of(done)[0]]
        third = read(add(done.document.collection, AMENDED))
        assert "Vessels" in [section.title for section in rows_of(third)[0]]

    def test_twice_changes_nothing(self, version: Version) -> None:
        read(version)
        before = everything_of(version.document.tenant)
        ingest_version(version.pk, version.tenant_id)
        assert everything_of(version.document.tenant) == before

    @pytest.mark.parametrize("state", [State.CONVERTING, State.PARSING, State.FAILED])
    def test_leaves_alone_what_does_not_wait(self, version: Version, state: State) -> None:
        change(version, state=state, failure="x")
        before = everything_of(version.document.tenant)
        ingest_version(version.pk, version.tenant_id)
        assert everything_of(version.document.tenant) == before

    def test_of_what_is_gone_does_nothing(self, harbour: Tenant) -> None:
        before = everything_of(harbour)
        ingest_version(uuid4(), harbour.pk)
        assert everything_of(harbour) == before

    def test_for_another_tenant_does_nothing(self, version: Version, meridian: Tenant) -> None:
        before = everything_of(version.document.tenant)
        ingest_version(version.pk, meridian.pk)
        assert everything_of(version.document.tenant) == before


class TestFailure:
    @pytest.mark.parametrize(
        ("name", "content", "reason"),
        [
            ("empty.md", b"", "empty.md: "),
            ("blank.txt", b" \n\n ", "blank.txt: "),
            ("noise.bin", bytes(range(256)) * 40, "noise.bin: "),
            ("broken.pdf", b"%PDF-1.7\nnothing else", "broken.pdf: "),
            ("broken.docx", b"PK\x03\x04nothing else", "broken.docx: "),
        ],
    )
    def test_says_which_file_why_and_what_to_do(
        self, rules: Collection, name: str, content: bytes, reason: str
    ) -> None:
        done = read(add(rules, content, name))
        assert (done.state, done.recorded_at) == ("failed", None)
        assert done.failure.startswith(reason)
        assert done.failure.count(". ") >= 1
        assert rows_of(done) == ([], [])

    def test_leaves_the_version_before_it_current(
        self, version: Version, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = read(version)

        def refuse(content: bytes, name: str) -> Converted:
            raise Encrypted("It is protected by a password. Remove the password and upload it again.")

        monkeypatch.setattr(pipeline, "convert_in_child", refuse)
        second = read(add(first.document.collection, AMENDED))
        assert second.failure == (
            "act.md: It is protected by a password. Remove the password and upload it again."
        )
        with tenant_scope(version.tenant_id):
            assert list(Version.objects.head()) == [first]

    @pytest.mark.parametrize("step", ["convert_in_child", "parse_outline", "chunk_outline"])
    def test_of_our_own_is_named_and_logged(
        self, version: Version, step: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def break_down(*args: object, **options: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(pipeline, step, break_down)
        done = read(version)
        assert done.failure == f"act.md: {pipeline.FAULT}"
        assert "ZeroDivisionError" in caplog.text
        assert rows_of(done) == ([], [])

    def test_of_our_own_that_the_database_refuses_is_named_too(
        self, version: Version, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        empty = Piece(start=5, end=5, lead_start=5, unit=0, type="content", token_count=0, header=None)
        monkeypatch.setattr(pipeline, "chunk_outline", lambda *args, **options: (empty,))
        done = read(version)
        assert done.failure == f"act.md: {pipeline.FAULT}"
        assert "chunk_span_is_forward" in caplog.text
        assert rows_of(done) == ([], [])

    def test_of_the_database_is_not_the_files(
        self, version: Version, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def break_down(*args: object, **options: object) -> None:
            raise OperationalError

        monkeypatch.setattr(pipeline, "publish_version", break_down)
        with pytest.raises(OperationalError):
            ingest_version(version.pk, version.tenant_id)
        assert reload(version).state == "embedding"


class TestOrder:
    def test_a_new_version_supersedes_the_one_before_it(self, version: Version) -> None:
        first = read(version)
        second = read(add(first.document.collection, AMENDED))
        first = reload(first)
        assert (first.is_current, second.is_current) == (False, True)
        assert first.superseded_at == second.recorded_at

    def test_an_older_version_that_ends_later_never_becomes_current(self, version: Version) -> None:
        second = read(add(version.document.collection, AMENDED))
        first = read(version)
        assert (first.state, first.superseded_at) == ("ready", first.recorded_at)
        assert reload(second).is_current
        assert len(rows_of(first)[1]) > 0

    def test_a_failed_version_in_between_does_not_matter(self, version: Version) -> None:
        first = read(version)
        second = add(first.document.collection, AMENDED)
        change(second, state=State.FAILED, failure="x")
        third = read(add(first.document.collection, ACT + b"\nMore.\n"))
        assert third.is_current
        assert reload(first).superseded_at == third.recorded_at

    def test_a_version_of_a_document_in_the_bin_is_read_and_not_shown(self, version: Version) -> None:
        services.delete_document(document=version.document, actor=ACTOR)
        assert read(version).state == "ready"
        with tenant_scope(version.tenant_id):
            assert not Version.objects.head().exists()


class TestClaims:
    def claim(self, version: Version) -> Claim:
        claim = claim_version(version.pk, version.tenant_id)
        assert claim is not None
        return claim

    def test_are_given_once(self, version: Version) -> None:
        self.claim(version)
        assert claim_version(version.pk, version.tenant_id) is None

    def test_that_are_lost_write_nothing(self, version: Version) -> None:
        lost = self.claim(version)
        change(version, touched_at=timezone.now() - stuck_after() - timedelta(seconds=1))
        release_stuck_versions()
        held = self.claim(version)
        before = everything_of(version.document.tenant)
        with pytest.raises(ClaimLost):
            advance(lost, state=State.PARSING, text="x")
        with pytest.raises(ClaimLost):
            fail_version(lost, "x")
        assert everything_of(version.document.tenant) == before
        advance(held, state=State.PARSING, text="x")

    @pytest.mark.parametrize("step", ["convert_in_child", "parse_outline", "chunk_outline"])
    def test_lost_in_the_middle_leave_the_work_to_whoever_has_it(
        self, version: Version, step: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = getattr(pipeline, step)

        def overtaken(*args: Any, **options: Any) -> Any:
            result = real(*args, **options)
            monkeypatch.setattr(pipeline, step, real)
            change(version, state=State.QUEUED)
            ingest_version(version.pk, version.tenant_id)
            return result

        monkeypatch.setattr(pipeline, step, overtaken)
        done = read(version)
        assert (done.state, done.attempts) == ("ready", 2)
        sections, chunks = rows_of(done)
        assert len({section.position for section in sections}) == len(sections)
        assert len({chunk.position for chunk in chunks}) == len(chunks)

    @pytest.mark.parametrize(
        "step", ["claim_version", "convert_in_child", "parse_outline", "chunk_outline", "advance"]
    )
    def test_of_a_purged_document_are_lost(
        self, version: Version, step: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = getattr(pipeline, step)

        def purged_meanwhile(*args: Any, **options: Any) -> Any:
            result = real(*args, **options)
            services.delete_document(document=version.document, actor=ACTOR)
            services.purge_document(document=version.document, actor=ACTOR)
            return result

        monkeypatch.setattr(pipeline, step, purged_meanwhile)
        if step == "advance":  # Then it fails, and there is nothing left to say so on.
            monkeypatch.setattr(pipeline, "parse_outline", None)
        ingest_version(version.pk, version.tenant_id)
        with tenant_scope(version.tenant_id):
            assert not Version.objects.exists()
            assert not Section.objects.exists()


def dying_at(model: type[Section | Chunk]) -> Callable[..., None]:
    def insert(asked: type[Section | Chunk], rows: Any) -> None:
        if asked is model:
            raise SystemExit
        insert_rows(asked, rows)

    return insert


class TestDeathAtAnyStep:
    STEPS = [
        "convert_version",
        "parse_version",
        "chunk_version",
        "contextualize_version",
        "place_passages",
        "embed_some",
        "publish_version",
        "record_findings",
    ]

    @pytest.mark.parametrize("step", STEPS)
    def test_leaves_nothing_half_and_is_made_good(
        self, version: Version, step: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A fault of the kind that nothing catches, as a kill is."""

        def die(*args: object, **options: object) -> None:
            raise SystemExit

        with monkeypatch.context() as patched:
            patched.setattr(pipeline, step, die)
            with pytest.raises(SystemExit):
                ingest_version(version.pk, version.tenant_id)
        assert State(reload(version).state).is_open
        assert rows_of(version) == ([], [])
        change(version, touched_at=timezone.now() - stuck_after() - timedelta(seconds=1))
        assert release_stuck_versions() == [version.pk]
        go_on(version)
        assert reload(version).state == "ready"
        assert said(version) == said(read(add(version.document.collection, name="twin.md")))

    @pytest.mark.parametrize("model", [Section, Chunk])
    def test_between_two_writes_leaves_none(
        self, version: Version, model: type[Section | Chunk], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = read(version)
        second = add(first.document.collection, AMENDED)
        with monkeypatch.context() as patched:
            patched.setattr(publish, "insert_rows", dying_at(model))
            with pytest.raises(SystemExit):
                ingest_version(second.pk, second.tenant_id)
        assert rows_of(second) == ([], [])
        assert reload(second).state == "embedding"
        assert reload(first).is_current

    def test_after_the_conversion_does_not_convert_again(
        self, version: Version, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def die(*args: object, **options: object) -> None:
            raise SystemExit

        with monkeypatch.context() as patched:
            patched.setattr(pipeline, "parse_outline", die)
            with pytest.raises(SystemExit):
                ingest_version(version.pk, version.tenant_id)
        change(version, state=State.QUEUED)
        monkeypatch.setattr(pipeline, "convert_in_child", die)
        assert read(version).state == "ready"


class TestReconciler:
    @pytest.mark.parametrize(
        ("state", "after"),
        [
            (State.CONVERTING, "queued"),
            (State.PARSING, "queued"),
            (State.CONTEXTUALIZING, "contextualizing"),
            (State.EMBEDDING, "embedding"),
        ],
    )
    @pytest.mark.parametrize(("late", "is_stuck"), [(1, True), (-5, False)])
    def test_puts_back_what_a_worker_has_not_touched(
        self, version: Version, state: State, after: str, late: int, is_stuck: bool
    ) -> None:
        token = uuid4()
        change(version, state=state, claim=token, attempts=1, touched_at=self.ago(stuck_after(), late))
        assert release_stuck_versions() == ([version.pk] if is_stuck else [])
        left = reload(version)
        assert (left.state, left.claim) == ((after, None) if is_stuck else (state, token))

    @pytest.mark.parametrize("state", [State.QUEUED, State.CONTEXTUALIZING, State.EMBEDDING])
    @pytest.mark.parametrize(("late", "is_lost"), [(1, True), (-5, False)])
    def test_tells_again_of_what_nobody_came_for(
        self, version: Version, state: State, late: int, is_lost: bool
    ) -> None:
        change(version, state=state, touched_at=self.ago(stuck_after(), late), attempts=MOST_ATTEMPTS)
        before = everything_of(version.document.tenant)
        assert release_stuck_versions() == []
        assert waiting_untold() == ({state: 1} if is_lost else {})
        assert everything_of(version.document.tenant) == before

    def test_does_not_tell_of_what_is_in_hand(self, version: Version) -> None:
        change(version, state=State.EMBEDDING, claim=uuid4(), touched_at=self.ago(stuck_after(), 1))
        assert waiting_untold() == {}

    @pytest.mark.parametrize(("attempts", "state"), [(4, "queued"), (5, "failed"), (6, "failed")])
    def test_gives_up_after_five_deaths(self, version: Version, attempts: int, state: str) -> None:
        change(version, state=State.CONVERTING, attempts=attempts, touched_at=self.ago(stuck_after(), 1))
        release_stuck_versions()
        done = reload(version)
        assert done.state == state
        if state == "failed":
            assert done.failure.startswith("act.md: The worker died five times while reading it. ")

    def test_leaves_alone_what_is_done(self, version: Version) -> None:
        read(version)
        change(version, touched_at=self.ago(stuck_after(), 100))
        before = everything_of(version.document.tenant)
        assert release_stuck_versions() == []
        assert waiting_untold() == {}
        assert everything_of(version.document.tenant) == before

    def test_looks_after_every_tenant(self, version: Version, meridian: Tenant) -> None:
        other = add(factories.collection(meridian))
        for one in (version, other):
            change(one, state=State.PARSING, touched_at=self.ago(stuck_after(), 1))
        assert set(release_stuck_versions()) == {version.pk, other.pk}

    @pytest.mark.parametrize(
        ("state", "task"),
        [
            (State.QUEUED, tasks.read_next),
            (State.CONTEXTUALIZING, tasks.contextualize_next),
            (State.EMBEDDING, tasks.embed_next),
        ],
    )
    def test_tells_the_workers_of_its_step(
        self, version: Version, state: State, task: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[State] = []
        monkeypatch.setattr(task, "delay", lambda: told.append(state))
        change(version, state=state, touched_at=self.ago(stuck_after(), 1))
        tasks.reconcile_versions()
        assert told == [state]

    def ago(self, delta: timedelta, seconds: int) -> Any:
        return timezone.now() - delta - timedelta(seconds=seconds)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
class TestTwoConnections:
    @pytest.fixture
    def waiting(self) -> Version:
        return add(factories.collection(factories.tenant("harbour"), "rules"))

    def elsewhere(self, function: Callable[[], Any]) -> Any:
        """Call a function in a thread of its own, hence on a connection of its own."""
        found: list[Any] = []

        def call() -> None:
            try:
                found.append(function())
            finally:
                connection.close()

        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        return found[0]

    def test_a_reader_sees_all_or_nothing(self, waiting: Version, monkeypatch: pytest.MonkeyPatch) -> None:
        seen: list[tuple[int, int, int]] = []

        def look() -> tuple[int, int, int]:
            with tenant_scope(waiting.tenant_id):
                heads = Version.objects.head().count()
                return heads, Section.objects.count(), Chunk.objects.count()

        def watched(model: Any, rows: Any) -> None:
            seen.append(self.elsewhere(look))
            insert_rows(model, rows)
            seen.append(self.elsewhere(look))

        monkeypatch.setattr(publish, "insert_rows", watched)
        ingest_version(waiting.pk, waiting.tenant_id)
        assert len(seen) == 4
        assert set(seen) == {(0, 0, 0)}
        heads, sections, chunks = self.elsewhere(look)
        assert heads == 1
        assert sections > 3
        assert chunks > 0

    def test_two_workers_read_it_once(self, waiting: Version, monkeypatch: pytest.MonkeyPatch) -> None:
        conversions: list[str] = []

        def convert(content: bytes, name: str) -> Converted:
            conversions.append(name)
            time.sleep(0.2)
            return convert_in_child(content, name)

        monkeypatch.setattr(pipeline, "convert_in_child", convert)
        gate = threading.Barrier(2)

        def work() -> None:
            try:
                gate.wait()
                ingest_version(waiting.pk, waiting.tenant_id)
            finally:
                connection.close()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert conversions == ["act.md"]
        assert (reload(waiting).state, reload(waiting).attempts) == ("ready", 1)

    def test_two_versions_that_end_at_once_leave_the_newer_current(self, waiting: Version) -> None:
        pairs = [waiting]
        with tenant_scope(waiting.tenant_id):
            collection = Collection.objects.select_related("tenant").get()
        pairs.append(add(collection, AMENDED))
        gate = threading.Barrier(2)

        def work(version: Version) -> None:
            try:
                gate.wait()
                ingest_version(version.pk, version.tenant_id)
            finally:
                connection.close()

        threads = [threading.Thread(target=work, args=[version]) for version in pairs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        first, second = (reload(version) for version in pairs)
        assert (first.state, second.state) == ("ready", "ready")
        assert (first.is_current, second.is_current) == (False, True)

    def test_a_worker_does_it(self, worker: None, waiting: Version) -> None:
        tasks.read_next.delay()
        deadline = time.monotonic() + 120
        while State(reload(waiting).state).is_open:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert reload(waiting).is_current


def unit(start: int, end: int, label: str = "") -> Unit:
    return Unit(start=start, end=end, parent=None, level=0, kind="x", marker="", title="", label=label)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 5, (1, 1)), (0, 12, (1, 1)), (0, 13, (1, 2)), (12, 14, (2, 2)), (0, 30, (1, 3)), (5, 5, (1, 1))],
)
def test_pages_are_those_that_a_unit_has_words_on(start: int, end: int, expected: tuple[int, int]) -> None:
    text = "page one \n\n page two  \n page three "
    assert page_range(text, [0, 12, 24], unit(start, end)) == expected
    assert page_range(text, [], unit(start, end)) == (None, None)


def test_labels_fit_and_stay_apart() -> None:
    labels = list(unique_labels([unit(0, 1, text) for text in ("", "a", "a", "x" * 400, "x" * 301, "a [2]")]))
    assert labels[:3] == ["", "a", "a [2]"]
    assert len(set(labels)) == 6
    assert max(map(len, labels)) == 300


def test_rows_are_written_in_batches(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "BATCH", 2)
    sections, chunks = rows_of(read(version))
    assert len(sections) > 4
    assert [section.position for section in sections] == list(range(len(sections)))
    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))


@pytest.mark.parametrize(
    ("text", "marker", "opening"),
    [
        ("(a) A port must be kept clear.", "(a)", "A port must be kept clear."),
        ("## Section 1. Ports\n\nWords.", "Section 1", "Ports Words."),
        ("(a)(1) Both.", "(a)", "(1) Both."),
        ("x" * (OPENING + 1), "", "x" * (OPENING - 1) + "…"),
        ("word " * 60, "", "word " * 22 + "word…"),
    ],
)
def test_a_section_keeps_its_first_words(text: str, marker: str, opening: str) -> None:
    unit = Unit(0, len(text), None, 0, "paragraph", marker, "", "label")
    assert opening_words(text, unit) == opening


def test_corrections_of_one_unit_add_up(rules: Collection) -> None:
    first = read(add(rules, b"# Act\n\n## Article 1 Alpha\n\nText.\n\n## Article 2 Beta\n\nText.\n"))

    def correct(label: str, **changes: Any) -> list[tuple[int, str, str]]:
        services.correct_outline(
            document=first.document, opening="## Article 2 Beta", label=label, actor=ACTOR, **changes
        )
        with tenant_scope(first.tenant_id):
            newest = Version.objects.filter(document=first.document).order_by("-number")[0]
        sections, _ = rows_of(read(newest))
        return [(section.level, section.label, section.title) for section in sections[2:]]

    assert correct("Article 2", new_title="Corrected") == [(1, "Article 2", "Corrected")]
    assert correct("Article 2", level=2) == [(2, "Article 2", "Corrected")]
    assert correct("Article 2", new_label="Rule 2") == [(2, "Rule 2", "Corrected")]
    assert correct("Rule 2", new_title="Again") == [(2, "Rule 2", "Again")]
