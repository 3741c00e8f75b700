import uuid

import django.db.models.deletion
from django.db import migrations, models

from tenants.isolation import EnableTenantIsolation, TieToTenant


class Migration(migrations.Migration):
    dependencies = [
        ("search", "0006_give_each_tenant_its_own_lexemes"),
        ("tenants", "0003_audit_is_append_only"),
    ]

    operations = [
        migrations.CreateModel(
            name="EvaluationRun",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(help_text="Of the set of questions.", max_length=200)),
                (
                    "collection",
                    models.CharField(help_text="The name of the one that was asked.", max_length=100),
                ),
                ("question_count", models.PositiveIntegerField()),
                (
                    "measures",
                    models.JSONField(
                        help_text="Of each way of searching, in their order: its figures by name."
                    ),
                ),
                (
                    "latency",
                    models.JSONField(
                        help_text="By the stage of a search: median and 95th percentile, in ms."
                    ),
                ),
                (
                    "settings",
                    models.JSONField(help_text="The parts that were declared, and what was asked of them."),
                ),
                ("code", models.CharField(help_text="A digest of the program that searched.", max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="evaluations",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(fields=["tenant", "name", "-created_at"], name="evaluations_of_a_set")
                ],
            },
        ),
        EnableTenantIsolation("EvaluationRun"),
        TieToTenant("EvaluationRun", "tenant", is_cascading=True),
    ]
