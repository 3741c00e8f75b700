"""Misspelt words have suggestions, of what may be read and of nothing else."""

from __future__ import annotations

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from documents.models import Document, State, Version
from search.edits import distance, edits_of, letters_for, nearest_beginning
from search.suggest import suggest_query, suggest_words, unknown_words
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.passages import place

PILOTS = "A pilotage licence is granted by the harbour master under these regulations."
BERTHS = "Vessels of the port of Rotterdam leave their berths. Rotterdam organises moorings."


def suggested(tenant: Tenant, word: str, language: str = "english") -> str:
    return suggest_words(tenant.pk, [word], language=language).get(word, "")


class TestWords:
    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("licnece", "licence"),  # swapped
            ("licece", "licence"),  # left out
            ("liccence", "licence"),  # doubled
            ("licemce", "licence"),  # the key beside it
            ("xarbour", "harbour"),  # at the beginning
            ("regulatoins", "regulations"),  # in what the language takes from the word
            ("regullatoins", "regulations"),  # two slips
            ("LICNECE", "licence"),
            ("Roterdam", "Rotterdam"),  # as it is printed
            ("thess", "these"),  # a word that the language drops
            ("pilotagelicence", "pilotage licence"),  # a blank
            ("regulat", "regulations"),  # the beginning of one
        ],
    )
    def test_are_those_that_are_nearest(self, harbour: Tenant, typed: str, meant: str) -> None:
        place(harbour, PILOTS, BERTHS)
        assert suggested(harbour, typed) == meant

    @pytest.mark.parametrize(
        "typed",
        [
            "zzzzzzzz",
            "por",
            "p0rt",
            "1234",
            "berth_s",
            "",
            "licccccence",
            "第十三条",
            "x" * 500,
            "'; --",
            "\u0130stanbul",
        ],
    )
    def test_are_none_for_what_nothing_is_near(self, harbour: Tenant, typed: str) -> None:
        place(harbour, PILOTS, BERTHS)
        assert suggested(harbour, typed) == ""

    def test_of_four_letters_may_have_one_slip(self, harbour: Tenant) -> None:
        place(harbour, "port")
        assert (suggested(harbour, "porz"), suggested(harbour, "pxrz")) == ("port", "")

    def test_of_six_letters_may_have_two_slips(self, harbour: Tenant) -> None:
        place(harbour, "vessel")
        assert (suggested(harbour, "vesxyl"), suggested(harbour, "vexxyl")) == ("vessel", "")

    def test_of_twelve_letters_may_have_three_slips(self, harbour: Tenant) -> None:
        place(harbour, "jurisdictional")
        assert suggested(harbour, "jurisxyxtional") == "jurisdictional"
        assert suggested(harbour, "jurisxyxxional") == ""

    def test_that_more_passages_have_come_first(self, harbour: Tenant) -> None:
        place(harbour, "one berth", "one birth", "two births")
        assert suggested(harbour, "bxrth") == "birth"

    def test_come_by_what_was_typed(self, harbour: Tenant) -> None:
        place(harbour, PILOTS)
        typed = ["licnece", "Habour", "master", "licnece"]
        assert suggest_words(harbour.pk, typed, language="english") == {
            "licnece": "licence",
            "Habour": "harbour",
        }


class TestWhatMayBeRead:
    def test_is_of_the_own_tenant(self, harbour: Tenant, meridian: Tenant) -> None:
        place(harbour, "pilots")
        place(meridian, "a secret licence")
        assert suggested(harbour, "licnece") == ""
        assert suggested(meridian, "licnece") == "licence"

    def test_is_of_the_own_tenant_even_if_keys_are_alike(self, harbour: Tenant, meridian: Tenant) -> None:
        """The stem is counted here, and the word as it is printed is not there."""
        place(harbour, "licences")
        place(meridian, "licence")
        assert suggested(harbour, "licnece") == "licences"

    @pytest.mark.parametrize("state", [State.QUEUED, State.EMBEDDING, State.FAILED])
    def test_is_ready(self, harbour: Tenant, state: State) -> None:
        place(harbour, PILOTS, of=factories.version(harbour, state=state))
        assert suggested(harbour, "licnece") == ""

    def test_is_not_in_the_bin(self, harbour: Tenant) -> None:
        version = place(harbour, PILOTS)
        with tenant_scope(harbour.pk):
            Document.objects.filter(pk=version.document_id).update(deleted_at=timezone.now())
        assert suggested(harbour, "licnece") == ""

    def test_is_in_the_versions_that_are_asked_for(self, harbour: Tenant) -> None:
        first, second = place(harbour, PILOTS), place(harbour, BERTHS)
        for version, meant in ((first, {"licnece": "licence"}), (second, {})):
            versions = Version.objects.for_tenant(harbour).filter(pk=version.pk)
            found = suggest_words(harbour.pk, ["licnece"], language="english", versions=versions)
            assert found == meant

    def test_is_in_the_language_that_is_asked_for(self, harbour: Tenant) -> None:
        place(harbour, "licence", language="simple")
        assert suggested(harbour, "licnece") == ""
        assert suggested(harbour, "licnece", language="simple") == "licence"


