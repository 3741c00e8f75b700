"""The administration of tenants, people, members, keys and the record."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.forms import CheckboxSelectMultiple, ModelForm, MultipleChoiceField
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import pluralize
from django.template.response import TemplateResponse
from django.utils import timezone

from tenants import services
from tenants.admin_lists import ActionFilter, ShortPaginator, TenantFilter
from tenants.audit import Actor, record
from tenants.models import ApiKey, AuditEvent, Membership, Role, Scope, Tenant, User

M = TypeVar("M", bound=models.Model)
MOST_MEMBERS = 100


class AuditedAdmin(admin.ModelAdmin[M]):
    """Put what staff do on the record of the tenant it concerns."""

    paginator = ShortPaginator
    show_full_result_count = False

    def log_addition(self, request: HttpRequest, obj: M, message: Any) -> LogEntry:
        self._record(request, obj, "added", changes=message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: M, message: Any) -> LogEntry:
        self._record(request, obj, "changed", changes=message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[M]) -> list[LogEntry]:
        for obj in queryset:
            self._record(request, obj, "deleted")
        return super().log_deletions(request, queryset)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Rows that are changed on another's page, such as the members of a tenant, are recorded too."""
        super().save_formset(request, form, formset, change)
        for obj in formset.new_objects:
            self._record(request, obj, "added")
        for obj, fields in formset.changed_objects:
            self._record(request, obj, "changed", changes=fields)
        for obj in formset.deleted_objects:
            self._record(request, obj, "deleted")

    def _record(self, request: HttpRequest, obj: models.Model, verb: str, **detail: object) -> None:
        tenant = obj if isinstance(obj, Tenant) else getattr(obj, "tenant", None)
        action = f"admin.{obj._meta.model_name}_{verb}"
        record(tenant=tenant, actor=Actor.of_request(request), action=action, target=str(obj), **detail)


