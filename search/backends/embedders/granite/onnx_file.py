"""Write a neural network as ONNX, the few fields of it that we need, without a package for that.

Numbers of fields and types are those of onnx.proto3, which never change their meaning.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

TYPES = {"float32": 1, "int8": 3, "int64": 7}
MICROSOFT = "com.microsoft"
OPSETS = {"": 17, MICROSOFT: 1}
IR_VERSION = 8
VARINT, BYTES, FIXED32 = 0, 2, 5


class Graph:
    """Collects nodes and constants; every node has one result, and results are named by the graph."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: dict[str, bytes] = {}

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        """Keep a constant once, and return its name."""
        if name not in self._constants:
            self._constants[name] = _tensor(name, np.ascontiguousarray(value))
        return name

    def node(
        self, kind: str, inputs: Sequence[str], *, domain: str = "", **attributes: float | list[int]
    ) -> str:
        """Add an operation, and return the name of its result."""
        result = f"result{len(self._nodes)}"
        parts = [_field(1, name) for name in inputs] + [_field(2, result), _field(4, kind), _field(7, domain)]
        parts += [_field(5, _attribute(name, value)) for name, value in attributes.items()]
        self._nodes.append(b"".join(parts))
        return result

    def to_bytes(self, *, source: str, shape: Sequence[int | str], result: str) -> bytes:
        """Return the file: one input of floats, one output."""
        graph = [_field(1, node) for node in self._nodes] + [_field(2, "graph")]
        graph += [_field(5, constant) for constant in self._constants.values()]
        graph += [_field(11, _value(source, shape)), _field(12, _value(result, None))]
        opsets = [_field(8, _field(1, domain) + _field(2, version)) for domain, version in OPSETS.items()]
        return _field(1, IR_VERSION) + _field(7, b"".join(graph)) + b"".join(opsets)


def _tensor(name: str, value: npt.NDArray[Any]) -> bytes:
    dims = b"".join(_field(1, size) for size in value.shape)
    return dims + _field(2, TYPES[value.dtype.name]) + _field(8, name) + _field(9, value.tobytes())


def _attribute(name: str, value: float | list[int]) -> bytes:
    """Name, value, and what kind of value it is: 1 a float, 2 an integer, 7 integers."""
    if isinstance(value, list):
        return _field(1, name) + b"".join(_field(8, number) for number in value) + _field(20, 7)
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, 2)
    return _field(1, name) + _varint(2 << 3 | FIXED32) + struct.pack("<f", value) + _field(20, 1)


def _value(name: str, shape: Sequence[int | str] | None) -> bytes:
    """An input or output of floats; a dimension is a size, or the name of one that varies."""
    kind = _field(1, TYPES["float32"])
    if shape is not None:
        dims = [_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in shape]
        kind += _field(2, b"".join(dims))
    return _field(1, name) + _field(2, _field(1, kind))


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3 | VARINT) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | BYTES) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; negative numbers count from 2⁶⁴."""
    value %= 2**64
    parts = bytearray()
    while value >> 7:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])
