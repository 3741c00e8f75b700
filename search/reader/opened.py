"""Open the version of a document that somebody asks to read, and make the addresses of what is in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode
from uuid import UUID

from django.db.models import Q
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from documents.models import Document, Version, VersionQuerySet
from documents.pages.read import read_words
from documents.read_context import HEAD, ReadContext
from documents.visible import visible_versions
from search.enrich import Holder
from search.read.reading import Reading
from tenants.models import Tenant

HEAVY = ("text", "warnings")
NUMBER = re.compile(r"[0-9]{1,9}")
BLANK = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a document is read, and how: what is kept from one page to the next."""

    slug: str
    document: UUID
    kept: Mapping[str, str]

    @property
    def page(self) -> str:
        return reverse("reader", args=[self.slug, self.document])

    def query(self, **more: object) -> str:
        return urlencode({**self.kept, **{name: value for name, value in more.items() if value != ""}})

    def unit(self, label: str) -> str:
        """Return the address of a unit from the page itself, for programs and for browsers without them."""
        return f"?{self.query(at=label)}#{quote(anchor_of(label), safe='()/')}"

    def elsewhere(self, document: UUID, label: str) -> str:
        """Return the address of a unit wherever it is; another document is read at the same context."""
        if document == self.document:
            return f"{self.page}{self.unit(label)}"
        kept = {name: value for name, value in self.kept.items() if name == "read"}
        return (
            f"{reverse('reader', args=[self.slug, document])}{Address(self.slug, document, kept).unit(label)}"
        )


@dataclass(frozen=True, slots=True)
class Opened:
    """A version that may be read, with what may be read beside it."""

    document: Document
    version: Version
    reading: Reading
    address: Address

    @property
    def holder(self) -> Holder:
        version, document = self.version, self.document
        return Holder(
            version.pk, document.pk, document.name, document.collection_id, version.superseded_at is None
        )


def anchor_of(label: str) -> str:
    """Return the id of a unit on the page: its label, which stays from version to version."""
    return f"u-{BLANK.sub('_', label)}"


def find_document(tenant: Tenant, pk: UUID) -> Document:
    own = Document.objects.for_tenant(tenant).select_related("collection")
    return get_object_or_404(own, pk=pk)


def open_version(request: HttpRequest, tenant: Tenant, document: Document) -> Opened | None:
    """Return the version that the address asks for; nothing if none can be read at that context.

    A context that cannot be read is refused.
    """
    context = context_asked(request)
    visible = visible_versions(tenant=tenant, context=context)
    number = request.GET.get("version", "")
    own = visible.versions if not number else Version.objects.for_tenant(tenant).readable()
    rows = own.filter(document=document).defer(*HEAVY)
    if number:
        rows = rows.filter(number=int(number) if NUMBER.fullmatch(number) else -1)
    version = rows.first()
    if version is None:
        if number:
            raise Http404(_("There is no ready version of this number."))
        return None
    version.document = document
    versions = visible.versions if not number else pinned(visible.versions, version)
    reading = Reading(tenant, versions, context, visible.describe(), timezone.now())
    kept = {"read": read_words(request), "version": number}
    address = Address(tenant.slug, document.pk, {name: value for name, value in kept.items() if value})
    return Opened(document, version, reading, address)


def context_asked(request: HttpRequest) -> ReadContext:
    words = read_words(request)
    return ReadContext.read_words(words, now=timezone.now()) if words else HEAD


def pinned(versions: VersionQuerySet, version: Version) -> VersionQuerySet:
    """Return one version of a document, whichever it is, among those that are read of others."""
    others = versions.exclude(document=version.document_id).order_by().values("pk")
    return Version.objects.filter(Q(pk=version.pk) | Q(pk__in=others), tenant=version.tenant_id)
