"""Scores by a cross-encoder that runs here: a model that reads question and passage together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from search.backends.payment import OptionRefused, Purse
from search.backends.rerankers.base import Reranker, RerankerError

if TYPE_CHECKING:
    from search.backends.rerankers.pair_model import PairModel

SHORTEST, LONGEST = 16, 8192  # Tokens of a pair.


class CrossEncoderReranker(Reranker):
    """Loads the weights on first use, in each process: a model made before a fork hangs after it."""

    def __init__(self, *, path: str | Path, max_length: int = 256, threads: int = 1) -> None:
        if not SHORTEST <= max_length <= LONGEST:
            raise OptionRefused(f"OPTIONS['max_length']: {max_length}. Give {SHORTEST} to {LONGEST} tokens.")
        if threads < 1:
            raise OptionRefused(f"OPTIONS['threads']: {threads}. Give at least 1.")
        self._path = Path(path)
        self.name = f"cross-encoder/{self._path.name}"
        self._max_length = max_length
        self._threads = threads
        self._lock = Lock()
        self._models: dict[int, PairModel] = {}

    def load(self) -> None:
        self._model()

    def rate(self, question: str, passages: Sequence[str], purse: Purse | None) -> list[float]:
        """Run pair by pair: as fast as padded batches, and no passage changes the score of another."""
        model = self._model()
        return [model.score(question, passage) for passage in passages]

    def _model(self) -> PairModel:
        with self._lock:
            if os.getpid() not in self._models:  # The parent's is kept: its end would wait for lost threads.
                self._models[os.getpid()] = self._load()
            return self._models[os.getpid()]

    def _load(self) -> PairModel:
        try:
            from search.backends.rerankers.pair_model import load_model
        except ImportError as error:
            raise RerankerError(
                f"A cross-encoder needs onnxruntime and numpy ({error}). Install them with "
                "`pip install onnxruntime numpy`, or configure another reranker."
            ) from error
        return load_model(self._path, max_length=self._max_length, threads=self._threads)
