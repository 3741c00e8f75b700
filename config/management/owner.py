"""Commands that only the owner of the tables can carry out."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS


class OwnerCommand(BaseCommand):
    """Do it on the `owner` connection when the default database is meant."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        if options.get("database", DEFAULT_DB_ALIAS) == DEFAULT_DB_ALIAS:
            if "owner" not in settings.DATABASES:
                raise CommandError(
                    "DATABASE_OWNER_URL is not set. This command changes tables, and the application's "
                    "role may not: give it the role that owns them."
                )
            options["database"] = "owner"
        return super().execute(*args, **options)
