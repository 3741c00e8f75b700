"""A tiny cross-encoder as ONNX: it counts the tokens that question and passage share."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from search.backends.embedders.granite import onnx_file
from search.backends.embedders.granite.onnx_file import Graph, _field

INT64, FLOAT = onnx_file.TYPES["int64"], onnx_file.TYPES["float32"]
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
KNOWN = (
    "the harbour master keeps a register of berths is kept by who may close it pilots board vessels outside "
    "un ##aff ##able . , ? ! [ ] sep 1 ##2"
)
WORDS = (*SPECIAL, *KNOWN.split(" "))
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class TokenGraph(Graph):
    """A graph whose inputs are tokens."""

    def to_file(self, result: str, inputs: tuple[str, ...] = INPUTS) -> bytes:
        graph = [_field(1, node) for node in self._nodes] + [_field(2, "graph")]
        graph += [_field(5, constant) for constant in self._constants.values()]
        graph += [_field(11, _tokens(name)) for name in inputs]
        graph += [_field(12, onnx_file._value(result, None))]
        opset = _field(8, _field(1, "") + _field(2, onnx_file.OPSETS[""]))
        return _field(1, onnx_file.IR_VERSION) + _field(7, b"".join(graph)) + opset


def _tokens(name: str) -> bytes:
    dims = b"".join(_field(1, _field(2, size)) for size in ("batch", "length"))
    return _field(1, name) + _field(2, _field(1, _field(1, INT64) + _field(2, dims)))


def count_shared(*weights: float, inputs: tuple[str, ...] = INPUTS) -> bytes:
    """Return a network that counts equal tokens of both sides, and gives that times each weight."""
    graph = TokenGraph()
    first, second, both = (
        graph.constant(f"axes{axes}", np.array(axes, dtype=np.int64)) for axes in ([1], [2], [1, 2])
    )
    passage = graph.node("Cast", ["token_type_ids"], to=FLOAT)
    question = graph.node("Sub", [graph.constant("one", np.ones(1, dtype=np.float32)), passage])
    ids = [graph.node("Unsqueeze", ["input_ids", axis]) for axis in (second, first)]
    equal = graph.node("Cast", [graph.node("Equal", ids)], to=FLOAT)
    sides = [
        graph.node("Unsqueeze", [question, second]),
        graph.node("Unsqueeze", [passage, first]),
    ]
    shared = graph.node("Mul", [equal, graph.node("Mul", sides)])
    counted = graph.node("Unsqueeze", [graph.node("ReduceSum", [shared, both], keepdims=0), first])
    weighed = graph.constant("weights", np.array([weights], dtype=np.float32))
    return graph.to_file(graph.node("Mul", [counted, weighed]), inputs)


def write_folder(folder: Path, network: bytes, *, name: str = "model.onnx") -> Path:
    """Write a cross-encoder as they are handed around."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(network)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return folder
