"""Placing and sweeping: each text is kept once, words are counted exactly, and nothing lingers."""

from __future__ import annotations

from hashlib import sha256
from itertools import product
from string import ascii_lowercase
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection

from documents.models import State, Version
from search.backends import keyword_index
from search.models import Context, Passage, Placement, TermStatistics
from search.place import Situated
from search.retrieve.exact import read_phrase
from search.sweep import passages_of, sweep_passages
from search.words import extra_words
from tenants.models import Tenant
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.database import everything_of
from tests.passages import at_once, counted_statistics, embed_all, place, statistics_of, texts_of

HARBOUR = "The harbour master keeps a register of berths."
PILOTS = "Pilots board vessels outside the harbour."


def placements_of(tenant: Tenant) -> list[tuple[int, str]]:
    with tenant_scope(tenant.pk):
        return list(Placement.objects.order_by("position").values_list("position", "passage__text"))


def matches(tenant: Tenant, column: str, query: str, *, is_quoted: bool = False) -> list[str]:
    """Texts of the passages that a phrase or a word is found in."""
    with tenant_scope(tenant.pk), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT text FROM search_passage WHERE {column} @@ %s::tsquery ORDER BY text",
            read_phrase(tenant.pk, query, is_quoted=is_quoted).asked,
        )
        return [text for (text,) in cursor.fetchall()]


class TestPlacing:
    def test_chunks_with_the_same_text_and_context_share_a_passage(self, harbour: Tenant) -> None:
        place(harbour, HARBOUR, PILOTS, HARBOUR)
        assert placements_of(harbour) == [(0, HARBOUR), (1, PILOTS), (2, HARBOUR)]
        assert texts_of(harbour) == [PILOTS, HARBOUR]

    def test_another_version_with_the_same_text_adds_no_passage_and_counts_nothing_again(
        self, harbour: Tenant
    ) -> None:
        place(harbour, HARBOUR)
        before = statistics_of(harbour)
        place(harbour, HARBOUR)
        assert texts_of(harbour) == [HARBOUR]
        assert len(placements_of(harbour)) == 2
        assert statistics_of(harbour) == before

    @pytest.mark.parametrize(
        "other",
        [Situated(HARBOUR, context="x"), Situated(HARBOUR + " "), Situated(HARBOUR[1:], context="T")],
        ids=["another context", "another text", "letters on the other side of the border"],
    )
    def test_another_context_or_text_is_another_passage(self, harbour: Tenant, other: Situated) -> None:
        place(harbour, HARBOUR, other)
        assert len(texts_of(harbour)) == 2

    def test_another_language_is_another_passage_with_counts_of_its_own(self, harbour: Tenant) -> None:
        place(harbour, PILOTS)
        place(harbour, PILOTS, language="simple")
        assert statistics_of(harbour)[""] == 1
        assert statistics_of(harbour, "simple")["vessels"] == 1

    def test_two_tenants_with_the_same_text_have_a_passage_each(
        self, harbour: Tenant, meridian: Tenant
    ) -> None:
        place(harbour, HARBOUR)
        place(meridian, HARBOUR)
        assert texts_of(harbour) == texts_of(meridian) == [HARBOUR]
        assert statistics_of(harbour)["harbour"] == statistics_of(meridian)["harbour"] == 1

    def test_placing_again_changes_nothing_at_all(self, harbour: Tenant) -> None:
        version = place(harbour, HARBOUR, Situated(PILOTS, context="Rules", fallback="No answer."))
        before = everything_of(harbour)
        place(harbour, HARBOUR, Situated(PILOTS, context="Rules", fallback="No answer."), of=version)
        assert everything_of(harbour) == before

    def test_placing_other_texts_replaces_only_the_placements_that_differ(self, harbour: Tenant) -> None:
        version = place(harbour, HARBOUR, PILOTS, "Third.")
        with tenant_scope(harbour.pk):
            kept = Placement.objects.get(position=0).pk
        place(harbour, HARBOUR, "Second.", of=version)
        assert placements_of(harbour) == [(0, HARBOUR), (1, "Second.")]
        with tenant_scope(harbour.pk):
            assert Placement.objects.get(position=0).pk == kept

    def test_placing_nothing_removes_the_placements(self, harbour: Tenant) -> None:
        version = place(harbour, HARBOUR)
        place(harbour, of=version)
        assert placements_of(harbour) == []

    def test_a_chunk_of_blanks_is_indexed_as_nothing(self, harbour: Tenant) -> None:
        place(harbour, HARBOUR, " \n\u00a0", PILOTS)
        assert placements_of(harbour) == [(0, HARBOUR), (2, PILOTS)]

    def test_more_chunks_than_a_batch(self, harbour: Tenant) -> None:
        place(harbour, *(f"Berth {number}" for number in range(1001)))
        assert len(texts_of(harbour)) == 1001
        assert [position for position, _ in placements_of(harbour)] == list(range(1001))
        assert statistics_of(harbour)["berth"] == 1001

    def test_the_fallback_of_a_placement_is_kept_and_cut_to_its_field(self, harbour: Tenant) -> None:
        place(harbour, Situated(HARBOUR, fallback="x" * 301))
        with tenant_scope(harbour.pk):
            assert Placement.objects.get().fallback == "x" * 300

    def test_a_context_that_was_written_is_credited_even_if_the_passage_was_there_before(
        self, harbour: Tenant
    ) -> None:
        written = factories.context(harbour)
        place(harbour, Situated(HARBOUR, context=written.text))
        place(harbour, Situated(HARBOUR, context=written.text, written=written.pk))
        with tenant_scope(harbour.pk):
            assert Passage.objects.get().written_context_id == written.pk

    def test_a_version_that_is_not_there_gets_no_placement(self, harbour: Tenant, meridian: Tenant) -> None:
        other = factories.version(meridian)
        before = everything_of(harbour), everything_of(meridian)
        place(harbour, HARBOUR, of=other)
        assert (everything_of(harbour), everything_of(meridian)) == before

    def test_a_context_that_was_swept_meanwhile_leaves_its_words(self, harbour: Tenant) -> None:
        place(harbour, Situated(HARBOUR, context="Of berths.", written=uuid4()))
        with tenant_scope(harbour.pk):
            placed = Passage.objects.get()
        assert (placed.context, placed.written_context_id) == ("Of berths.", None)

    def test_the_digest_is_of_language_context_and_text(self, harbour: Tenant) -> None:
        place(harbour, Situated("b", context="a"))
        with tenant_scope(harbour.pk):
            assert Passage.objects.get().digest == sha256(b'["english", "a", "b"]').hexdigest()


