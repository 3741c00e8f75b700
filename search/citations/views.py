"""The page of a citation: what was cited, as it was, and whether it stands."""

from __future__ import annotations

import json
from dataclasses import asdict
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from documents.models import Collection
from documents.pages.read import read_page
from search.citations.given import GivenCitation
from search.citations.sentences import cite_plainly
from search.citations.verify import verify_citation
from tenants.access import tenant_view
from tenants.models import Membership
from tenants.views import tenant_page


@tenant_view()
@require_safe
def citation(
    request: HttpRequest, membership: Membership, *, pk: UUID, start: int, end: int, digest: str
) -> HttpResponse:
    """Show the words at a place of a version, if their hash begins as the address says.

    They are held against what the page reads: what is current, unless another read context is chosen.
    """
    tenant = membership.tenant
    given = GivenCitation(version_id=pk, span=(start, end), content_hash=digest)
    own = list(Collection.objects.for_tenant(tenant).filter(documents__versions=pk))
    reading = read_page(request, tenant, collections=own)
    verified = verify_citation(given, tenant=tenant, context=reading.context)
    then = verified.then
    context: dict[str, Any] = {"reading": reading, "verified": verified, "then": then, "now": verified.now}
    if then is not None:
        context["length"] = then.span[1] - then.span[0]
        context["plain"] = cite_plainly(then, request.build_absolute_uri(then.permalink))
        context["json"] = json.dumps(
            asdict(then.citation), cls=DjangoJSONEncoder, ensure_ascii=False, indent=2
        )
    response = tenant_page(request, membership, "citation", context)
    if then is None:
        response.status_code = HTTPStatus.NOT_FOUND
    return response
