"""Have a question answered from what a search finds, and check what is said before anybody reads it.

In three steps: `assemble_context` in the tenant's scope, `write_answer` outside of all, and `check_written`
in a new one. A model takes its time, and no transaction may wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from documents.read_context import HEAD, ReadContext
from documents.visible import visible_versions
from search import backends
from search.backends.answerers.base import Answerer, AnswererError
from search.backends.payment import Purse
from search.budget import TenantPurse
from search.check_answer import Claim, Standing, check_answer
from search.context.assemble import AssembledContext, assemble_context
from search.context.texts import read_stretches
from search.rerank import SearchPurse
from tenants.models import Tenant
from tenants.scope import leave_database

ROLE = "answerer"
CHANGED = "Documents changed while the answer was written, so it is not shown. Ask again."


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, which nobody has checked yet; or why it wrote nothing."""

    text: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a model was given, what it said of it, and how that stands; or why it said nothing."""

    context: AssembledContext
    texts: tuple[str, ...]  # Of the sources, in their order.
    paragraphs: tuple[tuple[Claim, ...], ...] = ()
    problem: str = ""

    @property
    def unverified(self) -> int:
        return sum(claim.standing == Standing.UNVERIFIED for part in self.paragraphs for claim in part)


def write_answer(*, tenant: Tenant, query: str, context: AssembledContext) -> Written | None:
    """Have a question answered from a context, if somebody can. Outside of scopes: it may take a minute."""
    answerer = backends.answerer()
    if answerer is None or not context.sources:
        return None
    leave_database()
    try:
        said = answerer.answer(query, context.context, purse=purse_for(answerer, tenant.pk))
    except AnswererError as error:
        return Written(problem=str(error))
    return Written(text=said)


def check_written(
    written: Written | None,
    context: AssembledContext,
    *,
    tenant: Tenant,
    query: str,
    read_context: ReadContext = HEAD,
) -> Answered:
    """Hold what was written against its sources as they are now. In the tenant's scope.

    Documents may have changed or gone since. Then neither they nor what was written of them is shown, and
    what there is now takes their place.
    """
    if written is not None and not are_visible(context, tenant, read_context):
        context = assemble_context(tenant=tenant, query=query, read_context=read_context)
        written = Written(problem=CHANGED)
    texts = tuple(read_sources(context))
    if written is None:
        return Answered(context=context, texts=texts)
    paragraphs = check_answer(written.text, dict(enumerate(texts, 1)))
    return Answered(context=context, texts=texts, paragraphs=paragraphs, problem=written.problem)


def are_visible(context: AssembledContext, tenant: Tenant, read_context: ReadContext) -> bool:
    """Tell whether every source is of a version that is read at a context, at this moment."""
    versions = {source.citation.version_id for source in context.sources}
    visible = visible_versions(tenant=tenant, context=read_context).versions
    return visible.filter(pk__in=versions).count() == len(versions)


def read_sources(context: AssembledContext) -> Sequence[str]:
    """Return the words of each source from its version: none if they are not what was cited."""
    cited = [source.citation for source in context.sources]
    texts = read_stretches([(one.version_id, *one.span) for one in cited])
    return [
        text if sha256(text.encode()).hexdigest() == one.content_hash else ""
        for text, one in zip(texts, cited, strict=True)
    ]


def purse_for(answerer: Answerer, tenant_id: UUID) -> Purse | None:
    """Return what pays an answerer for a tenant; nothing for one that costs nothing."""
    if not answerer.is_paid:
        return None
    return SearchPurse(TenantPurse(tenant_id, None, answerer.name, ROLE, prices=answerer.prices))
