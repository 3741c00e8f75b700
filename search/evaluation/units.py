"""Units that a set gives instead of documents: each is to be one chunk, as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from documents.names import clean_name
from search.evaluation.measures import BadTruth, Record, read_records

LINE, PARAGRAPH = "\n", "\n\n"


@dataclass(frozen=True, slots=True)
class GivenUnit:
    """A chunk as the set gives it, and its printed number if that is known."""

    id: str
    text: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class GivenDocument:
    """The units of one document, in their order, and what stands between two of them."""

    name: str
    units: tuple[GivenUnit, ...]
    title: str = ""
    between: str = PARAGRAPH

    @property
    def is_numbered(self) -> bool:
        return any(unit.number for unit in self.units)


def given_files(folder: Path) -> list[Path]:
    """Return the file of the units and the one that describes their documents, if the folder has units."""
    units = [folder / name for name in READERS if (folder / name).is_file()]
    return [path for path in (*units[:1], folder / "docs.jsonl") if path.is_file()] if units else []


def digest_given(folder: Path) -> str:
    """Return what changes with the units."""
    contents = [sha256(path.read_bytes()).hexdigest() for path in given_files(folder)]
    return sha256(" ".join(contents).encode()).hexdigest()


def read_given(folder: Path) -> list[GivenDocument]:
    """Return the documents whose units a folder gives. A file that lacks a field is named."""
    path = given_files(folder)[0]
    try:
        documents = READERS[path.name](folder)
    except KeyError as error:
        raise BadTruth(f"{path}: a record has no {error}.") from error
    return [document for document in documents if any(unit.text.strip() for unit in document.units)]


def _read_chunks(folder: Path) -> list[GivenDocument]:
    """Chunks of source code: they keep their line ends and their indentation."""
    records = read_records(folder / "chunks.jsonl")
    described = folder / "docs.jsonl"
    names = _names(read_records(described) if described.is_file() else ())
    grouped = _group(records, lambda record: GivenUnit(str(record["chunk_id"]), _clean(record["content"])))
    return [
        GivenDocument(clean_name(names.get(doc, doc)), units, between=LINE) for doc, units in grouped.items()
    ]


def _names(records: Iterable[Record]) -> dict[str, str]:
    """Return the paths of documents, with their repository where several have the same."""
    known = [record for record in records if record.get("path")]
    counts = Counter(record["path"] for record in known)
    return {
        str(record["doc"]): record["path"]
        if counts[record["path"]] == 1
        else f"{record.get('repo', record['doc'])}/{record['path']}"
        for record in known
    }


def _read_passages(folder: Path) -> list[GivenDocument]:
    """Passages of law: each has a number, from which it is told what it stands below."""
    grouped = _group(
        read_records(folder / "passages.jsonl"),
        lambda record: GivenUnit(
            str(record["passage"]), _clean(record["text"]), _clean(str(record.get("section", "")))
        ),
    )
    return [GivenDocument(clean_name(doc), units) for doc, units in grouped.items()]


def _read_corpus(folder: Path) -> list[GivenDocument]:
    """Records that are a document of one chunk each."""
    return [
        GivenDocument(
            clean_name(str(record["_id"])),
            (GivenUnit(str(record["_id"]), _clean(record["text"])),),
            title=_clean(record.get("title", "")),
        )
        for record in read_records(folder / "corpus.jsonl")
    ]


def _group(
    records: Iterable[Record], read: Callable[[Record], GivenUnit]
) -> dict[str, tuple[GivenUnit, ...]]:
    grouped: dict[str, list[GivenUnit]] = {}
    for record in records:
        grouped.setdefault(str(record["doc"]), []).append(read(record))
    return {doc: tuple(units) for doc, units in grouped.items()}


def _clean(text: str) -> str:
    """Leave out what PostgreSQL cannot keep."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


READERS: dict[str, Callable[[Path], Sequence[GivenDocument]]] = {
    "chunks.jsonl": _read_chunks,
    "passages.jsonl": _read_passages,
    "corpus.jsonl": _read_corpus,
}
