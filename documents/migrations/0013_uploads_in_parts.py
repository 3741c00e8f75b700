import uuid

import django.db.models.deletion
from django.db import migrations, models

from tenants.isolation import EnableTenantIsolation, TieToTenant


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0012_webhooks"),
        ("tenants", "0005_bound_retention"),
    ]

    operations = [
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=300)),
                ("identity", models.CharField(blank=True, max_length=300)),
                ("effective_from", models.DateField(null=True)),
                ("effective_to", models.DateField(null=True)),
                ("size", models.PositiveBigIntegerField(help_text="Bytes that were announced.")),
                ("offset", models.PositiveBigIntegerField(default=0, help_text="Bytes that have arrived.")),
                (
                    "digest",
                    models.CharField(blank=True, help_text="SHA-256, if it was announced.", max_length=64),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Arriving"), ("done", "Taken in"), ("failed", "Refused")],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("problem", models.TextField(blank=True)),
                ("files", models.JSONField(default=list, help_text="What became of each file in it.")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "expires_at",
                    models.DateTimeField(help_text="When it is forgotten, unless more of it arrives."),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="uploads",
                        to="documents.collection",
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        help_text="Whose next version it is, if that was said.",
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="uploads",
                        to="documents.document",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="uploads",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ("created_at", "id"),
            },
        ),
        migrations.CreateModel(
            name="UploadPart",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("start", models.PositiveBigIntegerField()),
                ("content", models.BinaryField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="upload_parts",
                        to="tenants.tenant",
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="parts",
                        to="documents.upload",
                    ),
                ),
            ],
            options={
                "ordering": ("upload_id", "start"),
            },
        ),
        migrations.CreateModel(
            name="AnsweredRequest",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("program_id", models.UUIDField(help_text="Of the key, or of the person, that asked.")),
                (
                    "key",
                    models.CharField(help_text="By which the program knows the request.", max_length=255),
                ),
                ("request_hash", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField()),
                ("headers", models.JSONField(default=dict)),
                ("body", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="answered_requests",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ("created_at", "id"),
                "indexes": [models.Index(fields=["created_at"], name="answered_requests_by_age")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "program_id", "key"), name="request_is_answered_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("request_hash__regex", "^[0-9a-f]{64}$")),
                        name="request_hash_is_sha256",
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="upload",
            index=models.Index(fields=["tenant", "expires_at"], name="uploads_of_a_tenant"),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.UniqueConstraint(fields=("id", "tenant"), name="upload_of_a_tenant"),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=models.Q(("size__gt", 0), ("offset__lte", models.F("size"))),
                name="upload_is_as_announced",
            ),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=models.Q(("digest", ""), ("digest__regex", "^[0-9a-f]{64}$"), _connector="OR"),
                name="upload_digest_is_sha256",
            ),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("offset__lt", models.F("size")), ("problem", ""), ("state", "open")),
                    models.Q(("offset", models.F("size")), ("problem", ""), ("state", "done")),
                    models.Q(("offset", models.F("size")), ("problem__regex", "\\S"), ("state", "failed")),
                    _connector="OR",
                ),
                name="upload_state_is_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="uploadpart",
            constraint=models.UniqueConstraint(fields=("upload", "start"), name="upload_part_is_kept_once"),
        ),
        migrations.RunSQL(  # As sources are: most files are compressed already.
            "ALTER TABLE documents_uploadpart ALTER COLUMN content SET STORAGE EXTERNAL",
            migrations.RunSQL.noop,
        ),
        EnableTenantIsolation("Upload"),
        EnableTenantIsolation("UploadPart"),
        EnableTenantIsolation("AnsweredRequest"),
        TieToTenant("Upload", "collection", is_cascading=True),
        TieToTenant("Upload", "document", is_cascading=True),
        TieToTenant("UploadPart", "upload", is_cascading=True),
        TieToTenant("AnsweredRequest", "tenant", is_cascading=True),
    ]
