"""Print what a term means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from definitions.lookup import Answer, lookup_definition
from definitions.management.place import require_section
from definitions.models import Definition
from documents.management.find import require_collection, require_tenant
from documents.management.progress import on_one_line
from documents.management.read import (
    add_read_argument,
    require_context,
    require_readable,
    require_version_at,
)
from tenants.scope import tenant_scope

LONGEST = 400


class Command(BaseCommand):
    help = "Print the definition of a term that holds at a place, and all others."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("term")
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--collection", metavar="NAME")
        parser.add_argument("--document", metavar="NAME", help="where it is read")
        parser.add_argument("--at", metavar="LABEL", help="the unit of the document in which it is read")
        add_read_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["at"] is not None and options["document"] is None:
            raise CommandError("--at names a unit of a document. Say which with --document.")
        tenant = require_tenant(options["tenant"])
        name = options["collection"]
        collection = None if name is None else require_collection(tenant, name)
        context = require_context(options["read"])
        versions = require_readable(tenant, context, collection)
        at = None
        if options["document"] is not None:
            version = require_version_at(tenant, options["document"], collection, context)
            at = require_section(version, options["at"])
        with tenant_scope(tenant.pk):
            answer = lookup_definition(options["term"], at=at, versions=versions)
        if answer.definition is None and not answer.others:
            raise CommandError(f"Nothing defines {options['term']!r}.")
        for line in lines(answer):
            self.stdout.write(line)


def lines(answer: Answer) -> Iterator[str]:
    if answer.definition is None:
        yield "Nothing that defines it holds here."
    else:
        yield shown(answer.definition)
    for given in answer.given:
        yield f"  given in {shown(given)}"
    if answer.is_conflicting:
        yield "Others say something else:"
    elif answer.others:
        yield "Elsewhere:"
    for other in answer.others:
        yield f"  {shown(other)}"


def shown(definition: Any) -> str:
    meaning = on_one_line(definition.meaning)
    if len(meaning) > LONGEST:
        meaning = meaning[: LONGEST - 1].rstrip() + "…"
    return f"{on_one_line(place(definition))}: {meaning}"


def place(definition: Definition) -> str:
    section, scope = definition.section, definition.scope
    where = f", {section.label}" if section.position else ""
    limit = f" (for {scope.label})" if scope.position else ""
    return f"{definition.version.document.name}{where}{limit}"
