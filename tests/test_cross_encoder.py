"""Cross-encoders run from a folder, read text as BERT does, and say what is wrong with a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.backends.payment import OptionRefused
from search.backends.rerankers.base import RerankerError
from search.backends.rerankers.cross_encoder import CrossEncoderReranker
from search.backends.rerankers.pair_model import load_model
from search.backends.rerankers.wordpiece import WordPiece
from tests.networks import WORDS, count_shared, write_folder

VOCABULARY = {word: number for number, word in enumerate(WORDS)}
TOKENIZER = WordPiece(VOCABULARY)


def tokens(text: str, most: int = 100, tokenizer: WordPiece = TOKENIZER) -> list[str]:
    return [WORDS[number] for number in tokenizer.encode(text, most)]


class TestTokens:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("The HARBOUR master", ["the", "harbour", "master"]),
            ("unaffable", ["un", "##aff", "##able"]),
            ("unaffablex", ["[UNK]"]),
            ("the, harbour.", ["the", ",", "harbour", "."]),
            ("12!?", ["1", "##2", "!", "?"]),
            ("hárboür", ["harbour"]),
            ("the\tharbour\u00a0\u2003master\r\n", ["the", "harbour", "master"]),
            ("ha\u200brb\0o\ufffdur\x1c", ["harbour"]),
            ("the中harbour", ["the", "[UNK]", "harbour"]),
            ("[SEP] [sep]", ["[", "sep", "]", "[", "sep", "]"]),
            ("\ud800the", ["the"]),
            ("", []),
            (" \n", []),
        ],
    )
    def test_are_those_of_bert(self, text: str, expected: list[str]) -> None:
        assert tokens(text) == expected

    def test_of_words_that_are_too_long_are_unknown(self) -> None:
        letters = WordPiece({**VOCABULARY, "x": len(WORDS), "##x": len(WORDS)})
        assert len(letters.encode("x" * 100, 1000)) == 100
        assert letters.encode("x" * 101, 1000) == [VOCABULARY["[UNK]"]]

    def test_keep_case_and_accents_where_the_model_does(self) -> None:
        cased = WordPiece(VOCABULARY, is_lowercase=False, has_accents=True)
        assert tokens("the Harbour hárbour", tokenizer=cased) == ["the", "[UNK]", "[UNK]"]

    def test_are_as_many_as_were_asked_for(self) -> None:
        assert tokens("the unaffable", 2) == ["the", "un"]
        assert tokens("the " * 1_000_000, 3) == ["the"] * 3

    def test_of_a_pair_stand_between_marks(self) -> None:
        pair = TOKENIZER.pair("the harbour", "a register", max_length=16)
        assert [WORDS[number] for number in pair.ids] == [
            *("[CLS]", "the", "harbour", "[SEP]"),
            *("a", "register", "[SEP]"),
        ]
        assert pair.types == [0, 0, 0, 0, 1, 1, 1]

    def test_of_a_question_take_half_at_most(self) -> None:
        pair = TOKENIZER.pair("the " * 99, "a " * 99, max_length=20)
        assert (len(pair.ids), pair.types.count(0), pair.types.count(1)) == (20, 10, 10)
        assert TOKENIZER.pair("the", "a " * 99, max_length=20).types.count(1) == 17

    @given(st.text(), st.text(), st.integers(16, 64))
    def test_are_there_for_any_text(self, question: str, passage: str, length: int) -> None:
        pair = TOKENIZER.pair(question, passage, max_length=length)
        assert len(pair.ids) == len(pair.types) <= length
        assert all(0 <= number < len(WORDS) for number in pair.ids)


PASSAGES = ["the harbour master", "pilots board vessels", "the harbour, the harbour"]
# Equal tokens of both sides, with the mark at the end of each.
COUNTS = [3.0, 1.0, 5.0]


def run(folder: Path, **options: int) -> list[float]:
    return CrossEncoderReranker(path=folder, **options).scores("the harbour", PASSAGES)


class TestScores:
    @pytest.mark.parametrize("weights", [(1.0,), (-0.25, 0.75), (0.0, 1.0)])
    def test_are_a_number_or_the_difference_of_two(self, tmp_path: Path, weights: tuple[float, ...]) -> None:
        assert run(write_folder(tmp_path, count_shared(*weights))) == COUNTS

    def test_do_not_depend_on_threads_and_other_passages(self, tmp_path: Path) -> None:
        folder = write_folder(tmp_path, count_shared(1.0))
        assert run(folder, threads=2) == COUNTS
        reranker = CrossEncoderReranker(path=folder)
        assert [reranker.scores("the harbour", [one])[0] for one in PASSAGES] == COUNTS

    def test_come_from_as_much_as_the_model_reads(self, tmp_path: Path) -> None:
        reranker = CrossEncoderReranker(path=write_folder(tmp_path, count_shared(1.0)), max_length=16)
        # Of 16 tokens, 3 are marks and 1 is the question; the rest of the passage is not read.
        assert reranker.scores("the", ["the " * 12, "the " * 13, "a " * 12 + "the"]) == [13.0, 13.0, 1.0]

    def test_come_from_a_quantized_network_if_there_is_no_other(self, tmp_path: Path) -> None:
        assert run(write_folder(tmp_path, count_shared(1.0), name="model_quantized.onnx")) == COUNTS
        write_folder(tmp_path, count_shared(2.0))
        assert run(tmp_path) == [2 * count for count in COUNTS]

    def test_come_from_a_network_without_a_mask(self, tmp_path: Path) -> None:
        assert (
            run(write_folder(tmp_path, count_shared(1.0, inputs=("input_ids", "token_type_ids")))) == COUNTS
        )


def description(**model: Any) -> dict[str, Any]:
    normalizer = {"type": "BertNormalizer", "lowercase": True, "strip_accents": None}
    words = {"type": "WordPiece", "vocab": VOCABULARY, "continuing_subword_prefix": "##", **model}
    return {"model": words, "normalizer": normalizer}


class TestFolders:
    def test_may_describe_their_tokens(self, tmp_path: Path) -> None:
        folder = write_folder(tmp_path, count_shared(1.0))
        (folder / "vocab.txt").unlink()
        (folder / "tokenizer.json").write_text(json.dumps(description()))
        assert run(folder) == COUNTS
        cased = description()
        cased["normalizer"]["lowercase"] = False
        (folder / "tokenizer.json").write_text(json.dumps(cased))
        assert CrossEncoderReranker(path=folder).scores("the", ["THE"]) == [1.0]

    @pytest.mark.parametrize(("is_lower", "score"), [(True, 2.0), (False, 1.0)])
    def test_may_say_whether_case_counts(self, tmp_path: Path, is_lower: bool, score: float) -> None:
        folder = write_folder(tmp_path, count_shared(1.0))
        (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": is_lower}))
        assert CrossEncoderReranker(path=folder).scores("the", ["THE"]) == [score]

    def test_may_have_lines_that_end_as_on_windows(self, tmp_path: Path) -> None:
        folder = write_folder(tmp_path, count_shared(1.0))
        (folder / "vocab.txt").write_bytes("\r\n".join(WORDS).encode())
        assert run(folder) == COUNTS

    @pytest.mark.parametrize(
        ("missing", "said"),
        [
            ("model.onnx", "there is no model.onnx and no model_quantized.onnx."),
            ("vocab.txt", "there is no tokenizer.json and no vocab.txt."),
        ],
    )
    def test_that_lack_a_file_are_named(self, tmp_path: Path, missing: str, said: str) -> None:
        folder = write_folder(tmp_path / "tiny", count_shared(1.0))
        (folder / missing).unlink()
        with pytest.raises(RerankerError) as refused:
            run(folder)
        assert str(refused.value) == (
            f"cross-encoder: {folder}: {said} Set the path in the reranker's OPTIONS to a folder with the "
            "model.onnx of a BERT cross-encoder and its tokenizer.json or vocab.txt."
        )

    def test_that_are_not_there_are_named(self, tmp_path: Path) -> None:
        with pytest.raises(RerankerError, match=r"nowhere: there is no tokenizer\.json"):
            run(tmp_path / "nowhere")

    @pytest.mark.parametrize("network", [b"", b"\x80\x04pickle", b"\0" * 100])
    def test_with_something_else_as_network_are_named(self, tmp_path: Path, network: bytes) -> None:
        with pytest.raises(RerankerError, match=r"model\.onnx cannot be loaded"):
            run(write_folder(tmp_path, network))

    @pytest.mark.parametrize(
        "text",
        [
            *("", "{", "[]", "[" * 100_000, '{"model": 7}'),
            json.dumps(description(type="Unigram")),
            json.dumps(description(vocab={"a": 1})),
            json.dumps(description(vocab={**VOCABULARY, "a": "x"})),
            json.dumps({**description(), "normalizer": None}),
        ],
    )
    def test_with_other_tokens_are_named(self, tmp_path: Path, text: str) -> None:
        folder = write_folder(tmp_path, count_shared(1.0))
        (folder / "tokenizer.json").write_text(text)
        with pytest.raises(RerankerError, match=r"tokenizer\.json does not describe BERT's tokens"):
            run(folder)

    @pytest.mark.parametrize("words", [b"", b"a\nb\n", b"\xff\xfe"])
    def test_with_other_words_are_named(self, tmp_path: Path, words: bytes) -> None:
        folder = write_folder(tmp_path, count_shared(1.0))
        (folder / "vocab.txt").write_bytes(words)
        with pytest.raises(RerankerError, match=r"vocab\.txt does not describe BERT's tokens"):
            run(folder)

    def test_whose_network_gives_more_than_two_numbers_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(RerankerError, match="gives 3 numbers for a pair"):
            run(write_folder(tmp_path, count_shared(1.0, 2.0, 3.0)))

    def test_whose_network_reads_something_else_are_refused(self, tmp_path: Path) -> None:
        network = count_shared(1.0, inputs=("input_ids", "token_type_ids", "pixels"))
        with pytest.raises(RerankerError, match="its network does not read tokens as BERT does"):
            run(write_folder(tmp_path, network))

    def test_are_read_once(self, tmp_path: Path) -> None:
        folder = write_folder(tmp_path, count_shared(1.0))
        reranker = CrossEncoderReranker(path=folder)
        assert reranker.scores("the harbour", PASSAGES) == COUNTS
        for path in folder.iterdir():
            path.unlink()
        assert reranker.scores("the harbour", PASSAGES) == COUNTS


def test_a_network_that_refuses_tokens_is_told(tmp_path: Path) -> None:
    model = load_model(write_folder(tmp_path, count_shared(1.0)), max_length=16, threads=1)
    model.inputs["input_ids"] = np.int32
    with pytest.raises(RerankerError, match="the network refuses 5 tokens"):
        model.score("the", "harbour")


@pytest.mark.parametrize(
    ("options", "said"),
    [({"max_length": 15}, "max_length"), ({"max_length": 8193}, "max_length"), ({"threads": 0}, "threads")],
)
def test_options_that_are_none_are_named(options: dict[str, int], said: str) -> None:
    with pytest.raises(OptionRefused, match=rf"OPTIONS\['{said}'\]"):
        CrossEncoderReranker(path="x", **options)
    CrossEncoderReranker(path="x", max_length=16, threads=1)
    CrossEncoderReranker(path="x", max_length=8192)
