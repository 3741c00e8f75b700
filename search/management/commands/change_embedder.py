"""Put the vectors of another model in the place of those in use, tenant by tenant."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from search.backends import BackendError, next_embedder
from search.backends.embedders.base import Embedder, EmbedderError
from search.management.spaces import chosen_tenants, replace_space
from search.spaces import active_space, clear_retired, holds, start_space
from tenants.models import Tenant

NOTHING_NEXT = (
    "SEARCH_BACKENDS['next_embedder'] is missing. Declare the embedder to change to (PANDECT_NEXT_EMBEDDER), "
    "beside the one in use."
)
AFTERWARDS = (
    "Every tenant's searches read {model} now. Declare it as 'embedder' (PANDECT_EMBEDDER and its settings), "
    "take 'next_embedder' out (PANDECT_NEXT_EMBEDDER), and restart web and workers."
)


class Command(BaseCommand):
    help = "Embed all passages by the next embedder and switch, each tenant when its vectors are complete."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="one tenant only")

    def handle(self, *args: Any, **options: Any) -> None:
        model = next_embedder()
        if model is None:
            raise CommandError(NOTHING_NEXT)
        for tenant in chosen_tenants(options["tenant"]):
            try:
                self.change(tenant, model)
            except (EmbedderError, BackendError) as error:
                raise CommandError(f"{tenant.slug}: {error}") from error
        if options["tenant"] is None:
            self.stdout.write(AFTERWARDS.format(model=f"{model.provider}/{model.model}"))

    def change(self, tenant: Tenant, model: Embedder) -> None:
        """Change a tenant over, unless it is; one that has no vectors yet starts with the next embedder."""
        space = active_space(tenant.pk)
        if space is None or not holds(space, model):
            replace_space(
                start_space(tenant.pk, model), lambda line: self.stdout.write(f"{tenant.slug}: {line}")
            )
        clear_retired(tenant.pk)
