"""Print what a unit refers to, or what refers to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from definitions.graph import Graph, Node, reference_graph
from definitions.management.place import require_section
from definitions.meant import Linked, find_meant
from definitions.models import CrossReference
from definitions.readable import Readable
from documents.management.find import require_collection, require_tenant
from documents.management.progress import on_one_line
from documents.management.read import (
    add_read_argument,
    require_context,
    require_readable,
    require_version_at,
)
from documents.models import Section, VersionQuerySet
from tenants.scope import tenant_scope

DEEPEST = 5


class Command(BaseCommand):
    help = "Print the units that a unit refers to, or with --incoming those that refer to it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("label", help="such as 'Article 6(1)'; '' for the whole document")
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--document", required=True, metavar="NAME")
        parser.add_argument("--collection", metavar="NAME", help="if the name is in several")
        parser.add_argument("--incoming", action="store_true")
        parser.add_argument("--depth", type=int, default=1, metavar="N", help=f"1 to {DEEPEST} steps")
        add_read_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["depth"] <= DEEPEST:
            raise CommandError(f"--depth {options['depth']}: give a number from 1 to {DEEPEST}.")
        tenant = require_tenant(options["tenant"])
        name = options["collection"]
        collection = None if name is None else require_collection(tenant, name)
        context = require_context(options["read"])
        version = require_version_at(tenant, options["document"], collection, context)
        section = require_section(version, options["label"])
        versions = require_readable(tenant, context, None)
        incoming = options["incoming"]
        with tenant_scope(tenant.pk):
            graph = reference_graph(
                section, versions=versions, depth=options["depth"], direction="in" if incoming else "out"
            )
            rest = [] if incoming else list(unresolved(section, versions))
        for line in (*lines(graph, incoming=incoming), *rest):
            self.stdout.write(line)
        if not graph.edges and not rest:
            self.stdout.write("None.")


def lines(graph: Graph, *, incoming: bool) -> Iterator[str]:
    """Yield the nodes by their distance, each with the words that join it to what comes before."""
    words: dict[UUID, list[str]] = {}
    nodes = {node.id: node for node in graph.nodes}
    for edge in graph.edges:
        near, far = (edge.target, edge.source) if incoming else (edge.source, edge.target)
        if nodes[near].distance < nodes[far].distance:
            words.setdefault(far, []).extend(edge.texts)
    for node in graph.nodes[1:]:
        texts = "; ".join(dict.fromkeys(words.get(node.id, [])))
        yield on_one_line(f"{('←' if incoming else '→') * node.distance} {shown(node)}: “{texts}”")
    if graph.is_cut:
        yield "… and more."


def shown(node: Node) -> str:
    label = node.label if node.position else ""
    return ", ".join(part for part in (node.document, label) if part)


def unresolved(section: Section, versions: VersionQuerySet) -> Iterator[str]:
    """Yield what points nowhere in the versions that are read, and why."""
    waiting = CrossReference.objects.made_in(section).waiting().with_places().order_by("start")[:100]
    meant = find_meant([Linked.of(row) for row in waiting], Readable.of(versions))
    for reference, one in zip(waiting, meant, strict=True):
        if one.section_id is None:
            why = one.reason or f"of a document that is not here, {reference.document_key}."
            yield on_one_line(f"? “{reference.text}”: {why}")
