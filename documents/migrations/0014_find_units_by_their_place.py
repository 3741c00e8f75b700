from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0013_uploads_in_parts"),
        ("tenants", "0005_bound_retention"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="section",
            index=models.Index(fields=["version", "start"], name="sections_by_start"),
        ),
    ]
