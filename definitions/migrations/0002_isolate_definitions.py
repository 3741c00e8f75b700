from django.db import migrations

from tenants.isolation import EnableTenantIsolation


class Migration(migrations.Migration):
    dependencies = [("definitions", "0001_initial")]

    operations = [
        EnableTenantIsolation("Definition"),
        EnableTenantIsolation("TermForm"),
        EnableTenantIsolation("CrossReference"),
        EnableTenantIsolation("DocumentName"),
        EnableTenantIsolation("DefinitionCorrection"),
        EnableTenantIsolation("ReferenceCorrection"),
    ]
