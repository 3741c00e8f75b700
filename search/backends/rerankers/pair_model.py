"""Load a cross-encoder into onnxruntime, and score one pair of question and passage."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as states

from search.backends.rerankers.base import RerankerError
from search.backends.rerankers.wordpiece import Pair, WordPiece

NETWORKS = ("model.onnx", "model_quantized.onnx")
DESCRIPTION, VOCABULARY, CONFIGURATION = "tokenizer.json", "vocab.txt", "tokenizer_config.json"
ERRORS = (
    states.Fail,
    states.InvalidArgument,
    states.InvalidGraph,
    states.InvalidProtobuf,
    states.NoSuchFile,
    states.NotImplemented,
    states.RuntimeException,
)
INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


@dataclass(frozen=True)
class PairModel:
    tokenizer: WordPiece
    session: onnxruntime.InferenceSession
    inputs: dict[str, Any]  # The names that the network knows, and the type of each.
    max_length: int

    def score(self, question: str, passage: str) -> float:
        """Return how well a passage answers; of two classes, how much likelier the second is."""
        pair = self.tokenizer.pair(question, passage, max_length=self.max_length)
        try:
            logits = self.session.run(None, self._feed(pair))[0].astype(float).ravel().tolist()
        except ERRORS as error:
            raise RerankerError(
                f"cross-encoder: the network refuses {len(pair.ids)} tokens ({type(error).__name__}). Set a "
                "smaller max_length in the reranker's OPTIONS, or another path."
            ) from error
        if len(logits) not in {1, 2}:
            raise RerankerError(
                f"cross-encoder: the network gives {len(logits)} numbers for a pair. Take one with a number "
                "or two: for relevance, or for two classes."
            )
        return float(logits[-1] - (logits[0] if len(logits) > 1 else 0.0))

    def _feed(self, pair: Pair) -> dict[str, Any]:
        parts = {
            "input_ids": pair.ids,
            "attention_mask": [1] * len(pair.ids),
            "token_type_ids": pair.types,
        }
        return {name: np.array([parts[name]], dtype=kind) for name, kind in self.inputs.items()}


def load_model(folder: Path, *, max_length: int, threads: int) -> PairModel:
    """Read what a folder holds; only a network and words, never anything that could run."""
    tokenizer = _load_tokenizer(folder)
    session = _start(_find(folder, NETWORKS), threads)
    inputs = {one.name: INTEGERS.get(one.type) for one in session.get_inputs()}
    if "input_ids" not in inputs or set(inputs) - INPUTS or None in inputs.values():
        raise _refuse(folder, "its network does not read tokens as BERT does")
    return PairModel(tokenizer, session, inputs, max_length)


def _find(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise _refuse(folder, f"there is no {' and no '.join(names)}")


def _refuse(folder: Path, what: str) -> RerankerError:
    return RerankerError(
        f"cross-encoder: {folder}: {what}. Set the path in the reranker's OPTIONS to a folder with the "
        "model.onnx of a BERT cross-encoder and its tokenizer.json or vocab.txt."
    )


def _start(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # Idle threads burn no core.
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except ERRORS as error:
        raise _refuse(path.parent, f"{path.name} cannot be loaded ({type(error).__name__})") from error


def _load_tokenizer(folder: Path) -> WordPiece:
    path = _find(folder, (DESCRIPTION, VOCABULARY))
    try:
        return _from_description(path) if path.name == DESCRIPTION else _from_words(path)
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise _refuse(folder, f"{path.name} does not describe BERT's tokens") from error


def _from_description(path: Path) -> WordPiece:
    """Read what `tokenizers` writes."""
    description = json.loads(path.read_bytes())
    model, normalizer = description["model"], description["normalizer"]
    if model["type"] != "WordPiece" or normalizer["type"] != "BertNormalizer":
        raise ValueError(model["type"])
    is_lowercase = bool(normalizer["lowercase"])
    strips = normalizer.get("strip_accents")
    return WordPiece(
        {str(word): int(number) for word, number in model["vocab"].items()},
        is_lowercase=is_lowercase,
        has_accents=not (is_lowercase if strips is None else strips),
        prefix=model["continuing_subword_prefix"],
    )


def _from_words(path: Path) -> WordPiece:
    """Read a word per line, and whether case counts, if that is said."""
    lines = path.read_text(encoding="utf-8").split("\n")
    configuration = path.parent / CONFIGURATION
    said = json.loads(configuration.read_bytes()) if configuration.is_file() else {}
    is_lowercase = bool(said.get("do_lower_case", True))
    vocabulary = {word.rstrip("\r"): number for number, word in enumerate(lines)}
    return WordPiece(vocabulary, is_lowercase=is_lowercase, has_accents=not is_lowercase)
