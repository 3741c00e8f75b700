"""Make the index anew from the documents, while searches go on."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from documents.models import Version
from documents.pipeline import situate_again
from search.backends import BackendError, embedder_of, keyword_index
from search.backends.embedders.base import EmbedderError
from search.management.spaces import chosen_tenants, fill_until_complete, replace_space
from search.models import Embedding
from search.spaces import clear_retired, ensure_space, start_space
from search.sweep import sweep_passages
from tenants.models import Tenant
from tenants.scope import tenant_scope


class Command(BaseCommand):
    help = (
        "Make passages, words and vectors anew from the documents, while searches go on. Nobody is paid for "
        "contexts again; an embedder that costs is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="one tenant only")
        parser.add_argument(
            "--keep-vectors",
            action="store_true",
            help="embed only what has no vector; words are all made anew",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for tenant in chosen_tenants(options["tenant"]):
            try:
                self.rebuild(tenant, keep_vectors=options["keep_vectors"])
            except (EmbedderError, BackendError) as error:
                raise CommandError(f"{tenant.slug}: {error}") from error

    def rebuild(self, tenant: Tenant, *, keep_vectors: bool) -> None:
        self.say(tenant, f"{place_again(tenant.pk)} versions placed")
        self.say(tenant, f"{sweep_passages(tenant.pk)} passages swept")
        keyword_index().rebuild(tenant.pk)
        self.say(tenant, "words counted")
        self.embed(tenant, keep_vectors=keep_vectors)

    def embed(self, tenant: Tenant, *, keep_vectors: bool) -> None:
        """Complete the space in use first; a second one is needed only for what it had before."""
        space = ensure_space(tenant.pk)
        with tenant_scope(tenant.pk):
            had_vectors = Embedding.objects.filter(space=space).exists()
        fill_until_complete(space, lambda line: self.say(tenant, line))
        if had_vectors and not keep_vectors:
            model = embedder_of(space.provider, space.model, space.dimensions)
            replace_space(start_space(tenant.pk, model), lambda line: self.say(tenant, line))
            clear_retired(tenant.pk)
        self.say(tenant, "done")

    def say(self, tenant: Tenant, line: str) -> None:
        self.stdout.write(f"{tenant.slug}: {line}")


def place_again(tenant_id: UUID) -> int:
    """Say anew what each readable version is indexed as; return how many there are."""
    with tenant_scope(tenant_id):
        versions = list(Version.objects.filter(tenant=tenant_id).readable().values_list("pk", flat=True))
    for version_id in versions:
        situate_again(version_id, tenant_id)
    return len(versions)
