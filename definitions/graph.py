"""What a unit refers to and what refers to it, step by step, small enough to draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from uuid import UUID

from django.db import connection
from django.db.models import Q

from definitions.meant import find_lost
from definitions.models import CrossReference, ReferenceKind
from definitions.readable import Readable
from definitions.strays import strays_to
from documents.models import Section, VersionQuerySet
from documents.parse.words import UNDIVIDED

Direction = Literal["both", "out", "in"]
MOST_READ = 5000  # References of one step. A code as a whole has more, and nobody could draw them.
MOST_TEXTS = 5
FIELDS = ("id", "label", "title", "kind", "version_id", "parent_id", "position", "start", "end")
# From units up to the first that people cite.
UP = """
WITH RECURSIVE up AS (
    SELECT id AS origin, id, parent_id, kind FROM documents_section WHERE id = ANY(%(ids)s)
    UNION ALL
    SELECT up.origin, above.id, above.parent_id, above.kind
    FROM up JOIN documents_section above ON above.id = up.parent_id WHERE up.kind <> ALL(%(kinds)s)
)
SELECT origin, id FROM up WHERE kind = ANY(%(kinds)s)
"""


@dataclass(frozen=True, slots=True)
class Node:
    """A unit; `distance` counts the steps from where the graph begins."""

    id: UUID
    label: str
    title: str
    kind: str
    version_id: UUID
    parent_id: UUID | None
    position: int
    start: int
    end: int
    document_id: UUID
    document: str
    distance: int = 0

    def contains(self, version_id: UUID, position: int) -> bool:
        return self.version_id == version_id and self.start <= position < self.end


@dataclass(frozen=True, slots=True)
class Edge:
    source: UUID
    target: UUID
    count: int
    texts: tuple[str, ...]  # As printed, the first few that differ.


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    is_cut: bool  # Whether there is more than is shown.


@dataclass(frozen=True, slots=True)
class Arrow:
    """One reference, from one unit to another."""

    source: UUID
    target: UUID
    reference: UUID
    text: str


@dataclass
class Drawing:
    """A graph while it grows."""

    most: int
    nodes: dict[UUID, Node] = field(default_factory=dict)
    edges: dict[tuple[UUID, UUID], dict[UUID, str]] = field(default_factory=dict)
    is_cut: bool = False


def reference_graph(
    section: Section,
    *,
    versions: VersionQuerySet,
    depth: int = 1,
    direction: Direction = "both",
    most: int = 60,
    lifted: bool = False,
) -> Graph:
    """Walk from a unit along references. What is referred to below a unit counts as referred to by it.

    With `lifted`, units are those that people cite, such as articles, and not the paragraphs inside them.
    Nearer units come first, then those that more references join.
    """
    drawing = Drawing(most)
    begin = lift_sections([section.pk]).get(section.pk, section.pk) if lifted else section.pk
    drawing.nodes = load_nodes([begin])
    frontier = list(drawing.nodes.values())
    for distance in range(1, depth + 1):
        arrows: list[Arrow] = []
        if direction != "in":
            arrows += outgoing(drawing, frontier, versions)
        if direction != "out":
            arrows += incoming(drawing, frontier, versions)
        frontier = grow(drawing, lift_arrows(arrows) if lifted else arrows, distance)
        if not frontier:
            break
    return finish(drawing)


def outgoing(drawing: Drawing, frontier: list[Node], versions: VersionQuerySet) -> list[Arrow]:
    inside = Q()
    for node in frontier:
        inside |= Q(version=node.version_id, start__gte=node.start, start__lt=node.end)
    rows: Any = CrossReference.objects.resolved().filter(inside).with_targets(versions)
    found = read(drawing, rows.exclude(target_section=None), "version_id", "start", "target_section")
    lost = find_lost(CrossReference.objects.filter(inside), Readable.of(versions), most=MOST_READ)
    found += [(row.pk, row.text, row.version_id, row.start, meant.section_id) for row, meant in lost]
    return [
        Arrow(innermost(frontier, version_id, start).id, target, pk, text)
        for pk, text, version_id, start, target in found
    ]


def incoming(drawing: Drawing, frontier: list[Node], versions: VersionQuerySet) -> list[Arrow]:
    owners = label_owners([node for node in frontier if node.position])
    wholes = {node.document_id: node for node in frontier if not node.position}
    meant = Q()
    for node in frontier:
        own = ~Q(kind=ReferenceKind.INTERNAL) | Q(version=node.version_id)
        labels = [label for document, label in owners if document == node.document_id]
        inside = Q(target_label__in=labels) if node.position else Q()
        meant |= own & Q(target_document=node.document_id) & inside
    rows = CrossReference.objects.linked().within(versions).filter(meant)
    columns = ("version_id", "start", "section_id", "target_document_id", "target_label")
    arrows = []
    for pk, text, version_id, start, section, document, label in read(drawing, rows, *columns):
        node = owners.get((document, label)) or wholes[document]
        if not node.contains(version_id, start):
            arrows.append(Arrow(section, node.id, pk, text))
    return arrows + straying(frontier, versions) + spanning(drawing, frontier, versions)


def straying(frontier: list[Node], versions: VersionQuerySet) -> list[Arrow]:
    """Return the references that mean nodes or units below them, and are linked to none of them."""
    found = strays_to({node.version_id for node in frontier}, versions)
    strays = {pk: one for one in found for pk in one.reference_ids}
    if not strays:
        return []
    rows = CrossReference.objects.filter(pk__in=strays).values_list("pk", "text", "section_id")
    arrows = []
    for pk, text, section in rows.order_by("version_id", "position"):
        version_id, start = strays[pk].version_id, strays[pk].start
        around = [node for node in frontier if node.contains(version_id, start)]
        if around:
            arrows.append(Arrow(section, innermost(around, version_id, start).id, pk, text))
    return arrows


def spanning(drawing: Drawing, frontier: list[Node], versions: VersionQuerySet) -> list[Arrow]:
    """Return the references to ranges that nodes lie inside, between the ends."""
    documents = {node.document_id for node in frontier if node.position}
    rows = CrossReference.objects.resolved().within(versions).filter(target_document__in=documents)
    columns = ("version_id", "start", "section_id", "target_label", "through_label")
    ranges = read(drawing, rows.exclude(through_label=""), *columns)
    places = list_places(frontier, {label for row in ranges for label in row[-2:]}) if ranges else {}
    return [
        Arrow(section, node.id, pk, text)
        for pk, text, version_id, start, section, first, last in ranges
        for node in frontier
        if lies_between(node, places.get((node.version_id, first)), places.get((node.version_id, last)))
        and not node.contains(version_id, start)
    ]


def list_places(frontier: list[Node], labels: set[str]) -> dict[tuple[UUID, str], tuple[UUID | None, int]]:
    """Return the parent and the position of units by their version and label."""
    rows = Section.objects.filter(version__in={node.version_id for node in frontier}, label__in=labels)
    found = rows.exclude(parent=None).values_list("version_id", "label", "parent_id", "position")
    return {(version_id, label): (parent, position) for version_id, label, parent, position in found}


def lies_between(
    node: Node, first: tuple[UUID | None, int] | None, last: tuple[UUID | None, int] | None
) -> bool:
    if first is None or last is None:
        return False
    return first[0] == last[0] == node.parent_id and first[1] < node.position < last[1]


def read(drawing: Drawing, rows: Any, *columns: str) -> list[tuple[Any, ...]]:
    found = list(rows.order_by("version_id", "position").values_list("pk", "text", *columns)[: MOST_READ + 1])
    drawing.is_cut |= len(found) > MOST_READ
    return found[:MOST_READ]


def innermost(nodes: Iterable[Node], version_id: UUID, position: int) -> Node:
    around = (node for node in nodes if node.contains(version_id, position))
    return min(around, key=lambda node: node.end - node.start)


def label_owners(nodes: list[Node]) -> dict[tuple[UUID, str], Node]:
    """Return the labels of nodes and of the units below them, each with its innermost node."""
    below = Q(pk=None)
    for node in nodes:
        below |= Q(
            version=node.version_id, position__gte=node.position, start__lt=node.end, end__lte=node.end
        )
    rows = Section.objects.filter(below).values_list("version_id", "start", "label")
    owners = {}
    for version_id, start, label in rows:
        node = innermost(nodes, version_id, start)
        owners[node.document_id, label] = node
    return owners


def lift_arrows(arrows: list[Arrow]) -> list[Arrow]:
    up = lift_sections({end for arrow in arrows for end in (arrow.source, arrow.target)})
    return [
        replace(arrow, source=up.get(arrow.source, arrow.source), target=up.get(arrow.target, arrow.target))
        for arrow in arrows
    ]


def lift_sections(ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """Return the unit that people cite for each of the units that stand in one, or are one."""
    with connection.cursor() as cursor:
        cursor.execute(UP, {"ids": list(ids), "kinds": list(UNDIVIDED)})
        return dict(cursor.fetchall())


def grow(drawing: Drawing, arrows: list[Arrow], distance: int) -> list[Node]:
    """Add what the arrows reach, as far as there is room, and return the new nodes."""
    arrows = [arrow for arrow in arrows if arrow.source != arrow.target]
    reached = Counter(end for arrow in arrows for end in (arrow.source, arrow.target))
    new = load_nodes([end for end in reached if end not in drawing.nodes], distance)
    ordered = sorted(new.values(), key=lambda node: (-reached[node.id], node.document, node.position))
    room = max(0, drawing.most - len(drawing.nodes))
    drawing.is_cut |= len(ordered) > room
    drawing.nodes |= {node.id: node for node in ordered[:room]}
    for arrow in arrows:
        if arrow.source in drawing.nodes and arrow.target in drawing.nodes:
            drawing.edges.setdefault((arrow.source, arrow.target), {})[arrow.reference] = arrow.text
    return ordered[:room]


def load_nodes(ids: list[UUID], distance: int = 0) -> dict[UUID, Node]:
    if not ids:
        return {}
    whose = ("version__document", "version__document__name")
    rows: Iterable[Any] = Section.objects.filter(pk__in=ids).values_list(*FIELDS, *whose)
    return {row[0]: replace(Node(*row), distance=distance) for row in rows}


def finish(drawing: Drawing) -> Graph:
    edges = [
        Edge(source, target, len(texts), tuple(dict.fromkeys(texts.values()))[:MOST_TEXTS])
        for (source, target), texts in drawing.edges.items()
    ]
    return Graph(tuple(drawing.nodes.values()), tuple(edges), drawing.is_cut)
