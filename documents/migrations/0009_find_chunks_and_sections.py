from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Concurrently: these are among the largest tables, and documents go on coming in."""

    atomic = False
    dependencies = [("documents", "0008_version_language")]

    operations = [
        AddIndexConcurrently("chunk", models.Index(fields=["version", "start"], name="chunks_by_start")),
        AddIndexConcurrently("section", models.Index(fields=["tenant", "label"], name="sections_by_label")),
    ]
