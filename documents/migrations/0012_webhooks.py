import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from tenants.isolation import EnableTenantIsolation, TieToTenant


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0011_seal_baselines"),
        ("tenants", "0004_keep_versions"),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("url", models.CharField(max_length=500, verbose_name="URL")),
                (
                    "description",
                    models.CharField(blank=True, help_text="What listens there.", max_length=200),
                ),
                (
                    "events",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("version.ready", "A version of a document is ready"),
                                ("version.failed", "A version of a document has failed"),
                                ("baseline.published", "A baseline is published"),
                            ],
                            max_length=30,
                        ),
                        size=None,
                    ),
                ),
                ("salt", models.BinaryField()),
                (
                    "digest",
                    models.CharField(editable=False, help_text="SHA-256 of the secret.", max_length=64),
                ),
                ("old_salt", models.BinaryField(null=True)),
                (
                    "old_until",
                    models.DateTimeField(
                        editable=False,
                        help_text="Until when the secret before this one signs too.",
                        null=True,
                    ),
                ),
                ("is_active", models.BooleanField(default=True, verbose_name="active")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("created_by", models.CharField(blank=True, max_length=300)),
                (
                    "failures",
                    models.PositiveIntegerField(default=0, help_text="Attempts since one has succeeded."),
                ),
                ("failing_since", models.DateTimeField(blank=True, null=True)),
                (
                    "rests_until",
                    models.DateTimeField(
                        blank=True, help_text="After a failure it is left alone for a while.", null=True
                    ),
                ),
                (
                    "disabled_at",
                    models.DateTimeField(blank=True, help_text="When it was switched off for it.", null=True),
                ),
                ("disabled_reason", models.TextField(blank=True)),
                (
                    "claim",
                    models.UUIDField(editable=False, help_text="Of the worker that sends to it.", null=True),
                ),
                ("claimed_until", models.DateTimeField(editable=False, null=True)),
                (
                    "served_at",
                    models.DateTimeField(editable=False, help_text="When it last had its turn.", null=True),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="webhooks",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ("created_at", "id"),
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("event", models.CharField(max_length=30)),
                (
                    "payload",
                    models.TextField(help_text="As it is sent, byte for byte: a retry says the same."),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "Waiting"), ("delivered", "Delivered"), ("failed", "Failed")],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(blank=True, null=True)),
                (
                    "status_code",
                    models.PositiveSmallIntegerField(blank=True, help_text="Of the last answer.", null=True),
                ),
                (
                    "error",
                    models.TextField(blank=True, help_text="What went wrong at the last attempt, in words."),
                ),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="webhook_deliveries",
                        to="tenants.tenant",
                    ),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="deliveries",
                        to="documents.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "webhook deliveries",
                "ordering": ("-created_at", "id"),
            },
        ),
        migrations.AddIndex(
            model_name="webhook",
            index=models.Index(fields=["tenant", "created_at"], name="webhooks_of_a_tenant"),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.UniqueConstraint(fields=("id", "tenant"), name="webhook_of_a_tenant"),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(("url__regex", "^https?://")), name="webhook_url_is_http"
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("events__contained_by", ["version.ready", "version.failed", "baseline.published"]),
                    ("events__len__gt", 0),
                ),
                name="webhook_events_are_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("disabled_at", None), ("disabled_reason", "")),
                    models.Q(
                        ("disabled_at__isnull", False),
                        ("disabled_reason__regex", "\\S"),
                        ("is_active", False),
                    ),
                    _connector="OR",
                ),
                name="disabled_webhook_says_why",
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(fields=["webhook", "-created_at"], name="deliveries_of_a_webhook"),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(
                condition=models.Q(("state", "pending")),
                fields=["webhook", "next_attempt_at"],
                name="pending_deliveries",
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(fields=["created_at"], name="deliveries_by_age"),
        ),
        migrations.AddConstraint(
            model_name="webhookdelivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("event__in", ["version.ready", "version.failed", "baseline.published", "ping"])
                ),
                name="delivery_event_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhookdelivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("delivered_at", None), ("next_attempt_at__isnull", False), ("state", "pending")
                    ),
                    models.Q(
                        ("delivered_at__isnull", False),
                        ("error", ""),
                        ("next_attempt_at", None),
                        ("state", "delivered"),
                    ),
                    models.Q(
                        ("delivered_at", None),
                        ("error__regex", "\\S"),
                        ("next_attempt_at", None),
                        ("state", "failed"),
                    ),
                    _connector="OR",
                ),
                name="delivery_state_is_whole",
            ),
        ),
        EnableTenantIsolation("Webhook"),
        EnableTenantIsolation("WebhookDelivery"),
        TieToTenant("Webhook", "tenant", is_cascading=True),
        TieToTenant("WebhookDelivery", "webhook", is_cascading=True),
    ]
