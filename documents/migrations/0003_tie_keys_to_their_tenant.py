from django.db import migrations

from tenants.isolation import TieToTenant


class Migration(migrations.Migration):
    dependencies = [("documents", "0002_isolate_documents")]

    operations = [
        TieToTenant("Source", "tenant", is_cascading=True),
        TieToTenant("Document", "collection", is_cascading=True),
        TieToTenant("Version", "document", is_cascading=True),
        TieToTenant("Version", "source"),
        TieToTenant("Section", "version", is_cascading=True),
        TieToTenant("Section", "parent", is_cascading=True),
        TieToTenant("Chunk", "version", is_cascading=True),
        TieToTenant("Chunk", "section", is_cascading=True),
        TieToTenant("OutlineCorrection", "document", is_cascading=True),
    ]
