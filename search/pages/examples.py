"""What can be asked here, from what is here: a citation, a heading, a defined term."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from definitions.models import Definition
from documents.models import Section, VersionQuerySet

FEW_VERSIONS = 5
MOST_UNITS = 200
LONGEST = 80
DEEP = 2  # From this level on a unit is worth a citation.
FEWEST_WORDS, MOST_WORDS = 2, 8  # Of a heading that says something.


@dataclass(frozen=True, slots=True)
class Example:
    kind: str
    query: str


def examples_of(versions: VersionQuerySet) -> list[Example]:
    """Return queries that find something, in three queries of the database. In the tenant's scope."""
    titles: dict[UUID, str] = dict(versions.order_by("pk").values_list("pk", "title")[:FEW_VERSIONS])
    if not titles:
        return []
    units = Section.objects.filter(version__in=titles, position__gt=0).order_by("version", "position")
    rows = list(units.values_list("version_id", "label", "title", "level")[:MOST_UNITS])
    found = [
        (_("A citation"), _citation(rows, titles)),
        (_("A heading"), _heading(rows)),
        (_("A defined term"), _term(titles)),
        (_("A question"), _question(rows)),
    ]
    return [Example(kind, query) for kind, query in found if query]


def _citation(rows: list[tuple[UUID, str, str, int]], titles: dict[UUID, str]) -> str:
    """Cite a unit below another one, by the name of its document."""
    for version, label, _title, level in rows:
        if level >= DEEP and "(" in label and titles[version]:
            return _short(f"{label} of the {titles[version].removeprefix('The ')}")
    return rows[0][1] if rows else ""


def _headings(rows: list[tuple[UUID, str, str, int]]) -> list[str]:
    """Return the headings that say something; those of numbered units before what stands on title pages."""
    own = [(label, title) for _version, label, title, _level in rows if title != label and _is_telling(title)]
    numbered = [title for label, title in own if any(sign.isdigit() for sign in label)]
    return numbered or [title for _label, title in own]


def _heading(rows: list[tuple[UUID, str, str, int]]) -> str:
    return next(iter(_headings(rows)), "")


def _question(rows: list[tuple[UUID, str, str, int]]) -> str:
    """Ask about a heading, another one than is shown."""
    headings = _headings(rows)
    if len(headings) <= 1:
        return ""
    topic = headings[-1].rstrip(".")
    return _("What applies to %(topic)s?") % {"topic": topic[:1].lower() + topic[1:]}


def _term(titles: dict[UUID, str]) -> str:
    own = Definition.objects.filter(version__in=titles).order_by("version", "position")
    term = own.values_list("term", flat=True).first()
    return _("What does “%(term)s” mean?") % {"term": term} if term and len(term) <= LONGEST else ""


def _is_telling(title: str) -> bool:
    return FEWEST_WORDS <= len(title.split()) <= MOST_WORDS and len(title) <= LONGEST


def _short(query: str) -> str:
    return query if len(query) <= LONGEST else query[:LONGEST].rpartition(" ")[0]
