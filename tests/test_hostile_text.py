"""A document full of markup, on every page that there is: shown as text, under a policy that stays strict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.conf import settings
from django.contrib import admin as administration
from django.db import models
from django.test import Client
from django.urls import reverse

from documents.models import Collection, Document, Version
from tenants.models import Membership, Tenant, User
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.searching import add, make_collection
from tests.test_walls import ADMIN, REST, ROUTES, TENANT

pytestmark = pytest.mark.timeout(600)  # Seconds: half a minute on a quiet machine, and others are not.

# Any of these as an element or an attribute is a hole; as text it is what somebody wrote.
MARK = "evil-mark"
ELEMENT = f"<{MARK} onclick=alert(1)>"
HOSTILE = (
    f"</title></textarea></pre></script><script>alert(1)</script>{ELEMENT}<img src=x onerror=alert(2)>"
    f"\" {MARK}=1 x=\" ' {MARK}=1 x='"
)
TEXT = f"""# {HOSTILE} Act

## Section 1. {HOSTILE}

(a) In this Act, “vessel {ELEMENT}” means {HOSTILE} a ship. [click](javascript:alert(4)) <javascript:alert(5)>

(b) “Keeper” means a person <svg onload=alert(6)> {ELEMENT}. See section 2(a) and section 9 {HOSTILE}.

## Section 2. Duties {HOSTILE}

(a) A vessel {ELEMENT} and a keeper under section 1(a) {HOSTILE} <a href="javascript:alert(7)">x</a>.

| a | {ELEMENT} |
|---|---|
| {HOSTILE} | b |

![x](javascript:alert(8)) [x](data:text/html;base64,PHN2Zz4=) `{ELEMENT}`
"""
NAME = f"{ELEMENT} x.md"
ASKED: list[dict[str, str]] = [
    {},
    {"q": "keeper vessel", "at": "Section 1(a)", "term": "keeper", "label": "Section 2", "explain": "1"},
    dict.fromkeys(("q", "at", "term", "label", "find", "show", "read", "page", "span", "version"), HOSTILE),
]
ADDRESSES = ("href", "src", "action", "formaction", "xlink:href", "srcset", "data", "poster")
RUNNING = re.compile(r"[\s\0]*(?:javascript|vbscript|data):", re.IGNORECASE)
STRICT = {"default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'"}


@pytest.fixture
def rows(harbour: Tenant) -> list[models.Model]:
    """A document that was read in two versions, and one row of each other kind that has a page."""
    place = make_collection(harbour, "acts")
    add(place, NAME, TEXT)
    version = add(place, NAME, TEXT.replace("a ship", "a boat"))
    with tenant_scope(harbour.pk):
        Version.objects.filter(document=version.document_id).update(warnings=[HOSTILE])
        Collection.objects.filter(pk=place.pk).update(description=HOSTILE)
        document = Document.objects.get(pk=version.document_id)
    others = (factories.baseline, factories.webhook, factories.saved_search, factories.evaluation_run)
    return [document, version, place, *(make(harbour) for make in others)]


def faults_of(page: str) -> list[str]:
    """Return what a browser would take for markup, or run, and nobody of ours wrote."""
    faults = []
    for element in BeautifulSoup(page, "html.parser").find_all(True):
        if element.name == MARK or (element.name == "script" and not is_ours(element)):
            faults.append(str(element)[:200])
        for name, value in element.attrs.items():
            said = value if isinstance(value, str) else " ".join(value)
            is_run = name in ADDRESSES and RUNNING.match(said) is not None
            if name.startswith("on") or name in {MARK, "srcdoc"} or is_run:
                faults.append(f"{element.name} {name}={said[:200]}")
    return faults


def is_ours(script: Any) -> bool:
    """Tell a file of ours, or data, from a script in the page."""
    return script.get("type") == "application/json" or str(script.get("src", "")).startswith(
        (settings.STATIC_URL, reverse("admin:jsi18n"))
    )


def is_strict(response: Any) -> bool:
    policy = response.headers.get("Content-Security-Policy", "")
    return {part.strip() for part in policy.split(";")} >= STRICT and "unsafe" not in policy


def check(client: Client, addresses: Iterator[tuple[str, dict[str, str]]]) -> int:
    """Ask for each address; return how many pages showed what was hostile, as text."""
    shown, faults = 0, []
    for address, asked in addresses:
        response = client.get(address, asked)
        assert response.status_code < 500, (address, asked)
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            continue
        page = response.content.decode()
        faults += [(address, list(asked), fault) for fault in faults_of(page)]
        faults += [] if is_strict(response) else [(address, list(asked), "its policy")]
        shown += f"&lt;{MARK}" in page
    assert faults == []
    return shown


def pages_of_a_tenant(client: Client, rows: list[models.Model]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what can be read: an address that takes forms alone, or no such row, is not asked twice."""
    for entry in TENANT:
        name = str(entry.name)
        for row in rows if "<uuid:pk>" in dict(ROUTES)[name] else rows[:1]:
            own = {"pk": row.pk} if "<uuid:pk>" in dict(ROUTES)[name] else {}
            address = reverse(name, kwargs={"slug": "harbour", **own, **REST.get(name, {})})
            status = client.get(address).status_code
            if status == 405:
                break
            if status != 404:
                yield from ((address, asked) for asked in ASKED)


def pages_of_the_administration() -> Iterator[tuple[str, dict[str, str]]]:
    models_of = {
        f"admin/{one._meta.app_label}/{one._meta.model_name}/": one for one in administration.site._registry
    }
    for route, _ in ADMIN:
        if "(?P" in route:  # The start page has the same as those of the apps.
            continue
        model = next((one for start, one in models_of.items() if route.startswith(start)), None)
        for pk in newest_of(model) if model and "<" in route else [""]:
            address = "/" + re.sub(r"<[^>]*>", str(pk), route)
            yield address, {}
            if model and route == f"admin/{model._meta.app_label}/{model._meta.model_name}/":
                yield address, {"q": HOSTILE}


def newest_of(model: type[models.Model]) -> list[Any]:
    with platform_scope():
        return list(model._default_manager.order_by("-pk").values_list("pk", flat=True)[:2])


def test_is_text_on_every_page_of_a_tenant(admin: Membership, rows: list[models.Model]) -> None:
    client = client_of(admin)
    assert check(client, pages_of_a_tenant(client, rows)) > 30


def test_is_text_on_every_page_of_the_administration(operator: User, rows: list[models.Model]) -> None:
    assert check(client_of(operator), pages_of_the_administration()) > 10


@pytest.mark.parametrize(
    ("page", "count"),
    [
        ("<p>&lt;evil-mark&gt; javascript:alert(1)</p>", 0),
        ('<script src="/static/page.js"></script><script type="application/json">{}</script>', 0),
        ("<evil-mark>", 1),
        ("<script>alert(1)</script>", 1),
        ('<script src="//elsewhere/x.js"></script>', 1),
        ("<p onclick=alert(1)>", 1),
        ('<input value="" evil-mark=1 x="">', 1),
        ('<a href=" JavaScript:alert(1)">', 1),
        ('<img src="data:text/html,x">', 1),
    ],
)
def test_faults_are_seen(page: str, count: int) -> None:
    assert len(faults_of(page)) == count
