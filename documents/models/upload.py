"""What programs send so that it may break off and be sent again: files in parts, and requests."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from documents.models.collection import Collection
from documents.models.document import HASH_PATTERN, Document
from tenants.models import Tenant

ANSWERS_KEPT_FOR = timedelta(days=1)


class UploadState(models.TextChoices):
    OPEN = "open", _("Arriving")
    DONE = "done", _("Taken in")
    FAILED = "failed", _("Refused")


class UploadQuerySet(models.QuerySet["Upload"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def kept(self, now: datetime) -> Self:
        return self.filter(expires_at__gt=now)

    def expired(self, now: datetime) -> Self:
        return self.filter(expires_at__lte=now)


class Upload(models.Model):
    """A file on its way in: what was announced, how far it has come, and what became of it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="uploads"
    )
    collection = models.ForeignKey(
        Collection, on_delete=models.DO_NOTHING, db_constraint=False, related_name="uploads"
    )
    document = models.ForeignKey(
        Document,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        related_name="uploads",
        help_text="Whose next version it is, if that was said.",
    )
    name = models.CharField(max_length=300)
    identity = models.CharField(max_length=300, blank=True)
    effective_from = models.DateField(null=True)
    effective_to = models.DateField(null=True)
    size = models.PositiveBigIntegerField(help_text="Bytes that were announced.")
    offset = models.PositiveBigIntegerField(default=0, help_text="Bytes that have arrived.")
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256, if it was announced.")
    state = models.CharField(max_length=10, choices=UploadState.choices, default=UploadState.OPEN)
    problem = models.TextField(blank=True)
    files = models.JSONField(default=list, help_text="What became of each file in it.")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(help_text="When it is forgotten, unless more of it arrives.")

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering = ("created_at", "id")
        indexes = (models.Index(fields=["tenant", "expires_at"], name="uploads_of_a_tenant"),)
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="upload_of_a_tenant"),
            models.CheckConstraint(
                condition=Q(size__gt=0) & Q(offset__lte=F("size")), name="upload_is_as_announced"
            ),
            models.CheckConstraint(
                condition=Q(digest="") | Q(digest__regex=HASH_PATTERN), name="upload_digest_is_sha256"
            ),
            models.CheckConstraint(
                condition=Q(state="open", problem="", offset__lt=F("size"))
                | Q(state="done", problem="", offset=F("size"))
                | Q(state="failed", problem__regex=r"\S", offset=F("size")),
                name="upload_state_is_whole",
            ),
        )

    def __str__(self) -> str:
        return self.name


class UploadPart(models.Model):
    """Some bytes of an upload, from where they begin."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="upload_parts"
    )
    upload = models.ForeignKey(
        Upload, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="parts"
    )
    start = models.PositiveBigIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ("upload_id", "start")
        constraints = (models.UniqueConstraint(fields=["upload", "start"], name="upload_part_is_kept_once"),)

    def __str__(self) -> str:
        return f"{self.start} of {self.upload_id}"


class AnsweredRequestQuerySet(models.QuerySet["AnsweredRequest"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def expired(self, now: datetime) -> Self:
        return self.filter(created_at__lte=now - ANSWERS_KEPT_FOR)


class AnsweredRequest(models.Model):
    """A request that a program may send again without effect: a hash of it, and what was answered."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="answered_requests",
    )
    program_id = models.UUIDField(help_text="Of the key, or of the person, that asked.")
    key = models.CharField(max_length=255, help_text="By which the program knows the request.")
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AnsweredRequestQuerySet.as_manager()

    class Meta:
        ordering = ("created_at", "id")
        indexes = (models.Index(fields=["created_at"], name="answered_requests_by_age"),)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "program_id", "key"], name="request_is_answered_once"),
            models.CheckConstraint(
                condition=Q(request_hash__regex=HASH_PATTERN), name="request_hash_is_sha256"
            ),
        )

    def __str__(self) -> str:
        return self.key
