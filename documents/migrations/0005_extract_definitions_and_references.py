from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("documents", "0004_store_sources_uncompressed")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="extract_cross_references",
            field=models.BooleanField(
                default=True, help_text="Find the places that are mentioned, here and in other documents."
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="extract_definitions",
            field=models.BooleanField(default=True, help_text="Find the terms that are defined."),
        ),
    ]
