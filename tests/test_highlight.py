"""Highlights: which words are marked, which snippets are shown, and that nothing breaks them."""

from __future__ import annotations

import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.highlight import JOINED, MOST_CHARACTERS, WORD, Highlight, highlight, tokens_of, words_to_stem
from search.words import distinct


def stem(word: str) -> str:
    """Stem as the simplest of languages does."""
    return word.removesuffix("s")


def marked(content: str, *words: str, phrases: tuple[str, ...] = ()) -> list[str]:
    shown = highlight(content, words=words, phrases=phrases, stem=stem)
    return [one.text[start:end] for one in shown for start, end in one.marks]


class TestMarks:
    def test_words_are_marked_if_their_lexeme_is_asked_for(self) -> None:
        assert marked("Berths, a berth and a Bertha.", "berth") == ["Berths", "berth"]

    def test_parts_of_identifiers_count(self) -> None:
        assert marked("Call getHTTPResponse and snake_case_name.", "http", "case") == ["HTTP", "case"]

    def test_joined_words_are_marked_whole_or_in_parts(self) -> None:
        content = "Under 1013.2(e) cross-border loans."
        assert marked(content, "1013.2", "border") == ["1013.2", "border"]
        assert marked(content, "cross-border") == ["cross-border"]

    def test_pairs_of_characters_are_marked_where_words_are_not_parted(self) -> None:
        assert marked("東京都庁に行く", "京都", "都庁") == ["京都庁"]

    def test_stems_may_be_a_table_and_what_it_lacks_is_itself(self) -> None:
        (one,) = highlight(
            "Ships sank; a ship sinks.", words={"sink", "a"}, stem={"sank": "sink", "sinks": "sink"}
        )
        assert [one.text[start:end] for start, end in one.marks] == ["sank", "a", "sinks"]

    @pytest.mark.parametrize(
        ("phrase", "content", "expected"),
        [
            ("shall not disclose", "They shall not\ndisclose it.", ["shall not\ndisclose"]),
            ("shall not disclose", "They shall promptly disclose it.", []),
            ("shall not disclose", "They shall not disclosed it.", []),
            ("no fee", "No fee; a fee.", ["No fee"]),
            ("203(a)(1)", "See 203(b)(1) and 203(a)(1).", ["203(a)(1)"]),
            ("(a)", "Under (a) a ship", ["(a)"]),
            ("c++ (fast)", "In C++ (fast) code.", ["C++ (fast)"]),
            ("«»", "Nothing «» here.", []),
        ],
    )
    def test_phrases_are_marked_whole(self, phrase: str, content: str, expected: list[str]) -> None:
        assert marked(content, phrases=(phrase,)) == expected

    def test_words_inside_a_phrase_are_not_marked_again(self) -> None:
        assert marked("A ship at a berth.", "ship", "berth", phrases=("ship at a berth",)) == [
            "ship at a berth"
        ]


FILLER = "Nothing is said in this sentence at all. " * 20


class TestSnippets:
    def test_begin_and_end_with_their_sentences(self) -> None:
        content = f"{FILLER}The berth is free. {FILLER}"
        (one,) = highlight(content, words={"berth"}, stem=stem, width=100)
        assert one.text.startswith("The berth is free. Nothing")
        assert one.text.endswith("at all.")
        assert len(one.text) <= 100

    def test_show_the_window_with_the_most_different_words(self) -> None:
        content = f"Berth berth berth. {FILLER}A berth has a light. {FILLER}"
        first, *rest = highlight(content, words={"berth", "light"}, stem=stem)
        assert (first.text[:20], rest) == ("A berth has a light.", [])

    def test_prefer_words_that_weigh_more(self) -> None:
        content = f"A ship sails. {FILLER}The keel. {FILLER}"
        (one,) = highlight(content, words={"ship", "keel"}, stem=stem, weights={"keel": 9.0}, most=1)
        assert one.text.startswith("The keel.")

    def test_are_several_only_if_each_shows_something_new(self) -> None:
        content = f"A ship. {FILLER}A ship. {FILLER}A keel. {FILLER}A mast. {FILLER}An oar."
        shown = highlight(content, words={"ship", "keel", "mast", "oar"}, stem=stem)
        assert [one.text.split(".")[0] for one in shown] == ["A ship", "A keel", "A mast"]
        assert len(highlight(content, words={"ship"}, stem=stem)) == 1

    def test_of_a_passage_without_any_word_are_its_first_sentences(self) -> None:
        (one,) = highlight(f"\n\n{FILLER}", words={"berth"}, stem=stem)
        assert (one.start, one.marks) == (2, ())
        assert one.text.endswith("at all.")

    def test_of_nothing_are_none(self) -> None:
        assert highlight(" \n ", words={"berth"}, stem=stem) == ()

    def test_of_a_phrase_that_is_wider_are_cut(self) -> None:
        content = "berth " * 100
        (one,) = highlight(content, words=set(), phrases=[" ".join(["berth"] * 50)], stem=stem, width=50)
        assert len(one.text) <= 50
        assert one.marks == ((0, len(one.text)),)

    def test_of_a_word_without_end_are_cut_between_characters(self) -> None:
        (one,) = highlight("e\u0301" * 500, words=set(), stem=stem, width=99)
        assert len(one.text) == 98


