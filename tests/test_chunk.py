"""Chunks tile their text, stay inside the limit, cut no word, and know what they are."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.chunk import Piece, chunk_outline
from documents.chunk.classify import classify_chunk
from documents.parse import parse_outline
from documents.tokens import count_tokens


def chunk(text: str, *, is_markdown: bool = False, **options: int | str) -> tuple[Piece, ...]:
    outline = parse_outline(text, is_markdown=is_markdown)
    return chunk_outline(text, outline, **options)  # type: ignore[arg-type]


def shown(text: str, piece: Piece) -> str:
    """Return what a reader of the chunk sees: the table's header, the overlap, and the chunk."""
    header = text[slice(*piece.header)] if piece.header else ""
    return header + text[piece.lead_start : piece.end]


def assert_tiles(text: str, pieces: tuple[Piece, ...], max_tokens: int) -> None:
    assert "".join(text[piece.start : piece.end] for piece in pieces) == (text if text.strip() else "")
    for piece in pieces:
        assert text[piece.start : piece.end].strip()
        assert piece.token_count <= max_tokens
        assert count_tokens(shown(text, piece)) <= max_tokens
        assert piece.lead_start <= piece.start


def sentences(count: int, word: str = "harbour") -> str:
    return " ".join(f"The {word} master shall keep register number {number}." for number in range(count))


def test_a_text_that_fits_is_one_chunk() -> None:
    text = "§ 1 Scope\n\n(a) One.\n\n(b) Two.\n"
    (piece,) = chunk(text)
    assert (piece.start, piece.end, piece.unit, piece.lead_start) == (0, len(text), 0, 0)


def test_chunks_end_where_units_end() -> None:
    text = "\n\n".join(f"Article {number} Matter\n\n{sentences(20)}" for number in range(1, 6)) + "\n"
    pieces = chunk(text, max_tokens=300)
    assert [text[piece.start : piece.start + 9] for piece in pieces] == [f"Article {n}" for n in range(1, 6)]


def test_small_siblings_under_one_heading_merge_and_large_ones_do_not() -> None:
    small = "\n\n".join(f"({letter}) {sentences(2)}" for letter in "abcdef")
    large = "\n\n".join(f"({letter}) {sentences(20)}" for letter in "abc")
    text = f"§ 1 Small\n\n{small}\n\n§ 2 Large\n\n{large}\n"
    units = parse_outline(text, is_markdown=False).units
    pieces = chunk(text, max_tokens=400)
    assert [units[piece.unit].label for piece in pieces] == ["§ 1", "§ 2", "§ 2(b)", "§ 2(c)"]


def test_flat_text_is_cut_at_sentences_and_overlaps() -> None:
    text = sentences(200)
    pieces = chunk(text, max_tokens=200, overlap=30)
    assert_tiles(text, pieces, 200)
    assert len(pieces) > 5
    for piece in pieces[1:]:
        assert text[piece.start : piece.start + 4] == "The "
        assert 0 < count_tokens(text[piece.lead_start : piece.start]) <= 30
    assert pieces[0].lead_start == 0


def test_without_overlap_nothing_is_repeated() -> None:
    pieces = chunk(sentences(200), max_tokens=200, overlap=0)
    assert all(piece.lead_start == piece.start for piece in pieces)


def test_units_that_are_not_cut_do_not_overlap() -> None:
    text = "\n\n".join(f"Article {number} Matter\n\n{sentences(20)}" for number in range(1, 6))
    assert all(piece.lead_start == piece.start for piece in chunk(text, max_tokens=300))


def test_a_long_table_repeats_its_header() -> None:
    rows = "\n".join(f"| {number} | berth {number} | {number * 10} |" for number in range(200))
    text = f"# Tariff\n\n| No | Name | Fee |\n|---|---|---|\n{rows}\n"
    pieces = chunk(text, is_markdown=True, max_tokens=200)
    assert_tiles(text, pieces, 200)
    assert len(pieces) > 5
    later = [piece for piece in pieces if piece.header]
    assert len(later) >= len(pieces) - 2
    assert all(
        text[slice(*piece.header)] == "| No | Name | Fee |\n|---|---|---|\n"
        for piece in later
        if piece.header
    )
    assert all(text[piece.start] == "|" for piece in later)


def test_the_token_strategy_knows_the_unit_around_each_chunk() -> None:
    text = "\n\n".join(f"Article {number} Matter\n\n{sentences(60)}" for number in range(1, 4))
    outline = parse_outline(text, is_markdown=False)
    pieces = chunk_outline(text, outline, max_tokens=200, strategy="token")
    assert_tiles(text, pieces, 200)
    for piece in pieces:
        unit = outline.units[piece.unit]
        assert unit.start <= piece.start
        assert piece.end <= unit.end


