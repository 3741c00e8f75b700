from django.db import migrations

from tenants.isolation import EnableTenantIsolation


class Migration(migrations.Migration):
    dependencies = [("search", "0001_initial")]

    operations = [
        EnableTenantIsolation(model)
        for model in (
            "Passage",
            "Placement",
            "TermStatistics",
            "EmbeddingSpace",
            "Embedding",
            "Context",
            "ContextBatch",
            "Budget",
            "Call",
        )
    ]
