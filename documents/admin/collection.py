"""Collections: their settings, and the door for documents."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import pluralize
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from documents import services
from documents.configuration import Configuration, weigh, write_configuration
from documents.forms import UploadForm
from documents.models import Collection
from documents.pages.upload import upload
from tenants.admin import AuditedAdmin
from tenants.admin_lists import TenantFilter
from tenants.audit import Actor


class CollectionAdminForm(ModelForm[Collection]):
    def clean_name(self) -> str:
        """Look for the name in the tenant, which is no field of the form once the collection is there."""
        name = str(self.cleaned_data["name"])
        others = Collection.objects.filter(name=name).exclude(pk=self.instance.pk)
        if not self.instance._state.adding and others.filter(tenant=self.instance.tenant_id).exists():
            raise ValidationError("There is a collection of this name.")
        return name


@admin.register(Collection)
class CollectionAdmin(AuditedAdmin[Collection]):
    form = CollectionAdminForm
    list_display = ("name", "tenant", "documents", "being_read", "failed", "created_at")
    list_filter = (TenantFilter,)
    list_select_related = ("tenant",)
    search_fields = ("name", "description", "tenant__name", "tenant__slug")
    autocomplete_fields = ("tenant",)
    readonly_fields = ("created_at",)
    change_form_template = "admin/documents/collection/change_form.html"
    actions = ("retry_failed", "export_settings")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Collection]:
        return Collection.objects.with_counts()

    @admin.action(description="Read what failed in the selected collections again", permissions=["change"])
    def retry_failed(self, request: HttpRequest, collections: QuerySet[Collection]) -> None:
        actor = Actor.of_request(request)
        own = collections.select_related("tenant")
        count = sum(services.retry_failed(collection=collection, actor=actor) for collection in own)
        messages.success(request, f"{count} document{pluralize(count)} read again.")

    @admin.action(description="Export the settings of the selected collections as YAML", permissions=["view"])
    def export_settings(self, request: HttpRequest, collections: QuerySet[Collection]) -> HttpResponse:
        """Answer with the file that `manage.py apply` reads; several collections are parted by lines."""
        values: list[Any] = [collection.configuration for collection in collections.order_by("name")]
        response = HttpResponse(
            "---\n".join(map(write_configuration, values)), content_type="application/yaml"
        )
        response["Content-Disposition"] = 'attachment; filename="collections.yaml"'
        return response

    @admin.display(ordering="document_count")
    def documents(self, collection: Any) -> SafeString:
        url = reverse("admin:documents_document_changelist")
        return format_html(
            '<a href="{}?collection__id__exact={}">{}</a>', url, collection.pk, collection.document_count
        )

    @admin.display(ordering="open_count")
    def being_read(self, collection: Any) -> int:
        return int(collection.open_count)

    @admin.display(ordering="failed_count")
    def failed(self, collection: Any) -> int:
        return int(collection.failed_count)

    def get_readonly_fields(self, request: HttpRequest, obj: Collection | None = None) -> tuple[str, ...]:
        """A collection stays in its tenant."""
        return self.readonly_fields if obj is None else (*self.readonly_fields, "tenant")

    def save_model(self, request: HttpRequest, obj: Collection, form: Any, change: bool) -> None:
        actor = Actor.of_request(request)
        values = {name: value for name, value in form.cleaned_data.items() if name != "tenant"}
        for warning in weigh(Configuration(values)):
            messages.warning(request, warning.message)
        if change:
            services.update_collection(collection=obj, actor=actor, **values)
            return
        made = services.create_collection(tenant=obj.tenant, actor=actor, **values)
        obj.pk = made.pk
        obj._state.adding = False

    def delete_model(self, request: HttpRequest, obj: Collection) -> None:
        services.delete_collection(collection=obj, actor=Actor.of_request(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Collection]) -> None:
        for collection in queryset.select_related("tenant"):
            self.delete_model(request, collection)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """Say how much goes with a collection, rather than list it all."""
        found = list(Collection.objects.with_counts().filter(pk__in=[obj.pk for obj in objs]))
        lines = [f"{one.name}: {one.document_count} documents with all their versions" for one in found]  # type: ignore[attr-defined]
        needed = set() if self.has_delete_permission(request) else {"collection"}
        return lines, {"collections": len(found)}, needed, []

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.upload_view)
        return [
            path("<path:object_id>/upload/", view, name="documents_collection_upload"),
            *super().get_urls(),
        ]

    def upload_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        collection = self.get_object(request, object_id)
        if collection is None:
            raise Http404
        if not self.has_change_permission(request, collection):
            raise PermissionDenied
        is_sent = request.method == "POST"
        form = UploadForm(request.POST, request.FILES) if is_sent else UploadForm()
        if is_sent and form.is_valid():
            upload(request, collection, form)
            url = reverse("admin:documents_document_changelist")
            return redirect(f"{url}?collection__id__exact={collection.pk}")
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": collection,
            "title": f"Add documents to {collection}",
            "form": form,
        }
        return TemplateResponse(request, "admin/documents/collection/upload.html", context)