LETTERS = st.sampled_from([*"ab .\n(-_\u0301\u200d\ufe0f\ud83d\ude00東京", "ship", " berth ", "getShip", "É"])


@settings(max_examples=300)
@given(st.lists(LETTERS, max_size=120).map("".join), st.integers(1, 60), st.integers(1, 4))
def test_snippets_are_what_they_say_and_marks_lie_inside(content: str, width: int, most: int) -> None:
    def ask() -> tuple[Highlight, ...]:
        return highlight(
            content, words={"ship", "a", "京"}, phrases=["a b", "(berth"], stem=stem, most=most, width=width
        )

    shown = ask()
    assert shown == ask()
    assert len(shown) <= most
    assert bool(shown) == bool(content.strip())
    for one in shown:
        assert one.text == content[one.start : one.end] != ""
        assert len(one.text) <= width
        assert all(0 <= start < end <= len(one.text) for start, end in one.marks)
        assert all(before[1] <= after[0] for before, after in pairwise(one.marks))
    assert all(before.end <= after.start for before, after in pairwise(shown))


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_any_text_has_highlights(content: str, phrases: list[str]) -> None:
    found = highlight(content, words=set(content.lower().split()), phrases=phrases, stem=stem)
    assert all(content[one.start : one.end] == one.text for one in found)


@pytest.mark.parametrize(
    "piece", ["a ", "x", ". ", "e\u0301", "\n", "東京", "aB", "a.b.", "a a-", '"', "(", "a" * 50 + " "]
)
def test_time_grows_with_the_text_alone(piece: str) -> None:
    content = (piece * 1_000_000)[:1_000_000]
    begun = time.perf_counter()
    highlight(content, words={"a", "b", "東京"}, phrases=["a a a a a b", " ".join("a" * 60)], stem=stem)
    assert time.perf_counter() - begun < 10


def test_what_lies_far_behind_is_not_looked_at() -> None:
    (one,) = highlight("x" * MOST_CHARACTERS + " berth", words={"berth"}, stem=stem)
    assert one.marks == ()


def test_only_words_that_can_be_meant_are_to_be_stemmed() -> None:
    content = "Berths and ÉCOLES of getBoatName, cross-border; Привет"
    assert words_to_stem(tokens_of(content), {"berth", "ecol"}) == {
        "berths",
        "écoles",
        "boat",
        "border",
        "привет",
    }
    assert words_to_stem({"Berth"}, set()) == set()


def test_letters_with_accents_stay_whole() -> None:
    content = unicodedata.normalize("NFD", "é" * 400)
    (one,) = highlight(content, words=set(), stem=stem, width=101)
    assert unicodedata.normalize("NFC", one.text) == "é" * 50


@given(st.text(st.sampled_from("ab1_-.,’ \u2011\x1c\u00a0\u2028éß東\u0301\n")))
def test_distinct_words_are_those_that_a_pattern_finds(text: str) -> None:
    for words in (JOINED, WORD):
        assert distinct(words, text) == set(words.findall(text))
