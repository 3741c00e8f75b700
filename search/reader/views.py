"""The page on which a document is read, and what it fetches while somebody reads on."""

from __future__ import annotations

import re
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from documents.errors import ReadContextRefused
from documents.models import Document, Section, Version
from documents.pages.read import read_page
from search.citations.sentences import cite_plainly
from search.cite import label_of
from search.errors import NoSuchSection, SeveralSections
from search.read.place import find_section
from search.reader.cited import cite_unit
from search.reader.mentions import MOST_SHOWN, mentions_of
from search.reader.opened import Opened, find_document, open_version
from search.reader.outline import find_in_outline, outline_below
from search.reader.page import page_of, standing_of
from search.reader.part import read_part
from search.reader.parts import CACHE
from search.reader.preview import preview_of
from search.reader.show import Asked, show_part
from search.reader.tree import write_found, write_tree
from tenants.access import tenant_view
from tenants.models import Membership, Role
from tenants.views import tenant_page

OF_A_PLACE = frozenset({"version", "part", "span", "find"})  # What another version has elsewhere, or not.
LONGEST_LABEL = 300
LONGEST_FIND = 100
NUMBER = re.compile(r"[0-9]{1,9}")
SPAN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


@tenant_view()
@require_safe
def reader(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show a document where it is asked for: at a unit, at cited words, or at a part."""
    document = find_document(membership.tenant, pk)
    reading = read_page(request, membership.tenant, collections=[document.collection], without=OF_A_PLACE)
    context = {"document": document, "reading": reading, **standing_of(request, membership, document)}
    opened = None if reading.problem else open_version(request, membership.tenant, document)
    if opened is None:
        return tenant_page(request, membership, "reader", context)
    section, missing = find_unit(opened, label_asked(request))
    asked = asked_of(request, membership, section, has_history=len(context["versions"]) > 1)
    index = part_asked(request, opened, asked, section)
    context |= page_of(opened, index, asked) | {"missing": missing, "find": find_asked(request)}
    if context["find"]:
        entries = find_in_outline(opened.version.pk, context["find"])
        context["found"] = write_found(entries, opened.address)
    response = tenant_page(request, membership, "reader", context)
    if missing is not None:
        response.status_code = 404
    return response


@tenant_view()
@require_safe
def part(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Send one part of a document to whoever reads on."""
    opened = open_or_404(request, membership, pk)
    parts = CACHE.get(opened.version.pk)
    index = number_asked(request, "part")
    if index is None or index >= len(parts):
        raise Http404(_("The document has fewer parts."))
    several = Version.objects.readable().filter(document=opened.document).count() > 1
    asked = asked_of(request, membership, None, has_history=several)
    shown = show_part(opened, read_part(opened, parts, index), asked)
    return render(request, "tenants/reader_part.html", {"part": shown, "tenant": membership.tenant})


@tenant_view()
@require_safe
def outline(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Send the units below one, or those with some words in their labels or titles."""
    opened = open_or_404(request, membership, pk)
    words = find_asked(request)
    if words:
        return HttpResponse(write_found(find_in_outline(opened.version.pk, words), opened.address))
    section = unit_or_404(opened, label_asked(request))
    return HttpResponse(write_tree(outline_below(section), opened.address))


@tenant_view()
@require_safe
def preview(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Send the first words of a unit to whoever looks at a reference to it."""
    opened = open_or_404(request, membership, pk)
    shown = preview_of(opened, unit_or_404(opened, label_asked(request)))
    return render(request, "tenants/reader_preview.html", {"preview": shown})


@tenant_view()
@require_safe
def mentions(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show what refers to a unit."""
    opened = open_or_404(request, membership, pk)
    section = unit_or_404(opened, label_asked(request))
    found = list(mentions_of(section, opened.reading.versions)[: MOST_SHOWN + 1])
    context = {
        "opened": opened,
        "document": opened.document,
        "section": section,
        "mentions": [
            (row, opened.address.elsewhere(row.version.document_id, label_of(row.section)))
            for row in found[:MOST_SHOWN]
        ],
        "has_more": len(found) > MOST_SHOWN,
        "back": f"{opened.address.page}{opened.address.unit(label_of(section))}",
    }
    return tenant_page(request, membership, "reader_mentions", context)


@tenant_view()
@require_safe
def cite(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Lead to the citation of a unit, or send it to a script that copies it."""
    opened = open_or_404(request, membership, pk)
    reading = cite_unit(opened, unit_or_404(opened, label_asked(request)))
    if request.headers.get("Accept") == "application/json":
        address = request.build_absolute_uri(reading.permalink)
        return JsonResponse({"citation": cite_plainly(reading, address), "permalink": address})
    return redirect(reading.permalink)


def open_or_404(request: HttpRequest, membership: Membership, pk: UUID) -> Opened:
    document: Document = find_document(membership.tenant, pk)
    try:
        opened = open_version(request, membership.tenant, document)
    except ReadContextRefused as error:
        raise Http404(str(error)) from error
    if opened is None:
        raise Http404(_("Nothing of the document can be read at this context."))
    return opened


def find_unit(opened: Opened, label: str) -> tuple[Section | None, NoSuchSection | SeveralSections | None]:
    """Return the unit of a label, or the one that words cite; else what there is instead."""
    if (section := labelled(opened, label)) is not None or not label:
        return section, None
    try:
        return find_section(opened.reading, document=opened.document.pk, label=label), None
    except (NoSuchSection, SeveralSections) as error:
        return labelled(opened, ""), error


def labelled(opened: Opened, label: str) -> Section | None:
    own = Section.objects.filter(version=opened.version.pk)
    return (own.filter(label=label, position__gt=0) if label else own.filter(position=0)).first()


def unit_or_404(opened: Opened, label: str) -> Section:
    section = labelled(opened, label)
    if section is None:
        raise Http404(_("There is no such unit."))
    return section


def label_asked(request: HttpRequest) -> str:
    return request.GET.get("at", "").replace("\0", "").strip()[:LONGEST_LABEL]


def find_asked(request: HttpRequest) -> str:
    return request.GET.get("find", "").replace("\0", "").strip()[:LONGEST_FIND]


def number_asked(request: HttpRequest, name: str) -> int | None:
    given = request.GET.get(name, "")
    return int(given) if NUMBER.fullmatch(given) else None


def asked_of(
    request: HttpRequest, membership: Membership, section: Section | None, *, has_history: bool
) -> Asked:
    span = SPAN.fullmatch(request.GET.get("span", ""))
    return Asked(
        current=section.position if section is not None and label_asked(request) else None,
        span=(int(span[1]), int(span[2])) if span and int(span[1]) < int(span[2]) else None,
        words=request.GET.get("q", "").replace("\0", ""),
        has_history=has_history,
        may_correct=membership.allows(Role.EDITOR),
    )


def part_asked(request: HttpRequest, opened: Opened, asked: Asked, section: Section | None) -> int:
    """Return the part that shows what is asked for; a unit before cited words, and these before a number."""
    parts = CACHE.get(opened.version.pk)
    if asked.span is not None:
        return parts.at(min(asked.span[0], max(0, parts.length - 1)))
    if asked.current is not None and section is not None:
        return parts.at(section.start)
    return min(number_asked(request, "part") or 0, len(parts) - 1)
