"""What a file would change in a collection, and what that means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from documents.configuration.keys import STORED, Value, Values
from documents.configuration.read import Configuration
from documents.translatable import gettext_noop as _

LATER = _("for versions to come; what is ready stays as it is until it is read anew (in the administration)")
FOUND = _("for versions to come; turned on, `manage.py refresh_findings` finds them in what is current too")
INDEXED = _("for versions to come; `manage.py rebuild_index` takes it to those that are ready")
NEXT = _("for versions to come")
SEARCHED = _("from the next search on")
AT_ONCE = _("at once")

MEANING: Mapping[str, str] = {
    "description": AT_ONCE,
    "chunking_strategy": LATER,
    "max_chunk_tokens": LATER,
    "chunk_overlap": LATER,
    "extract_definitions": FOUND,
    "extract_cross_references": FOUND,
    "language": INDEXED,
    "contextual_embeddings": INDEXED,
    "context_max_tokens": NEXT,
    "context_concurrency": NEXT,
}


@dataclass(frozen=True, slots=True)
class Change:
    """A key whose value becomes another; `is_default`: since the file does not say it."""

    name: str
    before: Value | Values
    after: Value | Values
    is_default: bool = False

    def __str__(self) -> str:
        why = " (the default: the file does not say)" if self.is_default else ""
        return f"{self.name}: {describe(self.before)} → {describe(self.after)}{why}"


def compare(before: Mapping[str, Value | Values], wanted: Configuration) -> tuple[Change, ...]:
    """Return what changes. The file is the whole: a key that it leaves out has its default."""
    return tuple(
        Change(name, before[name], wanted.values[name], name not in wanted.spots)
        for name in STORED
        if before[name] != wanted.values[name]
    )


def explain(changes: tuple[Change, ...]) -> list[str]:
    """Say from when on changes hold, in a line for each kind of change."""
    meanings: dict[str, list[str]] = {}
    for change in changes:
        meanings.setdefault(MEANING.get(change.name, SEARCHED), []).append(change.name)
    return [f"{', '.join(names)}: {meaning}." for meaning, names in meanings.items()]


def describe(value: Value | Values) -> str:
    if value is None or value == "":
        return "none"
    return str(value).lower() if isinstance(value, bool) else repr(value)