class TestWords:
    def test_statistics_count_each_word_once_per_passage(self, harbour: Tenant) -> None:
        place(harbour, "Berth berth berths", Situated("A pilot", context="Berth"), "Nothing else")
        assert statistics_of(harbour) == {"": 3, "berth": 2, "pilot": 1, "noth": 1, "els": 1}

    def test_a_phrase_is_found_with_words_that_a_language_drops(self, harbour: Tenant) -> None:
        place(harbour, "They shall not disclose it.", "They shall promptly disclose it.")
        assert matches(harbour, "exact", "shall not disclose") == ["They shall not disclose it."]

    def test_a_number_with_letters_is_found_as_it_is(self, harbour: Tenant) -> None:
        place(harbour, "See 203(a)(1).", "See 203(b)(1).")
        assert matches(harbour, "exact", "203(a)(1)") == ["See 203(a)(1)."]

    def test_words_of_the_context_are_found(self, harbour: Tenant) -> None:
        place(harbour, Situated("The fee is due.", context="Port Act, Part II"))
        assert matches(harbour, "exact", "port act") == ["The fee is due."]
        assert matches(harbour, "full_text", "act") == ["The fee is due."]

    def test_what_is_quoted_must_be_in_the_text(self, harbour: Tenant) -> None:
        place(harbour, Situated("The fee of the Port Act is due.", context="Port Act, Part II"))
        place(harbour, Situated("The fine is due.", context="Port Act, Part II"))
        assert matches(harbour, "exact", "port act", is_quoted=True) == ["The fee of the Port Act is due."]
        assert matches(harbour, "exact", "part ii", is_quoted=True) == []

    @pytest.mark.parametrize("phrase", ["due Port", "Part II The", "II The fee"])
    def test_no_phrase_reaches_from_text_to_context_or_back(self, harbour: Tenant, phrase: str) -> None:
        place(harbour, Situated("The fee is due.", context="Port Act, Part II"))
        assert matches(harbour, "exact", phrase) == []

    def test_parts_of_identifiers_are_found(self, harbour: Tenant) -> None:
        place(harbour, "call parseHTTPHeader in src/net/reader.py")
        assert {"pars", "http", "header", "net", "reader"} <= statistics_of(harbour).keys()

    @pytest.mark.parametrize(
        "text",
        [
            "x" * 300_000,
            " ".join("".join(letters) for letters in product(ascii_lowercase, repeat=3)),
            " ".join(f"{number}-{number + 1}-abc" for number in range(5_000)),
            "\U00020000\U00020001 " * 40_000,
            " ".join(f"http://e{number}.org/p/{number}?q={number}" for number in range(2_000)),
            "'\\ & | ! <-> :* \x1f \x01 (((",
            "aB" * 50_000,
        ],
        ids=["endless word", "many words", "hyphens", "four bytes", "addresses", "signs", "capitals"],
    )
    def test_a_hostile_text_is_indexed_as_far_as_that_goes(self, harbour: Tenant, text: str) -> None:
        version = place(harbour, Situated(text, context=text), "quay wall")
        assert matches(harbour, "exact", "quay wall") == ["quay wall"]
        assert statistics_of(harbour) == counted_statistics(harbour)
        keyword_index().rebuild(harbour.pk)
        assert statistics_of(harbour) == counted_statistics(harbour)
        place(harbour, of=version)
        assert sweep_passages(harbour.pk) == 2


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("getHTTPResponse", "get HTTP Response"),
        ("parseJson2Xml", "parse Json Xml"),
        ("src/main/app.py", "src main app py"),
        ("user@example.org", "user example org"),
        ("v1.2.3 and 3.14 at 12:30", ""),
        ("Sec. 203, para. (a)(1)", ""),
        ("snake_case well-known", ""),
        ("The Harbour Master, HMRC and GDPR.", ""),
        ("", ""),
    ],
)
def test_extra_words_are_the_parts_of_identifiers(text: str, parts: str) -> None:
    assert extra_words(text) == parts


