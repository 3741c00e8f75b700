"""Say to people what became of something that was cited."""

from __future__ import annotations

from datetime import date, datetime

from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy, ngettext

from documents.models import Document
from documents.read_context import Basis, ReadContext, Selector
from search.citations.verification import Reading

NO_VERSION = gettext_lazy("There is no such version here: it was deleted, or never was.")
WRONG_HASH = gettext_lazy(
    "The citation has been altered: its hash is not that of the words at its place. "
    "Nothing is shown as cited."
)
OUTSIDE = gettext_lazy(
    "The citation has been altered: its place is beyond the end of the text. Nothing is shown as cited."
)
OTHER_DOCUMENT = gettext_lazy(
    "The citation has been altered: its version is one of another document than it names."
)
WHOLE = gettext_lazy("the whole document")


def when(context: ReadContext) -> str:
    """Return a read context in words that go into a sentence."""
    match context.selector, context.basis:
        case Selector.PUBLISHED, _:
            return gettext("as published")
        case Selector.BASELINE, _:
            return gettext("in that baseline")
        case Selector.AS_OF, Basis.EFFECTIVE:
            return gettext("in force on %(day)s") % {"day": _day(context.moment)}
        case Selector.AS_OF, _:
            named = {"day": _day(context.moment), "time": f"{context.moment:%H:%M}"}
            return gettext("as of %(day)s, %(time)s UTC") % named
    return gettext("today")


def place(reading: Reading) -> str:
    return reading.section_label or str(WHOLE)


def _named(now: Reading, context: ReadContext) -> dict[str, object]:
    return {"when": when(context), "number": now.version, "place": place(now)}


def say_stands(then: Reading, now: Reading, context: ReadContext) -> str:
    if then.version_id == now.version_id:
        said = gettext("These words stand %(when)s: version %(number)d is what is read.")
    else:
        said = gettext("These words stand %(when)s, word for word, in version %(number)d: %(place)s.")
    return said % _named(now, context)


def say_moved(now: Reading, count: int, context: ReadContext) -> str:
    named = {**_named(now, context), "count": count - 1}
    if count == 1:
        said = gettext("The same words stand elsewhere %(when)s: %(place)s, in version %(number)d.")
    else:
        said = ngettext(
            "The same words stand elsewhere %(when)s: %(place)s and %(count)d more place, "
            "in version %(number)d.",
            "The same words stand elsewhere %(when)s: %(place)s and %(count)d more places, "
            "in version %(number)d.",
            count - 1,
        )
    return said % named


def say_changed(then: Reading, now: Reading, context: ReadContext) -> str:
    named = {**_named(now, context), "before": _capital(place(then))}
    if not then.section_label and not now.section_label:
        return gettext("What was cited is another text %(when)s, in version %(number)d.") % named
    if place(then) == place(now):
        return gettext("%(before)s says something else %(when)s, in version %(number)d.") % named
    return gettext("%(before)s is %(place)s %(when)s, with other words, in version %(number)d.") % named


def say_removed(then: Reading, version: int, context: ReadContext) -> str:
    named = {"place": place(then), "when": when(context), "number": version}
    return gettext("Neither %(place)s nor its words are there %(when)s, in version %(number)d.") % named


def say_withdrawn(document: Document, context: ReadContext) -> str:
    """Say why a document says nothing."""
    named = {"name": document.name, "when": when(context)}
    match context.selector:
        case Selector.PUBLISHED | Selector.BASELINE:
            return gettext("%(name)s says nothing %(when)s: it is not in the baseline.") % named
        case Selector.AS_OF:
            return gettext("%(name)s says nothing %(when)s: it was not here yet, or in the bin.") % named
    if document.deleted_at is not None:
        named["day"] = _day(document.deleted_at)
        return gettext("%(name)s says nothing today: it is in the bin since %(day)s.") % named
    return gettext("%(name)s says nothing today: its last version was withdrawn.") % named


def say_gone(now: Reading | None, content_hash: str, context: ReadContext) -> str:
    if now is None:
        return str(NO_VERSION)
    if now.citation.content_hash == content_hash:
        said = gettext("The same words stand %(when)s in version %(number)d: %(place)s.")
    else:
        said = gettext("What %(place)s says %(when)s is another text.")
    return f"{NO_VERSION} {said % _named(now, context)}"


def say_other_label(label: str) -> str:
    said = gettext(
        "The citation has been altered: its place is not in “%(label)s”. Nothing is shown as cited."
    )
    return said % {"label": label}


def _day(moment: date) -> str:
    return date_format(moment, "j M Y")


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def cite_plainly(reading: Reading, address: str) -> str:
    """Return a citation as people put it below a text."""
    return cite_words(
        label=reading.section_label,
        document=reading.document,
        version=reading.version,
        recorded_at=reading.recorded_at,
        effective_from=reading.effective_from,
        pages=reading.pages,
        address=address,
        content_hash=reading.citation.content_hash,
    )


def cite_words(
    *,
    label: str,
    document: str,
    version: int,
    recorded_at: datetime | None,
    pages: tuple[int, int] | None,
    address: str,
    content_hash: str,
    effective_from: date | None = None,
) -> str:
    parts = [label, document, gettext("version %(number)d") % {"number": version}]
    if recorded_at is not None:
        parts.append(gettext("recorded %(day)s") % {"day": _day(recorded_at)})
    if effective_from is not None:
        parts.append(gettext("in force from %(day)s") % {"day": _day(effective_from)})
    if pages is not None:
        parts.append(cite_pages(*pages))
    where = ", ".join(part for part in parts if part)
    return f"{where}. {address} (SHA-256 {content_hash})"


def cite_pages(first: int, last: int) -> str:
    if first == last:
        return gettext("p. %(number)d") % {"number": first}
    return gettext("pp. %(first)d–%(last)d") % {"first": first, "last": last}
