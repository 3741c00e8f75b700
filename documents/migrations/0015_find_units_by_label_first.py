from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Concurrently: this is one of the largest tables, and documents go on coming in."""

    atomic = False
    dependencies = [("documents", "0014_find_units_by_their_place")]

    operations = [
        AddIndexConcurrently("section", models.Index(fields=["label", "tenant"], name="sections_of_a_label")),
        RemoveIndexConcurrently("section", "sections_by_label"),
    ]
