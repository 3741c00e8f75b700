"""Say what contexts and vectors will cost and how long they will take, before anybody is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from documents.tokens import count_tokens
from search import backends
from search.backends.contextualizers.base import Contextualizer, Excerpt
from search.budget import dollars, left_of
from search.contextualize import Work, situate_structurally
from search.contextualize.keep import kept_contexts
from search.contextualize.work import keys_of
from search.models import Passage
from search.place import Situated, digest_of
from tenants.scope import tenant_scope

TOKENS_PER_SECOND = {"embedded": 5_000}  # By provider; on one core, 25 texts of 200 tokens.
TOKENS_PER_SECOND_ELSEWHERE = 20_000  # An assumption: what is far away is not measured here.
SECONDS_PER_CONTEXT = 2.0  # Another assumption, of small models that have the document in their cache.
PER_UNIT = 60

Pair = tuple[str, str]  # A context, and the text of a chunk.


@dataclass(frozen=True, slots=True)
class Quote:
    """What is to be done, what it costs and how long it takes."""

    chunks: int = 0
    known: int = 0  # Of these, the ones that are indexed already, as they are.
    new: int = 0
    contexts: int = 0  # To be written by a provider.
    tokens: int = 0  # Of texts that are to be embedded, with their contexts.
    likely_cost: Decimal = Decimal(0)
    most_cost: Decimal = Decimal(0)
    seconds: float = 0.0  # Without those that a batch takes.
    is_batch: bool = False
    left: Decimal = Decimal(0)  # Of this month's budget.

    def __add__(self, other: Quote) -> Quote:
        return Quote(
            chunks=self.chunks + other.chunks,
            known=self.known + other.known,
            new=self.new + other.new,
            contexts=self.contexts + other.contexts,
            tokens=self.tokens + other.tokens,
            likely_cost=self.likely_cost + other.likely_cost,
            most_cost=self.most_cost + other.most_cost,
            seconds=self.seconds + other.seconds,
            is_batch=self.is_batch or other.is_batch,
            left=other.left,
        )

    @property
    def sentence(self) -> str:
        """Say it to people."""
        return " ".join(filter(None, [self._counts(), self._work(), self._warning()]))

    def _counts(self) -> str:
        if not self.chunks:
            return _("There is nothing to index.")
        known = {0: _("none"), self.chunks: _("all")}.get(self.known, f"{self.known:,}")
        said = ngettext(
            "%(count)s chunk, %(known)s of them known already.",
            "%(count)s chunks, %(known)s of them known already.",
            self.chunks,
        )
        return said % {"count": f"{self.chunks:,}", "known": known}

    def _work(self) -> str:
        named = {"time": duration(self.seconds), "count": f"{self.contexts:,}"}
        if not self.contexts:
            return _("Indexing takes about %(time)s.") % named if self.new else ""
        named |= {"likely": dollars(self.likely_cost), "most": dollars(self.most_cost)}
        return (self._batch() if self.is_batch else self._requests()) % named

    def _batch(self) -> str:
        return ngettext(
            "Writing %(count)s context costs about %(likely)s, at most %(most)s, and takes up to a day.",
            "Writing %(count)s contexts costs about %(likely)s, at most %(most)s, and takes up to a day.",
            self.contexts,
        )

    def _requests(self) -> str:
        return ngettext(
            "Writing %(count)s context costs about %(likely)s, at most %(most)s, and takes about %(time)s.",
            "Writing %(count)s contexts costs about %(likely)s, at most %(most)s, and takes about %(time)s.",
            self.contexts,
        )

    def _warning(self) -> str:
        if self.most_cost <= self.left:
            return ""
        if self.likely_cost > self.left:
            said = _("The budget of this month has %(left)s left; the rest will be situated by structure.")
        else:
            said = _(
                "The budget of this month has %(left)s left; should that not suffice, "
                "the rest will be situated by structure."
            )
        return said % {"left": dollars(self.left)}


@dataclass(slots=True)
class Foreseen:
    """What becomes of the chunks of a work: those with a known context, and those that wait for one."""

    pairs: list[Pair] = field(default_factory=list)
    waiting: dict[str, Excerpt] = field(default_factory=dict)


def quote_works(works: Iterable[Work], *, language: str, has_contexts: bool = True) -> Quote:
    """Return what works of one tenant take together; what several have in common is counted once."""
    total = Quote()
    asked: set[str] = set()
    indexed: set[Pair] = set()
    contextualizer = backends.contextualizer() if has_contexts else None
    for work in works:
        foreseen = foresee(work, contextualizer)
        known = known_pairs(work.tenant_id, language, foreseen.pairs)
        fresh = set(foreseen.pairs) - known - indexed
        missing = {key: excerpt for key, excerpt in foreseen.waiting.items() if key not in asked}
        asked |= missing.keys()
        indexed |= fresh
        count = sum(pair in known for pair in foreseen.pairs)
        total += _quote(work, contextualizer, missing, fresh, known=count)
    return total


def _quote(
    work: Work,
    contextualizer: Contextualizer | None,
    missing: dict[str, Excerpt],
    fresh: set[Pair],
    *,
    known: int,
) -> Quote:
    excerpts = list(missing.values())
    texts = [text for pair in fresh for text in pair] + [excerpt.text for excerpt in excerpts]
    tokens = sum(map(count_tokens, texts)) + work.max_tokens * len(excerpts)
    likely, most = costs_of(work, contextualizer, excerpts)
    is_batch = is_worth_a_batch(contextualizer, excerpts)
    return Quote(
        chunks=len(work.excerpts),
        known=known,
        new=len(work.excerpts) - known,
        contexts=len(excerpts),
        tokens=tokens,
        likely_cost=likely,
        most_cost=most,
        seconds=seconds_to_embed(tokens) + (0 if is_batch else seconds_to_write(work, excerpts)),
        is_batch=is_batch,
        left=left_of(work.tenant_id),
    )


def foresee(work: Work, contextualizer: Contextualizer | None) -> Foreseen:
    """Return the chunks with the contexts that they will have, as far as these are known."""
    if contextualizer is None:
        return Foreseen([("", excerpt.text) for excerpt in work.excerpts])
    if contextualizer.is_local:
        situated = situate_structurally(work.manuscript, work.excerpts, work.max_tokens)
        return Foreseen([(one.context, one.text) for one in situated])
    keys, foreseen = keys_of(work, contextualizer.name), Foreseen()
    kept = kept_contexts(work.tenant_id, set(keys))
    for key, excerpt in zip(keys, work.excerpts, strict=True):
        if key in kept:
            foreseen.pairs.append((kept[key][1], excerpt.text))
        elif excerpt.text.strip():
            foreseen.waiting[key] = excerpt
    return foreseen


def known_pairs(tenant_id: UUID, language: str, pairs: Iterable[Pair]) -> set[Pair]:
    """Return those that are passages already."""
    digests = {digest_of(language, Situated(text, context)): (context, text) for context, text in pairs}
    with tenant_scope(tenant_id):
        rows = Passage.objects.filter(tenant_id=tenant_id, digest__in=list(digests))
        return {digests[digest] for digest in rows.values_list("digest", flat=True)}


def costs_of(
    work: Work, contextualizer: Contextualizer | None, excerpts: Sequence[Excerpt]
) -> tuple[Decimal, Decimal]:
    """Return what contexts cost, likely and at most."""
    if contextualizer is None or not excerpts:
        return Decimal(0), Decimal(0)
    most = contextualizer.most_cost(work.manuscript, excerpts, max_tokens=work.max_tokens)
    likely = contextualizer.likely_cost(work.manuscript, excerpts, max_tokens=work.max_tokens)
    return min(likely, most), most


def is_worth_a_batch(contextualizer: Contextualizer | None, excerpts: Sequence[Excerpt]) -> bool:
    if contextualizer is None or contextualizer.batch_from is None:
        return False
    return len(excerpts) >= contextualizer.batch_from


def seconds_to_write(work: Work, excerpts: Sequence[Excerpt]) -> float:
    return SECONDS_PER_CONTEXT * math.ceil(len(excerpts) / work.concurrency)


def seconds_to_embed(tokens: int) -> float:
    return tokens / TOKENS_PER_SECOND.get(backends.embedder().provider, TOKENS_PER_SECOND_ELSEWHERE)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes or hours, whole ones and never too few."""
    number = max(math.ceil(seconds), 1)
    if number < PER_UNIT:
        said = ngettext("%(count)s second", "%(count)s seconds", number)
    elif (number := math.ceil(number / PER_UNIT)) < PER_UNIT:
        said = ngettext("%(count)s minute", "%(count)s minutes", number)
    else:
        number = math.ceil(number / PER_UNIT)
        said = ngettext("%(count)s hour", "%(count)s hours", number)
    return said % {"count": f"{number:,}"}