@pytest.mark.parametrize("size", [99, 100, 101])
def test_the_limit_is_kept_from_both_sides(size: int) -> None:
    word = " word"
    text = "word" + word * (size - 1)
    assert count_tokens(text) == size
    pieces = chunk(text, max_tokens=100, overlap=0)
    assert len(pieces) == (1 if size <= 100 else 2)


def test_an_endless_word_is_cut_and_stays_inside_the_limit() -> None:
    text = "x" * 20_000
    pieces = chunk(text, max_tokens=100, overlap=10)
    assert_tiles(text, pieces, 100)


@pytest.mark.parametrize(
    ("max_tokens", "overlap"), [(100, 50), (100, 99), (100, 100), (100, 200), (2000, 200)]
)
def test_an_overlap_that_leaves_no_room_is_cut_to_half(max_tokens: int, overlap: int) -> None:
    text = "word " * 3000
    pieces = chunk(text, max_tokens=max_tokens, overlap=overlap)
    assert_tiles(text, pieces, max_tokens)
    most = min(overlap, max_tokens // 2)
    assert max(count_tokens(text[piece.lead_start : piece.start]) for piece in pieces) <= most


def test_no_text_has_no_chunks() -> None:
    assert chunk("") == ()
    assert chunk(" \n\n ") == ()


PARTS = st.one_of(
    st.sampled_from(
        [
            "(a) ",
            "(1) ",
            "§ 4 ",
            "\n\n",
            "\n",
            "# ",
            "Article 3",
            "| a | b |\n|---|---|\n",
            "。漢字漢字",
            "x" * 300,
        ]
    ),
    st.text(max_size=20),
    st.integers(1, 60).map(sentences),
)


@given(
    st.lists(PARTS, max_size=25).map("".join),
    st.booleans(),
    st.sampled_from([100, 137, 800]),
    st.sampled_from([0, 20, 50]),
)
@settings(max_examples=150, deadline=None)
def test_any_text_is_tiled(text: str, is_markdown: bool, max_tokens: int, overlap: int) -> None:
    for strategy in ("structure", "token"):
        pieces = chunk(
            text, is_markdown=is_markdown, max_tokens=max_tokens, overlap=overlap, strategy=strategy
        )
        assert_tiles(text, pieces, max_tokens)


@given(st.lists(st.integers(1, 40).map(sentences), min_size=1, max_size=8).map("\n\n".join))
@settings(max_examples=40, deadline=None)
def test_no_chunk_cuts_a_word(text: str) -> None:
    for piece in chunk(text, max_tokens=100, overlap=20):
        for place in (piece.start, piece.lead_start):
            assert place == 0 or not re.match(r"\w\w", text[place - 1 : place + 1])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The master shall report at once.", "requirement"),
        ("A vessel may not anchor here.", "requirement"),
        ("A vessel may anchor here.", "content"),
        ("This means that fees rise by means of a notice.", "content"),
        ("3. See comment 4(a)-1.", "reference"),
        ("Der Betreiber muss prüfen.", "requirement"),
    ],
)
def test_a_chunk_is_what_its_words_say(text: str, kind: str) -> None:
    assert classify_chunk(text, title="", has_body=True) == kind


@pytest.mark.parametrize(
    ("spans", "kind"),
    [
        ([], "requirement"),
        ([(0, 9)], "requirement"),
        ([(0, 10)], "definition"),
        ([(0, 6), (3, 9)], "requirement"),  # Nine characters, though some of them twice.
        ([(0, 5), (20, 25)], "definition"),
    ],
)
def test_a_chunk_defines_if_three_tenths_of_it_do(spans: list[tuple[int, int]], kind: str) -> None:
    text = "Berth: a quay. Ships must pay now"[:32] + "."
    assert len(text) == 33
    (piece,) = chunk_outline(text, parse_outline(text, is_markdown=False), definitions=spans)
    assert piece.type == kind


def test_a_chunk_of_headings_alone_is_a_header() -> None:
    article = f"### Article 1 Matter\n\n{sentences(40)}\n\n"
    text = "# Act of the Harbour\n\n## Part I General\n\n" + article + article.replace("1", "2", 1)
    pieces = chunk(text, is_markdown=True, max_tokens=count_tokens(article) + 4)
    assert [piece.type for piece in pieces] == ["header", "requirement", "requirement"]