class MembershipInline(admin.TabularInline[Membership, Any]):
    model = Membership
    extra = 0
    autocomplete_fields = ("user",)
    fields = ("user", "role", "created_at")
    readonly_fields = ("created_at",)
    verbose_name_plural = f"memberships, the first {MOST_MEMBERS}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        """Fetch as many as a page can show: a tenant may have thousands."""
        place = Window(RowNumber(), partition_by=F(self.parent_key), order_by=F("created_at").asc())
        rows = super().get_queryset(request).select_related("user", "tenant")
        return rows.annotate(place=place).filter(place__lte=MOST_MEMBERS)

    parent_key = "tenant"


@admin.register(Tenant)
class TenantAdmin(AuditedAdmin[Tenant]):
    list_display = ("name", "slug", "is_active", "members", "usable_keys", "created_at")
    list_filter = ("is_active", "created_at")
    search_fields = ("name", "slug", "memberships__user__email")
    search_help_text = "Name, slug or a member's email address"
    date_hierarchy = "created_at"
    inlines = (MembershipInline,)
    actions = ("open_tenants", "close_tenants")

    def get_readonly_fields(self, request: HttpRequest, obj: Tenant | None = None) -> tuple[str, ...]:
        """Keep the slug of a tenant that is there: permalinks of citations have it."""
        return ("slug",) if obj else ()

    def get_prepopulated_fields(
        self, request: HttpRequest, obj: Tenant | None = None
    ) -> dict[str, Sequence[str]]:
        return {} if obj else {"slug": ("name",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tenant]:
        usable = Q(api_keys__revoked_at=None) & (
            Q(api_keys__expires_at=None) | Q(api_keys__expires_at__gt=timezone.now())
        )
        return (
            super()
            .get_queryset(request)
            .annotate(
                member_count=Count("memberships", distinct=True),
                key_count=Count("api_keys", filter=usable, distinct=True),
            )
        )

    @admin.display(ordering="member_count")
    def members(self, tenant: Any) -> int:
        return int(tenant.member_count)

    @admin.display(ordering="key_count", description="Usable keys")
    def usable_keys(self, tenant: Any) -> int:
        return int(tenant.key_count)

    @admin.action(description="Open the selected tenants", permissions=["change"])
    def open_tenants(self, request: HttpRequest, tenants: QuerySet[Tenant]) -> None:
        self._set_active(request, tenants, is_active=True)

    @admin.action(description="Close the selected tenants (their data stays)", permissions=["change"])
    def close_tenants(self, request: HttpRequest, tenants: QuerySet[Tenant]) -> None:
        self._set_active(request, tenants, is_active=False)

    def _set_active(self, request: HttpRequest, tenants: QuerySet[Tenant], *, is_active: bool) -> None:
        changed = [tenant for tenant in tenants if tenant.is_active != is_active]
        Tenant.objects.filter(pk__in=[tenant.pk for tenant in changed]).update(is_active=is_active)
        for tenant in changed:
            self.log_change(request, tenant, "Opened." if is_active else "Closed.")
        verb = "opened" if is_active else "closed"
        messages.success(request, f"{len(changed)} tenant{pluralize(len(changed))} {verb}.")


class UserMembershipInline(MembershipInline):
    parent_key = "user"
    autocomplete_fields = ("tenant",)
    fields = ("tenant", "role", "created_at")


class UserCreationForm(AdminUserCreationForm[User]):
    class Meta:
        model = User
        fields = ("email",)


@admin.register(User)
class UserAdmin(AuditedAdmin[User], DjangoUserAdmin[User]):
    ordering = ("email",)
    list_display = ("email", "name", "is_active", "is_staff", "tenants", "last_login")
    list_filter = ("is_active", "is_staff", "memberships__role")
    search_fields = ("email", "name", "memberships__tenant__name")
    search_help_text = "Email address, name or tenant"
    readonly_fields = ("last_login", "created_at")
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        (
            "Rights",
            {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")},
        ),
        ("Dates", {"fields": ("last_login", "created_at")}),
    )
    add_form = UserCreationForm
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("email", "name", "usable_password", "password1", "password2"),
            },
        ),
    )
    inlines = (UserMembershipInline,)
    actions = ("deactivate",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).annotate(tenant_count=Count("memberships", distinct=True))

    @admin.display(ordering="tenant_count")
    def tenants(self, user: Any) -> int:
        return int(user.tenant_count)

    @admin.action(description="Deactivate the selected people", permissions=["change"])
    def deactivate(self, request: HttpRequest, users: QuerySet[User]) -> None:
        others = users.filter(is_active=True).exclude(pk=str(request.user.pk))
        for user in (found := list(others)):
            self.log_change(request, user, "Deactivated.")
        User.objects.filter(pk__in=[user.pk for user in found]).update(is_active=False)
        messages.success(request, f"{len(found)} {pluralize(len(found), 'person,people')} deactivated.")
        if users.filter(pk=str(request.user.pk)).exists():
            messages.warning(request, "Not you: ask somebody else for that.")


@admin.register(Membership)
class MembershipAdmin(AuditedAdmin[Membership]):
    list_display = ("user", "tenant", "role", "created_at")
    list_filter = ("role", TenantFilter)
    list_select_related = ("user", "tenant")
    search_fields = ("user__email", "user__name", "tenant__name", "tenant__slug")
    autocomplete_fields = ("user", "tenant")
    actions = ("make_readers", "make_editors", "make_admins")

    def get_readonly_fields(self, request: HttpRequest, obj: Membership | None = None) -> tuple[str, ...]:
        """A membership stays in its tenant; only its role changes."""
        return () if obj is None else ("tenant", "user")

    @admin.action(description="Make the selected members readers", permissions=["change"])
    def make_readers(self, request: HttpRequest, members: QuerySet[Membership]) -> None:
        self._set_role(request, members, Role.READER)

    @admin.action(description="Make the selected members editors", permissions=["change"])
    def make_editors(self, request: HttpRequest, members: QuerySet[Membership]) -> None:
        self._set_role(request, members, Role.EDITOR)

    @admin.action(description="Make the selected members admins", permissions=["change"])
    def make_admins(self, request: HttpRequest, members: QuerySet[Membership]) -> None:
        self._set_role(request, members, Role.ADMIN)

    def _set_role(self, request: HttpRequest, members: QuerySet[Membership], role: Role) -> None:
        changed = list(members.exclude(role=role))
        for membership in changed:
            self.log_change(request, membership, f"Made {role.label.lower()}.")
        Membership.objects.filter(pk__in=[member.pk for member in changed]).update(role=role)
        messages.success(request, f"{len(changed)} member{pluralize(len(changed))} changed.")


class ApiKeyForm(ModelForm[ApiKey]):
    scopes = MultipleChoiceField(choices=Scope.choices, widget=CheckboxSelectMultiple)

    def clean_expires_at(self) -> datetime | None:
        expires_at: datetime | None = self.cleaned_data["expires_at"]
        if expires_at is not None and expires_at <= timezone.now():
            raise ValidationError("Choose a time to come. To close a key now, revoke it.")
        return expires_at


class KeyStateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("usable", "Usable"), ("expired", "Expired"), ("revoked", "Revoked")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "usable":
                return ApiKey.objects.usable() & queryset
            case "expired":
                over = Q(revoked_at=None) | Q(revoked_at__gte=F("expires_at"))
                return queryset.filter(over, expires_at__lte=timezone.now())
            case "revoked":
                early = Q(expires_at=None) | Q(revoked_at__lt=F("expires_at"))
                return queryset.filter(early).exclude(revoked_at=None)
        return queryset


@admin.register(ApiKey)
class ApiKeyAdmin(AuditedAdmin[ApiKey]):
    form = ApiKeyForm
    list_display = ("name", "tenant", "shown", "scopes", "state", "expires_at", "last_used_at")
    list_filter = (KeyStateFilter, TenantFilter, "created_at")
    list_select_related = ("tenant",)
    search_fields = ("name", "hint", "tenant__name", "tenant__slug")
    search_help_text = "Name, last four characters or tenant"
    autocomplete_fields = ("tenant",)
    fields = ("tenant", "name", "scopes", "expires_at")
    readonly_fields = ("shown", "state", "created_by", "created_at", "last_used_at", "revoked_at")
    actions = ("revoke",)

    @admin.display(description="Key")
    def shown(self, key: ApiKey) -> str:
        return f"pandect_…{key.hint}"

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> tuple[str, ...]:
        return self.fields if obj is None else (*self.fields, *self.readonly_fields)

    def get_readonly_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> tuple[str, ...]:
        return self.readonly_fields if obj is None else (*self.readonly_fields, "tenant")

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            return
        _, token = services.create_api_key(
            key_id=obj.pk,
            tenant=obj.tenant,
            name=obj.name,
            scopes=[Scope(scope) for scope in obj.scopes],
            expires_at=obj.expires_at,
            created_by=request.user if isinstance(request.user, User) else None,
            actor=Actor.of_request(request),
        )
        obj._state.adding = False
        obj.secret = str(token)

    def response_add(
        self, request: HttpRequest, obj: ApiKey, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the secret in the answer itself, and store it nowhere."""
        context = {**self.admin_site.each_context(request), "opts": self.opts, "key": obj}
        return TemplateResponse(request, "admin/tenants/apikey/created.html", context)

    @admin.action(description="Revoke the selected keys", permissions=["change"])
    def revoke(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> None:
        open_keys = list(keys.filter(revoked_at=None))
        for key in open_keys:
            services.revoke_api_key(key=key, actor=Actor.of_request(request))
        messages.success(request, f"{len(open_keys)} key{pluralize(len(open_keys))} revoked.")


admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(AuditedAdmin[Group], DjangoGroupAdmin):
    """Django's own, on the record."""


@admin.register(AuditEvent)
class AuditEventAdmin(admin.ModelAdmin[AuditEvent]):
    list_display = ("at", "tenant_name", "actor", "action", "target", "address")
    list_filter = (ActionFilter, "at", TenantFilter)
    search_fields = ("actor", "action", "target")
    paginator = ShortPaginator
    list_select_related = ("tenant",)
    show_full_result_count = False

    @admin.display(description="Tenant")
    def tenant_name(self, event: AuditEvent) -> str:
        """The name, or the id of a tenant that is gone."""
        return str(event.tenant or event.tenant_id or "")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: AuditEvent | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: AuditEvent | None = None) -> bool:
        return False
