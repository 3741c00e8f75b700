"""Texts in languages of their own: told apart, stemmed, and found where there are no blanks."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError

from documents import services
from documents.language import choose_language, detect_language, without_language
from documents.language.detect import sample_of
from documents.models import Collection, Version
from documents.pipeline import ingest_version, situate_again
from documents.quote import quote_files
from documents.unpack import Incoming
from search.backends import keyword_index
from search.language import languages_of
from search.models import Passage
from search.words import MOST_PAIRS, extra_words
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.factories import ACTOR
from tests.passages import backends, place, statistics_of

HERE = Path(__file__).parent
COUNTRIES = {"austrian": "german", "belgian": "french", "brazilian": "portuguese", "swiss": "german"}
LANGUAGES = (
    "chinese czech danish dutch finnish french german greek hungarian indonesian italian japanese korean"
    " norwegian polish portuguese russian spanish swedish turkish ukrainian vietnamese"
)
NAMES = COUNTRIES | {name: name for name in LANGUAGES.split(" ")}
# Nothing but numbers and names of numbers.
UNTOLD = {"letters_and_roman_numerals", "long_lists"}
ENGLISH = "The harbour master may grant a licence to any person who is fit to be a pilot of the port.\n"
GERMAN = (
    "Der Hafenmeister kann einer Person, die dazu geeignet ist, die Genehmigung für den Hafen erteilen.\n"
)
POLISH = "Organ może wydać zezwolenie na podstawie ustawy, jeżeli nie jest to sprzeczne z prawem portu.\n"
AS_ENGLISH = (
    "It is in German, and its words are stemmed as “english”. Set the language of the collection to “auto”, "
    "and add the file again."
)
AS_WRITTEN = "Its words are searched as they are written, and not in their other forms."
KNOWN = ["english", "german", "greek", "simple"]


def texts() -> list[tuple[str, str]]:
    """Return the texts of other tests with the languages that their names say."""
    files = [
        file for folder in ("outlines", "definitions", "references") for file in (HERE / folder).iterdir()
    ]
    found = []
    for file in sorted(file for file in files if file.suffix in {".md", ".txt"}):
        names = [NAMES[part] for part in file.stem.lower().split("_") if part in NAMES]
        found.append((file.read_text(), "" if file.stem in UNTOLD else (names or ["english"])[-1]))
    return found


class TestDetection:
    def test_tells_the_texts_of_other_tests_apart(self) -> None:
        wrong = [(language, text) for text, language in texts() if detect_language(text) != language]
        assert len(texts()) > 150
        assert wrong == []

    @pytest.mark.parametrize("line", (HERE / "languages.txt").read_text().splitlines())
    def test_knows_other_languages(self, line: str) -> None:
        language, text = line.split(": ", 1)
        assert detect_language(text) == language

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " \n",
            "12.5 30 (a) §",
            "Lorem",
            "def f(x):\n    return x ** 2\n",
            "a b c d e f g h i j k l m",
            "💡 ☃",
        ],
    )
    def test_says_nothing_where_it_cannot_tell(self, text: str) -> None:
        assert detect_language(text) == ""

    def test_reads_on_behind_a_foreign_front_page(self) -> None:
        assert detect_language(ENGLISH * 100 + GERMAN * 5000) == "german"

    def test_reads_some_of_a_long_text(self) -> None:
        assert sample_of("x" * 36_000) == "x" * 36_000
        assert len(sample_of("x" * 36_001)) == 36_004
        assert sample_of("x" * 1_000_000 + "y" * 4_000).endswith("y" * 4_000)

    @pytest.mark.parametrize("part", ["\n", " (", "a", "(a) ", "AC-2", "I", "é", "'", "\u0301"])
    def test_takes_no_time_for_hostile_texts(self, part: str) -> None:
        begun = time.perf_counter()
        detect_language(part * 300_000)
        assert time.perf_counter() - begun < 20  # Milliseconds, or minutes if something backtracks.


class TestChoice:
    @pytest.mark.parametrize(
        ("text", "wanted", "configuration", "warning"),
        [
            (ENGLISH, "english", "english", ""),
            (GERMAN, "german", "german", ""),
            (GERMAN, "simple", "simple", ""),
            (GERMAN, "german_with_synonyms", "german_with_synonyms", ""),
            (ENGLISH, "auto", "english", ""),
            (GERMAN, "auto", "german", ""),
            (POLISH, "english", "english", ""),
            (GERMAN, "english", "english", AS_ENGLISH),
            (POLISH, "auto", "simple", f"It is in Polish, which the database cannot stem. {AS_WRITTEN}"),
            ("1 2 3", "auto", "simple", f"It cannot be told which language it is in. {AS_WRITTEN}"),
        ],
    )
    def test_is_by_what_is_wanted_and_known(
        self, text: str, wanted: str, configuration: str, warning: str
    ) -> None:
        chosen = choose_language(text, wanted, KNOWN)
        assert (chosen.configuration, chosen.warning) == (configuration, warning)

    def test_warnings_of_other_things_stay(self) -> None:
        warnings = [choose_language(POLISH, "auto", KNOWN).warning, "A picture was left out."]
        assert (
            without_language([*warnings, choose_language(GERMAN, "english", KNOWN).warning]) == warnings[1:]
        )


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return services.create_collection(
        tenant=harbour, name="rules", description="In many languages.", actor=ACTOR, language="auto"
    )


def add(collection: Collection, text: str, name: str = "act.txt") -> Version:
    version = services.add_document(
        collection=collection, name=name, content=text.encode(), actor=ACTOR, is_queued=False
    )
    ingest_version(version.pk, version.tenant_id)
    return reload(version)


def reload(version: Version) -> Version:
    with tenant_scope(version.tenant_id):
        return Version.objects.get(pk=version.pk)


def languages_in_rows(version: Version) -> set[str]:
    with tenant_scope(version.tenant_id):
        return set(Passage.objects.of_version(version.pk).values_list("language", flat=True))


class TestCollections:
    def test_are_in_a_language_that_the_database_knows_or_in_any(self, rules: Collection) -> None:
        for language in ("german", "auto"):
            services.update_collection(collection=rules, actor=ACTOR, language=language)
            assert rules.language == language
        with pytest.raises(ValidationError, match="Choose one of auto, arabic"):
            services.update_collection(collection=rules, actor=ACTOR, language="klingon")
        with tenant_scope(rules.tenant_id):
            assert Collection.objects.get().language == "auto"

    @pytest.mark.parametrize(
        ("text", "language", "count"), [(ENGLISH, "english", 0), (GERMAN, "german", 0), (POLISH, "simple", 1)]
    )
    def test_have_each_document_in_its_own(
        self, rules: Collection, text: str, language: str, count: int
    ) -> None:
        version = add(rules, text)
        assert (version.state, version.language, len(version.warnings)) == ("ready", language, count)
        assert languages_in_rows(version) == {language}

    def test_find_words_in_the_forms_of_each_language(self, rules: Collection) -> None:
        add(rules, ENGLISH, "act.txt")
        add(rules, GERMAN, "gesetz.txt")
        add(rules, GERMAN.replace("kann", "soll"), "verordnung.txt")
        assert languages_of(rules.tenant_id) == ["german", "english"]
        for language, question, count in (("english", "licences", 1), ("german", "Genehmigungen", 2)):
            found = keyword_index().find(rules.tenant_id, question, language=language, limit=10).found
            assert len(found) == count

    def test_warn_of_a_language_that_is_not_theirs(self, rules: Collection) -> None:
        services.update_collection(collection=rules, actor=ACTOR, language="english")
        version = add(rules, GERMAN)
        assert (version.language, languages_in_rows(version)) == ("english", {"english"})
        assert [warning[:15] for warning in version.warnings] == ["It is in German"]

    def test_warn_no_longer_once_the_language_is_right(self, rules: Collection) -> None:
        services.update_collection(collection=rules, actor=ACTOR, language="english")
        first = add(rules, GERMAN)
        services.update_collection(collection=rules, actor=ACTOR, language="auto")
        with tenant_scope(rules.tenant_id):
            document = first.document
        again = services.correct_outline(document=document, opening="Der Hafenmeister", actor=ACTOR, level=1)
        with tenant_scope(rules.tenant_id):
            second = Version.objects.get(document=again.document, number=2)
        ingest_version(second.pk, rules.tenant_id)
        second = reload(second)
        assert (second.language, second.warnings) == ("german", [])
        assert len(reload(first).warnings) == 1

    def test_follow_a_change_when_the_index_is_made_anew(self, rules: Collection) -> None:
        version = add(rules, GERMAN)
        for language, expected in (("english", "english"), ("auto", "german")):
            services.update_collection(collection=rules, actor=ACTOR, language=language)
            assert reload(version).language != expected
            situate_again(version.pk, rules.tenant_id)
            assert (reload(version).language, languages_in_rows(version)) == (expected, {expected})

    def test_say_what_files_in_several_languages_take(self, rules: Collection) -> None:
        add(rules, GERMAN)
        files = [Incoming("act.txt", text.encode()) for text in (GERMAN, ENGLISH)]
        quote = quote_files(rules, files)
        assert (quote.chunks, quote.known, quote.new) == (2, 1, 1)

    def test_keep_the_language_of_what_is_placed_last(self, harbour: Tenant) -> None:
        version = place(harbour, "berths", language="simple")
        assert reload(version).language == "simple"
        place(harbour, "berths", of=version, language="english")
        assert reload(version).language == "english"


class TestLanguagesOfATenant:
    def test_are_its_own(self, harbour: Tenant, meridian: Tenant) -> None:
        place(meridian, "Häfen", language="german")
        assert languages_of(harbour.pk) == []
        place(harbour, "ports", language="english")
        assert languages_of(harbour.pk) == ["english"]

    def test_are_read_where_no_words_are_counted(self, harbour: Tenant) -> None:
        with backends(keyword_index=("search.backends.keyword_indexes.memory.MemoryKeywordIndex", {})):
            place(harbour, "ports", language="simple")
            place(harbour, "Häfen", language="german")
        assert statistics_of(harbour, "german") == {}
        assert languages_of(harbour.pk) == ["german", "simple"]


LAW = "第十三条　个人信息处理者处理个人信息，应当取得个人同意。"
ACT = "第十六条の二　個人情報取扱事業者は、利用目的を特定しなければならない。"
RULES = "제13조(개인정보의 처리) 개인정보처리자는 정보주체의 동의를 받아야 한다."
THAI = "บุคคลมีสิทธิในข้อมูลส่วนบุคคลของตน"


class TestWithoutBlanks:
    @pytest.mark.parametrize(
        ("text", "word"),
        [
            (LAW, "信息"),
            (LAW, "第十三条"),
            (LAW, "十三"),
            (LAW, "同意"),
            (ACT, "情報"),
            (ACT, "利用目的"),
            (RULES, "정보"),
            (RULES, "주체"),
            (THAI, "ข้อมูล"),
            ("GDPR第6条について", "第6条"),
            ("2024年4月1日から施行する。", "施行"),
        ],
    )  # fmt: skip
    def test_words_inside_are_found(self, harbour: Tenant, text: str, word: str) -> None:
        place(harbour, text, "别的东西 ほかのもの 다른 것", language="simple")
        found = keyword_index().find(harbour.pk, word, language="simple", limit=10).found
        with tenant_scope(harbour.pk):
            assert [Passage.objects.get(pk=one.passage).text for one in found] == [text]

    def test_words_that_are_not_inside_are_not_found(self, harbour: Tenant) -> None:
        place(harbour, LAW, language="simple")
        assert keyword_index().find(harbour.pk, "法院", language="simple", limit=10).found == []

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("第十三条", "第十 十三 三条"),
            ("第16条", "第16 16条"),
            ("同意", "同意"),
            ("法", ""),
            ("the port", ""),
            ("2024", ""),
            ("getData 個人情報", "get Data 個人 人情 情報"),
        ],
    )
    def test_pairs_of_characters_are_words(self, text: str, words: str) -> None:
        assert extra_words(text) == words

    def test_pairs_have_a_limit(self, harbour: Tenant) -> None:
        text = "".join(map(chr, range(0x4E00, 0x9FFF))) * 3
        assert len(extra_words(text).split()) == MOST_PAIRS
        place(harbour, text, language="simple")

    @pytest.mark.parametrize("part", ["a1", "个", "A.", "x/1"])
    def test_take_no_time_for_hostile_texts(self, part: str) -> None:
        begun = time.perf_counter()
        extra_words(part * 30_000)
        assert time.perf_counter() - begun < 20  # Milliseconds, or minutes if something backtracks.
