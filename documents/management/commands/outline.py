"""Print the tree of a document."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from documents.management.find import (
    require_collection,
    require_document,
    require_tenant,
    require_version,
)
from documents.management.progress import on_one_line
from documents.management.read import add_read_argument, require_context, require_ready, require_version_at
from documents.models import Grade, Section, Version
from documents.read_context import HEAD
from tenants.scope import tenant_scope

LONGEST_TITLE = 80


class Command(BaseCommand):
    help = "Print the outline of a document: labels, titles, and how far the structure can be trusted."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Give `--version` another meaning than Django, which has its own in every command."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("document", help="its name, such as acts/harbour.docx, or its id")
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--collection", metavar="NAME", help="if the name is in several")
        parser.add_argument("--version", type=int, metavar="N", help="the current one if not given")
        add_read_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = require_tenant(options["tenant"])
        name = options["collection"]
        collection = None if name is None else require_collection(tenant, name)
        context = require_context(options["read"])
        if options["version"] is None:
            version = require_version_at(tenant, options["document"], collection, context)
        elif context != HEAD:
            raise CommandError("--version and --read both say which version is meant. Give one of them.")
        else:
            document = require_document(tenant, options["document"], collection)
            version = require_ready(require_version(document, options["version"]))
        self.stdout.write(f"{version.document.name}, version {version.number}, structure: {grade(version)}")
        with tenant_scope(tenant.pk), quiet_end():
            for section in Section.objects.filter(version=version).order_by("position").iterator():
                self.stdout.write(line(section))


@contextmanager
def quiet_end() -> Iterator[None]:
    """Stop without complaint when nobody reads on, as after `| head`."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def grade(version: Version) -> str:
    return str(Grade(version.grade).label).lower()


def line(section: Section) -> str:
    """Indent a unit by its depth, with its title or its first words."""
    title = "" if section.title == section.label else section.title or section.opening
    if len(title) > LONGEST_TITLE:
        title = title[: LONGEST_TITLE - 1].rstrip() + "…"
    shown = "  ".join(on_one_line(part) for part in (section.label, title) if part)
    return "  " * section.level + shown
