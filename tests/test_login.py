"""Logging in: who gets in, who is kept from guessing, and what is on the record."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tenants import login
from tenants.models import AuditEvent, Membership, User
from tenants.scope import platform_scope
from tests import factories
from tests.conftest import client_of

LOGIN = "/account/login/"


def attempt(email: str, password: str, address: str = "10.0.0.1") -> tuple[int, str]:
    response = Client(REMOTE_ADDR=address).post(LOGIN, {"username": email, "password": password})
    return response.status_code, response.content.decode()


def fail(email: str, times: int, address: str = "10.0.0.1") -> None:
    for _ in range(times):
        assert attempt(email, "wrong", address)[0] == 200


def recorded() -> list[tuple[str, str, str]]:
    with platform_scope():
        return list(
            AuditEvent.objects.filter(tenant=None).order_by("at").values_list("actor", "action", "target")
        )


def test_a_member_logs_in_and_arrives_in_their_tenant(reader: Membership) -> None:
    client = Client()
    response = client.post(
        LOGIN, {"username": reader.user.email.upper(), "password": factories.PASSWORD}, follow=True
    )
    assert response.redirect_chain == [("/", 302), (reverse("overview", args=["harbour"]), 302)]
    assert recorded() == [(reader.user.email, "login", "")]
    client.post("/account/logout/")
    assert client.get("/account/password/").status_code == 302
    assert recorded()[1:] == [(reader.user.email, "logout", "")]


def test_logging_in_leads_back_to_where_one_was_going(reader: Membership) -> None:
    response = Client().post(
        LOGIN,
        {"username": reader.user.email, "password": factories.PASSWORD, "next": "/t/harbour/members/"},
    )
    assert response["Location"] == "/t/harbour/members/"


def test_logging_in_leads_to_no_other_site(reader: Membership) -> None:
    response = Client().post(
        LOGIN,
        {"username": reader.user.email, "password": factories.PASSWORD, "next": "https://elsewhere.example/"},
    )
    assert response["Location"] == "/"


def test_a_wrong_password_and_an_unknown_person_look_the_same(reader: Membership) -> None:
    known = attempt(reader.user.email, "wrong")
    unknown = attempt("nobody@example.org", "wrong")
    message = "This email address and this password do not belong together."
    assert known[0] == unknown[0] == 200
    assert message in known[1]
    assert message in unknown[1]
    assert [action for _, action, _ in recorded()] == ["login.failed", "login.failed"]


def test_whoever_is_deactivated_stays_out(reader: Membership) -> None:
    User.objects.update(is_active=False)
    assert attempt(reader.user.email, factories.PASSWORD)[0] == 200


class TestGuessing:
    def test_is_stopped_after_five_wrong_passwords(self, reader: Membership) -> None:
        email = reader.user.email
        fail(email, login.FAILURES_PER_PERSON - 1)
        assert attempt(email, factories.PASSWORD)[0] == 302
        fail(email, 1)
        status, page = attempt(email, factories.PASSWORD)
        assert (status, "Too many failed attempts" in page) == (200, True)

    def test_is_counted_for_each_person_and_address(self, reader: Membership) -> None:
        email = reader.user.email
        fail(email, login.FAILURES_PER_PERSON)
        assert attempt(email, factories.PASSWORD, "10.0.0.2")[0] == 302
        other = factories.user()
        assert attempt(other.email, factories.PASSWORD)[0] == 302

    def test_of_many_people_from_one_address_is_stopped_too(
        self, reader: Membership, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(login, "FAILURES_PER_ADDRESS", 3)
        for number in range(2):
            fail(f"someone{number}@example.org", 1)
        assert attempt(reader.user.email, factories.PASSWORD)[0] == 302
        fail("someone2@example.org", 1)
        assert "Too many" in attempt(reader.user.email, factories.PASSWORD)[1]

    def test_is_forgotten_after_a_while(self, reader: Membership, monkeypatch: pytest.MonkeyPatch) -> None:
        email = reader.user.email
        fail(email, login.FAILURES_PER_PERSON)
        later = timezone.now() + login.WINDOW
        monkeypatch.setattr("tenants.login.timezone.now", lambda: later - timedelta(seconds=5))
        assert attempt(email, factories.PASSWORD)[0] == 200
        monkeypatch.setattr("tenants.login.timezone.now", lambda: later + timedelta(seconds=5))
        assert attempt(email, factories.PASSWORD)[0] == 302

    @pytest.mark.django_db(transaction=True)
    def test_at_the_same_moment_counts_too(self) -> None:
        person = factories.user()

        def guess(_: int) -> str:
            try:
                return attempt(person.email, "wrong")[1]
            finally:
                connection.close()

        with ThreadPoolExecutor(12) as pool:
            pages = list(pool.map(guess, range(12)))
        assert sum("Too many" not in page for page in pages) == login.FAILURES_PER_PERSON

    @pytest.mark.parametrize("address", ["garbage", "", "1.2.3.4.5", "x" * 500])
    def test_from_an_address_that_is_none_counts_too(self, reader: Membership, address: str) -> None:
        fail(reader.user.email, login.FAILURES_PER_PERSON, address)
        assert "Too many" in attempt(reader.user.email, factories.PASSWORD, address)[1]

    def test_that_is_refused_writes_no_more_rows(self, reader: Membership) -> None:
        fail(reader.user.email, login.FAILURES_PER_PERSON + 3)
        assert len(recorded()) == login.FAILURES_PER_PERSON


class TestPassword:
    def test_is_changed_by_who_knows_it(self, reader: Membership) -> None:
        client = client_of(reader)
        new = {"new_password1": "another horse", "new_password2": "another horse"}
        assert client.post("/account/password/", {"old_password": "wrong", **new}).status_code == 200
        assert recorded() == []
        response = client.post("/account/password/", {"old_password": factories.PASSWORD, **new}, follow=True)
        assert "Your password is changed." in response.content.decode()
        assert recorded() == [(reader.user.email, "password.changed", "")]
        assert attempt(reader.user.email, "another horse")[0] == 302
