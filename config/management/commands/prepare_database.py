"""Make the roles and the extension in a database of your own."""

from __future__ import annotations

from typing import Any

import psycopg
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError

from config.environment import Environment
from config.prepare import Login, prepare_database


class Command(BaseCommand):
    help = (
        "Prepare the database of DATABASE_URL: connect by DATABASE_ADMIN_URL, a superuser, and make the "
        "roles of DATABASE_URL and DATABASE_OWNER_URL with their privileges. Can be run again."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            url = Environment().required(
                "DATABASE_ADMIN_URL", "Give it a superuser's URL of the same database."
            )
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        if "owner" not in settings.DATABASES:
            raise CommandError("DATABASE_OWNER_URL is not set. It names the role to own the tables.")
        try:
            with psycopg.connect(url) as connection:
                warnings = prepare_database(connection, application=login("default"), owner=login("owner"))
        except psycopg.OperationalError as error:
            raise CommandError(f"DATABASE_ADMIN_URL: {str(error).strip()}") from error
        for warning in warnings:
            self.stderr.write(self.style.WARNING(warning))
        self.stdout.write("The database is ready for `manage.py migrate`.")


def login(alias: str) -> Login:
    database = settings.DATABASES[alias]
    return Login(database.get("USER", ""), database.get("PASSWORD", ""))
