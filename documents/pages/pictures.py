"""A page of a PDF as it looks."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from documents.errors import ConversionError
from documents.models import Version
from documents.pictures import picture_of
from tenants.access import tenant_view
from tenants.models import Membership


@tenant_view()
@require_safe
def page_picture(request: HttpRequest, membership: Membership, pk: UUID, number: int) -> HttpResponse:
    """Send a page as a picture. What is ready never changes, so browsers may keep it."""
    own = Version.objects.for_tenant(membership.tenant).readable().defer("text", "warnings")
    version = get_object_or_404(own, pk=pk)
    try:
        picture = picture_of(version, number)
    except ConversionError as error:
        raise Http404(str(error)) from error
    if picture is None:
        raise Http404(_("There is no picture of this page."))
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return HttpResponse(picture, content_type="image/png", headers=headers)
