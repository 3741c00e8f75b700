"""A text is checked: what it refers to exists, and what it quotes is said."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.models import Collection
from documents.read_context import ReadContext, Selector
from search.citations import check_citations
from search.citations.check_quotations import MOST_QUOTATIONS
from search.citations.check_references import MOST_REFERENCES
from search.citations.checked import Checked, Outcome
from search.citations.compared import find_exact, find_nearest, read_pieces, read_tokens
from search.citations.quotations import find_quotations
from search.citations.references import find_references
from search.errors import NoSuchCollection, TextRefused
from tenants.models import Tenant
from tests.searching import ACT, add, fill

NAME = "harbour-safety-act.md"
SPEED = "The master of a vessel shall not exceed six knots in the inner harbour."


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


def check(acts: Collection, text: str) -> list[Checked]:
    return check_citations(text, tenant=acts.tenant)


def one(acts: Collection, text: str) -> Checked:
    (checked,) = check(acts, text)
    return checked


def quoted(acts: Collection, text: str) -> Checked:
    (checked,) = [each for each in check(acts, text) if each.kind == "quotation"]
    return checked


def places(checked: Checked) -> list[tuple[str, str]]:
    return [(place.document, place.section_label) for place in checked.places]


def changes(checked: Checked) -> list[tuple[str, str]]:
    return [(part.kind, part.text.strip()) for part in checked.difference if part.kind != "same"]


# What a text refers to.


def test_a_reference_that_leads_to_one_unit_is_resolved(acts: Collection) -> None:
    text = "Speed is limited by section 2(a) of the Harbour Safety Act."
    checked = one(acts, text)
    assert (checked.kind, checked.status) == ("reference", Outcome.RESOLVED)
    assert checked.text == text[slice(*checked.span)] == "section 2(a) of the Harbour Safety Act"
    assert places(checked) == [(NAME, "Section 2(a)")]
    assert checked.places[0].text.strip() == f"(a) {SPEED}"
    assert checked.sentence == f"Section 2(a) of {NAME}."


def test_a_reference_that_leads_nowhere_is_missing_with_what_there_is(acts: Collection) -> None:
    checked = one(acts, "See Section 2(d) of the Harbour Safety Act for more.")
    assert (checked.status, checked.places) == (Outcome.MISSING, ())
    assert checked.existing == ("Section 2(a)", "Section 2(b)")
    assert "does not exist in harbour-safety-act.md" in checked.sentence


def test_a_document_that_is_not_here_is_missing(acts: Collection) -> None:
    checked = one(acts, "This is forbidden by Article 6(1)(f) GDPR in all cases.")
    assert (checked.status, checked.sentence) == (Outcome.MISSING, "No document here is called “gdpr”.")


def test_a_reference_that_several_documents_have_is_ambiguous(acts: Collection) -> None:
    checked = one(acts, "As Section 2(a) says, ships wait.")
    assert (checked.status, checked.place_count) == (Outcome.AMBIGUOUS, 2)
    assert places(checked) == [(NAME, "Section 2(a)"), ("pilotage-rules.md", "Section 2(a)")]
    assert checked.sentence.endswith("Name the document that is meant.")


def test_a_number_is_one_of_the_document_that_was_meant_last(acts: Collection) -> None:
    text = "Section 1(a) of the Pilotage Rules says who needs a pilot. By Section 2(a) the pilot boards."
    first, second = check(acts, text)
    assert places(first) == [("pilotage-rules.md", "Section 1(a)")]
    assert (second.status, places(second)) == (Outcome.RESOLVED, [("pilotage-rules.md", "Section 2(a)")])


def test_each_of_a_list_is_checked(acts: Collection) -> None:
    found = check(acts, "Sections 2(a), 3(b) and 9 of the Harbour Safety Act apply.")
    assert [(each.text, each.status) for each in found] == [
        ("Sections 2(a)", Outcome.RESOLVED),
        ("3(b)", Outcome.RESOLVED),
        ("9 of the Harbour Safety Act", Outcome.MISSING),
    ]


def test_what_means_a_place_near_its_reader_is_no_reference_here(acts: Collection) -> None:
    assert check(acts, "Paragraph (b) of this section applies within 30 days, version 3.2 for $1.50.") == []


def test_a_text_is_checked_as_of_a_moment_and_in_collections(acts: Collection) -> None:
    before = timezone.now()
    add(acts, NAME, ACT.replace("six knots", "four knots"))
    text = f"It says “{SPEED}”"
    then = ReadContext(selector=Selector.AS_OF, as_of=before)
    statuses = [
        check_citations(text, tenant=acts.tenant, context=each)[0].status for each in (then, ReadContext())
    ]
    assert statuses == [Outcome.FOUND, Outcome.NEARLY]
    (named,) = check_citations(text, tenant=acts.tenant, collections=["acts"])
    assert named.status == Outcome.NEARLY
    with pytest.raises(NoSuchCollection):
        check_citations(text, tenant=acts.tenant, collections=["laws"])


# What a text quotes.


@pytest.mark.parametrize(
    "quotation",
    [
        f"“{SPEED}”",
        f'"{SPEED}"',
        "«shall not exceed six knots»",
        "‘shall not exceed six knots’",
        "“the master of a vessel shall not exceed six knots,”",
        "“The master … shall not exceed six knots”",
        "“[t]he master of a vessel shall not exceed six knots”",
        "“[No] master of a vessel shall not exceed six knots [at night] in the inner harbour”",
        "> The master of a vessel shall not\n> exceed six knots",
    ],
)
def test_words_that_are_said_are_found_however_they_are_quoted(acts: Collection, quotation: str) -> None:
    if "[No]" in quotation:
        quotation = quotation.replace("[No] master", "[The] master")
    checked = one(acts, f"It is said:\n\n{quotation}\n\nSo it is.")
    assert (checked.status, places(checked)) == (Outcome.FOUND, [(NAME, "Section 2(a)")])
    assert checked.places[0].text.casefold().startswith(("the master", "master", "shall not"))
    assert checked.places[0].text.rstrip(".").endswith(("knots", "harbour"))


def test_words_that_reach_over_two_chunks_are_found(acts: Collection) -> None:
    words = "A vessel under section 3 may exceed that speed. Section 3. Rescue (a) The harbour master shall"
    checked = one(acts, f"He wrote “{words}” once.")
    assert (checked.status, places(checked)) == (Outcome.FOUND, [(NAME, "")])


def test_words_beside_a_reference_are_looked_for_in_that_unit(acts: Collection) -> None:
    checked = quoted(acts, f"“{SPEED}” (Section 2(a) of the Harbour Safety Act)")
    assert checked.status == Outcome.FOUND
    assert checked.reference == "Section 2(a) of the Harbour Safety Act"
    elsewhere = quoted(acts, f"Section 3(a) of the Harbour Safety Act says “{SPEED}”")
    assert (elsewhere.status, places(elsewhere)) == (Outcome.ELSEWHERE, [(NAME, "Section 2(a)")])
    assert elsewhere.sentence == (
        f"Word for word in Section 2(a) of {NAME}, and not in Section 3(a) of the Harbour Safety Act."
    )


def test_a_block_is_cited_from_what_stands_before_it(acts: Collection) -> None:
    checked = quoted(acts, f"Section 3(a) of the Harbour Safety Act says:\n\n> {SPEED}\n")
    assert checked.status == Outcome.ELSEWHERE


def test_words_that_are_nearly_said_come_with_the_difference(acts: Collection) -> None:
    checked = quoted(acts, "“The master of a vessel must not exceed seven knots in the inner harbour.”")
    assert (checked.status, places(checked)) == (Outcome.NEARLY, [(NAME, "Section 2(a)")])
    assert changes(checked) == [
        ("removed", "shall"),
        ("added", "must"),
        ("removed", "six"),
        ("added", "seven"),
    ]
    assert checked.share is not None
    assert 0.8 < checked.share < 0.9


def test_a_word_that_was_left_out_in_silence_is_a_difference(acts: Collection) -> None:
    checked = quoted(acts, "“The authority shall disclose the names of those who were rescued.”")
    assert checked.status == Outcome.NEARLY
    assert changes(checked) == [("removed", "not")]


def test_words_that_nobody_says_are_not_found(acts: Collection) -> None:
    checked = quoted(acts, "“Every dog on the pier must wear a golden collar on Sundays.”")
    assert (checked.status, checked.places) == (Outcome.NOT_FOUND, ())


def test_another_tenant_finds_nothing(acts: Collection, meridian: Tenant) -> None:
    text = f"“{SPEED}” (section 2(a) of the Harbour Safety Act)"
    statuses = {each.status for each in check_citations(text, tenant=meridian)}
    assert statuses == {Outcome.NOT_FOUND, Outcome.MISSING}


def test_what_stands_in_a_quotation_is_not_looked_up_by_itself(acts: Collection) -> None:
    checked = one(acts, "“A vessel under section 3 may exceed that speed.”")
    assert (checked.kind, checked.status) == ("quotation", Outcome.FOUND)


# Limits.


def test_a_text_has_words_and_an_end(acts: Collection) -> None:
    for text in ("", " \n", "a" * 50_001):
        with pytest.raises(TextRefused):
            check(acts, text)
    assert check(acts, "a" * 50_000) == []


def test_what_is_too_much_is_said_not_to_be_checked(acts: Collection) -> None:
    many = "See section 2(a) of the Harbour Safety Act. " * (MOST_REFERENCES + 2)
    found = check(acts, many)
    assert [each.status for each in found].count(Outcome.RESOLVED) == MOST_REFERENCES
    assert [each.status for each in found[-2:]] == [Outcome.UNCHECKED] * 2
    quotations = check(acts, "“no such words here” " * (MOST_QUOTATIONS + 1))
    assert [each.status for each in quotations].count(Outcome.UNCHECKED) == 1


def test_what_a_check_asks_the_database(acts: Collection) -> None:
    text = f"“{SPEED}” (section 2(a) of the Harbour Safety Act), and “Keep the dog at home tonight”."
    check(acts, text)  # Outlines are kept.
    with CaptureQueriesContext(connection) as queries:
        check(acts, text)
    assert len(queries) == 24


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from('aB1 \n\t“”"‘’«»>[]….(),;§-_*#’3字引用Æ'), max_size=200))
def test_any_text_is_read(text: str) -> None:
    for quotation in find_quotations(text):
        pieces = read_pieces(quotation.text)
        if pieces:
            assert list(find_exact(pieces, read_tokens(quotation.text))) or len(pieces) > 1
            find_nearest(pieces, read_tokens(text))
    for place in find_references(text, most=5):
        assert text[place.start : place.end] == place.text


def test_words_where_nothing_parts_them_are_found() -> None:
    pieces = read_pieces("船舶は港内で")
    assert len(list(find_exact(pieces, read_tokens("すべての船舶は港内で六ノットを")))) == 1
