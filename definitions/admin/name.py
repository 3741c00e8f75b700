"""The names by which documents mention each other."""

from __future__ import annotations

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from definitions import services
from definitions.extract.names import document_key
from definitions.models import DocumentName, TermForm
from documents.admin.shared import ReadOnlyAdmin
from tenants.admin import AuditedAdmin
from tenants.admin_lists import TenantFilter
from tenants.audit import Actor


class DocumentNameForm(ModelForm[DocumentName]):
    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if not document_key(name).strip():
            raise ValidationError("Type the name by which other documents mention it.")
        return name


@admin.register(DocumentName)
class DocumentNameAdmin(AuditedAdmin[DocumentName]):
    form = DocumentNameForm
    list_display = ("name", "document", "collection", "is_given", "tenant")
    list_filter = ("is_given", TenantFilter)
    list_select_related = ("document__collection", "tenant")
    search_fields = ("name", "key", "document__name")
    autocomplete_fields = ("document",)
    fields = ("document", "name")

    @admin.display
    def collection(self, name: DocumentName) -> str:
        return name.document.collection.name

    def has_change_permission(self, request: HttpRequest, obj: DocumentName | None = None) -> bool:
        """A name is given or taken back, not changed."""
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: DocumentName | None = None) -> bool:
        """One that was found would come back with the next version."""
        return (obj is None or obj.is_given) and super().has_delete_permission(request, obj)

    def save_model(
        self, request: HttpRequest, obj: DocumentName, form: ModelForm[DocumentName], change: bool
    ) -> None:
        made = services.name_document(document=obj.document, name=obj.name, actor=Actor.of_request(request))
        obj.pk, obj.tenant, obj.name = made.pk, obj.document.tenant, made.name
        obj._state.adding = False

    def delete_model(self, request: HttpRequest, obj: DocumentName) -> None:
        services.remove_name(name=obj, actor=Actor.of_request(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[DocumentName]) -> None:
        for name in queryset.filter(is_given=True).select_related("document"):
            self.delete_model(request, name)


@admin.register(TermForm)
class TermFormAdmin(ReadOnlyAdmin[TermForm]):
    """The forms under which definitions are found."""

    list_display = ("key", "definition", "tenant")
    list_filter = (TenantFilter,)
    list_select_related = ("definition", "tenant")
    search_fields = ("key__startswith",)
    sortable_by = ()
    ordering = ("pk",)
    fields = ("key", "definition", "tenant")

    def has_change_permission(self, request: HttpRequest, obj: TermForm | None = None) -> bool:
        return False
