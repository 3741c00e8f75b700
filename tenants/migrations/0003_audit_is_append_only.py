from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenants", "0002_isolate_tenants")]

    operations = [
        migrations.RunSQL(
            "REVOKE UPDATE, DELETE ON tenants_auditevent FROM pandect_app, pandect_platform",
            "GRANT UPDATE, DELETE ON tenants_auditevent TO pandect_app, pandect_platform",
        )
    ]