def test_extra_words_have_a_limit() -> None:
    assert len(extra_words("aB.cD " * 10_000 + "longWord " * 10_000)) == 20_000


class TestSweeping:
    def test_passages_that_no_version_says_go_with_vectors_and_words(self, harbour: Tenant) -> None:
        version = place(harbour, HARBOUR, PILOTS)
        embed_all(harbour, version)
        place(harbour, PILOTS, of=version)
        assert sweep_passages(harbour.pk) == 1
        assert texts_of(harbour) == [PILOTS]
        assert statistics_of(harbour) == counted_statistics(harbour)
        assert "regist" not in statistics_of(harbour)
        counts = {label: len(rows) for label, rows in everything_of(harbour).items()}
        assert counts["search.Embedding"] == 1

    def test_what_another_version_says_stays(self, harbour: Tenant) -> None:
        version = place(harbour, HARBOUR)
        place(harbour, HARBOUR)
        place(harbour, of=version)
        before = everything_of(harbour)
        assert sweep_passages(harbour.pk) == 0
        assert everything_of(harbour) == before

    def test_only_the_given_passages_are_looked_at(self, harbour: Tenant) -> None:
        version = place(harbour, HARBOUR, PILOTS)
        place(harbour, of=version)
        with tenant_scope(harbour.pk):
            given = Passage.objects.get(text=PILOTS).pk
        assert sweep_passages(harbour.pk, [given]) == 1
        assert texts_of(harbour) == [HARBOUR]
        assert sweep_passages(harbour.pk, []) == 0
        assert texts_of(harbour) == [HARBOUR]

    def test_the_passages_of_another_tenant_stay(self, harbour: Tenant, meridian: Tenant) -> None:
        version = place(meridian, HARBOUR)
        place(meridian, of=version)
        before = everything_of(meridian)
        assert sweep_passages(harbour.pk) == 0
        assert everything_of(meridian) == before

    def test_after_all_is_swept_no_word_is_left(self, harbour: Tenant) -> None:
        version = place(harbour, HARBOUR, PILOTS)
        place(harbour, of=version)
        assert sweep_passages(harbour.pk) == 2
        with tenant_scope(harbour.pk):
            assert not TermStatistics.objects.exists()

    def test_a_written_context_goes_when_its_version_and_its_passages_are_gone(self, harbour: Tenant) -> None:
        written = factories.context(harbour)
        version = place(harbour, Situated(HARBOUR, context=written.text, written=written.pk))
        with tenant_scope(harbour.pk):
            Context.objects.filter(pk=written.pk).update(version=None)
        assert sweep_passages(harbour.pk) == 0
        with tenant_scope(harbour.pk):
            assert Context.objects.count() == 1
        place(harbour, of=version)
        assert sweep_passages(harbour.pk) == 1
        with tenant_scope(harbour.pk):
            assert Context.objects.count() == 0

    def test_a_written_context_stays_while_its_version_is_there(self, harbour: Tenant) -> None:
        factories.context(harbour)
        sweep_passages(harbour.pk)
        with tenant_scope(harbour.pk):
            assert Context.objects.count() == 1

    def test_passages_of_documents_are_those_of_all_their_versions(self, harbour: Tenant) -> None:
        first = place(harbour, HARBOUR)
        place(harbour, PILOTS, of=factories.version(harbour, of=first.document, state=State.QUEUED, number=2))
        place(harbour, "Elsewhere.")
        with tenant_scope(harbour.pk):
            found = passages_of(Version.objects.filter(document=first.document_id))
            assert sorted(Passage.objects.filter(pk__in=found).values_list("text", flat=True)) == [
                PILOTS,
                HARBOUR,
            ]
            assert len(found) == 2


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
class TestAtOnce:
    """What several do at the same time comes out as if they had done it one after another."""

    def test_two_versions_with_the_same_texts_are_placed_at_once(self) -> None:
        tenant = factories.tenant("harbour")
        texts = [f"Berth number {number}" for number in range(200)]
        versions = [factories.version(tenant) for _ in range(4)]
        at_once(*(lambda version=version: place(tenant, *texts, of=version) for version in versions))
        assert len(texts_of(tenant)) == 200
        assert len(placements_of(tenant)) == 800
        assert statistics_of(tenant) == counted_statistics(tenant)

    def test_sweeping_beside_placing_loses_nothing_that_is_said(self) -> None:
        tenant = factories.tenant("harbour")
        texts = [f"Berth number {number}" for number in range(100)]
        first, second = factories.version(tenant), factories.version(tenant)

        def come_and_go() -> None:
            for _ in range(8):
                place(tenant, *texts, of=first)
                place(tenant, of=first)

        def stay() -> None:
            for end in range(10, 101, 10):
                place(tenant, *texts[:end], of=second)

        at_once(come_and_go, stay, lambda: [sweep_passages(tenant.pk) for _ in range(30)])
        sweep_passages(tenant.pk)
        assert texts_of(tenant) == sorted(texts)
        assert placements_of(tenant) == list(enumerate(texts))
        assert statistics_of(tenant) == counted_statistics(tenant)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_words_of_rows_that_were_there_get_the_key_of_their_tenant_and_lose_it_again() -> None:
    tenants = [factories.tenant("harbour"), factories.tenant("meridian")]
    texts = (HARBOUR, "it's a \\ 'quoted' path/to.file and-or 203(a)(1)", Situated("b c", context="d"))
    for tenant in tenants:
        place(tenant, *texts)
    before = [everything_of(tenant)["search.Passage"] for tenant in tenants]
    try:
        call_command("migrate", "search", "0005", verbosity=0)
        with platform_scope(), connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM search_passage WHERE exact @@ 'harbour'")
            assert cursor.fetchone() == (2,)
    finally:
        call_command("migrate", verbosity=0)
    assert [everything_of(tenant)["search.Passage"] for tenant in tenants] == before
