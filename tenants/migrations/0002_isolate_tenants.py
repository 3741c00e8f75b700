from django.db import migrations

from tenants.isolation import EnableTenantIsolation


class Migration(migrations.Migration):
    dependencies = [("tenants", "0001_initial")]

    operations = [
        EnableTenantIsolation("Membership", also_readable="user_id = {user}"),
        EnableTenantIsolation(
            "Tenant",
            column="id",
            also_readable="id IN (SELECT tenant_id FROM tenants_membership WHERE user_id = {user})",
        ),
        EnableTenantIsolation("ApiKey"),
        EnableTenantIsolation("AuditEvent"),
    ]
