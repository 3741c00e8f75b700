"""Whoever has a catalogue sees no word of English on a page, and programs see nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, Tag
from django.apps import apps
from django.db import models, transaction
from django.template.base import Lexer, TokenType
from django.test import Client, override_settings

from config.languages import find_languages
from documents.models import Document
from documents.webhooks.deliver import SWITCHED_OFF
from tenants.models import Role, Tenant, User
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.searching import ACT, add, fill
from tests.test_walls import FORM, TENANT, address, ids_for
from tests.words import TEMPLATES, write_catalogue

LANGUAGE = "de"
HEADERS = {"Accept-Language": LANGUAGE}
UNSEEN = {"script", "style", "template", "pre", "code", "kbd"}
SAID = ("aria-label", "title", "placeholder", "alt", "data-label")
BRACKETS = re.compile(r"⟦[^⟦⟧]*⟧")
WORD = re.compile(r"[A-Za-z]{2,}")
BETWEEN = re.compile(r"[⋯·›:→,\n]")
CODE = re.compile(r"\w[@/._-]\w|\d|^https?$")
MOST_TRIED = 3  # Rows of a kind that forms are sent to.
UNKNOWN_EVENT = "Test happened something"  # Of the factory: an action that no sentence was written for.
# Questions in the language of the documents, and what an explanation calls by the names that programs use.
MARKED = {"example", "explained"}
# Names of things, which are the same in every language.
NAMES = {"Pandect", "UTC", "CSV", "JSON", "Markdown", "YAML", "Enter", "MB", "ms"}


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locale")
    write_catalogue(folder, LANGUAGE)
    return folder


@pytest.fixture
def german(catalogue: Path) -> Iterator[None]:
    with override_settings(LOCALE_PATHS=[catalogue], LANGUAGES=find_languages(catalogue)):
        yield


def said_on(page: str) -> Iterator[str]:
    """Yield each text that people see or hear, without what a catalogue has said."""
    while BRACKETS.search(page):
        page = BRACKETS.sub("⋯", page)
    for element in BeautifulSoup(page, "html.parser").descendants:
        if isinstance(element, Tag):
            yield from (str(value) for name, value in element.attrs.items() if is_said(name, str(value)))
            if element.name == "input" and element.get("type") == "submit":
                yield str(element.get("value", ""))
        elif type(element) is NavigableString and not is_unseen(element):
            yield str(element)


def is_said(name: str, value: str) -> bool:
    """Whether an attribute is for people: a label, or words that a script says."""
    return name in SAID or (name.startswith("data-") and " " in value.strip())


def is_unseen(text: PageElement) -> bool:
    """Whether it is code, or marked as something that is the same in every language."""
    return any(
        parent.name in UNSEEN
        or parent.get("translate") == "no"
        or MARKED & {*parent.get_attribute_list("class")}
        for parent in text.parents
    )


def english_on(page: str, data: str) -> list[str]:
    """Return what is said on a page and comes neither from a catalogue nor from the data."""
    pieces = (words_of(piece) for text in said_on(page) for piece in BETWEEN.split(text))
    return [piece for piece in pieces if set(WORD.findall(piece)) - NAMES and f" {piece} " not in data]


def words_of(text: str) -> str:
    """Return the words of a text, without addresses, names of files and what else only looks like words."""
    return " ".join(re.findall(r"\w+", " ".join(one for one in text.split() if not CODE.search(one))))


def data_of(tenant: Tenant) -> str:
    """Return all texts that the rows of a tenant hold, but no words that the product chose."""
    found = [tenant.slug, UNKNOWN_EVENT]
    with tenant_scope(tenant.pk):
        for model in apps.get_models():
            if model is User or any(field.name == "tenant" for field in model._meta.fields):
                found += texts_of(model)
    return f" {words_of(' '.join([*found, tenant.name]))} "


def texts_of(model: type[models.Model]) -> Iterator[str]:
    fields = [
        field
        for field in model._meta.fields
        if isinstance(field, models.CharField | models.TextField | models.JSONField) and not field.choices
    ]
    for row in model._default_manager.all():
        for field in fields:
            value = getattr(row, field.attname)
            yield value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@pytest.fixture
def rows(harbour: Tenant) -> list[UUID]:
    """Ids of everything that a page can be of: a row of each kind, and documents that were really read."""
    with tenant_scope(harbour.pk):
        made = [row.pk for row in factories.one_of_each(harbour)]
    acts = fill(harbour)
    add(acts, "harbour-safety-act.md", ACT.replace("six knots", "four knots"))
    with tenant_scope(harbour.pk):
        read = Document.objects.filter(collection=acts).values_list("pk", flat=True)
        return [*made, acts.pk, *read]


# What an address is asked besides, so that more of its page is seen.
ASKED: dict[str, list[dict[str, str]]] = {
    "search": [
        {"q": "vessel", "explain": "1"},
        {"q": "nothing-of-that"},
    ],
    "ask": [{"q": "What is a vessel?"}],
    "collection": [{"show": "failed"}, {"show": "bin"}, {"q": "zzz"}],
    "history": [{"label": "Section 2"}, {"label": "Section 99"}],
    "compare": [{"show": "changed"}],
    "reader": [{"version": "1"}],
}


def pages_of(client: Client, rows: list[UUID]) -> Iterator[tuple[str, str]]:
    for entry in TENANT:
        name = str(entry.name)
        for pk in ids_for(name, rows):
            status = 0
            for asked in [{}, *ASKED.get(name, [])]:
                response: Any = client.get(address(name, "harbour", pk), asked, headers=HEADERS)
                status = response.status_code
                if is_page(response):
                    yield f"{name} {asked}", body(response)
            if status in {403, 405}:  # For every row alike.
                break


def is_page(response: Any) -> bool:
    is_html = response.headers.get("Content-Type", "").startswith("text/html")
    return bool(is_html and response.status_code != 404)  # One of these is looked at, and thousands come.


def body(response: Any) -> str:
    return str(b"".join(response).decode() if response.streaming else response.content.decode())


@pytest.mark.parametrize("role", [Role.READER, Role.ADMIN])
def test_no_page_of_a_tenant_says_a_word_that_cannot_be_translated(
    role: Role, german: None, harbour: Tenant, rows: list[UUID]
) -> None:
    client, data = client_of(factories.membership(harbour, role)), data_of(harbour)
    found = {(text, name) for name, page in pages_of(client, rows) for text in english_on(page, data)}
    assert not found, "\n".join(f"{name}: {text}" for text, name in sorted(found))


# What forms are sent: nothing, what cannot be, and what often can.
SENT: list[dict[str, Any]] = [
    {},
    {"email": "x", "role": "king", "name": " ", "url": "ftp://x", "day": "x", "of": "recorded", "days": "-1"},
    {**FORM, "email": "nobody@example.org", "url": "https://example.org/", "events": ["version.ready"]},
    {"act": "delete", "days": "30", "effective_from": "2024-01-02", "effective_to": "2024-01-01"},
    {"is_active": "1", "of": "chosen", "name": "one", "lifetime": "30", "days": "1"},
]


def answers_of(client: Client, rows: list[UUID]) -> Iterator[tuple[str, str]]:
    """Send forms to every address, each as if it were the first, and yield what is shown after it."""
    for entry in TENANT:
        name, tried = str(entry.name), 0
        for pk in ids_for(name, rows):
            path = address(name, "harbour", pk)
            status = sent_to(client, path, {}).status_code
            if status == 404:
                continue
            if status == 405 or tried == MOST_TRIED:
                break
            tried += 1
            for number, sent in enumerate(SENT):
                response = sent_to(client, path, sent)
                if is_page(response):
                    yield f"{name} {number}", body(response)


def sent_to(client: Client, path: str, sent: dict[str, Any]) -> Any:
    with transaction.atomic():
        response = client.post(path, sent, headers=HEADERS, follow=True)
        transaction.set_rollback(True)
    return response


def test_no_answer_to_a_form_says_a_word_that_cannot_be_translated(
    german: None, harbour: Tenant, rows: list[UUID]
) -> None:
    client, data = client_of(factories.membership(harbour, Role.ADMIN)), data_of(harbour)
    data += " ".join(words_of(str(value)) for sent in SENT for value in sent.values())
    data += f" {words_of(SWITCHED_OFF)} "
    found = {(text, name) for name, page in answers_of(client, rows) for text in english_on(page, data)}
    assert not found, "\n".join(f"{name}: {text}" for text, name in sorted(found))


@pytest.mark.parametrize("path", ["/", "/account/login/", "/account/password/", "/nowhere/"])
@pytest.mark.parametrize("is_known", [True, False])
def test_no_page_outside_of_a_tenant_says_such_a_word(
    path: str, is_known: bool, german: None, meridian: Tenant
) -> None:
    person = factories.user()
    client = client_of(person) if is_known else Client()
    for response in (
        client.get(path, headers=HEADERS),
        client.post(path, {"username": "x", "password": "y", "new_password1": "1"}, headers=HEADERS),
    ):
        assert english_on(body(response), f" {words_of(f'{person.email} {person.name}')} ") == []


SKELETONS = sorted(TEMPLATES.rglob("*.html"))


@pytest.mark.parametrize("path", SKELETONS, ids=lambda path: path.name)
def test_no_template_says_such_a_word_where_no_test_looks(path: Path) -> None:
    assert english_on(skeleton_of(path.read_text()), "") == []


def skeleton_of(source: str) -> str:
    """Return a template with none of what is filled in, and none of what is translated."""
    written, is_translated = "", False
    for token in Lexer(source).tokenize():
        name = token.contents.split()[0] if token.token_type == TokenType.BLOCK else ""
        is_translated = name == "blocktranslate" or (is_translated and name != "endblocktranslate")
        if token.token_type == TokenType.TEXT and not is_translated:
            written += token.contents
        elif token.token_type in {TokenType.VAR, TokenType.BLOCK}:
            written += "⋯"
    return written


WRITTEN = re.compile(
    r"""(?:textContent\s*=|title\s*=|"aria-label",|alert\()[^;\n]*?["'`]\s*[A-Za-z]{2,}"""
    r"""|["'`][A-Z][a-z]+(?: [a-z]+)+[^"'`]*["'`]"""
)


@pytest.mark.parametrize(
    "path", sorted((TEMPLATES.parent / "static").glob("*.js")), ids=lambda path: path.name
)
def test_scripts_say_what_templates_give_them(path: Path) -> None:
    lines = (line.partition("// ")[0] for line in path.read_text().splitlines() if "new Error(" not in line)
    assert [line.strip() for line in lines if WRITTEN.search(line)] == []
