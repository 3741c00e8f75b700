"""Measure what becomes of odd files: text, or a refusal that says why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from documents.models import Version
from search.evaluation.measures import Measure, Record, share
from search.evaluation.scratch import is_ready

MUST_BE_READ = frozenset({"text"})
MUST_BE_REFUSED = frozenset({"reject", "reject_or_password"})


def measure_manifest(versions: dict[str, Version], truth: Sequence[Record]) -> list[Measure]:
    """Return the share of files that went as their manifest says."""
    known = [record for record in truth if record["file"] in versions]
    right = sum(is_as_expected(versions[record["file"]], record["expect"]) for record in known)
    return [Measure("as_expected", share(right, len(truth)), len(truth))]


def is_as_expected(version: Version, expected: str) -> bool:
    """A file is read or refused; whatever else is expected, it ends as one of the two."""
    if expected in MUST_BE_READ:
        return is_ready(version)
    if expected in MUST_BE_REFUSED:
        return not is_ready(version) and bool(version.failure)
    return is_ready(version) or bool(version.failure)


def surprises(versions: dict[str, Version], truth: Sequence[Record]) -> Iterator[str]:
    """Say which files went otherwise, and how."""
    for record in truth:
        version = versions.get(record["file"])
        if version is None:
            yield f"{record['file']}: there is no such file."
        elif not is_as_expected(version, record["expect"]):
            expected = record["expect"]
            yield f"{record['file']}: expected {expected}, is {version.state}. {version.failure}".rstrip()
