"""The control by which pages choose what is read, and what they say of it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import RequestFactory

from documents import services
from documents.models import Baseline, Collection, Document
from documents.pages import read
from documents.pages.read import Reading, read_page
from tenants.models import Membership, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.factories import ACTOR
from tests.versions import FEES, PILOTS, act, add_version, collection


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return collection(harbour)


@pytest.fixture
def document(rules: Collection) -> Document:
    return add_version(rules, act(PILOTS)).document


@pytest.fixture
def spring(rules: Collection, document: Document) -> Baseline:
    """A baseline that is published, of a document that has gone on since."""
    made = services.create_baseline(collection=rules, name="Spring", actor=ACTOR)
    services.publish_baseline(baseline=made, actor=ACTOR)
    add_version(rules, act(PILOTS, FEES))
    return made


def reading(tenant: Tenant, query: str, **options: Any) -> Reading:
    request = RequestFactory().get(f"/?{query}")
    with tenant_scope(tenant.pk):
        return read_page(request, tenant, **options)


def chosen(found: Reading) -> tuple[str, str]:
    """The label of the choice that is selected, and the day."""
    selected = re.search(r"<option[^>]* selected>([^<]*)", str(found.form["read"]))
    day = re.search(r' value="([^"]*)"', str(found.form["day"]))
    return unescape(selected[1]) if selected else "", day[1] if day else ""


@pytest.mark.parametrize("query", ["", "read=head", "read=", "read=head&day=2016-03-01"])
def test_what_is_current_is_read_without_a_word_in_links(harbour: Tenant, query: str) -> None:
    found = reading(harbour, query)
    assert (found.words, found.link, found.start, found.sentence, found.problem) == ("", "", "", "", "")
    assert chosen(found)[0] == "as it is now"


@pytest.mark.parametrize(
    ("query", "words", "choice", "sentence"),
    [
        (
            "read=recorded&day=2016-03-01",
            "2016-03-01",
            ("as it was here on", "2016-03-01"),
            "was here on 1 March 2016.",
        ),
        ("read=2016-03-01", "2016-03-01", ("as it was here on", "2016-03-01"), "was here on 1 March 2016."),
        (
            "read=2016-03-01T12:30:00Z",
            "2016-03-01T12:30:00Z",
            ("as it was here on 1 March 2016, 12:30 UTC", ""),
            "was here on 1 March 2016, 12:30 UTC.",
        ),
        (
            "read=effective&day=2030-01-02",
            "effective:2030-01-02",
            ("what applies on", "2030-01-02"),
            "applies on 2 January 2030.",
        ),
        (
            "read=effective:2016-03-01@2020-05-01",
            "effective:2016-03-01@2020-05-01",
            ("what applies on 1 March 2016, as known on 1 May 2020", ""),
            "applies on 1 March 2016, as far as it was known on 1 May 2020.",
        ),
    ],
)
def test_a_day_is_said_and_stays_chosen(
    harbour: Tenant, query: str, words: str, choice: tuple[str, str], sentence: str
) -> None:
    found = reading(harbour, query)
    assert found.problem == ""
    assert found.words == words
    assert chosen(found) == choice
    assert found.sentence == f"You are reading what {sentence}"


def test_baselines_are_choices(harbour: Tenant, spring: Baseline) -> None:
    found = reading(harbour, f"read=baseline:{spring.pk}")
    assert chosen(found) == ("Spring", "")
    assert found.sentence == "You are reading the baseline “Spring”."
    assert found.link == f"&read=baseline%3A{spring.pk}"
    assert [version.number for version in versions_of(harbour, found)] == [1]
    published = reading(harbour, "read=published")
    assert chosen(published) == ("as published", "")
    assert published.sentence == "You are reading what is published: “Spring”."
    assert [version.number for version in versions_of(harbour, published)] == [1]


def test_baselines_of_several_collections_are_told_apart(harbour: Tenant, spring: Baseline) -> None:
    other = factories.collection(harbour, "notices")
    add_version(other, act(FEES), "notice.md")
    services.create_baseline(collection=other, name="Spring", actor=ACTOR)
    shown = str(reading(harbour, "").form["read"])
    assert re.findall(r">(\w+: Spring)<", shown) == ["notices: Spring", "rules: Spring"]
    own = str(reading(harbour, "", collections=[spring.collection]).form["read"])
    assert re.findall(r">([^<]*Spring)<", own) == ["Spring"]


def test_a_baseline_beyond_those_listed_stays_chosen(
    harbour: Tenant, spring: Baseline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "MOST_BASELINES", 0)
    assert chosen(reading(harbour, f"read=baseline:{spring.pk}")) == ("Spring", "")


def test_many_published_baselines_are_counted(harbour: Tenant) -> None:
    for number in range(4):
        place = factories.collection(harbour, f"rules-{number}")
        add_version(place, act(PILOTS), f"{number}.md")
        made = services.create_baseline(collection=place, name="First", actor=ACTOR)
        services.publish_baseline(baseline=made, actor=ACTOR)
    sentence = reading(harbour, "read=published").sentence
    assert sentence == "You are reading what is published: “First”, “First”, “First” and 1 more."


@pytest.mark.parametrize(
    ("query", "problem", "choice"),
    [
        ("read=recorded", "Which day do you mean?", ("as it was here on", "")),
        ("read=effective&day=", "Which day do you mean?", ("what applies on", "")),
        ("read=effective&day=soon", "“soon” is no date.", ("what applies on", "soon")),
        ("read=published", "Nothing is published here.", ("as published", "")),
        ("read=nonsense", "“nonsense” is no date.", ("as it is now", "")),
        (
            "read=baseline:00000000-0000-0000-0000-000000000000",
            "There is no such baseline here.",
            ("as it is now", ""),
        ),
    ],
)
def test_what_is_refused_is_said_and_reads_nothing(
    harbour: Tenant, document: Document, query: str, problem: str, choice: tuple[str, str]
) -> None:
    found = reading(harbour, query)
    assert found.problem.startswith(problem)
    assert chosen(found) == choice
    assert versions_of(harbour, found) == []


def test_a_baseline_of_another_tenant_is_none(harbour: Tenant, meridian: Tenant, spring: Baseline) -> None:
    found = reading(meridian, f"read=baseline:{spring.pk}")
    assert found.problem == "There is no such baseline here."
    assert "Spring" not in str(found.form["read"])


def test_what_else_an_address_says_stays_when_another_context_is_chosen(harbour: Tenant) -> None:
    found = reading(harbour, "q=a+b&type=x&type=y&page=3&read=published&day=&version=2", without=["version"])
    assert list(found.kept) == [("q", "a b"), ("type", "x"), ("type", "y")]
    assert found.current == "?q=a+b&type=x&type=y"


def test_a_page_has_the_control_and_says_what_is_read(
    reader: Membership, document: Document, spring: Baseline
) -> None:
    client = client_of(reader)
    path = f"/t/harbour/documents/{document.pk}/"
    page = client.get(path, {"read": "published", "x": '"><script>'}).content.decode()
    assert '<option value="published" selected>as published</option>' in page
    assert "You are reading what is published: “Spring”." in page
    assert '<input type="hidden" name="x" value="&quot;&gt;&lt;script&gt;">' in page
    assert 'href="?x=%22%3E%3Cscript%3E">Read what is current</a>' in page
    assert "Section 2" not in page.partition("<h2>Outline</h2>")[2]
    current = client.get(path).content.decode()
    assert "You are reading" not in current
    assert "Section 2" in current.partition("<h2>Outline</h2>")[2]


def versions_of(tenant: Tenant, found: Reading) -> list[Any]:
    with tenant_scope(tenant.pk):
        return list(found.versions)
