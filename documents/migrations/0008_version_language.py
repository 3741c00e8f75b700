from django.core.validators import RegexValidator
from django.db import migrations, models

from config.prepare import PLATFORM_ROLE

# Until now, all that is in a collection was indexed in its language.
SAY_LANGUAGE = """
UPDATE documents_version version SET language = collection.language
FROM documents_document document
JOIN documents_collection collection ON collection.id = document.collection_id
WHERE document.id = version.document_id AND version.state = 'ready'
"""
# Backwards, “auto” will be no language.
SAY_ENGLISH = "UPDATE documents_collection SET language = 'english' WHERE language = 'auto'"


def for_all_tenants(statement: str) -> list[str]:
    return [f"SET LOCAL ROLE {PLATFORM_ROLE}", statement, "RESET ROLE"]


class Migration(migrations.Migration):
    dependencies = [("documents", "0007_search_settings")]

    operations = [
        migrations.AddField(
            model_name="version",
            name="language",
            field=models.CharField(
                blank=True,
                default="",
                help_text="The text-search configuration by which it is indexed.",
                max_length=63,
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="collection",
            name="language",
            field=models.CharField(
                default="english",
                help_text="The text-search configuration of PostgreSQL by which words are stemmed, or "
                "“auto”: that of the language which each document is in.",
                max_length=63,
                validators=[
                    RegexValidator("^[a-z_]+$", "Name a text-search configuration, such as “english”.")
                ],
            ),
        ),
        migrations.RunSQL(for_all_tenants(SAY_LANGUAGE), for_all_tenants(SAY_ENGLISH)),
    ]
