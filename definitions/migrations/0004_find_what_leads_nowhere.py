from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Concurrently: references are among the largest tables, and documents go on coming in."""

    atomic = False
    dependencies = [("definitions", "0003_tie_keys_to_their_tenant")]

    operations = [
        AddIndexConcurrently(
            "crossreference",
            models.Index(
                fields=["target_document"],
                name="references_that_lead_nowhere",
                condition=models.Q(target_document__isnull=False) & ~models.Q(reason=""),
            ),
        ),
    ]
