"""Write down that somebody searched, for whoever wants to know what is slow and what is not found."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from search.answer import Answer, Confidence
from search.models import Door, QueryRecord
from search.request import SearchRequest
from tenants.models import Tenant

logger = logging.getLogger(__name__)

SALT = "search.record"


def record_query(*, tenant: Tenant, request: SearchRequest, answer: Answer, door: Door) -> None:
    """Add a row in the tenant's scope. A search is answered whether or not that works."""
    if not settings.QUERY_DAYS:
        return
    row = describe_query(tenant, request, answer, door)
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except DatabaseError as error:
        # Not the words of the database: it may quote the question.
        logger.warning("A search was not written down: %s", type(error.__cause__).__name__)


def describe_query(tenant: Tenant, request: SearchRequest, answer: Answer, door: Door) -> QueryRecord:
    took, count = answer.took_ms.get("total", 0.0), len(answer.hits)
    is_bad = not count or answer.confidence == Confidence.NONE or took >= settings.SLOW_MS
    return QueryRecord(
        tenant=tenant,
        at=answer.read_at or timezone.now(),
        took_ms=took,
        result_count=count,
        confidence=str(answer.confidence),
        mode=str(request.mode),
        door=door,
        length=len(request.query),
        digest=digest_of(request.query),
        text=request.query.replace("\0", "").strip() if settings.KEEP_QUERIES and is_bad else "",
    )


def digest_of(query: str) -> str:
    """Return what tells the same words again. It has a key: few people ask what nobody could guess."""
    words = " ".join(query.split()).casefold()
    return salted_hmac(SALT, words, algorithm="sha256").hexdigest()
