"""Everything that an archive says, checked before anything of it is written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from documents.archive.members import DAMAGED, TABLES, Opened
from documents.archive.records import (
    KIND_OF,
    BadArchive,
    BadValue,
    DocumentRecord,
    Records,
    VersionRecord,
    read_line,
)
from documents.configuration import Configuration, read_configuration
from documents.errors import BadName
from documents.names import clean_name

MOST_SAID = 20
SKEW = timedelta(hours=1)  # Of the clocks of two installations.


@dataclass(frozen=True, slots=True)
class Checked:
    """An archive in which everything fits together."""

    opened: Opened
    records: Records
    configurations: dict[UUID, Configuration]

    def source(self, digest: str) -> bytes:
        return self._read(f"sources/{digest}", digest)

    def text(self, digest: str) -> str:
        return self._read(f"texts/{digest}", digest).decode()

    def _read(self, name: str, digest: str) -> bytes:
        if self.opened.digest(name) != digest:  # Changed since it was checked.
            raise BadArchive(DAMAGED)
        return self.opened.read(name)


def check_archive(opened: Opened, *, now: datetime) -> Checked:
    """Read all of an archive; refuse it with everything that is wrong in it."""
    problems: list[str] = []
    _require_digests(opened)
    records = Records(**{name: tuple(_read_table(opened, name, problems)) for name in KIND_OF})
    _refuse(problems)
    configurations = dict(_read_configurations(opened, records, problems))
    problems += _problems(opened, records, now)
    problems += _file_problems(opened, records)
    _refuse(problems)
    return Checked(opened, records, configurations)


def _refuse(problems: Iterable[str]) -> None:
    found = sorted(set(problems))
    if found:
        shown = found[:MOST_SAID]
        more = [f"… and {len(found) - MOST_SAID} more."] if len(found) > MOST_SAID else []
        raise BadArchive("\n".join(["The archive cannot be taken in. Export it again.", *shown, *more]))


def _require_digests(opened: Opened) -> None:
    """Hold the tables to what the manifest says of them."""
    said = opened.manifest["digests"]
    named = {*TABLES, *(f"collections/{name}" for name in opened.names("collections/"))}
    if not isinstance(said, dict) or set(said) != named:
        raise BadArchive(DAMAGED)
    if any(opened.digest(name) != said[name] for name in sorted(named)):
        raise BadArchive(DAMAGED)


def _read_table(opened: Opened, name: str, problems: list[str]) -> Iterator[Any]:
    member = f"{name}.jsonl"
    try:
        lines = opened.read(member).decode().split("\n")
    except UnicodeDecodeError:
        problems.append(f"{member}: it is no UTF-8.")
        return
    if lines.pop():
        problems.append(f"{member}: the last line has no end.")
    for number, line in enumerate(lines, 1):
        try:
            yield read_line(KIND_OF[name], line)
        except BadValue as error:
            problems.append(f"{member}, line {number}: {error}.")


def _read_configurations(
    opened: Opened, records: Records, problems: list[str]
) -> Iterator[tuple[UUID, Configuration]]:
    if opened.names("collections/") != {f"{one.name}.yaml" for one in records.collections}:
        problems.append("collections: there is not one configuration for each collection.")
        return
    for one in records.collections:
        member = f"collections/{one.name}.yaml"
        try:
            found = read_configuration(opened.read(member).decode())
        except UnicodeDecodeError:
            problems.append(f"{member}: it is no UTF-8.")
            continue
        problems += [f"{member}, {problem}" for problem in found.problems]
        if [each.name for each in found.configurations] == [one.name]:
            yield one.id, found.configurations[0]
        elif not found.problems:
            problems.append(f"{member}: it configures another collection.")


def _problems(opened: Opened, records: Records, now: datetime) -> Iterator[str]:
    if len(records.tenant) != 1:
        yield "tenant: there is not one line."
    counts = {
        **records.counts(),
        "sources": len(opened.names("sources/")),
        "texts": len(opened.names("texts/")),
    }
    if opened.manifest["counts"] != counts:
        yield "manifest.json: the counts are others."
    if any(at > now + SKEW for at in records.moments()):
        yield "A time lies in the future. Look at the clocks of both machines."
    yield from _repeated(records)
    yield from _lost(records)
    yield from _document_problems(records)
    yield from _version_problems(records)
    yield from _baseline_problems(records)


def _repeated(records: Records) -> Iterator[str]:
    """Name what may be there once and is there twice."""
    once: dict[str, Iterable[Hashable]] = {
        "collections: an id": (one.id for one in records.collections),
        "collections: a name": (one.name for one in records.collections),
        "documents: an id": (one.id for one in records.documents),
        "documents: a name": ((one.collection, one.name) for one in records.documents if not one.deleted_at),
        "documents: an identity": (
            (one.collection, one.identity) for one in records.documents if one.identity and not one.deleted_at
        ),
        "versions: an id": (one.id for one in records.versions),
        "versions: a number": ((one.document, one.number) for one in records.versions),
        "baselines: an id": (one.id for one in records.baselines),
        "baselines: a name": ((one.collection, one.name) for one in records.baselines),
        "publications: a number": ((one.collection, one.number) for one in records.publications),
        "document_names: a name": ((one.document, one.name) for one in records.document_names),
        "outline_corrections: a unit": (
            (one.document, one.opening, one.label) for one in records.outline_corrections
        ),
        "definition_corrections: a term": (
            (one.document, one.label, one.key) for one in records.definition_corrections
        ),
        "reference_corrections: words": (
            (one.document, one.label, one.text, one.occurrence) for one in records.reference_corrections
        ),
    }
    for what, keys in once.items():
        if any(count > 1 for count in Counter(keys).values()):
            yield f"{what} is there twice."


def _lost(records: Records) -> Iterator[str]:
    """Name what points to something that is not in the archive."""
    collections = {one.id for one in records.collections}
    documents = {one.id for one in records.documents}
    versions = {one.id for one in records.versions}
    baselines = {(one.collection, one.id) for one in records.baselines}
    with_versions = {one.document for one in records.versions}
    pointing: dict[str, Iterable[bool]] = {
        "documents: a collection": (one.collection in collections for one in records.documents),
        "documents: a version": (one in with_versions for one in documents),
        "versions: a document": (one.document in documents for one in records.versions),
        "baselines: a collection": (one.collection in collections for one in records.baselines),
        "baselines: a version": (set(one.versions) <= versions for one in records.baselines),
        "publications: a collection": (one.collection in collections for one in records.publications),
        "publications: a baseline": (
            one.baseline is None or (one.collection, one.baseline) in baselines
            for one in records.publications
        ),
        "reference_corrections: a target": (
            one.target_document is None or one.target_document in documents
            for one in records.reference_corrections
        ),
    }
    for name in ("document_names", "outline_corrections", "definition_corrections", "reference_corrections"):
        pointing[f"{name}: a document"] = (one.document in documents for one in getattr(records, name))
    for what, are_there in pointing.items():
        if not all(are_there):
            yield f"{what} is not in the archive."


def _document_problems(records: Records) -> Iterator[str]:
    for one in records.documents:
        if not _is_clean(one.name) or " ".join(one.identity.split()) != one.identity:
            yield f"documents: {one.id}: its name or its identity cannot be."
        ends = [end for period in one.absences for end in period]
        if ends != sorted(ends) or (one.deleted_at is not None and ends and one.deleted_at < ends[-1]):
            yield f"documents: {one.id}: its times in the bin overlap."


def _version_problems(records: Records) -> Iterator[str]:
    by_document: defaultdict[UUID, list[VersionRecord]] = defaultdict(list)
    for one in records.versions:
        by_document[one.document].append(one)
        if not _is_clean(one.file_name):
            yield f"versions: {one.id}: its file name cannot be."
        yield from _time_problems(one)
    for document, versions in by_document.items():
        if sum(one.superseded_at is None for one in versions) > 1:
            yield f"versions: {document} has two current versions."
        if _overlap(versions):
            yield f"versions: two versions of {document} were current at the same time."


def _overlap(versions: Iterable[VersionRecord]) -> bool:
    """Tell whether two were current at once; one that came too late to be so never was."""
    for_ever = datetime.max.replace(tzinfo=UTC)
    periods = sorted((one.recorded_at, one.superseded_at or for_ever) for one in versions)
    lasting = [(begin, end) for begin, end in periods if begin < end]
    return any(before[1] > after[0] for before, after in pairwise(lasting))


def _time_problems(one: VersionRecord) -> Iterator[str]:
    ends = [end for end in (one.superseded_at, one.withdrawn_at) if end is not None]
    if any(end < one.recorded_at for end in ends) or (one.withdrawn_at and not one.superseded_at):
        yield f"versions: {one.id}: its times are out of order."
    if one.effective_from and one.effective_to and one.effective_to < one.effective_from:
        yield f"versions: {one.id}: the last day on which it applies is before the first."


def _baseline_problems(records: Records) -> Iterator[str]:
    documents: dict[UUID, DocumentRecord] = {one.id: one for one in records.documents}
    document_of = {one.id: documents.get(one.document) for one in records.versions}
    for baseline in records.baselines:
        held = [document_of.get(version) for version in baseline.versions]
        is_own = all(one is not None and one.collection == baseline.collection for one in held)
        if not held or not is_own or len({one.id for one in held if one}) < len(held):
            yield f"baselines: {baseline.id} has not one version of each of some documents of its collection."
    numbers: defaultdict[UUID, list[int]] = defaultdict(list)
    for one in records.publications:
        numbers[one.collection].append(one.number)
    if any(sorted(found) != list(range(1, len(found) + 1)) for found in numbers.values()):
        yield "publications: they are not counted from 1."


def _file_problems(opened: Opened, records: Records) -> Iterator[str]:
    """Hold files to the hashes that they are named by, and texts to what a text is."""
    for folder, wanted in (
        ("sources/", {one.source for one in records.versions}),
        ("texts/", {one.text for one in records.versions}),
    ):
        there = opened.names(folder)
        if there != wanted:
            yield f"{folder[:-1]}: files are missing, or there are others."
        for digest in sorted(there & wanted):
            if opened.digest(folder + digest) != digest:
                yield f"{folder}{digest}: it is damaged."
            elif folder == "texts/" and not _is_text(opened.read(folder + digest)):
                yield f"{folder}{digest}: it is no text."


def _is_text(content: bytes) -> bool:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    return bool(text.strip()) and "\0" not in text


def _is_clean(name: str) -> bool:
    try:
        return clean_name(name) == name
    except BadName:
        return False
