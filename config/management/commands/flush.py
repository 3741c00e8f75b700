from django.core.management.commands import flush

from config.management.owner import OwnerCommand


class Command(OwnerCommand, flush.Command):
    """Empty the tables as their owner: truncating would step over row-level security."""
