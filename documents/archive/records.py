"""What an archive says, line by line: a dataclass for each table, and how its lines are written and read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from functools import cache
from typing import Annotated, Any, TypeVar, get_type_hints
from uuid import UUID

from documents.errors import DocumentError

LARGEST_WHOLE = 2**31 - 1
LONGEST_KEPT = 36_500  # Days; without a number, for ever.
MOST_SHOWN = 40
HASH_LENGTH = 64
Period = tuple[datetime, datetime]
T = TypeVar("T")


class BadArchive(DocumentError):
    """An archive that cannot be taken in; the message says all that was found, and the cure."""


class BadValue(Exception):
    """A value that cannot stand where it stands."""


Read = Callable[[Any], Any]


def identifier(value: Any) -> UUID:
    try:
        found = UUID(words(36)(value))
    except ValueError as error:
        raise BadValue(f"{shown(value)} is no id") from error
    if str(found) != value:
        raise BadValue(f"{shown(value)} is no id as they are written here")
    return found


def digest(value: Any) -> str:
    if not (isinstance(value, str) and len(value) == HASH_LENGTH and set(value) <= set("0123456789abcdef")):
        raise BadValue(f"{shown(value)} is no SHA-256")
    return value


def words(longest: int | None = None, *, is_needed: bool = False) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise BadValue(f"{shown(value)} is no text")
        if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in value):
            raise BadValue("a text holds a character that cannot be kept")
        if longest is not None and len(value) > longest:
            raise BadValue(f"a text has {len(value):,} characters, and {longest} is the most")
        if is_needed and not value.strip():
            raise BadValue("a text is empty")
        return value

    return read


def whole(least: int = 0, most: int = LARGEST_WHOLE) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            raise BadValue(f"{shown(value)} is no whole number from {least} to {most}")
        return value

    return read


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadValue(f"{shown(value)} is neither true nor false")
    return value


def moment(value: Any) -> datetime:
    """Read a time as it is written here: in UTC, to the microsecond."""
    try:
        found = datetime.fromisoformat(words(40)(value))
    except ValueError as error:
        raise BadValue(f"{shown(value)} is no time") from error
    if write_moment(found) != value:
        raise BadValue(f"{shown(value)} is no time as they are written here")
    return found.astimezone(UTC)


def day(value: Any) -> date:
    try:
        found = date.fromisoformat(words(10)(value))
    except ValueError as error:
        raise BadValue(f"{shown(value)} is no day") from error
    if found.isoformat() != value:
        raise BadValue(f"{shown(value)} is no day as they are written here")
    return found


def optional(read: Read) -> Read:
    return lambda value: None if value is None else read(value)


def many(read: Read) -> Callable[[Any], tuple[Any, ...]]:
    def read_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise BadValue(f"{shown(value)} is no list")
        return tuple(read(one) for one in value)

    return read_all


def period(value: Any) -> Period:
    ends = many(moment)(value)
    if len(ends) != 2 or ends[0] > ends[1]:  # noqa: PLR2004
        raise BadValue("a period is not made of two times, the earlier first")
    return ends[0], ends[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionRecord:
    """Its configuration is a file of its own."""

    id: Annotated[UUID, identifier]
    name: Annotated[str, words(100, is_needed=True)]
    created_at: Annotated[datetime, moment]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    id: Annotated[UUID, identifier]
    collection: Annotated[UUID, identifier]
    name: Annotated[str, words(300, is_needed=True)]
    identity: Annotated[str, words(300)]
    created_at: Annotated[datetime, moment]
    deleted_at: Annotated[datetime | None, optional(moment)]
    absences: Annotated[tuple[Period, ...], many(period)]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRecord:
    """`source` and `text` name files by their SHA-256; `outline` is that of the sections there were."""

    id: Annotated[UUID, identifier]
    document: Annotated[UUID, identifier]
    number: Annotated[int, whole(1)]
    file_name: Annotated[str, words(300, is_needed=True)]
    source: Annotated[str, digest]
    text: Annotated[str, digest]
    is_markdown: Annotated[bool, flag]
    title: Annotated[str, words(500)]
    pages: Annotated[tuple[int, ...], many(whole())]
    warnings: Annotated[tuple[str, ...], many(words())]
    outline: Annotated[str, digest]
    recorded_at: Annotated[datetime, moment]
    superseded_at: Annotated[datetime | None, optional(moment)]
    withdrawn_at: Annotated[datetime | None, optional(moment)]
    effective_from: Annotated[date | None, optional(day)]
    effective_to: Annotated[date | None, optional(day)]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineRecord:
    id: Annotated[UUID, identifier]
    collection: Annotated[UUID, identifier]
    name: Annotated[str, words(100, is_needed=True)]
    description: Annotated[str, words()]
    created_at: Annotated[datetime, moment]
    created_by: Annotated[str, words(300)]
    versions: Annotated[tuple[UUID, ...], many(identifier)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationRecord:
    collection: Annotated[UUID, identifier]
    number: Annotated[int, whole(1)]
    baseline: Annotated[UUID | None, optional(identifier)]
    published_at: Annotated[datetime, moment]
    published_by: Annotated[str, words(300)]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRecord:
    """A name that a person gave to a document."""

    document: Annotated[UUID, identifier]
    name: Annotated[str, words(300, is_needed=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineRecord:
    document: Annotated[UUID, identifier]
    opening: Annotated[str, words(200, is_needed=True)]
    label: Annotated[str, words(300)]
    is_unit: Annotated[bool, flag]
    level: Annotated[int | None, optional(whole(0, 32_767))]
    new_label: Annotated[str, words(300)]
    new_title: Annotated[str, words(500)]
    created_at: Annotated[datetime, moment]


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionRecord:
    document: Annotated[UUID, identifier]
    label: Annotated[str, words(300)]
    key: Annotated[str, words(200, is_needed=True)]
    is_rejected: Annotated[bool, flag]
    is_added: Annotated[bool, flag]
    term: Annotated[str, words(300)]
    variants: Annotated[tuple[str, ...] | None, optional(many(words(200)))]
    scope_label: Annotated[str | None, optional(words(300))]
    meaning: Annotated[str, words()]
    created_at: Annotated[datetime, moment]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRecord:
    document: Annotated[UUID, identifier]
    label: Annotated[str, words(300)]
    text: Annotated[str, words(300, is_needed=True)]
    occurrence: Annotated[int, whole(1)]
    is_rejected: Annotated[bool, flag]
    is_added: Annotated[bool, flag]
    target_document: Annotated[UUID | None, optional(identifier)]
    target_label: Annotated[str, words(300)]
    created_at: Annotated[datetime, moment]


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantRecord:
    keep_versions_days: Annotated[int | None, optional(whole(1, LONGEST_KEPT))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """All tables of an archive; each is a member `NAME.jsonl`."""

    tenant: tuple[TenantRecord, ...] = ()
    collections: tuple[CollectionRecord, ...] = ()
    documents: tuple[DocumentRecord, ...] = ()
    versions: tuple[VersionRecord, ...] = ()
    baselines: tuple[BaselineRecord, ...] = ()
    publications: tuple[PublicationRecord, ...] = ()
    document_names: tuple[NameRecord, ...] = ()
    outline_corrections: tuple[OutlineRecord, ...] = ()
    definition_corrections: tuple[DefinitionRecord, ...] = ()
    reference_corrections: tuple[ReferenceRecord, ...] = ()

    def counts(self) -> dict[str, int]:
        return {
            table.name: len(getattr(self, table.name)) for table in fields(self) if table.name != "tenant"
        }

    def moments(self) -> Iterator[datetime]:
        for table in fields(self):
            for record in getattr(self, table.name):
                yield from _moments(plain_values(record))


KIND_OF: dict[str, type[Any]] = {
    "tenant": TenantRecord,
    "collections": CollectionRecord,
    "documents": DocumentRecord,
    "versions": VersionRecord,
    "baselines": BaselineRecord,
    "publications": PublicationRecord,
    "document_names": NameRecord,
    "outline_corrections": OutlineRecord,
    "definition_corrections": DefinitionRecord,
    "reference_corrections": ReferenceRecord,
}


def plain_values(record: Any) -> list[Any]:
    return [getattr(record, one.name) for one in fields(record)]


def _moments(values: Any) -> Iterator[datetime]:
    for value in values:
        if isinstance(value, datetime):
            yield value
        elif isinstance(value, tuple):
            yield from _moments(value)


def write_line(record: Any) -> str:
    facts = {one.name: getattr(record, one.name) for one in fields(record)}
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":"), default=_write_value) + "\n"


def _write_value(value: Any) -> str:
    return write_moment(value) if isinstance(value, datetime) else str(value)


def write_moment(at: datetime) -> str:
    at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    return at.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def read_line(kind: Callable[..., T], line: str) -> T:
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadValue("this is no JSON") from error
    readers = readers_of(kind)
    if not isinstance(facts, dict) or facts.keys() != readers.keys():
        raise BadValue(f"it should have the keys {', '.join(readers)}")
    return kind(**{name: _read_field(name, read, facts[name]) for name, read in readers.items()})


@cache
def readers_of(kind: Callable[..., Any]) -> dict[str, Read]:
    """Return by what each field is read: it stands behind its type."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


def _read_field(name: str, read: Read, value: Any) -> Any:
    try:
        return read(value)
    except (BadValue, OverflowError) as error:
        raise BadValue(f"{name}: {error}") from error


def shown(value: Any) -> str:
    said = json.dumps(value, default=str)
    return said if len(said) <= MOST_SHOWN else said[: MOST_SHOWN - 1] + "…"
