"""Find definitions and references of current versions anew."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from definitions.services import refresh_findings
from documents.management.find import require_collection, require_document, require_tenant
from documents.models import Document, Version
from tenants.audit import Actor
from tenants.scope import tenant_scope


class Command(BaseCommand):
    help = "Find definitions and references anew, in texts as they are: after the rules have improved."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--collection", metavar="NAME")
        parser.add_argument("--document", metavar="NAME", help="one document only")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = require_tenant(options["tenant"])
        name = options["collection"]
        collection = None if name is None else require_collection(tenant, name)
        with tenant_scope(tenant.pk):
            versions = Version.objects.for_tenant(tenant).head()
            documents = Document.objects.filter(pk__in=versions.values("document"))
            if collection is not None:
                documents = documents.filter(collection=collection)
            chosen = list(documents.select_related("tenant", "collection"))
        if options["document"] is not None:
            chosen = [require_document(tenant, options["document"], collection)]
        for document in chosen:
            refresh_findings(document=document, actor=Actor.of_command("refresh_findings"))
            self.stdout.write(document.name)
