"""Files come in by a page: all at once, or in portions that a script sends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy
from django.views.decorators.http import require_POST

from documents import agreement, services
from documents.forms import UploadForm
from documents.models import Collection, Outcome
from documents.pages.library import collection_page, find_collection
from documents.quote import quote_files
from documents.services import Added
from search.quote import Quote
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership, Role

MOST_PROBLEMS = 10
DONE = {
    Outcome.ADDED: ngettext_lazy("%(count)d document added", "%(count)d documents added", "count"),
    Outcome.REPLACED: ngettext_lazy("%(count)d new version added", "%(count)d new versions added", "count"),
    Outcome.UNCHANGED: ngettext_lazy("%(count)d file unchanged", "%(count)d files unchanged", "count"),
    Outcome.DATED: ngettext_lazy(
        "%(count)d file applies on other days", "%(count)d files apply on other days", "count"
    ),
    Outcome.RETRIED: ngettext_lazy("%(count)d file tried again", "%(count)d files tried again", "count"),
}
JSON, HTML = "application/json", "text/html"


@tenant_view(role=Role.EDITOR)
@require_POST
def upload_documents(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Add files, or say what they would cost; scripts send them in portions and are answered in JSON."""
    found, form = find_collection(membership, pk), UploadForm(request.POST, request.FILES)
    is_script = request.get_preferred_type([HTML, JSON]) == JSON
    if not form.is_valid():
        return refuse(request, membership, found, form, is_script=is_script)
    if "estimate" in request.POST:
        quote: Quote | None = quote_files(found, form.incoming())
    elif agreement.is_agreed(request.POST.get("agreed", ""), found, form.files_chosen()):
        quote = None
    else:
        quote = agreement.quote_unless_cheap(found, form.incoming())
    if quote is not None:
        return answer_quote(request, membership, found, form, quote, is_script=is_script)
    added = add_chosen(request, found, form)
    if is_script:
        return JsonResponse({"files": [described(one) for one in added]})
    tell_outcomes(request, added)
    return redirect("collection", membership.tenant.slug, found.pk)


def refuse(
    request: HttpRequest, membership: Membership, collection: Collection, form: UploadForm, *, is_script: bool
) -> HttpResponse:
    if not is_script:
        return collection_page(request, membership, collection, form)
    errors = [str(message) for field in form.errors.values() for message in field]
    return JsonResponse({"errors": errors}, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def answer_quote(
    request: HttpRequest,
    membership: Membership,
    collection: Collection,
    form: UploadForm,
    quote: Quote,
    *,
    is_script: bool,
) -> HttpResponse:
    """Say what files cost, and hand out what a yes to it is given by if they cost anything."""
    has_price = quote.most_cost > agreement.ask_above()
    token = agreement.offer(collection, form.files_chosen()) if has_price else ""
    if not is_script:
        return collection_page(request, membership, collection, UploadForm(), quote=quote, token=token)
    facts = {
        "sentence": quote.sentence,
        "chunks": quote.chunks,
        "contexts": quote.contexts,
        "likely_cost": f"{quote.likely_cost:f}",
        "most_cost": f"{quote.most_cost:f}",
        "left": f"{quote.left:f}",
        "token": token,
    }
    is_asked = "estimate" in request.POST
    return JsonResponse({"quote": facts}, status=HTTPStatus.OK if is_asked else HTTPStatus.CONFLICT)


def add_chosen(request: HttpRequest, collection: Collection, form: UploadForm) -> list[Added]:
    return list(
        services.add_files(
            collection=collection,
            files=form.incoming(),
            actor=Actor.of_request(request),
            dates=form.dates(),
        )
    )


def described(added: Added) -> dict[str, str]:
    outcome = "" if added.version is None else str(added.version.outcome)
    return {"name": added.name, "outcome": outcome, "problem": added.problem}


def upload(request: HttpRequest, collection: Collection, form: UploadForm) -> None:
    """Add what was chosen, and say what became of it."""
    tell_outcomes(request, add_chosen(request, collection, form))


def tell_outcomes(request: HttpRequest, added: Sequence[Added]) -> None:
    outcomes = Counter(one.version.outcome for one in added if one.version is not None)
    parts = [str(DONE[outcome] % {"count": count}) for outcome, count in sorted(outcomes.items())]
    if not added:
        messages.error(request, _("There is no file in what you chose."))
    if parts:
        messages.success(request, f"{', '.join(parts)}.")
    problems = [f"{one.name}: {one.problem}" for one in added if one.version is None]
    for problem in problems[:MOST_PROBLEMS]:
        messages.error(request, problem)
    if len(problems) > MOST_PROBLEMS:
        count = len(problems) - MOST_PROBLEMS
        said = ngettext("%(count)d more file was not taken.", "%(count)d more files were not taken.", count)
        messages.error(request, said % {"count": count})
