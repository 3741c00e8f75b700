"""The history of a unit."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from documents.compare import Effort
from documents.history import section_history
from documents.models import Document
from documents.pages.marked import TAGS, WORDS, show_words
from tenants.access import tenant_view
from tenants.models import Membership
from tenants.views import tenant_page

LONGEST_LABEL = 300


@tenant_view()
@require_safe
def history(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show in which versions a unit became another, through all its numbers."""
    own = Document.objects.for_tenant(membership.tenant).select_related("collection")
    document = get_object_or_404(own, pk=pk)
    label = request.GET.get("label", "").replace("\0", "").strip()[:LONGEST_LABEL]
    context: dict[str, Any] = {"document": document, "label": label}
    if "label" in request.GET:
        found = section_history(document, label)
        effort = Effort()
        context |= {
            "is_asked": True,
            "is_complete": found.is_complete,
            "steps": [
                (step, WORDS[step.kind], TAGS[step.kind], show_words(step.old_text, step.text, effort))
                for step in found.steps
            ],
        }
    return tenant_page(request, membership, "history", context)
