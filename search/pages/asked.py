"""What the address of a search says: it holds everything, so that it can be kept, shared and gone back to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict

from documents.models import ChunkType
from search.request import MOST_CHARACTERS, MOST_RESULTS, Mode

PER_PAGE = (10, 20, 50, MOST_RESULTS)
PER_DOCUMENT = 3  # Results of each document where they are grouped.
MOST_VALUES = 100  # Of one filter, as for programs.
LONGEST_VALUE = 300
FACETS = ("collection", "document", "type", "file", "language")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A search as its address says it. What makes no sense there is left out, as if it were not said."""

    query: str = ""
    read: str = ""  # The words of a read context.
    mode: str = ""  # As the collections are configured, if it is empty.
    top: int | None = None
    is_grouped: bool = False
    is_explained: bool = False
    collection: tuple[str, ...] = ()
    document: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    file: tuple[str, ...] = ()
    language: tuple[str, ...] = ()

    @classmethod
    def read_from(cls, given: QueryDict, *, read: str = "") -> Self:
        return cls(
            query=_clean(given.get("q", ""))[: MOST_CHARACTERS + 1].strip(),
            read=read,
            mode=_one_of(given.get("mode", ""), list(Mode)),
            top=_number(given.get("top", "")),
            is_grouped=given.get("group") == "1",
            is_explained=given.get("explain") == "1",
            collection=_values(given, "collection"),
            document=tuple(value for value in _values(given, "document") if _is_id(value)),
            type=tuple(value for value in _values(given, "type") if value in ChunkType.values),
            file=_values(given, "file"),
            language=_values(given, "language"),
        )

    @property
    def is_narrowed(self) -> bool:
        return any(getattr(self, name) for name in FACETS)

    @property
    def top_k(self) -> int:
        """How many results are shown, where the collections do not say it."""
        return self.top or PER_PAGE[0]

    def widened(self) -> Self:
        """The same search in everything."""
        return replace(self, collection=(), document=(), type=(), file=(), language=())

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield what an address has to say to ask the same, without what is as usual."""
        yield from (("q", one) for one in (self.query,) if one)
        yield from (("read", one) for one in (self.read,) if one)
        yield from (("mode", one) for one in (self.mode,) if one)
        yield from (("top", str(one)) for one in (self.top,) if one)
        yield from ((name, value) for name in FACETS for value in getattr(self, name))
        yield from (("group", "1") for _ in range(self.is_grouped))
        yield from (("explain", "1") for _ in range(self.is_explained))

    @property
    def words(self) -> str:
        """What stands behind the “?” of its address."""
        return urlencode(list(self.pairs()))

    def address(self, **changes: Any) -> str:
        """Return the address of the same search with something changed."""
        return f"?{replace(self, **changes).words}"

    def exported(self, kind: str, **changes: Any) -> str:
        return f"{self.address(**changes)}&{urlencode({'format': kind})}"

    def wanted(self) -> dict[str, Any]:
        """Return what the search takes; what is not said is as the collections are configured."""
        filters: Mapping[str, list[Any]] = {
            "documents": [UUID(one) for one in self.document],
            "chunk_types": list(self.type),
            "file_types": list(self.file),
            "languages": list(self.language),
        }
        asked: dict[str, Any] = {
            "query": self.query,
            "collections": list(self.collection),
            "filters": {name: values for name, values in filters.items() if values},
            "explain": self.is_explained,
        }
        asked |= {"mode": self.mode} if self.mode else {}
        asked |= {"top_k": self.top} if self.top else {}
        return asked | ({"per_document": PER_DOCUMENT} if self.is_grouped else {})


def _clean(text: str) -> str:
    return text.replace("\0", "")


def _values(given: QueryDict, name: str) -> tuple[str, ...]:
    values = (_clean(value)[:LONGEST_VALUE].strip() for value in given.getlist(name)[:MOST_VALUES])
    return tuple(dict.fromkeys(value for value in values if value))


def _one_of(value: str, known: list[str]) -> str:
    return value if value in known else ""


def _number(value: str) -> int | None:
    number = (
        int(value) if value.isascii() and value.isdecimal() and len(value) <= len(str(MOST_RESULTS)) else 0
    )
    return number if 1 <= number <= MOST_RESULTS else None


def _is_id(value: str) -> bool:
    try:
        UUID(value)
    except ValueError:
        return False
    return True
