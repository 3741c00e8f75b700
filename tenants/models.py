"""Who may see what: tenants, people, their memberships, keys for programs, and what was done."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, ClassVar, Self

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

LONGEST_KEPT = 36_500  # Days. Who wants more wants for ever.
SLUG_PATTERN = r"^[a-z0-9]+(-[a-z0-9]+)*$"


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.full_clean(exclude=["password"])
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        return (email or "").strip().lower()

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=self.normalize_email(username))


class User(AbstractBaseUser, PermissionsMixin):
    """A person, who can be a member of any number of tenants."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(_("email address"), unique=True)
    name = models.CharField(max_length=150, blank=True)
    is_active = models.BooleanField(
        "active", default=True, help_text="Clear this instead of deleting a person."
    )
    is_staff = models.BooleanField(
        "staff", default=False, help_text="May enter the administration, which sees every tenant."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        ordering = ("email",)
        constraints = (
            models.CheckConstraint(condition=Q(email=Lower("email")), name="user_email_is_lowercase"),
        )

    def __str__(self) -> str:
        return self.email

    def clean(self) -> None:
        self.email = User.objects.normalize_email(self.email)

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.get_full_name().split()[0]


class Tenant(models.Model):
    """One organisation; nothing inside it is visible from outside."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.CharField(
        max_length=50,
        unique=True,
        validators=[RegexValidator(SLUG_PATTERN, _("Use lower-case letters, digits and single hyphens."))],
        help_text="The name in addresses: /t/slug/.",
    )
    name = models.CharField(max_length=200)
    is_active = models.BooleanField(
        "active",
        default=True,
        help_text="Clear this to close the tenant to everyone; its data stays.",
    )
    keep_versions_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(LONGEST_KEPT)],
        help_text="Days for which old versions of documents are kept; without a number, for ever.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.CheckConstraint(condition=Q(slug__regex=SLUG_PATTERN), name="tenant_slug_is_plain"),
            models.CheckConstraint(condition=Q(name__regex=r"\S"), name="tenant_has_a_name"),
            models.CheckConstraint(
                condition=Q(keep_versions_days=None) | Q(keep_versions_days__range=(1, LONGEST_KEPT)),
                name="tenant_keeps_versions_for_a_day",
            ),
        )

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    """What a member may do; each role includes the ones before it."""

    READER = "reader", _("Reader")
    EDITOR = "editor", _("Editor")
    ADMIN = "admin", _("Admin")

    def includes(self, other: Role) -> bool:
        order = list(Role)
        return order.index(self) >= order.index(other)


class MembershipQuerySet(models.QuerySet["Membership"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def of_user(self, user: User) -> Self:
        """Those of one person, in tenants that are open."""
        return self.filter(user=user, tenant__is_active=True).select_related("tenant")


class Membership(models.Model):
    """A person in a tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.READER)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        ordering = ("tenant", "user")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "user"],
                name="one_membership_per_person",
                violation_error_message=_("This person is a member already."),
            ),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_is_known"),
        )

    def __str__(self) -> str:
        return f"{self.user} in {self.tenant}"

    def allows(self, role: Role) -> bool:
        return Role(self.role).includes(role)


class Scope(models.TextChoices):
    """What a program may do with its key."""

    READ = "read", _("Read: search and fetch")
    WRITE = "write", _("Write: add, replace and delete documents")
    MANAGE = "manage", _("Manage: collections and indexes")


KEY_STATES = {"active": _("active"), "expired": _("expired"), "revoked": _("revoked")}


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def usable(self) -> Self:
        return self.filter(
            Q(expires_at=None) | Q(expires_at__gt=timezone.now()),
            revoked_at=None,
            tenant__is_active=True,
        )

    def expired(self) -> Self:
        """Those whose time is over and that nobody has closed yet."""
        return self.filter(expires_at__lte=timezone.now(), revoked_at=None)


