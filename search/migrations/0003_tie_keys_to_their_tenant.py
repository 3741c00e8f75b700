from django.db import migrations

from tenants.isolation import TieToTenant


class Migration(migrations.Migration):
    """What is derived goes with its source; what was paid for stays, and forgets what it was paid for."""

    dependencies = [("search", "0002_isolate_the_index")]

    operations = [
        TieToTenant("Passage", "tenant", is_cascading=True),
        TieToTenant("Passage", "written_context", is_clearing=True),
        TieToTenant("Placement", "version", is_cascading=True),
        TieToTenant("Placement", "passage"),
        TieToTenant("TermStatistics", "tenant", is_cascading=True),
        TieToTenant("EmbeddingSpace", "tenant", is_cascading=True),
        TieToTenant("Embedding", "space", is_cascading=True),
        TieToTenant("Embedding", "passage", is_cascading=True),
        TieToTenant("Context", "tenant", is_cascading=True),
        TieToTenant("Context", "version", is_clearing=True),
        TieToTenant("ContextBatch", "version", is_cascading=True),
        TieToTenant("Budget", "tenant", is_cascading=True),
        TieToTenant("Call", "tenant", is_cascading=True),
        TieToTenant("Call", "version", is_clearing=True),
    ]
