"""Create an API key from the command line."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tenants.audit import Actor
from tenants.errors import UnknownTenant
from tenants.models import Scope
from tenants.services import create_api_key, find_tenant

MOST_DAYS = 3650


class Command(BaseCommand):
    help = "Create an API key and print it. It is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what will use it")
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Scope.values,
            help="may be given again; read by default",
        )
        parser.add_argument("--days", type=int, help="how long it is valid; for ever if not given")

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["days"]
        if days is not None and days not in range(1, MOST_DAYS + 1):
            raise CommandError(f"--days: from 1 to {MOST_DAYS}.")
        try:
            tenant = find_tenant(options["tenant"])
        except UnknownTenant as error:
            raise CommandError(str(error)) from error
        try:
            _, token = create_api_key(
                tenant=tenant,
                name=options["name"],
                scopes=[Scope(scope) for scope in options["scope"] or [Scope.READ]],
                expires_at=None if days is None else timezone.now() + timedelta(days=days),
                actor=Actor.of_command("create_api_key"),
            )
        except ValidationError as error:
            raise CommandError(f"The name {options['name']!r}: {' '.join(error.messages)}") from error
        self.stdout.write(str(token))
