"""Load the weights into onnxruntime, and turn one text into one vector."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import onnxruntime

from search.backends.embedders.base import Vector, to_unit
from search.backends.embedders.granite.graph import INPUT, build_graph
from search.backends.embedders.granite.pack import Floats, Grouped, find_pack, read_pack
from search.backends.embedders.granite.tokenizer import Tokenizer


@dataclass(frozen=True)
class Model:
    tokenizer: Tokenizer
    words: Grouped
    positions: Floats
    session: onnxruntime.InferenceSession

    def embed(self, text: str) -> Vector:
        """Return the unit vector of a text that fits."""
        numbers = self.tokenizer.encode(text)
        embedded = self.words.rows(numbers) + self.positions[: len(numbers)]
        (answer,) = self.session.run(None, {INPUT: embedded[None]})
        return to_unit(answer[0, 0].tolist())


def load_model(path: Path | None, *, threads: int) -> Model:
    """Build the network anew: that takes less time than to read one that was kept, and cannot be stale."""
    pack = read_pack(path or find_pack())
    return Model(
        tokenizer=Tokenizer(pack.tokenizer),
        words=pack.grouped["word_emb"],
        positions=pack.plain["pos_emb"][pack.first_position :] + pack.plain["type_emb"][0],
        session=_start(build_graph(pack), threads),
    )


def _start(network: bytes, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # Idle threads burn no core.
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
