"""Documents of which a set knows every version: what each said, and from which day on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from search.evaluation.measures import BadTruth, Record

HASH = 16  # Hexadecimal digits of a unit's hash.


@dataclass(frozen=True)
class KnownVersion:
    """What a document said from a day on."""

    doc: str
    name: str
    effective: date
    path: Path
    text: str

    @property
    def document(self) -> str:
        """The name under which the document is ingested."""
        return f"{self.doc}{self.path.suffix}"

    @cached_property
    def words(self) -> str:
        """Its text with single blanks between the words."""
        return fold(self.text)


@dataclass(frozen=True, slots=True)
class KnownUnit:
    """A unit of a version, by the hash of its words."""

    version: KnownVersion
    cite: str
    start: int
    end: int
    sha: str


class Histories:
    """The versions of some documents, each in the order in which they came."""

    def __init__(self, versions: Iterable[KnownVersion]) -> None:
        self.versions = tuple(versions)
        self._of: dict[str, list[KnownVersion]] = defaultdict(list)
        for version in self.versions:
            self._of[version.document].append(version)

    def of(self, document: str) -> Sequence[KnownVersion]:
        return self._of.get(document, ())

    @property
    def documents(self) -> Sequence[str]:
        return tuple(self._of)

    def in_force(self, document: str, day: date) -> KnownVersion | None:
        """Return the version of a day: of those that apply the latest, and of one day's the last."""
        applying = [version for version in self.of(document) if version.effective <= day]
        return max(reversed(applying), key=lambda version: version.effective, default=None)

    def is_ever_in_force(self, version: KnownVersion) -> bool:
        """Tell whether nothing superseded a version on its own day."""
        return self.in_force(version.document, version.effective) is version

    def days(self) -> tuple[date, date]:
        days = [version.effective for version in self.versions]
        return min(days), max(days)


def read_histories(folder: Path, records: Sequence[Record]) -> Histories:
    """Return the versions that `versions.jsonl` lists; one that lacks a field, a day or a file is named."""
    return Histories([_read_version(folder, record) for record in records])


def _read_version(folder: Path, record: Record) -> KnownVersion:
    try:
        path, day = folder / record["file"], date.fromisoformat(record["effective"])
        text = path.read_text(encoding="utf-8")
        return KnownVersion(record["doc"], record["version"], day, path, text)
    except (KeyError, ValueError, OSError) as error:
        raise BadTruth(f"{folder / 'versions.jsonl'}: {record} cannot be read ({error}).") from error


def read_known_units(histories: Histories, records: Iterable[Record]) -> Iterator[KnownUnit]:
    """Yield the units of versions that the set lists."""
    versions = {(version.doc, version.name): version for version in histories.versions}
    for record in records:
        version = versions.get((record["doc"], record.get("version", "")))
        if version is None:
            raise BadTruth(f"sections.jsonl: versions.jsonl has no version of {record}.")
        start, end = record["md"]
        yield KnownUnit(version, record["cite"], start, end, record["sha"])


def fold(text: str) -> str:
    return " ".join(text.split())


def hash_words(text: str) -> str:
    """Return what tells the words of a unit, whatever blanks are between them."""
    return sha256(fold(text).encode()).hexdigest()[:HASH]
