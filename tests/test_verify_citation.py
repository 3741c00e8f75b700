"""Whether what was cited still stands: each answer that there is, and what it says of then and now."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents import services
from documents.errors import ReadContextRefused
from documents.models import Collection, State, Version
from documents.read_context import ReadContext, Selector
from search.answer import Citation
from search.ask import ask
from search.citations import GivenCitation, Status, verify_citation
from search.citations.verification import Verification
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.searching import ACT, ACTOR, add, fill

NAME = "harbour-safety-act.md"
AMENDED = ACT.replace("six knots", "four knots")


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


def cite(tenant: Tenant, query: str) -> Citation:
    return ask(tenant=tenant, query=f"{query} of the Harbour Safety Act").hits[0].citation


def text_of(version: Version) -> str:
    with tenant_scope(version.tenant_id):
        return Version.objects.get(pk=version.pk).text


def cite_words(version: Version, words: str) -> GivenCitation:
    """Cite a part of a version by its words."""
    start = text_of(version).index(words)
    span = start, start + len(words)
    return GivenCitation(version_id=version.pk, span=span, content_hash=sha256(words.encode()).hexdigest())


def as_of(moment: datetime) -> ReadContext:
    return ReadContext(selector=Selector.AS_OF, as_of=moment)


def changes(verified: Verification) -> list[tuple[str, str]]:
    return [(part.kind, part.text.strip()) for part in verified.difference if part.kind != "same"]


def test_what_nobody_has_changed_stands(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 2(a)")
    verified = verify_citation(citation, tenant=acts.tenant)
    assert (verified.status, verified.now) == (Status.STANDS, verified.then)
    assert verified.sentence == "These words stand today: version 1 is what is read."
    then = verified.then
    assert then is not None
    assert then.text.strip() == "(a) The master of a vessel shall not exceed six knots in the inner harbour."
    assert (then.document, then.version, then.section_label) == (NAME, 1, "Section 2(a)")
    assert then.path == ("Section 2 Speed", "(a)")
    assert then.citation == citation
    assert verified.read_context == {"selector": "head"}


def test_what_was_amended_is_changed_with_both_texts(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 2(a)")
    add(acts, NAME, AMENDED)
    verified = verify_citation(citation, tenant=acts.tenant)
    then, now = verified.then, verified.now
    assert then is not None
    assert now is not None
    assert verified.status == Status.CHANGED
    assert verified.sentence == "Section 2(a) says something else today, in version 2."
    assert (then.version, now.version) == (1, 2)
    assert "six knots" in then.text
    assert "four knots" in now.text
    assert changes(verified) == [("removed", "six"), ("added", "four")]
    assert [change.version for change in verified.since] == [2]
    assert now.citation.version_id != citation.version_id
    assert verify_citation(now.citation, tenant=acts.tenant).status == Status.STANDS


def test_the_same_words_in_another_version_stand(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 2(b)")
    add(acts, NAME, AMENDED)
    verified = verify_citation(citation, tenant=acts.tenant)
    assert verified.status == Status.STANDS
    assert verified.sentence == "These words stand today, word for word, in version 2: Section 2(b)."
    assert verified.then is not None
    assert verified.now is not None
    assert (verified.then.version, verified.now.version) == (1, 2)
    assert verified.now.span[0] == verified.then.span[0] + len("four") - len("six")
    assert verified.since == ()


def test_blanks_are_no_change(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 2(a)")
    add(acts, NAME, ACT.replace("shall not exceed six", "shall not\nexceed  six"))
    assert verify_citation(citation, tenant=acts.tenant).status == Status.STANDS


def test_words_that_stand_under_another_number_have_moved(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 3(b)")
    inserted = "(b) The pilot shall be told of every rescue as well.\n\n(c) The authority shall not"
    add(acts, NAME, ACT.replace("(b) The authority shall not", inserted))
    verified = verify_citation(citation, tenant=acts.tenant)
    assert verified.status == Status.MOVED
    assert verified.sentence == "The same words stand elsewhere today: Section 3(c), in version 2."
    assert [place.section_label for place in verified.places] == ["Section 3(c)"]
    assert verified.now == verified.places[0]
    assert verified.place_count == 1
    assert [change.version for change in verified.since] == [2]


def test_words_that_stand_in_several_other_places_name_all_of_them(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 3(b)")
    line = "The authority shall not disclose the names of those who were rescued."
    moved = (
        ACT.replace(f"(b) {line}", "(b) Nothing.") + f"\n## Section 4. Names\n\n(a) {line}\n\n(b) {line}\n"
    )
    add(acts, NAME, moved)
    verified = verify_citation(citation, tenant=acts.tenant)
    assert verified.status == Status.MOVED
    assert [place.section_label for place in verified.places] == ["Section 4(a)", "Section 4(b)"]
    assert verified.sentence.startswith(
        "The same words stand elsewhere today: Section 4(a) and 1 more place,"
    )


def test_what_is_said_twice_and_changed_once_has_not_moved(harbour: Tenant, acts: Collection) -> None:
    twice = ACT.replace(
        "(b) A vessel under section 3 may exceed that speed.", "(b) The master waits until told."
    )
    twice += "\n## Section 4. Waiting\n\n(a) The master waits until told.\n"
    add(acts, NAME, twice)
    citation = cite(harbour, "Section 2(b)")
    add(acts, NAME, twice.replace("(b) The master waits until told.", "(b) The master waits for an hour."))
    verified = verify_citation(citation, tenant=harbour)
    assert verified.status == Status.CHANGED
    assert verified.now is not None
    assert verified.now.section_label == "Section 2(b)"


def test_a_unit_that_got_another_number_and_other_words_is_recognised(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 3(b)")
    text = ACT.replace(
        "(b) The authority shall not disclose the names of those who were rescued.",
        "## Section 4. Names\n\n(a) The authority shall never disclose the names of those who were rescued.",
    )
    add(acts, NAME, text)
    verified = verify_citation(citation, tenant=acts.tenant)
    assert (verified.status, verified.now and verified.now.section_label) == (Status.CHANGED, "Section 4(a)")
    assert verified.sentence == "Section 3(b) is Section 4(a) today, with other words, in version 2."
    assert ("added", "never") in changes(verified)


def test_what_is_gone_with_its_words_is_removed(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 3")
    add(acts, NAME, ACT[: ACT.index("## Section 3")])
    verified = verify_citation(citation, tenant=acts.tenant)
    assert (verified.status, verified.now) == (Status.REMOVED, None)
    assert verified.sentence == "Neither Section 3 nor its words are there today, in version 2."
    assert verified.then is not None
    assert "disclose every rescue" in verified.then.text
    assert [change.version for change in verified.since] == [2]


def test_a_unit_to_which_something_was_added_is_changed(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 3")
    add(acts, NAME, ACT + "\n(c) Both may be told to the coast guard.\n")
    verified = verify_citation(citation, tenant=acts.tenant)
    assert verified.status == Status.CHANGED
    assert changes(verified) == [("added", "(c) Both may be told to the coast guard.")]


def test_a_part_of_a_unit_stands_while_the_rest_of_it_changes(acts: Collection) -> None:
    with tenant_scope(acts.tenant_id):
        version = Version.objects.get(document__name=NAME)
    citation = cite_words(version, "shall not exceed")
    add(acts, NAME, AMENDED)
    verified = verify_citation(citation, tenant=acts.tenant)
    assert (verified.status, verified.now and verified.now.text) == (Status.STANDS, "shall not exceed")
    assert verified.since == ()


def test_of_a_part_that_changed_the_same_part_is_shown(acts: Collection) -> None:
    with tenant_scope(acts.tenant_id):
        version = Version.objects.get(document__name=NAME)
    citation = cite_words(version, "shall not exceed six knots")
    add(acts, NAME, AMENDED)
    verified = verify_citation(citation, tenant=acts.tenant)
    assert (verified.status, verified.now and verified.now.text) == (
        Status.CHANGED,
        "shall not exceed four knots",
    )
    assert [change.version for change in verified.since] == [2]


TWICE = ACT.replace(
    "(b) A vessel under section 3 may exceed that speed.",
    "(b) The master of a tug shall not exceed six knots in the inner harbour.",
)


@pytest.mark.parametrize("label", ["Section 2", ""])
def test_of_what_is_said_twice_the_other_one_does_not_stand_for_it(
    harbour: Tenant, acts: Collection, label: str
) -> None:
    """The product cites paragraphs by the section that they are in, or by none, where it has merged them."""
    version = add(acts, NAME, TWICE)
    words = "shall not exceed six knots in the inner harbour."
    first = replace(cite_words(version, words), section_label=label)
    start = text_of(version).rindex(words)
    second = replace(first, span=(start, start + len(words)))
    amended = TWICE.replace("vessel shall not exceed six knots", "vessel shall not exceed four knots")
    for text in (amended, amended + "\n"):
        add(acts, NAME, text)
    verified, other = (verify_citation(one, tenant=harbour) for one in (first, second))
    assert (verified.status, other.status) == (Status.CHANGED, Status.STANDS)
    assert verified.now is not None
    assert verified.now.text == "shall not exceed four knots in the inner harbour."
    said = "Section 2 says something else" if label else "What was cited is another text"
    assert verified.sentence == f"{said} today, in version 4."
    assert changes(verified) == [("removed", "six"), ("added", "four")]
    assert ([change.version for change in verified.since], other.since) == ([3], ())
    assert other.now is not None
    assert other.now.span[0] == start + len("four") - len("six")


def test_words_that_reach_beyond_their_unit_are_compared_to_their_end(acts: Collection) -> None:
    """The label names where they begin: what holds all of them is what is compared."""
    with tenant_scope(acts.tenant_id):
        version = Version.objects.get(document__name=NAME)
    text = text_of(version)
    words = text[text.index("(b) A vessel under section 3") :].strip()
    citation = replace(cite_words(version, words), section_label="Section 2")
    assert verify_citation(citation, tenant=acts.tenant).status == Status.STANDS
    add(acts, NAME, AMENDED)  # Before it.
    stands = verify_citation(citation, tenant=acts.tenant)
    assert (stands.status, stands.now and stands.now.text, stands.since) == (Status.STANDS, words, ())
    add(acts, NAME, AMENDED.replace("the names of those", "the names of all those"))
    verified = verify_citation(citation, tenant=acts.tenant)
    assert (verified.status, verified.now and verified.now.text) == (
        Status.CHANGED,
        words.replace("the names of those", "the names of all those"),
    )
    assert verified.sentence == "What was cited is another text today, in version 3."
    assert changes(verified) == [("added", "all")]
    assert [change.version for change in verified.since] == [3]


def test_of_words_that_are_gone_from_a_unit_what_is_left_around_them_is_shown(acts: Collection) -> None:
    with tenant_scope(acts.tenant_id):
        version = Version.objects.get(document__name=NAME)
    citation = replace(cite_words(version, "in the inner harbour."), section_label="")
    add(acts, NAME, ACT.replace(" in the inner harbour.", ""))
    verified = verify_citation(citation, tenant=acts.tenant)
    assert verified.status == Status.CHANGED
    assert verified.now is not None
    assert verified.now.text.strip() == "(a) The master of a vessel shall not exceed six knots"


def test_versions_that_left_the_words_alone_are_not_named(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 2(a)")
    texts = [ACT + "\n", AMENDED, AMENDED.replace("boat or craft", "boat"), AMENDED.replace("four", "two")]
    for text in texts:
        add(acts, NAME, text)
    verified = verify_citation(citation, tenant=acts.tenant)
    assert [change.version for change in verified.since] == [3, 5]
    with tenant_scope(acts.tenant_id):
        third = Version.objects.get(document__name=NAME, number=3)
    assert verified.since[0].recorded_at == third.recorded_at


def test_a_document_in_the_bin_is_withdrawn(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 2(a)")
    with tenant_scope(acts.tenant_id):
        version = Version.objects.select_related("document").get(pk=citation.version_id)
    before = timezone.now()
    services.delete_document(document=version.document, actor=ACTOR)
    verified = verify_citation(citation, tenant=acts.tenant)
    assert (verified.status, verified.now) == (Status.WITHDRAWN, None)
    assert verified.sentence.startswith(f"{NAME} says nothing today: it is in the bin since ")
    assert verified.then is not None
    assert verify_citation(citation, tenant=acts.tenant, context=as_of(before)).status == Status.STANDS


def test_a_withdrawn_version_says_nothing(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 2(a)")
    with tenant_scope(acts.tenant_id):
        version = Version.objects.get(pk=citation.version_id)
    services.withdraw_version(version=version, actor=ACTOR)
    verified = verify_citation(citation, tenant=acts.tenant)
    assert verified.status == Status.WITHDRAWN
    assert verified.sentence == f"{NAME} says nothing today: its last version was withdrawn."


def test_what_is_not_in_a_baseline_is_withdrawn_there(acts: Collection) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")  # A worker would have ended its transaction.
    baseline = services.create_baseline(collection=acts, name="Spring", actor=ACTOR)
    late = add(acts, "late.md", "# Late Rules\n\n## Section 1. Late\n\n(a) They come late.\n")
    context = ReadContext(selector=Selector.BASELINE, baseline_id=baseline.pk)
    verified = verify_citation(cite_words(late, "They come late."), tenant=acts.tenant, context=context)
    assert verified.status == Status.WITHDRAWN
    assert verified.sentence == "late.md says nothing in that baseline: it is not in the baseline."
    assert verified.read_context["baselines"] == [{"id": str(baseline.pk), "name": "Spring"}]
    citation = cite(acts.tenant, "Section 2(a)")
    add(acts, NAME, AMENDED)
    assert verify_citation(citation, tenant=acts.tenant, context=context).status == Status.STANDS
    assert verify_citation(citation, tenant=acts.tenant).status == Status.CHANGED


def test_a_context_that_names_nothing_is_refused(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 2(a)")
    with pytest.raises(ReadContextRefused, match="Nothing is published"):
        verify_citation(citation, tenant=acts.tenant, context=ReadContext(selector=Selector.PUBLISHED))


def test_before_an_amendment_what_came_with_it_did_not_stand(acts: Collection) -> None:
    before = timezone.now()
    add(acts, NAME, AMENDED)
    verified = verify_citation(cite(acts.tenant, "Section 2(a)"), tenant=acts.tenant, context=as_of(before))
    assert verified.status == Status.CHANGED
    assert changes(verified) == [("removed", "four"), ("added", "six")]
    assert [change.version for change in verified.since] == [1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"content_hash": "0" * 64}, "its hash is not that of the words"),
        ({"span": (0, 10)}, "its hash is not that of the words"),
        ({"span": (0, 10_000)}, "beyond the end"),
        ({"span": (2**30, 2**31 - 1)}, "beyond the end"),
        ({"document_id": uuid4()}, "another document"),
        ({"collection_id": uuid4()}, "another document"),
        ({"section_label": "Section 1(a)"}, "not in “Section 1(a)”"),
        ({"section_label": "Section 99"}, "not in “Section 99”"),
    ],
)
def test_a_citation_that_does_not_agree_with_itself_is_altered(
    acts: Collection, change: dict[str, Any], words: str
) -> None:
    verified = verify_citation(replace(cite(acts.tenant, "Section 2(a)"), **change), tenant=acts.tenant)
    assert verified.status == Status.ALTERED
    assert words in verified.sentence
    assert (verified.then, verified.now, verified.difference) == (None, None, ())


def test_a_version_that_is_not_here_is_gone_and_what_stands_there_is_said(acts: Collection) -> None:
    citation = replace(cite(acts.tenant, "Section 2(a)"), version_id=uuid4())
    verified = verify_citation(citation, tenant=acts.tenant)
    assert (verified.status, verified.then) == (Status.GONE, None)
    assert verified.now is not None
    assert verified.now.section_label == "Section 2(a)"
    assert verified.sentence.endswith("The same words stand today in version 1: Section 2(a).")
    add(acts, NAME, AMENDED)
    assert verify_citation(citation, tenant=acts.tenant).sentence.endswith(
        "What Section 2(a) says today is another text."
    )
    unknown = replace(citation, section_label="Section 99")
    assert verify_citation(unknown, tenant=acts.tenant).now is None


def test_a_version_that_was_never_ready_is_gone(harbour: Tenant) -> None:
    waiting = factories.version(harbour, state=State.QUEUED)
    given = GivenCitation(version_id=waiting.pk, span=(0, 1), content_hash="0" * 64)
    assert verify_citation(given, tenant=harbour).status == Status.GONE


def test_what_belongs_to_another_tenant_is_gone_whatever_is_given(acts: Collection, meridian: Tenant) -> None:
    citation = cite(acts.tenant, "Section 2(a)")
    given = GivenCitation.of(citation)
    attempts = (
        citation,
        replace(citation, tenant=meridian.pk),
        replace(given, tenant=None),
        replace(citation, tenant=meridian.pk, version_id=uuid4()),
    )
    for attempt in attempts:
        verified = verify_citation(attempt, tenant=meridian)
        assert (verified.status, verified.then, verified.now) == (Status.GONE, None, None)
        assert verified.sentence == "There is no such version here: it was deleted, or never was."


def test_a_long_unit_is_compared_to_its_end_and_shown_in_part(acts: Collection) -> None:
    lines = [
        f"({number}) The berth {number} is kept clear of every other vessel at night."
        for number in range(1, 400)
    ]
    long = "# Berths\n\n## Section 1. Berths\n\n" + "\n\n".join(lines) + "\n"
    version = add(acts, "berths.md", long)
    whole = cite_words(version, text_of(version)[text_of(version).index("## Section 1") :])
    add(acts, "berths.md", long.replace("berth 390 is", "berth 390 was"))
    verified = verify_citation(whole, tenant=acts.tenant)
    assert verified.status == Status.CHANGED
    assert verified.then is not None
    assert (len(verified.then.text), verified.then.is_cut, verified.is_difference_cut) == (8_000, True, True)
    assert changes(verified) == [("removed", "is"), ("added", "was")]


def test_a_verification_takes_as_many_queries_however_many_versions_there_are(acts: Collection) -> None:
    citation = cite(acts.tenant, "Section 2(a)")
    with CaptureQueriesContext(connection) as same:
        verify_citation(citation, tenant=acts.tenant)
    for number in range(4):
        add(acts, NAME, AMENDED + "\n" * number)
    verify_citation(citation, tenant=acts.tenant)  # Outlines are kept.
    with CaptureQueriesContext(connection) as other:
        verify_citation(citation, tenant=acts.tenant)
    assert (len(same), len(other)) == (7, 11)
