from django.db import migrations


class Migration(migrations.Migration):
    """Most files are compressed already: trying it again costs time and saves nothing."""

    dependencies = [("documents", "0003_tie_keys_to_their_tenant")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE documents_source ALTER COLUMN content SET STORAGE EXTERNAL",
            "ALTER TABLE documents_source ALTER COLUMN content SET STORAGE EXTENDED",
        )
    ]
