from django.db import migrations

from tenants.isolation import EnableTenantIsolation


class Migration(migrations.Migration):
    dependencies = [("documents", "0001_initial"), ("tenants", "0003_audit_is_append_only")]

    operations = [
        EnableTenantIsolation("Collection"),
        EnableTenantIsolation("Source"),
        EnableTenantIsolation("Document"),
        EnableTenantIsolation("Version"),
        EnableTenantIsolation("Section"),
        EnableTenantIsolation("Chunk"),
        EnableTenantIsolation("OutlineCorrection"),
    ]
