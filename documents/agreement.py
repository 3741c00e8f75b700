"""A yes to what reading some files may cost: it holds for these files in this collection, and for a day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.signing import BadSignature, TimestampSigner

from documents.models import Collection
from documents.quote import quote_files
from documents.unpack import Incoming
from search import backends
from search.quote import Quote

SALT = "documents.agreement"
LONGEST = 24 * 3600  # Seconds. Prices and what is known already change.


@dataclass(frozen=True, slots=True)
class Asked:
    """What some files cost, and what a yes to it is given by."""

    quote: Quote
    token: str


def ask_for(collection: Collection, files: Sequence[Incoming], *, agreed: str) -> Asked | None:
    """Return what is to be agreed to before files are read; nothing if it was, or if they are cheap."""
    if not is_paid(collection):
        return None
    contents = [ContentFile(file.content) for file in files]
    if is_agreed(agreed, collection, contents):
        return None
    quote = quote_unless_cheap(collection, files)
    return None if quote is None else Asked(quote, offer(collection, contents))


def is_paid(collection: Collection) -> bool:
    """Tell whether whoever writes the contexts of a collection wants money for it."""
    return collection.contextual_embeddings and backends.contextualizer().is_paid


def quote_unless_cheap(collection: Collection, files: Iterable[Incoming]) -> Quote | None:
    """Return the quote of files that nobody has agreed to yet; none if there is nothing to ask for."""
    if not is_paid(collection):
        return None
    quote = quote_files(collection, files)
    return quote if quote.most_cost > ask_above() else None


def ask_above() -> Decimal:
    return Decimal(settings.ASK_ABOVE)


def offer(collection: Collection, files: Iterable[Any]) -> str:
    """Return what a yes to the quote of these files is given by."""
    return TimestampSigner(salt=SALT).sign(_digest(collection, files))


def is_agreed(token: str, collection: Collection, files: Iterable[Any]) -> bool:
    """Tell whether somebody said yes to the quote of just these files."""
    try:
        said = TimestampSigner(salt=SALT).unsign(token, max_age=LONGEST)
    except BadSignature:
        return False
    return said == _digest(collection, files)


def _digest(collection: Collection, files: Iterable[Any]) -> str:
    """Tell files by their contents alone, in any order: a price is for what they say."""
    digests = sorted(_digest_of(file) for file in files)
    return sha256("\n".join([str(collection.pk), *digests]).encode()).hexdigest()


def _digest_of(file: Any) -> str:
    digest = sha256()
    file.seek(0)
    for part in file.chunks():
        digest.update(part)
    file.seek(0)
    return digest.hexdigest()
