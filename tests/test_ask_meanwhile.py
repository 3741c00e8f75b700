"""While a model writes an answer nothing is kept waiting, and what has gone meanwhile is not shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest
from django.db import connection, connections

from documents.models import Collection, Document, Version
from documents.services import (
    create_baseline,
    delete_document,
    publish_baseline,
    unpublish_collection,
    withdraw_version,
)
from search.models import Call, CallState, QueryRecord
from tenants.models import Membership, Tenant, User
from tenants.scope import leave_database, platform_scope, tenant_scope
from tenants.services import remove_member
from tests import factories
from tests.conftest import client_of
from tests.providers.openai_server import OpenAIServer
from tests.providers.server import Answer, Asked
from tests.ranking_models import changes_to_say
from tests.searching import ACT, ACTOR, add, fill

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

PATH = "/t/harbour/ask/"
QUESTION = "How fast may a vessel be in the inner harbour?"
SAID = "Six knots, SAIDBYTHEMODEL [1]."
WORDS = "shall not exceed six knots in the inner harbour"
CHANGED = "Documents changed while the answer was written, so it is not shown. Ask again."
OTHERS = """
    SELECT state FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
"""


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


@pytest.fixture
def member(acts: Collection) -> Membership:
    return factories.membership(acts.tenant)


@pytest.fixture
def server(settings: Any) -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        declare(settings, server)
        yield server


def declare(settings: Any, server: OpenAIServer, **options: Any) -> None:
    options = {"model": "small", "base_url": server.base_url, **options}
    backend = "search.backends.answerers.openai.OpenAIAnswerer"
    declared = {"answerer": {"BACKEND": backend, "OPTIONS": options}}
    settings.SEARCH_BACKENDS = {**settings.SEARCH_BACKENDS, **declared}


def ask(server: OpenAIServer, member: Membership, act: Callable[[], object], read: str = "") -> Any:
    """Ask, and have something done by somebody else before the model answers."""

    def policy(asked: Asked) -> Answer:
        try:
            act()
        finally:
            connections.close_all()
        return Answer(changes=changes_to_say(SAID, is_openai=True))

    server.policy = policy
    response = client_of(member).post(f"{PATH}?read={read}", {"q": QUESTION})
    assert len(server.requests) == 1
    return response


def page_of(response: Any) -> str:
    assert response.status_code == 200
    return unescape(response.content.decode())


def document(collection: Collection, name: str = "harbour-safety-act.md") -> Document:
    with tenant_scope(collection.tenant_id):
        return Document.objects.select_related("collection__tenant").get(name=name)


def version(collection: Collection) -> Version:
    with tenant_scope(collection.tenant_id):
        return Version.objects.select_related("document__collection__tenant").get(
            document=document(collection)
        )


@pytest.mark.parametrize("prices", [None, {"input": 1, "output": 5}])
def test_no_transaction_and_no_connection_waits_for_the_model(
    server: OpenAIServer, member: Membership, settings: Any, prices: dict[str, int] | None
) -> None:
    declare(settings, server, prices=prices)
    own = connections["default"]  # Of the thread that answers the request.
    seen: list[object] = []

    def look() -> None:
        with connection.cursor() as cursor:
            cursor.execute(OTHERS)
            states = [state for (state,) in cursor.fetchall()]
        seen.extend([own.in_atomic_block, own.connection, "idle in transaction" in states])

    assert "SAIDBYTHEMODEL" in page_of(ask(server, member, look))
    assert seen == [False, None, False]


def test_a_model_is_not_asked_inside_a_scope(harbour: Tenant) -> None:
    with (
        tenant_scope(harbour.pk),
        pytest.raises(RuntimeError, match=r"A scope is open\. Leave it before you wait"),
    ):
        leave_database()
    leave_database()
    assert connection.connection is None


def test_the_question_is_written_down_once_and_before_the_model_answers(
    server: OpenAIServer, member: Membership
) -> None:
    def count() -> int:
        with tenant_scope(member.tenant_id):
            return QueryRecord.objects.count()

    counted: list[int] = []
    ask(server, member, lambda: counted.append(count()))
    assert (counted, count()) == ([1], 1)


class TestOfADocumentThatIsGone:
    def expect_nothing_of_it(self, page: str, words: str = WORDS) -> None:
        assert CHANGED in page
        assert words not in page
        assert "SAIDBYTHEMODEL" not in page
        assert 'class="claim' not in page

    def test_neither_its_words_nor_the_answer_are_shown(
        self, server: OpenAIServer, member: Membership, acts: Collection
    ) -> None:
        gone = document(acts)
        page = page_of(ask(server, member, lambda: delete_document(document=gone, actor=ACTOR)))
        self.expect_nothing_of_it(page)
        assert "Harbour Safety Act › " not in page
        assert "A pilot boards outside the breakwater." in page  # What there is now.

    def test_a_version_that_was_withdrawn_is_gone_too(
        self, server: OpenAIServer, member: Membership, acts: Collection
    ) -> None:
        gone = version(acts)
        page = page_of(ask(server, member, lambda: withdraw_version(version=gone, actor=ACTOR)))
        self.expect_nothing_of_it(page)

    def test_an_answer_from_a_version_that_is_no_longer_read_is_not_shown(
        self, server: OpenAIServer, member: Membership, acts: Collection
    ) -> None:
        newer = ACT.replace("six knots", "four knots")
        page = page_of(ask(server, member, lambda: add(acts, "harbour-safety-act.md", newer)))
        self.expect_nothing_of_it(page)
        assert "shall not exceed four knots in the inner harbour" in page

    def test_what_is_published_no_more_is_said_and_not_shown(
        self, server: OpenAIServer, member: Membership, acts: Collection
    ) -> None:
        baseline = create_baseline(collection=acts, name="spring", actor=ACTOR)
        publish_baseline(baseline=baseline, actor=ACTOR)
        response = ask(
            server, member, lambda: unpublish_collection(collection=acts, actor=ACTOR), read="published"
        )
        page = page_of(response)
        assert "Nothing is published here. Publish a baseline first" in page
        assert WORDS not in page
        assert "SAIDBYTHEMODEL" not in page

    def test_another_document_may_come(
        self, server: OpenAIServer, member: Membership, acts: Collection
    ) -> None:
        page = page_of(ask(server, member, lambda: add(acts, "zoo.md", "# Zoo\n\nZebras eat grass.\n")))
        assert re.search(r'class="claim cited">Six knots, SAIDBYTHEMODEL', page)
        assert WORDS in page
        assert "Zebras" not in page


class TestOfSomebodyWhoIsGone:
    def expect_nothing(self, response: Any) -> None:
        assert response.status_code == 404
        assert WORDS not in unescape(response.content.decode())
        assert "SAIDBYTHEMODEL" not in response.content.decode()

    def test_who_is_no_longer_a_member_sees_nothing(self, server: OpenAIServer, member: Membership) -> None:
        self.expect_nothing(
            ask(server, member, lambda: remove_member(membership=member, actor=ACTOR)),
        )

    def test_who_may_no_longer_log_in_sees_nothing(self, server: OpenAIServer, member: Membership) -> None:
        people = User.objects.filter(pk=member.user_id)
        self.expect_nothing(ask(server, member, lambda: people.update(is_active=False)))

    def test_a_tenant_that_was_closed_shows_nothing_and_has_paid(
        self, server: OpenAIServer, member: Membership, settings: Any
    ) -> None:
        declare(settings, server, prices={"input": 1, "output": 5})

        def close() -> None:
            with platform_scope():
                Tenant.objects.filter(pk=member.tenant_id).update(is_active=False)

        self.expect_nothing(ask(server, member, close))
        with tenant_scope(member.tenant_id):
            (call,) = Call.objects.filter(role="answerer")
        assert call.state == CallState.DONE
