"""What a search can be narrowed to, with how many candidates would be left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from documents.models import ChunkType
from search.answer import Facet
from search.pages.asked import Asked

# The names of facets in an answer, and in the address of a search.
NAMES = {
    "collection": "collection",
    "document": "document",
    "chunk_type": "type",
    "file_type": "file",
    "language": "language",
}
FEW = 6  # Values that are shown at once; the others unfold.


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    label: str
    count: int | None  # Nothing for one that is chosen and that no candidate has.
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Group:
    """The values of one facet; what is chosen comes first."""

    name: str
    title: str
    first: Sequence[Choice]
    more: Sequence[Choice]


def groups_of(
    facets: Mapping[str, Sequence[Facet]], asked: Asked, documents: Mapping[str, str]
) -> list[Group]:
    """Return the facets that help: those with several values, or with one that is chosen."""
    titles = {
        "collection": _("Collection"),
        "document": _("Document"),
        "type": _("Type"),
        "file": _("File"),
        "language": _("Language"),
    }
    groups = []
    for facet, name in NAMES.items():
        choices = _choices(facets.get(facet, ()), name, getattr(asked, name), documents)
        if len(choices) > 1 or any(one.is_chosen for one in choices):
            shown = max(FEW, sum(one.is_chosen for one in choices))
            groups.append(Group(name, titles[name], choices[:shown], choices[shown:]))
    return groups


def _choices(
    counted: Sequence[Facet], name: str, chosen: Sequence[str], documents: Mapping[str, str]
) -> list[Choice]:
    known = {facet.value: facet for facet in counted}
    gone = [value for value in chosen if value not in known]
    choices = [
        *(Choice(value, label_of(name, value, documents.get(value, value)), None, True) for value in gone),
        *(
            Choice(one.value, label_of(name, one.value, one.label), one.count, one.value in chosen)
            for one in counted
        ),
    ]
    return sorted(choices, key=lambda one: not one.is_chosen)


def label_of(name: str, value: str, label: str) -> str:
    match name:
        case "type" if value in ChunkType.values:
            return str(ChunkType(value).label)
        case "file":
            return value.upper()
        case "language":
            return value.capitalize()
    return label