class ApiKey(models.Model):
    """A secret by which a program acts for one tenant. Only its hash is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=100, help_text="What uses it, such as “nightly import”.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=8, editable=False)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope.choices))
    created_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", editable=False
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Never, if left empty.")
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ApiKeyQuerySet.as_manager()
    secret = ""  # Of a new key, on its way to whoever made it. No field: it is stored nowhere.

    class Meta:
        verbose_name = "API key"
        ordering = ("-created_at",)
        constraints = (
            models.CheckConstraint(
                condition=Q(scopes__contained_by=Scope.values) & Q(scopes__len__gt=0),
                name="api_key_scopes_are_known",
            ),
            models.CheckConstraint(
                condition=Q(expires_at=None) | Q(expires_at__gt=F("created_at")),
                name="api_key_expires_later",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def state_words(self) -> str:
        return str(KEY_STATES[self.state])

    @property
    def state(self) -> str:
        if self.has_expired(self.revoked_at or timezone.now()):
            return "expired"
        return "revoked" if self.revoked_at else "active"

    def has_expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)


SENTENCES = {
    "tenant.created": _("Created the tenant {target}"),
    "member.added": _("Added {target} as {role}"),
    "member.role_changed": _("Made {target} {after}, who was {before}"),
    "member.removed": _("Removed {target}"),
    "key.created": _("Created the API key “{target}”"),
    "key.revoked": _("Revoked the API key “{target}”"),
    "key.expired": _("The API key “{target}” expired"),
    "webhook.created": _("Added the webhook {target}"),
    "webhook.changed": _("Changed the webhook {target}: {fields}"),
    "webhook.deleted": _("Deleted the webhook {target}"),
    "webhook.rotated": _("Made a new secret for the webhook {target}"),
    "webhook.tested": _("Sent a test to the webhook {target}"),
    "webhook.disabled": _("The webhook {target} was switched off: {reason}"),
    "collection.created": _("Created the collection {target}"),
    "collection.changed": _("Changed the collection {target}: {fields}"),
    "collection.deleted": _("Deleted the collection {target} with {documents} documents"),
    "document.added": _("Added {target} to {collection}"),
    "document.replaced": _("Added version {number} of {target} to {collection}"),
    "document.deleted": _("Moved {target} of {collection} to the bin"),
    "document.restored": _("Took {target} of {collection} out of the bin"),
    "document.purged": _("Deleted {target} of {collection} for good"),
    "version.cancelled": _("Stopped the reading of version {number} of {target}"),
    "version.retried": _("Had version {number} of {target} read again"),
    "version.restored": _("Made version {before} of {target} its version {number}"),
    "version.withdrawn": _("Withdrew version {number} of {target}"),
    "version.dated": _("Said when version {number} of {target} applies"),
    "baseline.created": _("Made the baseline {target} of {collection} with {versions} versions"),
    "baseline.published": _("Published the baseline {target} of {collection}"),
    "collection.unpublished": _("Took back what {target} had published"),
    "index.rebuilt": _("Had {versions} versions of {target} indexed anew"),
    "version.reread": _("Had {target} read anew, as version {number}"),
    "outline.corrected": _("Corrected the outline of {target} at “{opening}”"),
    "outline.correction_removed": _("Took back the correction of {target} at “{opening}”"),
    "document.refreshed": _("Found definitions and references of {target} anew"),
    "document.named": _("Named {target} “{name}”"),
    "document.unnamed": _("Took the name “{name}” from {target}"),
    "definition.corrected": _("Corrected the definition of “{term}” in {target}"),
    "definition.rejected": _("Said that “{term}” is not defined at {label} of {target}"),
    "definition.added": _("Added the definition of “{term}” in {target}"),
    "definition.correction_removed": _("Took back the correction of “{term}” in {target}"),
    "reference.corrected": _("Pointed “{text}” in {target} to {goal}"),
    "reference.rejected": _("Said that “{text}” at {label} of {target} is no reference"),
    "reference.added": _("Added the reference “{text}” in {target}"),
    "reference.correction_removed": _("Took back the correction of “{text}” in {target}"),
    "tenant.exported": _("Exported {documents} documents into {target}"),
    "archive.import_begun": _("Began to import {documents} documents"),
    "archive.imported": _("Imported {documents} documents"),
    "budget.changed": _("Changed the monthly budget of {target} from {before} to {after}"),
}


class AuditEvent(models.Model):
    """Who did what, and when. The application may add rows and read them, never change them.

    It outlives what it speaks of, so it points to tenant and actor without constraining them, and keeps
    their names as they were.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        blank=True,
        related_name="audit_events",
        help_text="Empty for what concerns no tenant, such as logging in.",
    )
    at = models.DateTimeField(auto_now_add=True)
    actor_id = models.UUIDField(null=True, blank=True)
    actor = models.CharField(max_length=254, help_text="Email address, API key or command.")
    action = models.CharField(max_length=50)
    target = models.CharField(max_length=300, blank=True)
    detail = models.JSONField(default=dict, blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        ordering = ("-at", "id")
        indexes = (
            models.Index(fields=["tenant", "-at"], name="audit_of_a_tenant"),
            models.Index(fields=["action", "target", "-at"], name="audit_of_an_action"),
        )

    def __str__(self) -> str:
        return f"{self.actor}: {self.action} {self.target}".rstrip()

    @property
    def sentence(self) -> str:
        """What happened, for people."""
        if sentence := SENTENCES.get(self.action):
            return sentence.format(target=self.target, **self.detail)
        return f"{self.action.replace('.', ' ').replace('_', ' ').capitalize()} {self.target}".rstrip()
