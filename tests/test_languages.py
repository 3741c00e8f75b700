"""Which language a page speaks, and that programs are answered in English whatever they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.test import AsyncClient, Client
from django.utils.translation import get_language

from config.languages import find_languages
from documents.models import Collection
from tenants.authentication import TENANT_HEADER
from tenants.models import Membership, Role, Scope, Tenant, User
from tests import factories
from tests.conftest import client_of
from tests.test_words import catalogue, german
from tests.words import OPENING

__all__ = ["catalogue", "german"]
LOGIN = "/account/login/"


def get(path: str, language: str, client: Client | None = None) -> Any:
    return (client or Client()).get(path, headers={"Accept-Language": language})


def catalogue_at(folder: Path, locale: str, name: str = "django.mo") -> None:
    (folder / locale / "LC_MESSAGES").mkdir(parents=True)
    (folder / locale / "LC_MESSAGES" / name).touch()


class TestOffer:
    def test_is_english_where_there_is_no_folder(self, tmp_path: Path) -> None:
        assert find_languages(tmp_path / "locale") == [("en", "English")]

    def test_has_each_language_with_a_compiled_catalogue(self, tmp_path: Path) -> None:
        catalogue_at(tmp_path, "pt_BR")
        catalogue_at(tmp_path, "de")
        catalogue_at(tmp_path, "fr", "django.po")
        catalogue_at(tmp_path, "xx")
        assert find_languages(tmp_path) == [
            ("en", "English"),
            ("de", "German"),
            ("pt-br", "Brazilian Portuguese"),
            ("xx", "xx"),
        ]

    def test_of_the_settings_is_what_the_folder_of_the_project_has(self) -> None:
        assert find_languages(settings.BASE_DIR / "locale") == settings.LANGUAGES


class TestPage:
    @pytest.mark.parametrize("language", ["de", "fr, de;q=0.5", "en", "*", "", "x" * 600])
    def test_is_english_without_a_catalogue(self, language: str, db: None) -> None:
        response = get(LOGIN, language)
        assert response["Content-Language"] == "en"
        assert b'<html lang="en">' in response.content
        assert b"<h1>Log in</h1>" in response.content

    @pytest.mark.parametrize("language", ["de", "de-AT,de;q=0.9,en;q=0.8", "fr,de;q=0.5"])
    def test_speaks_a_language_that_has_one(self, language: str, german: None, db: None) -> None:
        response = get(LOGIN, language)
        assert response["Content-Language"] == "de"
        assert b'<html lang="de">' in response.content
        assert "<h1>⟦Log in⟧</h1>" in response.content.decode()

    def test_speaks_no_half_of_another(self, german: None, db: None) -> None:
        """Django has French for a password that is missing, and we have none for the rest."""
        response = Client().post(LOGIN, headers={"Accept-Language": "fr"})
        assert response["Content-Language"] == "en"
        assert "This field is required." in response.content.decode()

    @pytest.mark.parametrize("path", [LOGIN, "/", "/nowhere/", "/t/harbour/members/"])
    def test_tells_caches_what_it_hangs_on(self, path: str, german: None, reader: Membership) -> None:
        response = get(path, "de", client_of(reader))
        assert "Accept-Language" in response["Vary"]
        assert response["Content-Language"] == "de"

    def test_leaves_the_next_request_as_it_was(self, german: None, db: None) -> None:
        get(LOGIN, "de")
        assert get_language() == "en"

    def test_speaks_it_in_the_server_too(self, german: None, db: None) -> None:
        """The server answers in a thread of its own."""
        response: Any = async_to_sync(AsyncClient().get)(LOGIN, headers={"Accept-Language": "de"})
        assert "<h1>⟦Log in⟧</h1>" in response.content.decode()
        assert get_language() == "en"

    def test_of_the_administration_is_english(self, german: None, operator: User) -> None:
        response = get("/admin/", "de", client_of(operator))
        assert OPENING not in response.content.decode()
        assert "Accept-Language" not in response["Vary"]


@pytest.fixture
def place(harbour: Tenant) -> Collection:
    return factories.collection(harbour)


class TestPrograms:
    def answers(self, client: Client, headers: dict[str, str], place: Collection) -> list[tuple[Any, ...]]:
        """What is right, what is wrong, what a service refuses, and what does not exist."""
        sent: dict[str, Any] = {"content_type": "application/json", "headers": headers}
        responses: list[Any] = [
            client.get("/api/v1/collections", headers=headers),
            client.get("/api/v1/index", headers=headers),
            client.post("/api/v1/collections", {}, **sent),
            client.post("/api/v1/collections", {"name": place.name, "description": "x"}, **sent),
            client.get("/api/v1/nothing", headers=headers),
            client.get("/api/v1/", headers=headers),
        ]
        kept = ("Content-Language", "Vary", "ETag")
        return [
            (one.status_code, one.content, *(one.headers.get(name) for name in kept)) for one in responses
        ]

    def test_are_answered_as_ever(self, german: None, place: Collection) -> None:
        _, token = factories.api_key(place.tenant, *Scope)
        headers = {"Authorization": f"Bearer {token}"}
        plain = self.answers(Client(), headers, place)
        asked = self.answers(Client(), headers | {"Accept-Language": "de"}, place)
        assert [one[0] for one in asked] == [one[0] for one in plain] == [200, 200, 400, 409, 404, 200]
        assert asked[2:] == plain[2:]
        assert not any(OPENING.encode() in one[1] or one[2] for one in asked)
        assert not any("Accept-Language" in (one[3] or "") for one in asked)

    def test_are_answered_so_to_whoever_is_logged_in(self, german: None, place: Collection) -> None:
        client = client_of(factories.membership(place.tenant, Role.ADMIN))
        client.get("/t/harbour/members/", headers={"Accept-Language": "de"})
        headers = {TENANT_HEADER: "harbour", "Accept-Language": "de"}
        assert not any(OPENING.encode() in one[1] for one in self.answers(client, headers, place))
