"""What a page reads: documents as they are, as published, as kept in a baseline, or as of a day.

A page calls `read_page` and gives its template the answer as `reading`. The template includes
`tenants/read_context.html`, the control, and `tenants/read_banner.html`, which says what is read unless it is
what is current. Links to other pages end with `reading.link`, and so stay in the same context.
"""

from __future__ import annotations

import re
from collections.abc import Collection as Several
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from documents.errors import ReadContextRefused
from documents.models import Baseline, Collection, Document, Version, VersionQuerySet
from documents.pages.forms import DayInput
from documents.read_context import BASELINE, EFFECTIVE, HEAD, Basis, ReadContext, Selector
from documents.visible import Visible, visible_versions
from tenants.models import Tenant

CURRENT, PUBLISHED, RECORDED, IN_FORCE = "head", "published", "recorded", "effective"
OWN_NAMES = frozenset({"read", "day"})
OF_ANOTHER_CONTEXT = frozenset({"page", "after"})  # Where somebody was in a list that is another one now.
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
MOST_BASELINES = 100
MOST_NAMES = 3


class ReadForm(forms.Form):
    """A read context by a choice and a day. What these cannot say is one choice more."""

    read = forms.ChoiceField(label=gettext_lazy("Read"), required=False)
    day = forms.DateField(label=gettext_lazy("Day"), required=False, widget=DayInput)

    def __init__(
        self, *, chosen: str, day: str, baselines: Sequence[Baseline] = (), extra: str = "", form_id: str = ""
    ) -> None:
        super().__init__(initial={"read": chosen, "day": day}, auto_id="reading-%s")
        if form_id:
            for one in self.fields.values():
                one.widget.attrs["form"] = form_id
        choices: list[tuple[str, str | list[tuple[str, str]]]] = [
            (CURRENT, _("as it is now")),
            (PUBLISHED, _("as published")),
            (RECORDED, _("as it was here on")),
            (IN_FORCE, _("what applies on")),
        ]
        kept = _named(baselines)
        if kept:
            choices.append((_("a baseline"), kept))
        if extra and chosen not in dict(kept):
            choices.append((chosen, extra))
        self.fields["read"].choices = choices  # type: ignore[attr-defined]


