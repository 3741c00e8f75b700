"""Answer a question with a text for a language model: what was found, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from documents.read_context import HEAD, DescribedContext, ReadContext
from documents.tokens import count_tokens
from search import ask as asking
from search.answer import Answer, Citation, Confidence, NotFound
from search.context.gather import gather_pieces
from search.context.order import order_pieces
from search.context.pack import pack_pieces
from search.context.pieces import Block
from search.context.render import head_for, render_blocks
from search.errors import BudgetRefused
from search.models import Door
from search.permalink import permalink_of
from search.request import MOST_RESULTS
from tenants.models import Tenant
from tenants.scope import within_tenant

MAX_TOKENS, FEWEST_TOKENS, MOST_TOKENS = 4_000, 100, 32_000
TOKENS_PER_RESULT = 100  # A result seldom has fewer, so that the budget is filled.
FEWEST_RESULTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSource:
    """What a mark stands for."""

    mark: str
    role: str
    relevance: float
    document: str
    title: str
    path: tuple[str, ...]
    section_label: str
    is_cut: bool
    citation: Citation
    permalink: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembledContext:
    context: str
    sources: tuple[ContextSource, ...]
    tokens: int
    read_context: DescribedContext
    read_at: datetime | None
    confidence: Confidence
    not_found: tuple[NotFound, ...] = ()
    suggestion: str | None = None
    degraded: Mapping[str, str] = field(default_factory=dict)


def assemble_context(
    *,
    tenant: Tenant,
    query: str,
    max_tokens: int = MAX_TOKENS,
    include_relationships: bool = True,
    collections: Sequence[str] = (),
    filters: Mapping[str, Any] | None = None,
    read_context: ReadContext = HEAD,
    top_k: int | None = None,
    door: Door | None = None,
) -> AssembledContext:
    """Search, and return what was found as one text of at most so many tokens, with its sources."""
    if not FEWEST_TOKENS <= max_tokens <= MOST_TOKENS:
        raise BudgetRefused(f"Give {FEWEST_TOKENS:,} to {MOST_TOKENS:,} tokens.")
    with within_tenant(tenant.pk):
        answer = asking.ask(
            tenant=tenant,
            query=query,
            collections=collections,
            filters=filters,
            read_context=read_context,
            top_k=top_k or results_for(max_tokens),
            door=door,
        )
        pieces = gather_pieces(answer.hits, query=query, has_relations=include_relationships)
    head = head_for(is_found=bool(answer.hits), is_sure=answer.confidence != Confidence.LOW)
    blocks = pack_pieces(order_pieces(pieces), budget=max_tokens, head=head)
    return describe(answer, blocks, head, tenant)


def results_for(max_tokens: int) -> int:
    return min(MOST_RESULTS, max(FEWEST_RESULTS, max_tokens // TOKENS_PER_RESULT))


def describe(answer: Answer, blocks: Sequence[Block], head: str, tenant: Tenant) -> AssembledContext:
    context = render_blocks(blocks, head=head)
    return AssembledContext(
        context=context,
        sources=tuple(
            source_of(block, mark, tenant, answer.read_context) for mark, block in enumerate(blocks, 1)
        ),
        tokens=count_tokens(context),
        read_context=answer.read_context,
        read_at=answer.read_at,
        confidence=answer.confidence,
        not_found=answer.not_found,
        suggestion=answer.suggestion,
        degraded=answer.degraded,
    )


def source_of(block: Block, mark: int, tenant: Tenant, read_context: Mapping[str, Any]) -> ContextSource:
    where = block.where
    text = block.text.strip()
    start = block.start + len(block.text) - len(block.text.lstrip())
    span, digest = (start, start + len(text)), sha256(text.encode()).hexdigest()
    return ContextSource(
        mark=f"[{mark}]",
        role=block.role,
        relevance=block.relevance,
        document=where.document,
        title=where.title,
        path=where.path,
        section_label=where.label,
        is_cut=block.is_cut,
        citation=Citation(
            tenant=tenant.pk,
            collection_id=where.collection_id,
            document_id=where.document_id,
            version_id=where.version_id,
            section_label=where.label,
            span=span,
            content_hash=digest,
            read_context=read_context,
        ),
        permalink=permalink_of(tenant.slug, where.version_id, span, digest),
    )
