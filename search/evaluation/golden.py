"""Golden queries: what people ask, and what must be found for it, written by hand or made by `generate`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import yaml

from search.evaluation.measures import BadTruth

FILE = "golden.yaml"
KEYS = frozenset({"query", "kind", "expect", "none"})


class Kind(StrEnum):
    CITATION = "citation"
    PHRASE = "phrase"
    KEYWORD = "keyword"
    QUESTION = "question"
    DEFINITION = "definition"


@dataclass(frozen=True, slots=True)
class Expectation:
    """A unit of a document by its label, or words that the result has."""

    document: str
    section: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """A query with what must be found, or without anything that may pass for what was asked."""

    id: str
    query: str
    kind: Kind
    expect: tuple[Expectation, ...] = ()

    @property
    def is_none(self) -> bool:
        return not self.expect


def read_golden(path: Path) -> list[GoldenQuery]:
    """Return the queries of a file; what is wrong in it is named with its place."""
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadTruth(f"{path}: not YAML ({error}).") from error
    if not isinstance(entries, list) or not entries:
        raise BadTruth(f"{path}: expected a list of queries.")
    return [_read_query(f"{path}, query {number}", number, entry) for number, entry in enumerate(entries, 1)]


def _read_query(place: str, number: int, entry: Any) -> GoldenQuery:
    if not isinstance(entry, dict) or not str(entry.get("query", "")).strip():
        raise BadTruth(f"{place}: it needs a `query`.")
    if unknown := sorted(set(map(str, entry)) - KEYS):
        raise BadTruth(f"{place}: there is no key {', '.join(unknown)}. Known are {', '.join(sorted(KEYS))}.")
    if bool(entry.get("expect")) == (entry.get("none") is True):
        raise BadTruth(f"{place}: say what to `expect`, or `none: true`.")
    return GoldenQuery(str(number), str(entry["query"]), _read_kind(place, entry), _read_expect(place, entry))


def _read_kind(place: str, entry: Mapping[str, Any]) -> Kind:
    try:
        return Kind(entry.get("kind", Kind.QUESTION))
    except ValueError as error:
        raise BadTruth(f"{place}: {error}. Kinds are {', '.join(Kind)}.") from error


def _read_expect(place: str, entry: Mapping[str, Any]) -> tuple[Expectation, ...]:
    return tuple(_read_expectation(place, one) for one in entry.get("expect") or ())


def _read_expectation(place: str, one: Any) -> Expectation:
    fields = {str(key): str(value) for key, value in one.items()} if isinstance(one, dict) else {}
    is_whole = fields.keys() in ({"document", "section"}, {"document", "text"}) and all(fields.values())
    if not is_whole:
        raise BadTruth(f"{place}: expect a `document` with its `section` or with a `text`.")
    return Expectation(**fields)


def write_golden(queries: Iterable[GoldenQuery]) -> str:
    """Return queries as a file of them reads."""
    entries = [_describe(query) for query in queries]
    return yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=100)


def _describe(query: GoldenQuery) -> dict[str, Any]:
    expected = [
        {"document": one.document, **({"section": one.section} if one.section else {"text": one.text})}
        for one in query.expect
    ]
    rest = {"expect": expected} if expected else {"none": True}
    return {"query": query.query, "kind": query.kind.value, **rest}
