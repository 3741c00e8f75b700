"""A quote says what is new, what it costs and how long it takes, and asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from documents.tokens import count_tokens
from search import backends
from search.backends.contextualizers.base import Excerpt, Manuscript
from search.backends.contextualizers.structural import situate
from search.budget import dollars
from search.contextualize import Work, contextualize_work
from search.models import Budget, Call, Context
from search.place import place_passages
from search.quote import Quote, duration, quote_works
from search.services import set_budget
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR
from tests.providers.anthropic_server import AnthropicServer


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as server:
        yield server


@pytest.fixture
def provider(server: AnthropicServer, settings: Any) -> Callable[..., None]:
    """Declare the provider as contextualizer, with options."""

    def declare(**options: Any) -> None:
        declared = {
            "BACKEND": "search.backends.contextualizers.anthropic.AnthropicContextualizer",
            "OPTIONS": {"api_key": "key", "base_url": server.url, "waits": (), **options},
        }
        settings.SEARCH_BACKENDS = {**settings.SEARCH_BACKENDS, "contextualizer": declared}

    declare()
    return declare


def work_of(tenant: Tenant, *texts: str, **changes: Any) -> Work:
    excerpts = [Excerpt(text, ("Part I",), f"Section {number}") for number, text in enumerate(texts, 1)]
    manuscript = Manuscript("Harbour Act", "\n\n".join(texts))
    return replace(Work(tenant.pk, uuid4(), manuscript, excerpts, 100, 10), **changes)


def of_version(tenant: Tenant, *texts: str) -> Work:
    return work_of(tenant, *texts, version_id=factories.version(tenant).pk)


def index(work: Work) -> None:
    situated = contextualize_work(work)
    assert situated is not None
    place_passages(
        tenant_id=work.tenant_id, version_id=work.version_id, language="english", situated=situated
    )


def quoted(*works: Work, **options: Any) -> Quote:
    return quote_works(works, language="english", **options)


class TestStructure:
    def test_new_chunks_take_time_and_no_money(self, harbour: Tenant) -> None:
        work = work_of(harbour, "Keep clear.", "Moor here.")
        quote = quoted(work)
        tokens = sum(
            count_tokens(situate("Harbour Act", excerpt, 100)) + count_tokens(excerpt.text)
            for excerpt in work.excerpts
        )
        assert (quote.chunks, quote.known, quote.new, quote.contexts) == (2, 0, 2, 0)
        assert (quote.tokens, quote.likely_cost, quote.most_cost) == (tokens, Decimal(0), Decimal(0))
        assert quote.seconds == tokens / 5000
        assert quote.sentence == "2 chunks, none of them known already. Indexing takes about 1 second."

    def test_what_is_indexed_is_known(self, harbour: Tenant, meridian: Tenant) -> None:
        index(of_version(harbour, "Keep clear.", "Moor here."))
        assert quoted(work_of(harbour, "Keep clear.", "Moor here.")).sentence == (
            "2 chunks, all of them known already."
        )
        changed = quoted(work_of(harbour, "Keep clear.", "Moor there."))
        assert (changed.known, changed.new) == (1, 1)
        assert changed.tokens < quoted(work_of(harbour, "Go away.", "Moor there.")).tokens
        assert quoted(work_of(meridian, "Keep clear.", "Moor here.")).known == 0
        assert quote_works([work_of(harbour, "Keep clear.")], language="german").known == 0

    def test_a_collection_without_contexts_has_texts_of_its_own(self, harbour: Tenant) -> None:
        index(of_version(harbour, "Keep clear."))
        quote = quoted(work_of(harbour, "Keep clear."), has_contexts=False)
        assert (quote.known, quote.tokens) == (0, count_tokens("Keep clear."))

    def test_nothing_is_nothing(self, harbour: Tenant) -> None:
        assert quoted() == Quote()
        assert quoted(work_of(harbour)).sentence == quoted().sentence == "There is nothing to index."


@pytest.mark.usefixtures("provider")
class TestProvider:
    def test_says_what_contexts_cost_and_asks_nobody(self, harbour: Tenant, server: AnthropicServer) -> None:
        work = work_of(harbour, *(f"Berth {number} is kept clear." for number in range(25)))
        quote = quoted(work)
        writer, excerpts = backends.contextualizer(), work.excerpts
        assert quote.likely_cost == writer.likely_cost(work.manuscript, excerpts, max_tokens=100) > 0
        assert quote.most_cost == writer.most_cost(work.manuscript, excerpts, max_tokens=100)
        assert quote.likely_cost <= quote.most_cost
        assert (quote.contexts, quote.new, quote.left) == (25, 25, Decimal(20))
        assert quote.seconds == pytest.approx(3 * 2 + quote.tokens / 5000)  # Ten at once, two seconds each.
        assert server.requests == []
        with tenant_scope(harbour.pk):
            assert (Call.objects.count(), Budget.objects.count(), Context.objects.count()) == (0, 0, 0)

    def test_what_it_says_holds(self, harbour: Tenant) -> None:
        work = of_version(harbour, *(f"Berth {number} is kept clear." for number in range(8)))
        quote = quoted(work)
        index(work)
        with tenant_scope(harbour.pk):
            paid = sum(Call.objects.values_list("cost", flat=True))
        assert 0 < paid <= quote.most_cost
        again = quoted(work)
        assert (again.known, again.contexts, again.most_cost, again.seconds) == (8, 0, Decimal(0), 0.0)

    def test_a_kept_context_is_not_paid_for_though_its_text_is_not_indexed(self, harbour: Tenant) -> None:
        contextualize_work(of_version(harbour, "Keep clear.", "Moor here."))
        quote = quoted(work_of(harbour, "Keep clear.", "Moor here."))
        assert (quote.known, quote.new, quote.contexts, quote.most_cost) == (0, 2, 0, Decimal(0))
        assert quote.tokens > 0

    def test_an_amendment_costs_what_it_changes(self, harbour: Tenant) -> None:
        texts = [f"Berth {number} is kept clear." for number in range(6)]
        index(of_version(harbour, *texts))
        quote = quoted(work_of(harbour, *texts[:5], "Berth 5 is open."))
        assert (quote.chunks, quote.known, quote.contexts) == (6, 5, 1)
        assert quote.sentence.startswith("6 chunks, 5 of them known already. Writing 1 context costs about ")

    def test_what_two_works_have_in_common_is_counted_once(self, harbour: Tenant) -> None:
        one, two = work_of(harbour, "Keep clear.", "Moor here."), work_of(harbour, "Keep clear.", "Go away.")
        both = quoted(one, two)
        assert (both.chunks, both.new, both.contexts) == (4, 4, 3)
        assert both.tokens == quoted(one).tokens + count_tokens("Go away.") + 100

    def test_a_batch_is_cheaper_and_takes_up_to_a_day(
        self, harbour: Tenant, provider: Callable[..., None]
    ) -> None:
        work = work_of(harbour, "Keep clear.", "Moor here.", "Go away.")
        single = quoted(work)
        provider(batch_from=4)
        assert quoted(work) == single
        provider(batch_from=3)
        batch = quoted(work)
        assert (batch.is_batch, batch.sentence.endswith(", and takes up to a day.")) == (True, True)
        assert batch.most_cost < single.most_cost

    @pytest.mark.parametrize(
        ("limit", "warning"),
        [
            ("most", ""),
            ("likely", "; should that not suffice, the rest will be situated by structure."),
            ("less", "; the rest will be situated by structure."),
        ],
    )
    def test_warns_if_the_budget_may_not_suffice(self, harbour: Tenant, limit: str, warning: str) -> None:
        work = work_of(harbour, *(f"Berth {number} is kept clear." for number in range(25)))
        quote = quoted(work)
        least = Decimal("0.000001")
        limits = {
            "most": quote.most_cost,
            "likely": quote.most_cost - least,
            "less": quote.likely_cost - least,
        }
        set_budget(tenant=harbour, monthly_limit=limits[limit], actor=ACTOR)
        sentence = quoted(work).sentence
        assert ("budget" in sentence) == bool(warning)
        assert sentence.endswith(warning or "seconds.")


class TestWords:
    def test_the_sentence_is_for_people(self) -> None:
        quote = Quote(
            chunks=412,
            known=380,
            new=32,
            contexts=32,
            likely_cost=Decimal("0.0312"),
            most_cost=Decimal("0.11"),
            seconds=59.5,
            left=Decimal("0.02"),
        )
        assert quote.sentence == (
            "412 chunks, 380 of them known already. Writing 32 contexts costs about $0.04, at most $0.11, "
            "and takes about 1 minute. The budget of this month has $0.02 left; the rest will be situated by "
            "structure."
        )

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [
            (0, "1 second"),
            (1, "1 second"),
            (1.1, "2 seconds"),
            (59, "59 seconds"),
            (59.1, "1 minute"),
            (60, "1 minute"),
            (61, "2 minutes"),
            (3540, "59 minutes"),
            (3541, "1 hour"),
            (3600, "1 hour"),
            (3601, "2 hours"),
            (100_000, "28 hours"),
        ],
    )
    def test_times_are_rounded_up(self, seconds: float, words: str) -> None:
        assert duration(seconds) == words

    @pytest.mark.parametrize(
        ("amount", "words"),
        [
            ("0", "$0.00"),
            ("0.000001", "$0.01"),
            ("0.01", "$0.01"),
            ("0.010001", "$0.02"),
            ("1234.5", "$1,234.50"),
        ],
    )
    def test_amounts_are_rounded_up_to_a_cent(self, amount: str, words: str) -> None:
        assert dollars(Decimal(amount)) == words

    def test_a_quote_can_be_handed_on_as_it_is(self) -> None:
        assert set(asdict(Quote())) >= {
            "chunks", "known", "new", "tokens", "likely_cost", "most_cost", "seconds",
        }  # fmt: skip
