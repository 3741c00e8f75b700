"""Ids of another tenant in bodies and in addresses behind the question mark.

Where they can stand is read from the description of the API: wherever it lets a text stand. So a new field is
met here without anybody thinking of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from documents.models import Chunk, Version
from documents.services import create_baseline
from search.read.cursor import write_cursor
from tenants.models import Scope, Tenant
from tenants.reference import build_schema
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.described import Operation, operations
from tests.searching import add, fill

JSON, FORM = "application/json", "multipart/form-data"
TREATY = "# Secret Treaty\n\n## Section 1. Ports\n\nThe confidential ports are closed to every vessel.\n"
ORDER = "# Port Order\n\n## Section 1. Ports\n\nThe ports are open to every vessel.\n"
LIST = "[]"  # A step into a list.
MOMENT = datetime(2030, 1, 1, tzinfo=UTC)
Ids = Mapping[str, UUID]
Steps = tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Where a text can stand in a request."""

    operation: str
    part: str  # `query`, or the media type of the body.
    steps: Steps
    is_id: bool

    def __str__(self) -> str:
        return f"{self.operation} {self.part} {'.'.join(self.steps)}"


def places_in(
    schema: Mapping[str, Any], steps: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Find where a schema lets a text stand, and whether it says that it is an id."""
    if "$ref" in schema:
        schema = build_schema()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for inner in (one for kind in ("oneOf", "anyOf", "allOf") for one in schema.get(kind, ())):
        yield from places_in(inner, steps)
    for name, inner in schema.get("properties", {}).items():
        yield from places_in(inner, (*steps, name))
    if "items" in schema:
        yield from places_in(schema["items"], (*steps, LIST))
    kinds = schema.get("type", [])
    is_text = "string" in ([kinds] if isinstance(kinds, str) else kinds) and "enum" not in schema
    if is_text and schema.get("format") not in {"date", "date-time", "binary"}:
        yield steps, schema.get("format") == "uuid"


def places_of(one: Operation) -> Iterator[Place]:
    for parameter in one.said.get("parameters", ()):
        if parameter["in"] == "query":
            for steps, is_id in places_in(parameter["schema"], (parameter["name"],)):
                yield Place(one.name, "query", steps, is_id)
    for kind, content in one.said.get("requestBody", {}).get("content", {}).items():
        if kind in {JSON, FORM}:
            for steps, is_id in places_in(content["schema"]):
                yield Place(one.name, kind, steps, is_id)


PLACES = list(dict.fromkeys(place for one in operations().values() for place in places_of(one)))


def test_places_are_found_in_addresses_bodies_forms_lists_and_below() -> None:
    assert {str(place) for place in PLACES if place.is_id} >= {
        "compare_versions query with",
        "compare_baselines query with",
        "upload_documents query document",
        "upload_documents multipart/form-data document",
        "begin_upload application/json document",
        "create_baseline application/json versions.[]",
        "create_baseline application/json read_context.baseline_id",
        "search application/json filters.documents.[]",
        "search application/json read_context.baseline_id",
        "get_context application/json filters.documents.[]",
        "verify_citation application/json citation.version_id",
        "verify_citation application/json read_context.baseline_id",
        "check_citations application/json read_context.baseline_id",
        "rebuild_index application/json document",
    }
    assert {str(place) for place in PLACES} >= {
        "list_documents query read_context",
        "list_documents query collection.[]",
        "list_baselines query after",
        "read_section query document",
        "search application/json collections.[]",
        "search application/json query",
    }


def put(place: Place, given: Any, value: str) -> Any:
    """Return what is sent with a text in its place, beside what is there."""
    *above, last = place.steps
    found: Any = given
    for step, following in zip(above, place.steps[1:], strict=True):
        empty: Any = [] if following == LIST else {}
        if step == LIST:
            found.append(empty)
            found = found[-1]
        else:
            if not isinstance(found.get(step), type(empty)):
                found[step] = empty
            found = found[step]
    if last == LIST:
        found[:] = [value]
    else:
        found[last] = value
    return given


class Caller:
    """A program of a tenant that puts texts where the description lets them stand."""

    def __init__(self, tenant: Tenant, own: Ids) -> None:
        _, token = factories.api_key(tenant, *Scope)
        self.headers = {"Authorization": f"Bearer {token}"}
        self.own = own
        Client().get("/api/v1/tenant", headers=self.headers)  # The first use of a key is written down.

    def ask(self, place: Place, value: str) -> tuple[int, str]:
        """Return status and answer, the text itself and what changes by itself made unseen."""
        one = operations()[place.operation]
        query, body = self.usual_query(one), self.usual_body(one)
        if place.part == "query":
            query = put(place, query, value)
        else:
            body = put(place, body, value)
        response = Client(raise_request_exception=False).generic(
            one.method.upper(),
            f"{self.path_of(one)}?{urlencode(query, doseq=True)}",
            headers=self.headers,
            **encoded(body),
        )
        return response.status_code, masked(response, value)

    def path_of(self, one: Operation) -> str:
        kind = one.path.split("/")[3]
        assert "{id}" not in one.path or kind in self.own, f"Say in `furnish` what has an id below {kind}."
        return one.path.replace("{id}", str(self.own.get(kind)))

    def usual_query(self, one: Operation) -> dict[str, Any]:
        """What an address has to have: what its description shows, or an own id."""
        own = str(self.own[one.path.split("/")[3]]) if "{id}" in one.path else ""
        asked = [each for each in one.said.get("parameters", ()) if each["in"] == "query"]
        shown = {
            each["name"]: next(iter(each["examples"].values()))["value"]
            for each in asked
            if "examples" in each
        }
        return {each["name"]: own for each in asked if each.get("required")} | shown

    def usual_body(self, one: Operation) -> Any:
        content = one.said.get("requestBody", {}).get("content", {})
        if JSON in content:
            return deepcopy(shown_in(content[JSON]))
        return {"files": SimpleUploadedFile("act.md", b"# Act\n\nKeep clear.\n")} if FORM in content else None


def shown_in(described: Mapping[str, Any]) -> Any:
    return next(iter(described["examples"].values()))["value"]


def encoded(body: Any) -> dict[str, Any]:
    match body:
        case None:
            return {}
        case {"files": _}:
            return {"data": encode_multipart(BOUNDARY, body), "content_type": MULTIPART_CONTENT}
    return {"data": json.dumps(body), "content_type": JSON}


def masked(response: Any, value: str) -> str:
    text = b"".join(response) if response.streaming else response.content
    try:
        said: Any = without_times(json.loads(text))
    except ValueError:
        said = text.decode(errors="replace")
    shown = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return re.sub(re.escape(value[:30]) + r"[\w:-]*", "…", shown)  # Some messages show the beginning.


def without_times(value: Any) -> Any:
    match value:
        case dict():
            return {
                name: without_times(one) for name, one in value.items() if not name.endswith(("_at", "_ms"))
            }
        case list():
            return [without_times(one) for one in value]
    return value


def furnish(tenant: Tenant, name: str = "", text: str = "") -> dict[str, UUID]:
    """Documents that are read, and one of each that has addresses, by the word for it there."""
    place = fill(tenant)
    version = add(place, name or "order.md", text or ORDER)
    with tenant_scope(tenant.pk):
        chunk = Chunk.objects.filter(version=version)[0]
        assert Version.objects.filter(pk=version.pk).readable().exists()
    return {
        "collections": place.pk,
        "documents": version.document_id,
        "versions": version.pk,
        "jobs": version.pk,
        "chunks": chunk.pk,
        "baselines": create_baseline(collection=place, name="Kept", actor=factories.ACTOR).pk,
        "webhooks": factories.webhook(tenant).pk,
        "uploads": factories.upload(tenant).pk,
        "evaluations": factories.evaluation_run(tenant).pk,
    }


def ways_to_say(place: Place, ids: Ids, unknown: UUID) -> list[tuple[str, str]]:
    """Return texts by which somebody may try to name what has these ids, each with the same of what is not.

    Where no id is asked for, in the words of a read context, too, and in the cursors of lists.
    """
    if place.is_id:
        return [(str(pk), str(unknown)) for pk in dict.fromkeys(ids.values())]
    return [
        *((str(ids[kind]), str(unknown)) for kind in ("collections", "documents", "versions", "baselines")),
        (f"baseline:{ids['baselines']}", f"baseline:{unknown}"),
        (write_cursor("", ids["documents"]), write_cursor("", unknown)),
        (write_cursor(MOMENT, ids["baselines"]), write_cursor(MOMENT, unknown)),
    ]


@pytest.mark.timeout(900)
def test_what_another_tenant_has_is_as_what_nobody_has(
    harbour: Tenant, meridian: Tenant, settings: Any
) -> None:
    settings.API_RATE = 0  # It asks faster than a program may.
    theirs = furnish(harbour, "secret-treaty.md", TREATY)
    caller = Caller(meridian, furnish(meridian))
    secrets = [*map(str, theirs.values()), str(harbour.pk), "secret-treaty", "Secret Treaty", "confidential"]
    nobodys, before = uuid4(), everything_of(harbour)
    for place in PLACES:
        ways = ways_to_say(place, theirs, nobodys)
        refused = {
            text: as_refused(*undone(caller, place, text)) for text in {unknown for _, unknown in ways}
        }
        for text, unknown in ways:
            status, answer = undone(caller, place, text)
            assert status < 500, (place, text, answer)
            assert [one for one in secrets if one in answer] == [], (place, text, answer)
            assert as_refused(status, answer) == refused[unknown], (place, text)
        assert everything_of(harbour) == before, place


def undone(caller: Caller, place: Place, value: str) -> tuple[int, str]:
    """Ask, and leave nothing of what came of it."""
    with transaction.atomic():
        answer = caller.ask(place, value)
        transaction.set_rollback(True)
    return answer


def as_refused(status: int, answer: str) -> tuple[int, str]:
    return status, answer if status >= 400 else ""


# Ids that are looked at beside others alone: those of a citation, if its version is here.
BESIDES = {
    f"verify_citation application/json {place}.{name}"
    for place, names in (
        ("citation", ("tenant", "collection_id", "document_id")),
        ("citations.[]", ("tenant", "collection_id", "document_id", "version_id")),
    )
    for name in names
}


def test_what_the_tenant_has_itself_is_another_matter(meridian: Tenant) -> None:
    """So that the test above asks for something: each id is looked at, and not refused before it is."""
    own = furnish(meridian)
    caller = Caller(meridian, own)
    alike = set()
    for place in (one for one in PLACES if one.is_id):
        unknown = undone(caller, place, str(uuid4()))
        if {undone(caller, place, str(pk)) for pk in own.values()} == {unknown}:
            alike.add(str(place))
    assert alike == BESIDES
