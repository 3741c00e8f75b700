"""Two tenants with people and documents to try the product with."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from documents.load_demo import load_demo_documents
from tenants.demo import PASSWORD, load_demo


class Command(BaseCommand):
    help = "Create the demo tenants, people and documents, unless they exist. Not for production."

    def handle(self, *args: Any, **options: Any) -> None:
        for line in (*load_demo(), *load_demo_documents()):
            self.stdout.write(line)
        self.stdout.write(f"Password of everyone: {PASSWORD}")
