"""Create an API key from the command line."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tenants.audit import Actor
from tenants.errors import UnknownTenant
from tenants.models import Scope
from tenants.services import create_api_key, find_tenant


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
        if days is not None and days < 1:
            raise CommandError("--days: at least 1.")
        try:
            tenant = find_tenant(options["tenant"])
        except UnknownTenant as error:
            raise CommandError(str(error)) from error
        _, token = create_api_key(
            tenant=tenant,
            name=options["name"],
            scopes=[Scope(scope) for scope in options["scope"] or [Scope.READ]],
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
            actor=Actor.of_command("create_api_key"),
        )
        self.stdout.write(str(token))
