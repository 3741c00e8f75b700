from django.db import migrations

from tenants.isolation import TieToTenant


class Migration(migrations.Migration):
    dependencies = [("definitions", "0002_isolate_definitions")]

    operations = [
        TieToTenant("Definition", "version", is_cascading=True),
        TieToTenant("Definition", "section", is_cascading=True),
        TieToTenant("Definition", "scope", is_cascading=True),
        TieToTenant("TermForm", "definition", is_cascading=True),
        TieToTenant("CrossReference", "version", is_cascading=True),
        TieToTenant("CrossReference", "section", is_cascading=True),
        TieToTenant("CrossReference", "target_document", is_clearing=True),
        TieToTenant("DocumentName", "document", is_cascading=True),
        TieToTenant("DefinitionCorrection", "document", is_cascading=True),
        TieToTenant("ReferenceCorrection", "document", is_cascading=True),
        TieToTenant("ReferenceCorrection", "target_document", is_cascading=True),
    ]
