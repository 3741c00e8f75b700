from django.core.management.commands import migrate

from config.management.owner import OwnerCommand


class Command(OwnerCommand, migrate.Command):
    """Migrate as the role that owns the tables; the application's own role may not change them."""
