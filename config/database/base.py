"""Django's PostgreSQL backend on the embedded server, which starts with the first connection."""

from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

from config.embedded import postgres


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        postgres.ensure(settings.HOME)
        return super().get_connection_params()
