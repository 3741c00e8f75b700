"""The embedded model behind the embedder's contract."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from search.backends.embedders.base import Embedder, EmbedderMissing, Vector
from search.backends.embedders.windows import Piece

if TYPE_CHECKING:
    from search.backends.embedders.granite.model import Model


class GraniteEmbedder(Embedder):
    """Loads the weights on first use, in each process: a model made before a fork hangs after it."""

    provider = "embedded"
    model = "granite-embedding-30m-english"
    dimensions = 384
    max_tokens = 512
    marks = 2
    floor = 0.5  # As measured, on questions of one field and texts of another.

    def __init__(self, *, threads: int = 1, pack: str | Path | None = None) -> None:
        self._threads = threads
        self._pack = pack
        self._lock = Lock()
        self._models: dict[int, Model] = {}

    def load(self) -> None:
        self._model()

    def split(self, text: str) -> list[Piece]:
        return [Piece(word.start, word.end, len(word.ids)) for word in self._model().tokenizer.split(text)]

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Run text by text: as fast as padded batches, and no text changes the vector of another."""
        model = self._model()
        return [model.embed(text) for text in texts]

    def _model(self) -> Model:
        with self._lock:
            if os.getpid() not in self._models:  # The parent's is kept: its end would wait for lost threads.
                self._models[os.getpid()] = self._load()
            return self._models[os.getpid()]

    def _load(self) -> Model:
        try:
            from search.backends.embedders.granite.model import load_model
        except ImportError as error:
            raise EmbedderMissing(
                f"The embedded model needs onnxruntime and numpy ({error}). Install them with "
                "`pip install onnxruntime numpy`, or configure another embedder."
            ) from error
        return load_model(Path(self._pack) if self._pack else None, threads=self._threads)
