"""What refers to what in a collection, as a picture and as a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from definitions.glossary import label_of
from definitions.layout import Arc, lay_out
from definitions.meant import Linked, find_meant
from definitions.models import CrossReference
from definitions.models.reference import CrossReferenceQuerySet
from definitions.network import DOCUMENT, UNIT, Knot, document_network, head_of, unit_network
from definitions.pages.glossary import find_collection, given
from definitions.readable import Readable
from documents.models import Section, Version, VersionQuerySet
from documents.pages.read import read_page
from tenants.access import tenant_view
from tenants.models import Membership
from tenants.views import tenant_page

REFERENCES_PER_PAGE = 50
ORDER = ("version__document__name", "version_id", "position")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the page is narrowed to: a document, what it refers to, and those that point nowhere."""

    document: UUID | None = None
    target: UUID | None = None
    unit: str = ""
    show: str = ""

    @classmethod
    def of(cls, request: HttpRequest) -> Asked:
        show = "waiting" if request.GET.get("show") == "waiting" else ""
        return cls(identity(request, "document"), identity(request, "to"), given(request, "unit"), show)

    def query(self, **others: Any) -> str:
        said = {"document": self.document, "to": self.target, "unit": self.unit, "show": self.show, **others}
        return urlencode({name: value for name, value in said.items() if value})


@tenant_view()
@require_safe
def reference_graph(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    collection = find_collection(membership, pk)
    reading = read_page(request, membership.tenant, collections=[collection])
    asked = Asked.of(request)
    version = head_of(asked.document, reading.versions) if asked.document else None
    if asked.document and version is None and not reading.problem:
        raise Http404(_("There is no such document to read here."))
    network = unit_network(version, reading.versions) if version else document_network(reading.versions)
    rows = choose_references(asked, version, reading.versions)
    page = Paginator(rows, REFERENCES_PER_PAGE).get_page(request.GET.get("page"))
    meant = find_meant([Linked.of(row) for row in page], Readable.of(reading.versions))
    row: Any
    for row, row.meant in zip(page, meant, strict=True):
        row.place = label_of(row.section)
    own = choose_references(Asked(), version, reading.versions)
    picture = lay_out(network)
    context: dict[str, Any] = {
        "collection": collection,
        "reading": reading,
        "asked": asked,
        "version": version,
        "network": network,
        "picture": picture,
        "rows": [(row, link_of(row.knot, asked)) for row in picture.rows],
        "arcs": [(arc, link_between(arc, asked)) for arc in picture.arcs],
        "page": page,
        "count": own.count(),
        "waiting_count": own.waiting().count(),
    }
    return tenant_page(request, membership, "reference_graph", context)


def choose_references(
    asked: Asked, version: Version | None, versions: VersionQuerySet
) -> CrossReferenceQuerySet:
    """Return the references that the list shows."""
    rows = CrossReference.objects.within(versions)
    if version is not None:
        rows = rows.filter(version=version.pk)
        unit = Section.objects.filter(version=version.pk, label=asked.unit, position__gt=0).first()
        if asked.unit and unit is not None:
            rows = rows.made_in(unit)
    if asked.target is not None:
        rows = rows.filter(target_document__in=versions.filter(document=asked.target).values("document"))
    if asked.show == "waiting":
        rows = rows.waiting()
    return rows.with_places().order_by(*ORDER)


def link_of(knot: Knot, asked: Asked) -> str:
    """Return where a click on a knot leads: to the units of a document, or to the references of a unit."""
    if knot.key.startswith(UNIT):
        label = knot.key.removeprefix(UNIT)
        return f"?{asked.query(unit=label, to=None)}#references"
    key = knot.key.removeprefix(DOCUMENT)
    return "" if not _is_id(key) else f"?{urlencode({'document': key})}"


def link_between(arc: Arc, asked: Asked) -> str:
    """Return where a click on an arc leads: to the references that it bundles, as far as an address says."""
    source, target = arc.source.key, arc.target.key.removeprefix(DOCUMENT)
    to = target if _is_id(target) else None
    if source.startswith(UNIT):
        return f"?{asked.query(unit=source.removeprefix(UNIT), to=to)}#references"
    document = source.removeprefix(DOCUMENT)
    if not _is_id(document):
        return ""
    return f"?{urlencode({'document': document, 'to': to or asked.document or ''})}#references"


def identity(request: HttpRequest, name: str) -> UUID | None:
    text = request.GET.get(name, "")
    return UUID(text) if _is_id(text) else None


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
