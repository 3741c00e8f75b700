"""Scores by a service: Cohere, Jina, and what one runs oneself: vLLM, Infinity, Text Embeddings Inference."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Literal, get_args
from weakref import finalize

import httpx2

from search.backends.chats import read_count
from search.backends.marks import sendable
from search.backends.payment import OptionRefused, Prices, Purse, Usage, read_price
from search.backends.provider import Provider, Reading, Request, parse_json, require_positive
from search.backends.rerankers.base import ROLE, Reranker

Style = Literal["cohere", "tei"]
SCORE = {"cohere": "relevance_score", "tei": "score"}
MOST_DOCUMENTS = {"cohere": 100, "tei": 32}  # In one request: what costs one search, and what TEI takes.
MOST_BYTES = 4_000_000  # Of an answer, even one that repeats the passages.
QUESTION_CHARACTERS = 2_000
# Cohere counts passages in parts of 500 tokens, and a search for each hundred of them.
PART_CHARACTERS = 1_500
PARTS = 100
OK = 200


class HttpReranker(Reranker):
    """`base_url` is the whole address, such as https://api.cohere.com/v2/rerank; redirects lead nowhere."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str = "",
        api_key: str = "",
        style: Style = "cohere",
        prices: Mapping[str, object] | None = None,
        timeout: float = 5,
        max_documents: int | None = None,
        max_characters: int = 4_000,
    ) -> None:
        _require_address(base_url)
        if style not in get_args(Style):
            raise OptionRefused(f"OPTIONS['style']: {style!r} is none of {', '.join(get_args(Style))}.")
        self.name, self.prices = f"http/{model or style}", _read_prices(prices)
        self._provider = Provider(
            ROLE,
            name=self.name,
            prices=self.prices,
            api_key=api_key,
            timeout=timeout,
            errors=httpx2.HTTPError,
        )
        self.model = model
        self.style = style
        self._api_key, self._base_url = api_key, base_url
        self._most = int(require_positive("max_documents", max_documents or MOST_DOCUMENTS[style]))
        self._max_characters = int(require_positive("max_characters", max_characters))
        self._client: tuple[int, httpx2.Client] | None = None

    def rate(self, question: str, passages: Sequence[str], purse: Purse | None) -> list[float]:
        """Ask for as many passages at once as a request may have; one that fails fails all."""
        until = self._provider.deadline()
        texts = [sendable(passage[: self._max_characters]) for passage in passages]
        asked = sendable(question[:QUESTION_CHARACTERS])
        return [
            score
            for batch in _batches(texts, self._most)
            for score in self._provider.ask(self._request(asked, batch), purse, until=until)
        ]

    def _request(self, question: str, texts: list[str]) -> Request[list[float]]:
        content = json.dumps(self._body(question, texts)).encode()
        most = Usage(input_tokens=len(content), searches=_count_searches(texts))
        return Request(
            send=partial(self._post, content),
            read=partial(self._read, count=len(texts)),
            most=self.prices.cost(most),
        )

    def _body(self, question: str, texts: list[str]) -> dict[str, Any]:
        if self.style == "tei":
            return {"query": question, "texts": texts, "raw_scores": False, "truncate": True}
        model = {"model": self.model} if self.model else {}
        return {**model, "query": question, "documents": texts, "top_n": len(texts)}

    def _post(self, content: bytes, timeout: float) -> object:
        """Send a request; read an answer while it is neither late nor too long."""
        until = time.monotonic() + timeout
        with self.client.stream("POST", self._base_url, content=content, timeout=timeout) as response:
            body = _read_body(response, until)
        if response.status_code != OK:
            raise _to_error(response, body)
        return parse_json(body)

    @property
    def client(self) -> httpx2.Client:
        """A connection cannot be shared between processes: each has its own."""
        if self._client is None or self._client[0] != os.getpid():
            self._client = (os.getpid(), self._connect())
        return self._client[1]

    def _connect(self) -> httpx2.Client:
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        client = httpx2.Client(headers=headers, follow_redirects=False)
        finalize(self, client.close)
        return client

    def _read(self, answer: object, *, count: int) -> Reading[list[float]]:
        usage = self._usage(answer)
        rows = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            return Reading([], usage, "is not a list of results, or too long")
        by_index = {_index(row): row.get(SCORE[self.style]) for row in rows}
        if len(rows) != count or set(by_index) != set(range(count)):
            wrong = f"has {len(rows)} results for {count} passages, or their numbers are wrong"
            return Reading([], usage, wrong)
        scores = [_number(by_index[index]) for index in range(count)]
        if None in scores:
            return Reading([], usage, "has a score that is not a number")
        return Reading([score for score in scores if score is not None], usage)

    def _usage(self, answer: object) -> Usage | None:
        """Return what was used; None if tokens are paid for and the answer does not say how many."""
        said = answer if isinstance(answer, dict) else {}
        tokens = read_count(said.get("usage"), "total_tokens")
        if self.prices.input and not tokens:
            return None
        meta = said.get("meta")
        units = meta.get("billed_units") if isinstance(meta, dict) else None
        return Usage(input_tokens=tokens, searches=read_count(units, "search_units") or 1)


def _require_address(base_url: str) -> None:
    try:
        url = httpx2.URL(base_url)
        is_address = url.scheme in {"http", "https"} and bool(url.host.encode("idna"))
    except (httpx2.InvalidURL, TypeError, UnicodeError):
        is_address = False
    if not is_address:  # Not shown: it may hold a password.
        raise OptionRefused("OPTIONS['base_url']: expected the service's address, from https:// to its end.")


def _read_prices(given: Mapping[str, object] | None) -> Prices:
    """Read what a thousand searches cost, or a million tokens; a service of one's own costs nothing."""
    if unknown := [kind for kind in given or {} if kind not in {"search", "input"}]:
        raise OptionRefused(
            f"OPTIONS['prices']: {', '.join(unknown)}. Give dollars per thousand searches as 'search', or "
            "per million tokens as 'input'."
        )
    return Prices(**{kind: read_price(kind, value) for kind, value in (given or {}).items()})


def _count_searches(texts: Sequence[str]) -> int:
    return math.ceil(sum(1 + len(text) // PART_CHARACTERS for text in texts) / PARTS)


def _batches(texts: Sequence[str], size: int) -> Iterator[list[str]]:
    rest = iter(texts)
    while batch := list(islice(rest, size)):
        yield batch


def _read_body(response: httpx2.Response, until: float) -> bytes:
    """Return the body; nothing of one that is too long."""
    body = bytearray()
    for chunk in response.iter_raw():
        body += chunk
        if time.monotonic() > until:
            raise httpx2.ReadTimeout("the answer is late")
        if len(body) > MOST_BYTES:
            return b""
    return bytes(body)


def _to_error(response: httpx2.Response, body: bytes) -> httpx2.HTTPStatusError:
    """Return an error that says nothing of the address, which may hold a password."""
    kept = {name: response.headers[name] for name in ("retry-after",) if name in response.headers}
    whole = httpx2.Response(response.status_code, headers=kept, content=body, request=response.request)
    return httpx2.HTTPStatusError(f"status {response.status_code}", request=response.request, response=whole)


def _index(row: Mapping[str, object]) -> int | None:
    index = row.get("index")
    return index if type(index) is int else None


def _number(score: object) -> float | None:
    """Return a finite number; JSON as Python reads it knows others."""
    if type(score) not in {int, float}:
        return None
    try:
        number = float(score)  # type: ignore[arg-type]
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
