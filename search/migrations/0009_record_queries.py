import uuid

import django.db.models.deletion
from django.db import migrations, models

from tenants.isolation import EnableTenantIsolation, TieToTenant


class Migration(migrations.Migration):
    dependencies = [
        ("search", "0008_keep_searches"),
        ("tenants", "0003_audit_is_append_only"),
    ]

    operations = [
        migrations.CreateModel(
            name="QueryRecord",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("at", models.DateTimeField()),
                ("took_ms", models.FloatField()),
                ("result_count", models.PositiveSmallIntegerField()),
                ("confidence", models.CharField(max_length=10)),
                ("mode", models.CharField(max_length=10)),
                (
                    "door",
                    models.CharField(
                        choices=[
                            ("page", "A page"),
                            ("api", "A program"),
                            ("mcp", "An agent"),
                            ("command", "A command"),
                        ],
                        max_length=10,
                    ),
                ),
                ("length", models.PositiveIntegerField(help_text="Characters of the query.")),
                (
                    "digest",
                    models.CharField(
                        help_text="Tells the same query again; only this installation can make it.",
                        max_length=64,
                    ),
                ),
                (
                    "text",
                    models.TextField(
                        blank=True, help_text="Of slow and unanswered ones, with PANDECT_KEEP_QUERIES."
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="queries",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ("-at",),
                "indexes": [models.Index(fields=["tenant", "-at"], name="queries_of_a_tenant")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("took_ms__gte", 0)), name="query_took_some_time"
                    )
                ],
            },
        ),
        EnableTenantIsolation("QueryRecord"),
        TieToTenant("QueryRecord", "tenant", is_cascading=True),
    ]
