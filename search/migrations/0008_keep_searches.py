import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from tenants.isolation import EnableTenantIsolation, TieToTenant


class Migration(migrations.Migration):
    dependencies = [
        ("search", "0007_keep_evaluations"),
        ("tenants", "0005_bound_retention"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedSearch",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=100)),
                (
                    "query",
                    models.TextField(
                        help_text="What stands behind the “?” in the address of the search.", max_length=12000
                    ),
                ),
                (
                    "is_shared",
                    models.BooleanField(
                        default=False,
                        help_text="Every member of the tenant sees it then.",
                        verbose_name="share with everybody here",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_searches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="saved_searches",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "saved searches",
                "ordering": ("name", "created_at"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "owner", "name"),
                        name="saved_search_name_is_unique",
                        violation_error_message="You have a saved search of this name.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "\\S")), name="saved_search_has_a_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("query", ""), _negated=True), name="saved_search_asks_something"
                    ),
                ],
            },
        ),
        EnableTenantIsolation("SavedSearch"),
        TieToTenant("SavedSearch", "tenant", is_cascading=True),
    ]