def _named(baselines: Sequence[Baseline]) -> list[tuple[str, str]]:
    """Return baselines as choices, with their collections if there are several."""
    is_one = len({one.collection_id for one in baselines}) == 1
    return [
        (f"{BASELINE}{one.pk}", one.name if is_one else f"{one.collection.name}: {one.name}")
        for one in baselines
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a page reads, in words for its links, and the form that chooses something else."""

    context: ReadContext
    versions: VersionQuerySet
    words: str  # Empty for what is current.
    form: ReadForm
    sentence: str = ""  # What is read, unless it is what is current.
    problem: str = ""  # Why what was chosen cannot be read; then there are no versions.
    kept: Sequence[tuple[str, str]] = field(default_factory=tuple)  # What else the address of the page says.

    @property
    def link(self) -> str:
        """What the addresses of other pages end with, behind another parameter."""
        return f"&{urlencode({'read': self.words})}" if self.words else ""

    @property
    def start(self) -> str:
        """The same where no other parameter stands before it."""
        return f"?{self.link[1:]}" if self.words else ""

    @property
    def current(self) -> str:
        """The address of the same page that reads what is current."""
        return f"?{urlencode(self.kept)}"


def read_page(
    request: HttpRequest,
    tenant: Tenant,
    *,
    collections: Sequence[Collection] | None = None,
    without: Several[str] = (),
    form_id: str = "",
) -> Reading:
    """Return what a page is asked to read, in all collections or in some. In the tenant's scope.

    Parameters of the page stay when another context is chosen, but for those in `without`. The fields belong
    to the form around them, or to the one of an id.
    """
    make_form = partial(ReadForm, baselines=_baselines(tenant, collections), form_id=form_id)
    words = read_words(request)
    kept = _kept(request, without)
    try:
        context = _parse(words)
        visible = visible_versions(tenant=tenant, context=context, collections=collections)
    except ReadContextRefused as error:
        return Reading(
            context=HEAD,
            versions=Version.objects.none(),
            words=words,
            form=make_form(**_given(request)),
            problem=str(error),
            kept=kept,
        )
    return Reading(
        context=context,
        versions=visible.versions,
        words=words,
        form=make_form(**_chosen(visible, words)),
        sentence=_sentence(visible, words),
        kept=kept,
    )


def read_words(request: HttpRequest) -> str:
    """Return the words of the context that an address names: by themselves, or as a choice and a day."""
    words, day = (request.GET.get(name, "").strip() for name in ("read", "day"))
    match words:
        case "head":
            return ""
        case "recorded":
            return day or words
        case "effective":
            return f"{EFFECTIVE}{day}"
    return words


def read_document(request: HttpRequest, tenant: Tenant, document: Document) -> tuple[Reading, Version | None]:
    """Return what a page of a document reads, and the version of it that this is."""
    reading = read_page(request, tenant, collections=[document.collection])
    shown: Version | None = reading.versions.without_text().filter(document=document).first()
    return reading, shown


def _parse(words: str) -> ReadContext:
    if words in {RECORDED, EFFECTIVE}:
        raise ReadContextRefused("as_of", _("Which day do you mean?"))
    return ReadContext.read_words(words, now=timezone.now()) if words else HEAD


def _baselines(tenant: Tenant, collections: Sequence[Collection] | None) -> list[Baseline]:
    own = Baseline.objects.for_tenant(tenant).select_related("collection")
    if collections is not None:
        own = own.filter(collection__in=[one.pk for one in collections])
    return list(own[:MOST_BASELINES])


def _kept(request: HttpRequest, without: Several[str]) -> list[tuple[str, str]]:
    gone = OWN_NAMES | OF_ANOTHER_CONTEXT | set(without)
    return [
        (name, value) for name, values in request.GET.lists() if name not in gone for value in values if value
    ]


def _given(request: HttpRequest) -> dict[str, Any]:
    """Return what was refused as the form shows it, so that it can be mended."""
    words, day = request.GET.get("read", "").strip(), request.GET.get("day", "").strip()
    is_choice = words in {CURRENT, PUBLISHED, RECORDED, IN_FORCE}
    return {"chosen": words if is_choice else CURRENT, "day": day}


def _chosen(visible: Visible, words: str) -> dict[str, Any]:
    """Return what is read as the form shows it."""
    context = visible.context
    if context.as_of is not None and context.known_at is None and DAY.fullmatch(words[-10:]):
        return {"chosen": str(context.basis), "day": words[-10:]}
    is_usual = words in {"", PUBLISHED}
    return {"chosen": words or CURRENT, "day": "", "extra": "" if is_usual else _label(visible)}


def _label(visible: Visible) -> str:
    """Name what the choices and a day cannot say: a moment, a day as known on another, an old baseline."""
    context = visible.context
    if context.known_at is not None:
        named = {"day": show_day(context.day), "known": show_moment(context.known_at)}
        return _("what applies on %(day)s, as known on %(known)s") % named
    if context.as_of is not None:
        return _("as it was here on %(moment)s") % {"moment": show_moment(context.moment)}
    return visible.baselines[0].name


def _sentence(visible: Visible, words: str) -> str:
    """Say what is read, in a sentence; nothing if it is what is current."""
    names = [one.name for one in visible.baselines]
    match visible.context.selector:
        case Selector.PUBLISHED:
            return _("You are reading what is published: %(names)s.") % {"names": _shortened(names)}
        case Selector.BASELINE:
            return _("You are reading the baseline “%(name)s”.") % {"name": names[0]}
        case Selector.AS_OF:
            return _dated(visible.context, words)
    return ""


def _dated(context: ReadContext, words: str) -> str:
    named = {"day": show_day(context.day)}
    if context.known_at is not None:
        named["known"] = show_moment(context.known_at)
        return _("You are reading what applies on %(day)s, as far as it was known on %(known)s.") % named
    if context.basis == Basis.EFFECTIVE:
        return _("You are reading what applies on %(day)s.") % named
    if not DAY.fullmatch(words):
        named["day"] = show_moment(context.moment)
    return _("You are reading what was here on %(day)s.") % named


def _shortened(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[:MOST_NAMES])
    left = len(names) - MOST_NAMES
    return shown if left <= 0 else _("%(names)s and %(count)d more") % {"names": shown, "count": left}


def show_day(day: date) -> str:
    return date_format(day, "j F Y")


def show_moment(moment: datetime) -> str:
    """Say a moment; the end of a day is that day."""
    in_utc = moment.astimezone(timezone.get_default_timezone())
    is_end = (in_utc.hour, in_utc.minute) == (23, 59)
    return show_day(in_utc.date()) if is_end else f"{date_format(in_utc, 'j F Y, H:i')} UTC"
