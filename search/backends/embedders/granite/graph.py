"""Lay out the network: six layers of attention and feed-forward, in bytes where that is as good.

Products of matrices are the work, and with bytes they take two thirds of the time. A factor for a whole
matrix of activations would lose the small ones, because the first and the last token reach a hundred times
what others do inside the feed-forward layers; there, each row is brought to one size before and back
after. Weights have seven bits: two products of eight overflow on processors without VNNI.
"""

from __future__ import annotations

import numpy as np

from search.backends.embedders.granite.onnx_file import MICROSOFT, Graph
from search.backends.embedders.granite.pack import Floats, Pack

INPUT = "embedded"
WEIGHT_LIMIT = 63


def build_graph(pack: Pack) -> bytes:
    """Return a network from the tokens of one text, (1, tokens, width), to its vector, (1, 1, width)."""
    return _Layout(pack).lay_out()


class _Layout:
    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._graph = Graph()
        self._width = pack.plain["emb_ln.w"].size

    def lay_out(self) -> bytes:
        scale, shift = self._plain("emb_ln.w"), self._plain("emb_ln.b")
        flow = self._graph.node(
            "LayerNormalization", [INPUT, scale, shift], axis=-1, epsilon=self._pack.epsilon
        )
        for number in range(self._pack.layers):
            flow = self._layer(flow, f"l{number}", is_last=number == self._pack.layers - 1)
        return self._graph.to_bytes(source=INPUT, shape=[1, "tokens", self._width], result=flow)

    def _layer(self, flow: str, name: str, *, is_last: bool) -> str:
        """Of the last layer only the first token is read, so only that is computed."""
        kept = self._first_token(flow) if is_last else flow
        query, key, value = (
            self._product(source, f"{name}.qkv", part, with_bias=True)
            for part, source in enumerate((kept, flow, flow))
        )
        attended = self._graph.node(
            "MultiHeadAttention", [query, key, value], domain=MICROSOFT, num_heads=self._pack.heads
        )
        kept = self._add_and_norm(self._product(attended, f"{name}.ao"), kept, f"{name}.ao", f"{name}.aln")
        inner = self._product_by_row(kept, f"{name}.f1")
        inner = self._graph.node("BiasGelu", [inner, self._plain(f"{name}.f1.b")], domain=MICROSOFT)
        inner = self._product_by_row(inner, f"{name}.f2")
        return self._add_and_norm(inner, kept, f"{name}.f2", f"{name}.fln")

    def _first_token(self, flow: str) -> str:
        zero = self._graph.constant("zero", np.zeros(1, np.int64))
        one = self._graph.constant("one", np.ones(1, np.int64))
        return self._graph.node("Slice", [flow, zero, one, one])

    def _add_and_norm(self, flow: str, skipped: str, bias: str, norm: str) -> str:
        constants = [self._plain(f"{norm}.w"), self._plain(f"{norm}.b"), self._plain(f"{bias}.b")]
        inputs = [flow, skipped, *constants]
        return self._graph.node(
            "SkipLayerNormalization", inputs, domain=MICROSOFT, epsilon=self._pack.epsilon
        )

    def _product_by_row(self, flow: str, name: str) -> str:
        largest = self._graph.node("ReduceMax", [self._graph.node("Abs", [flow])], axes=[-1], keepdims=1)
        product = self._product(self._graph.node("Div", [flow, largest]), name)
        return self._graph.node("Mul", [product, largest])

    def _product(self, flow: str, name: str, part: int = 0, *, with_bias: bool = False) -> str:
        """Multiply by a matrix; `part` is which of those that lie one below the other."""
        outputs = slice(part * self._width, (part + 1) * self._width) if with_bias else slice(None)
        weights = self._pack.grouped[f"{name}.w"].rows(outputs)
        factors: Floats = np.abs(weights).max(axis=1) / WEIGHT_LIMIT
        rounded = np.rint(weights / factors[:, None]).astype(np.int8)
        inputs = [
            flow,
            self._graph.constant(f"{name}.{part}.bytes", rounded.T),
            self._graph.constant(f"{name}.{part}.factors", factors),
            self._graph.constant(f"{name}.{part}.zeros", np.zeros(len(factors), np.int8)),
        ]
        if with_bias:
            inputs.append(self._graph.constant(f"{name}.{part}.bias", self._pack.plain[f"{name}.b"][outputs]))
        return self._graph.node("DynamicQuantizeMatMul", inputs, domain=MICROSOFT)

    def _plain(self, name: str) -> str:
        return self._graph.constant(name, self._pack.plain[name])