class TestOtherLanguages:
    @pytest.mark.parametrize(
        ("language", "text", "typed", "meant"),
        [
            ("german", "Die Genehmigung der Behörde ist nötig.", "Genemigung", "Genehmigung"),
            ("german", "Die Genehmigung der Behörde ist nötig.", "Behorde", "Behörde"),
            ("german", "Der Schutz der Daten und der Beauftragte", "Datenschutz", "Daten Schutz"),
            ("german", "Der Arbeit folgt das Recht.", "Arbeitsrecht", "Arbeit Recht"),
            ("german", "Der Datenschutzbeauftragte prüft es.", "Datenschutz", "Datenschutzbeauftragte"),
            ("french", "Le règlement de la société", "societe", "société"),
            ("russian", "Настоящая статья закона", "сттья", "статья"),
            ("greek", "Το άρθρο του νόμου ισχύει", "ισχυει", "ισχύει"),
        ],
    )
    def test_have_their_own_letters(
        self, harbour: Tenant, language: str, text: str, typed: str, meant: str
    ) -> None:
        place(harbour, text, language=language)
        assert suggested(harbour, typed, language) == meant


class TestQueries:
    def test_keep_all_but_what_is_unknown(self, harbour: Tenant) -> None:
        place(harbour, PILOTS)
        query = 'Who grants the "licnece" (habour)?  licnece-2'
        unknown = unknown_words(harbour.pk, query, languages=["english"])
        assert unknown == ["licnece", "habour"]
        suggestion = suggest_query(harbour.pk, query, unknown=unknown, language="english")
        assert suggestion == 'Who grants the "licence" (harbour)?  licence-2'

    def test_without_unknown_words_have_no_suggestion(self, harbour: Tenant) -> None:
        place(harbour, PILOTS)
        assert unknown_words(harbour.pk, "Who grants a licence?", languages=["english"]) == []
        assert suggest_query(harbour.pk, "a licence", unknown=[], language="english") is None

    def test_without_near_words_have_no_suggestion(self, harbour: Tenant) -> None:
        place(harbour, PILOTS)
        assert suggest_query(harbour.pk, "zzzzzzz", unknown=["zzzzzzz"], language="english") is None

    def test_are_unknown_if_no_language_knows_them(self, harbour: Tenant) -> None:
        place(harbour, "licences")
        place(harbour, "Genehmigungen", language="german")
        query = "licence Genehmigung permission"
        assert unknown_words(harbour.pk, query, languages=["english", "german"]) == ["permission"]
        assert unknown_words(harbour.pk, query, languages=["english"]) == ["Genehmigung", "permission"]
        assert unknown_words(harbour.pk, query, languages=[]) == []


def osa(one: str, other: str) -> list[int]:
    """Distances of a word to all beginnings of another, by the book."""
    table = [[row + column for column in range(len(other) + 1)] for row in range(len(one) + 1)]
    for row in range(1, len(one) + 1):
        for column in range(1, len(other) + 1):
            costs = [table[row - 1][column] + 1, table[row][column - 1] + 1]
            costs.append(table[row - 1][column - 1] + (one[row - 1] != other[column - 1]))
            if row > 1 and column > 1 and one[row - 2 : row] == other[column - 2 : column][::-1]:
                costs.append(table[row - 2][column - 2] + 1)
            table[row][column] = min(costs)
    return table[-1]


WORDS = st.text("abc", max_size=8)


class TestEdits:
    @given(WORDS, WORDS, st.integers(1, 3))
    def test_distances_are_exact_up_to_the_most_that_count(self, one: str, other: str, most: int) -> None:
        assert distance(one, other, most) == min(osa(one, other)[-1], most + 1)

    @given(WORDS, WORDS, st.integers(1, 3))
    def test_the_nearest_beginning_is_found(self, stem: str, word: str, most: int) -> None:
        away, length = nearest_beginning(stem, word, most)
        expected = min(osa(stem, word))
        assert min(away, most + 1) == min(expected, most + 1)
        assert expected > most or osa(stem, word[:length])[-1] == expected

    @given(st.text("abc", min_size=1, max_size=6))
    def test_edits_are_all_words_at_a_distance_of_one(self, word: str) -> None:
        assert all(osa(word, edited)[-1] == 1 for edited in edits_of(word, "abc"))

    def test_edits_are_of_four_kinds(self) -> None:
        assert edits_of("ab", "ac") == {"a", "b", "ba", "aa", "ac", "cb", "aab", "cab", "acb", "aba", "abc"}

    def test_letters_are_those_of_the_alphabet_and_the_language(self) -> None:
        assert "ß" in letters_for("strasse", "german")
        assert "ß" not in letters_for("street", "english")
        assert set("жя") < set(letters_for("статья", "simple"))
        assert letters_for("第十三条", "simple") == ""
