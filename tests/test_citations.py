"""A citation finds its place, however it is typed; what does not exist is said not to, with what does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from definitions.extract.found import Target
from definitions.extract.references.cite import cite_target
from definitions.kept_outlines import CACHE, OutlineCache
from definitions.resolve import UnitIndex
from documents.chunk import chunk_outline
from documents.models import Collection, Version, VersionQuerySet
from documents.parse import parse_outline
from search.retrieve.citations import Citations, resolve_citations
from search.understand.citations import find_citations, without_citations
from search.understand.cited_units import trace_target
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.findings import add

OUTLINES = Path(__file__).parent / "outlines"


def show(target: Target) -> str:
    """Return a target in words; a bare number is shown as a section."""
    steps = target.steps
    if steps and not steps[0].kind:
        steps = (replace(steps[0], kind="section"), *steps[1:])
    return cite_target(replace(target, steps=steps))


def cited(query: str) -> list[str]:
    return [
        show(place.target) + (f" to {show(replace(place.through, document=''))}" if place.through else "")
        for place in find_citations(query)
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("12 CFR 1024.37(d)(2)(ii)(B)", ["cfr 12 1024.37(d)(2)(ii)(B)"]),
        ("12 cfr § 1024.37 (d)(2)", ["cfr 12 1024.37(d)(2)"]),
        ("12 C.F.R. § 1002.9(a)", ["cfr 12 1002.9(a)"]),
        ("What does 12 CFR 1002.5(c)(2)(ii) say?", ["cfr 12 1002.5(c)(2)(ii)"]),
        ("15 U.S.C. 1601(a)", ["usc 15 § 1601(a)"]),
        ("§1024.37(d)(2)", ["§ 1024.37(d)(2)"]),
        ("Sec. 203, para. (a)(1)", ["§ 203 paragraph a(1)"]),
        ("paragraph (a)(1) of section 203", ["§ 203 paragraph a(1)"]),
        ("1010.15(e)", ["§ 1010.15(e)"]),
        ("203(a)(1)", ["§ 203(a)(1)"]),
        ("9.3", ["§ 9.3"]),
        ("25-7-101", ["§ 25-7-101"]),
        ("Rule 9.3", ["rule 9.3"]),
        ("rule 9.3(1)", ["rule 9.3(1)"]),
        ("Article 6(1)(f) GDPR", ["gdpr article 6(1)(f)"]),
        ("ARTICLE 6(1)(F) GDPR", ["gdpr article 6(1)(F)"]),
        ("GDPR art. 4(5)", ["gdpr article 4(5)"]),
        ("Art. 6 Abs. 1 lit. f DSGVO", ["dsgvo article 6 paragraph 1 point f"]),
        ("art. 6, paragraphe 1, point f), du RGPD", ["rgpd article 6 paragraph 1 point f"]),
        ("Article 6 of Regulation (EU) 2016/679", ["regulation 2016/679 article 6"]),
        ("recital 95 of regulation (eu) 2016/679", ["regulation 2016/679 recital 95"]),
        ("art. 16(4)a)", ["article 16(4)(a)"]),
        ("RFC7540 5.3.2", ["rfc 7540 § 5.3.2"]),
        ("rfc 7540 3", ["rfc 7540 § 3"]),
        ("[RFC7230], Section 8.1", ["rfc 7230 § 8.1"]),
        ("[rfc7230] section 8.1", ["rfc 7230 § 8.1"]),
        ("RFC 7231 § A.1", ["rfc 7231 § A.1"]),
        ("see Appendix A.6 of RFC 7231", ["rfc 7231 appendix A.6"]),
        ("ISO 9001, 4.3.2", ["iso 9001 § 4.3.2"]),
        ("comment 9-4 of part 1002", ["part 1002 comment 9-4"]),
        ("12 CFR part 1013, Supp. I, comment 4(d)-3", ["cfr 12 1013 supplement I comment 4(d)-3"]),
        ("official interpretation 4(a)(35)-7.i (Part 1003)", ["part 1003 comment 4(a)(35)-7(i)"]),
        ("appendix d to part 1002", ["part 1002 appendix d"]),
        ("12 CFR part 1003, appendix C", ["cfr 12 1003 appendix C"]),
        ("§ 3 Abs. 2 Satz 1 BGB", ["bgb § 3 paragraph 2 sentence 1"]),
        ("§ 823 I 1 BGB", ["bgb § 823 paragraph 1 sentence 1"]),
        ("art. 5 ust. 2 pkt 3", ["article 5 paragraph 2 point 3"]),
        ("2 kap. 3 § andra stycket", ["chapter 2 § 3 paragraph 2"]),
        ("第6条第2項", ["article 6 paragraph 2"]),
        ("section 12 of the Harbour Safety Act", ["harbour safety act § 12"]),
        ("section 12 of the harbour safety act", ["harbour safety act § 12"]),
        ("s 5(2) Companies Act 2006", ["companies act 2006 § 5(2)"]),
        ("Schedule 2, paragraph 4(b)", ["schedule 2 paragraph 4(b)"]),
        ("paragraph 4(b) of Schedule 2", ["schedule 2 paragraph 4(b)"]),
        ("Annex II, 1", ["annex II(1)"]),
        ("Annex I, Part A, point 3", ["annex I part A point 3"]),
        ("paragraph (A) of Article II, Section 1", ["article II § 1 paragraph A"]),
        ("Part One", ["part 1"]),
        ("AC-2(3)", ["§ AC-2(3)"]),
        ("Articles 6 and 9 GDPR", ["gdpr article 6", "gdpr article 9"]),
        ("GDPR Articles 6 and 9", ["gdpr article 6", "gdpr article 9"]),
        ("§ 5(a) and § 7", ["§ 5(a)", "§ 7"]),
        ("§ 5(a) and (c)", ["§ 5(a)", "§ 5(c)"]),
        ("Articles 6 to 9 of Regulation (EU) 2016/679", ["regulation 2016/679 article 6 to article 9"]),
        ("§§ 5-7", ["§ 5 to § 7"]),
        ("retention period in Article 5(1)(e) GDPR", ["article 5(1)(e)"]),
        ("Under Rule 9.3, what must a firm do?", ["rule 9.3"]),
        ("RFC 9999", ["rfc 9999"]),
    ],
)
def test_a_citation_is_read_however_it_is_typed(query: str, expected: list[str]) -> None:
    assert cited(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "version 3.2 of the software",
        "10 days",
        "Section of the harbour",
        "PD-1 blockade in 3.5 of 10 patients",
        "a 2.5 % rise",
        "the requirement of 13 members",
        "Companies Regulations 2020",
        "part a result of the storm",
        "how many articles are there",
        "does paragraph (b) apply",
        "type II diabetes",
        "",
        "???",
        "2016",
        "42",
    ],
)
def test_what_cites_nothing_for_sure_is_never_missed(query: str) -> None:
    assert [place.text for place in find_citations(query) if place.is_sure] == []


@pytest.mark.parametrize("query", ["COVID-19", "COVID-19 (2020)", "GDPR 17", "IL-10 and HIV-1", "SYSC 4.1.1"])
def test_what_may_be_something_else_counts_only_if_it_exists(query: str) -> None:
    assert {place.is_sure for place in find_citations(query)} == {False}


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("What does 12 CFR 1002.5 say?", ""),
        ("see Section 3 of RFC 7230", ""),
        ("text of Article 6 GDPR, please", ""),
        ("Was steht in § 3 BGB?", ""),
        ("Articles 6 and 9 GDPR", ""),
        ("retention period in Article 5(1)(e) GDPR", "retention period in GDPR"),
        ("Under Rule 9.3, what must a firm do?", "Under , what must a firm do?"),
        ("no citation at all", "no citation at all"),
    ],
)
def test_what_is_left_is_the_free_text(query: str, rest: str) -> None:
    assert without_citations(query, find_citations(query)) == rest


def test_names_that_were_found_are_left_out_too() -> None:
    query = "article 6(1)(f) gdpr"
    assert without_citations(query, find_citations(query)) == "gdpr"
    assert without_citations(query, find_citations(query), [(16, 20)]) == ""


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200) | st.text(alphabet="§ 1(a).-,of Article RFC[]", max_size=120))
def test_any_query_is_read_and_places_are_in_order(query: str) -> None:
    places = find_citations(query)
    assert all(query[place.start : place.end] == place.text for place in places)
    assert all(one.start <= other.start for one, other in pairwise(places))


@pytest.mark.parametrize(
    "piece", ["§ 1 ", "Article 1(a)", "(1)", "1.1.", "of the ", "RFC ", "Act ", "and ", "[", "I "]
)
def test_a_long_query_comes_to_an_end(piece: str) -> None:
    assert len(find_citations(piece * 2_000)) <= 500


# --- Citations as each country spells them, in documents of its style. ---


def trace(name: str, query: str) -> list[str]:
    """Return the labels of the units that a query leads to in one of the outlines here."""
    source = next(path for path in OUTLINES.glob(f"{name}.*") if path.suffix in {".md", ".txt"})
    index = UnitIndex(parse_outline(source.read_text(), is_markdown=source.suffix == ".md").units)
    traced = [trace_target(index, place.target).unit for place in find_citations(query)]
    return [index.units[unit].label for unit in traced if unit is not None]


@pytest.mark.parametrize(
    ("name", "query", "label"),
    [
        ("an_act_with_schedules_apart", "Sch. 1, Pt. 2, para. 3(2)", "Schedule 1/3(2)"),
        ("an_act_with_schedules_apart", "Pt 2 Ch 2", "Part 2/Chapter 2"),
        ("an_act_with_gaps_between_divisions", "subsection 104ZA(2)", "104ZA(2)"),
        ("an_act_with_gaps_between_divisions", "subparagraph 101(2)(b)(ii)", "101(2)(b)(ii)"),
        ("an_act_with_gaps_between_divisions", "Ch 2 Pt 1 Div 2", "Chapter 2/Part 1/Division 2"),
        ("an_act_with_gaps_between_divisions", "201-10(2)", "201-10(2)"),
        ("a_regulation_of_canada", "paragraph 3(1)(a.1)", "3(1)(a.1)"),
        ("a_regulation_of_canada", "clause 3(1)(b)(ii)(B)", "3(1)(b)(ii)(B)"),
        ("an_act_of_india_with_schedules", "First Schedule, item 1", "Schedule 1/1"),
        ("an_act_of_india_with_schedules", "Section 3-A", "3A"),
        ("an_act_of_india_with_schedules", "Chapter II-A", "Chapter IIA"),
        ("an_act_of_india_with_schedules", "clause (b) of sub-section (2) of section 3", "3(2)(b)"),
        ("an_act_of_singapore", "Part 2 of the Second Schedule", "Schedule 2/Part II"),
        ("regulations_with_one_schedule", "Schedule, paragraph 2(2)", "Schedule/2(2)"),
        ("regulations_with_one_schedule", "the Schedule", "Schedule"),
        ("regulations_with_one_schedule", "Part 2 of the Schedule", "Schedule/Part 2"),
        ("regulations_with_one_schedule", "reg 3(2)(b)(ii)", "3(2)(b)(ii)"),
        ("a_swiss_law_with_a_decimal_annex", "Art. 2 Abs. 2 Bst. b Ziff. 2", "Article 2(2)(b).2"),
        ("a_swiss_law_with_a_decimal_annex", "2. Abschnitt des 2. Kapitels", "Section 2"),
        ("a_french_code_in_two_parts", "article L. 111-2, II, 2°, b", "Article L. 111-2(II)(2)(b)"),
        ("a_french_code_in_two_parts", "b du 2° du II de l'article L. 111-2", "Article L. 111-2(II)(2)(b)"),
        ("a_french_code_in_two_parts", "art. L. 111-2 II 2° b)", "Article L. 111-2(II)(2)(b)"),
        ("a_french_code_in_two_parts", "2° bis de l'article L. 122-1", "Article L. 122-1(2 bis)"),
        ("a_french_code_in_two_parts", "R*121-2", "Article R.* 121-2"),
        ("controls_with_enhancements", "AC-2 (3)", "AC-2(3)"),
        ("controls_with_enhancements", "AC-1a.1.(b)", "AC-1(a).1(b)"),
        ("controls_with_enhancements", "AC-2c.", "AC-2(c)"),
    ],
)
def test_a_citation_leads_to_its_unit(name: str, query: str, label: str) -> None:
    assert trace(name, query)[:1] == [label]


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("an_act_with_schedules_apart", "Schedule 1 paragraph 5"),
        ("an_act_with_gaps_between_divisions", "section 104ZB"),
        ("an_act_with_gaps_between_divisions", "Ch 2 Pt 1 Div 3"),
        ("a_regulation_of_canada", "paragraph 3(1)(a.2)"),
        ("an_act_of_india_with_schedules", "Third Schedule"),
        ("an_act_of_india_with_schedules", "First Schedule, item 3"),
        ("regulations_with_one_schedule", "Part 3 of the Schedule"),
        ("regulations_with_one_schedule", "paragraph 2(3) of the Schedule"),
        ("a_french_code_in_two_parts", "article L. 111-2, IV"),
        ("a_french_code_in_two_parts", "article L. 122-1, 4°"),
        ("a_swiss_law_with_a_decimal_annex", "Art. 2 Abs. 2 Bst. b Ziff. 3"),
        ("controls_with_enhancements", "AC-2(2)"),
    ],
)
def test_an_invented_citation_leads_nowhere(name: str, query: str) -> None:
    assert find_citations(query) != ()
    assert trace(name, query) == []


def test_a_section_of_a_code_is_no_article() -> None:
    text = "12 CFR Part 1010 - Kites\n\n§ 1010.100 Scope.\n\nAll.\n\n§ 1010.101 Terms.\n\nNone.\n"
    index = UnitIndex(parse_outline(text, is_markdown=False).units)
    traced = [
        trace_target(index, find_citations(query)[0].target).unit for query in ("section 101", "Article 101")
    ]
    assert [index.units[unit].label if unit else "" for unit in traced] == ["§ 1010.101", ""]


def test_the_schedule_of_a_ferry_cites_nothing() -> None:
    assert find_citations("schedule of the ferry on Monday") == ()
    assert [place.is_sure for place in find_citations("Schedule")] == [False]


# --- Every unit of every outline is found by the citations of it. ---


def spellings(index: UnitIndex, place: int) -> Iterator[str]:
    """Yield how a unit can be cited: by its label in any case, and by its section with a word before it."""
    label = index.units[place].label
    label = label if "/" in index.units[place].marker else label.replace("/", ", ")
    is_number = re.fullmatch(r"[A-Z]?\d*[A-Z]{0,2}", label) is not None  # "12" alone may be anything.
    if not is_number:
        yield from (label, label.lower(), label.upper(), f"What does {label} say?")
    number = re.fullmatch(r"(\d[\w.-]*)((?:\(\w+\))*)", index.units[place].label)
    if number:
        steps = number[2].replace(")(", ") (")
        words = ["section {}", "Sec. {}", "SECTION {}", "§ {}", "clause {}", "what does section {} say?"]
        yield from (word.format(number[0]) for word in words)
        if steps:
            yield f"section {number[1]} {steps}"
            yield f"paragraph {number[2]} of section {number[1]}"
            yield f"section {number[1]}, para. {number[2]}"
    article = re.fullmatch(r"Article (\S+?)((?:\(\w+\))*)", index.units[place].label)
    if article:
        words = [
            "Art. {}",
            "art {}",
            "art. {}",
            "Artikel {}",
            "artículo {}",
            "articolo {}",
            "ARTICLE {}",
            "see Article {}",
        ]
        yield from (word.format(article[1] + article[2]) for word in words)
    signed = re.fullmatch(r"§ (\d+\w*)\((\d+)\)(?:-(\d+))?(?:\(([a-z]+)\))?", index.units[place].label)
    if signed:
        yield (
            f"§ {signed[1]} Abs. {signed[2]}"
            + (f" Nr. {signed[3]}" if signed[3] else "")
            + (f" lit. {signed[4]}" if signed[4] else "")
        )


# Labels that the words of another unit name as well: an Abschnitt is "Section 1" beside "§ 1".
AMBIGUOUS = {
    "a_german_law": "Section", "an_austrian_law": "Section", "a_german_ordinance": "§ 3 bis 5",
    "a_us_code": "§ 1395z to 1395cc",
}  # fmt: skip


def citable(stem: str, index: UnitIndex) -> Iterator[int]:
    for place, unit in enumerate(index.units):
        is_told_apart = "~" not in unit.label and not unit.label.startswith(AMBIGUOUS.get(stem, "~"))
        above = [index.units[one] for one in around(index, place)][1:-1]
        is_below_title = any(one.kind == "heading" and one.label in unit.label for one in above)
        is_listed = unit.kind != "heading" and not re.search(r"[“”]", unit.label)
        if place and index.numbers[place] and is_told_apart and is_listed and not is_below_title:
            yield place


def around(index: UnitIndex, place: int) -> Iterator[int]:
    above: int | None = place
    while above is not None:
        yield above
        above = index.units[above].parent


@pytest.mark.parametrize("expected", sorted(OUTLINES.glob("*.outline")), ids=lambda path: path.stem)
def test_every_unit_of_an_outline_is_found_by_its_citations(expected: Path) -> None:
    source = next(path for path in OUTLINES.glob(f"{expected.stem}.*") if path.suffix in {".md", ".txt"})
    index = UnitIndex(parse_outline(source.read_text(), is_markdown=source.suffix == ".md").units)
    missed = [
        f"{query} is not {index.units[place].label}"
        for place in citable(expected.stem, index)
        for query in spellings(index, place)
        if not is_found(index, query, place)
    ]
    assert missed == []


def is_found(index: UnitIndex, query: str, place: int) -> bool:
    """Tell whether a query leads to a unit, or to one that begins and ends with it."""
    places = find_citations(query)
    found = trace_target(index, places[0].target).unit if places else None
    span = index.units[place].start, index.units[place].end
    return found is not None and (index.units[found].start, index.units[found].end) == span


# --- In what may be read. ---

ACT = """# Harbour Safety Act 2021

## Section 1. Scope

This Act may be cited as the Harbour Safety Act.

## Section 203. Lights

(a) A ship shows:

(1) a white light;

(2) a red light;

(3) a green light; and

(4) a bell.

(b) Boats are exempt.

## Section 204. Dues

Ships pay.

## Schedule 1. Forms

1. First form.

2. Second form.
"""
LICENCE = """# Berth Licence

## 1. Use

1.1 The berth is let.

1.2 The licensee keeps it clean.

## 2. Fees

2.1 Fees are due monthly.
"""
RULES = """# Pilotage Regulation (PR)

## Article 1 Pilots

1. Pilots are licensed.

2. Pilots are sober.

## Article 2 Fees

Fees are due.

## Section 203. Strange

(a) Nothing.
"""


@pytest.fixture
def place(harbour: Tenant) -> Collection:
    place = factories.collection(harbour)
    add(place, "act.md", ACT)
    add(place, "berth-licence.md", LICENCE)
    add(place, "rules.md", RULES)
    return place


def ask(tenant: Tenant, query: str, versions: VersionQuerySet | None = None) -> Citations:
    with tenant_scope(tenant.pk):
        if versions is None:
            versions = Version.objects.for_tenant(tenant).head()
        return resolve_citations(find_citations(query), versions)


CONTROLS = (
    "# Controls\n\n## AC-1 Policy\n\nA policy.\n\n"
    "## AC-2 Accounts\n\nAccounts.\n\n### AC-2(1) Review\n\nYearly.\n"
)


def test_a_control_that_is_missing_is_said_to_be_missing(harbour: Tenant) -> None:
    add(factories.collection(harbour), "controls.md", CONTROLS)
    assert units(ask(harbour, "AC-2(1)")) == ["controls.md AC-2(1)"]
    answer = ask(harbour, "AC-2(9)")
    assert (units(answer), [one.reason for one in answer.missing]) == (
        [],
        ["AC-2(9) does not exist in controls.md; AC-2 has (1)."],
    )
    assert ask(harbour, "levels of IL-10 in blood") == Citations()


def test_what_no_label_says_is_looked_for_in_outlines(harbour: Tenant) -> None:
    text = (
        "# Kite Act\n\n## Chapter 1 Kites\n\n### Part 2 Strings\n\nStrings.\n\n"
        "## SCHEDULE\n\n1. Fees.\n\n2. Forms.\n"
    )
    add(factories.collection(harbour), "kites.md", text)
    assert units(ask(harbour, "Chapter 1, Part 2")) == ["kites.md Chapter 1/Part 2"]
    assert units(ask(harbour, "paragraph 2 of the Schedule")) == ["kites.md Schedule/2"]
    answer = ask(harbour, "paragraph 3 of the Schedule")
    assert (units(answer), len(answer.missing)) == ([], 1)


def units(answer: Citations) -> list[str]:
    return [f"{one.section.version.document.name} {one.section.label}" for one in answer.units]


def reasons(answer: Citations) -> list[str]:
    return [one.reason for one in answer.missing]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("section 203(a)(1) of the Harbour Safety Act", ["act.md Section 203(a)(1)"]),
        ("section 203(a)(1) of the harbour safety act", ["act.md Section 203(a)(1)"]),
        ("Harbour Safety Act 2021, s 203(b)", ["act.md Section 203(b)"]),
        ("harbour safety act section 204", ["act.md Section 204"]),
        ("In the Harbour Safety Act, what does section 203(a) say?", ["act.md Section 203(a)"]),
        ("clause 1.2 of the berth licence", ["berth-licence.md 1.2"]),
        ("berth-licence 2.1", ["berth-licence.md 2.1"]),
        ("Article 1(2) PR", ["rules.md Article 1(2)"]),
        ("pr article 1(2)", ["rules.md Article 1(2)"]),
        ("PR 2", ["rules.md Article 2"]),
        ("Schedule 1, 2 of the Harbour Safety Act", ["act.md Schedule 1/2"]),
        ("PR 1(2)", ["rules.md Article 1(2)"]),
    ],
)
def test_a_unit_is_found_in_the_document_that_is_named(
    harbour: Tenant, place: Collection, query: str, expected: list[str]
) -> None:
    answer = ask(harbour, query)
    assert (units(answer), reasons(answer)) == (expected, [])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Sec. 203, para. (a)(1)", ["act.md Section 203(a)(1)"]),
        ("Section 203", ["act.md Section 203", "rules.md Section 203"]),
        ("§ 203(a)", ["act.md Section 203(a)", "rules.md Section 203(a)"]),
        ("203(a)(4)", ["act.md Section 203(a)(4)"]),
        ("article 1(2)", ["rules.md Article 1(2)"]),
        ("clause 2.1", ["berth-licence.md 2.1"]),
        ("§ 203(b) and § 204", ["act.md Section 203(b)", "act.md Section 204"]),
        ("what dues are paid under section 204?", ["act.md Section 204"]),
        ("Schedule 1", ["act.md Schedule 1"]),
    ],
)
def test_a_unit_is_found_in_any_document_if_none_is_named(
    harbour: Tenant, place: Collection, query: str, expected: list[str]
) -> None:
    answer = ask(harbour, query)
    assert (units(answer), reasons(answer)) == (expected, [])


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("203(a)(9)", "203(a)(9) does not exist in act.md; Section 203(a) has (1)–(4)."),
        (
            "section 203(c) Harbour Safety Act",
            "Section 203(c) does not exist in act.md; Section 203 has (a) and (b).",
        ),
        (
            "section 204(a) Harbour Safety Act",
            "Section 204(a) does not exist in act.md; nothing in Section 204 is numbered.",
        ),
        (
            "section 203(3) Harbour Safety Act",
            "Section 203(3) does not exist in act.md; there is Section 203(a)(3).",
        ),
        ("§ 203(c) Harbour Safety Act", "§ 203(c) does not exist in act.md; Section 203 has (a) and (b)."),
        ("Article 3 PR", "Article 3 does not exist in rules.md; it has Article 1 and Article 2."),
        ("section 99", "Section 99 does not exist in any document here."),
        (
            "Article 6 of the Merchant Shipping Act 1995",
            "No document here is called “merchant shipping act 1995”.",
        ),
        ("RFC 9999, Section 3", "No document here is called “RFC 9999”."),
        ("12 CFR 1002.5(a)", "No document here is called “12 CFR part 1002”."),
        ("Article 5 XYZV", "No document here is called “xyzv”."),
        ("what must ships do under section 99?", "Section 99 does not exist in any document here."),
    ],
)
def test_what_does_not_exist_is_said_with_what_does(
    harbour: Tenant, place: Collection, query: str, reason: str
) -> None:
    answer = ask(harbour, query)
    assert (units(answer), reasons(answer)) == ([], [reason])


STANDARD = """# HH-STD-0042 Cold Chain Standard

## 1 Scope

Cold chains.

## 3 Requirements

### 3.1 Logging

#### 3.1.1 Interval

Every five minutes.

#### 3.1.2 Retention

Two years.

## Annex A Calibration

### A.1 General

Loggers are calibrated.
"""
BYLAW = """TOWN OF HARROW
BYLAW NO. 7741

PART 1 - PERMITS

1.01 No person shall operate a store without a permit.

1.02 The fee is set out in Schedule "A".

SCHEDULE "A"
FEES

1. Small store: $150

2. Large store: $900
"""
DEEP = """# Code

## Article L111-1

It names:

1° the price;

2° the place;

3° the time:

a) fixed;

b) not.
"""


LAW = """LEI Nº 9.123, DE 4 DE MAIO DE 2011

Art. 1º Esta Lei regula os armazéns.

§ 1º Não se aplica:
I - aos domésticos;
II - aos militares, quando:
a) em manobras;
b) em missão.

§ 2º A autoridade fiscalizará.

Art. 2º O armazém terá licença.

Art. 2º-A. A renovação é anual.
"""
NORDIC = (
    "Lov om kølehuse\n\n§ 1. Loven gælder.\n\n§ 2. Drift kræver tilladelse.\n\n§ 2 a. Gebyr fastsættes.\n"
)
POLICY = "# Security\n\n## Policy 1: Access\n\n### 1.1 Passwords\n\nLong.\n\n### 1.2 Accounts\n\nFew.\n"


@pytest.fixture
def abroad(harbour: Tenant) -> Tenant:
    place = factories.collection(harbour)
    add(place, "arquivo.txt", LAW)
    add(place, "lov-om-kølehuse.txt", NORDIC)
    add(place, "security.md", POLICY)
    return harbour


@pytest.mark.parametrize(
    ("query", "unit"),
    [
        ("art. 1º, § 1º, II, b da Lei 9.123", "arquivo.txt Article 1 § 1(II)(b)"),
        ("art. 2º-A da Lei 9.123", "arquivo.txt Article 2-A"),
        ("art. 2º da Lei nº 9.123/2011", "arquivo.txt Article 2"),
        ("§ 2 a lov om kølehuse", "lov-om-kølehuse.txt § 2 a"),
        ("§ 2 a i lov om kølehuse", "lov-om-kølehuse.txt § 2 a"),
        ("Policy 1.1", "security.md 1.1"),
    ],
)
def test_units_of_other_countries_are_found_in_their_documents(abroad: Tenant, query: str, unit: str) -> None:
    answer = ask(abroad, query)
    assert (units(answer), reasons(answer)) == ([unit], [])


def test_what_a_list_counts_is_no_article(abroad: Tenant) -> None:
    """There is a II in a list of Article 1."""
    assert units(ask(abroad, "art. II da Lei 9.123")) == ["arquivo.txt Article 2"]
    answer = ask(abroad, "art. 1º, § 3º da Lei 9.123")
    assert (units(answer), reasons(answer)) == (
        [],
        ["Article 1 § 3 does not exist in arquivo.txt; Article 1 has § 1 and § 2."],
    )


@pytest.fixture
def house(harbour: Tenant) -> Tenant:
    """A tenant whose documents bear numbers of their own."""
    place = factories.collection(harbour)
    add(place, "a-code.md", DEEP)
    add(place, "standard.md", STANDARD)
    add(place, "consolidated.txt", BYLAW)
    return harbour


@pytest.mark.parametrize(
    ("query", "unit"),
    [
        ("HH-STD-0042 3.1.2", "standard.md 3.1.2"),
        ("HH-STD-0042, 3.1.2", "standard.md 3.1.2"),
        ("clause 3.1.2 of HH-STD-0042", "standard.md 3.1.2"),
        ("Annex A of the Cold Chain Standard", "standard.md Annex A"),
        ("Schedule A of Bylaw 7741", "consolidated.txt Schedule A"),
        ('Schedule "A" of Bylaw No. 7741', "consolidated.txt Schedule A"),
        ("section 1.02 of Bylaw No 7741", "consolidated.txt 1.02"),
    ],
)
def test_a_document_is_known_by_the_number_that_its_house_gives_it(
    house: Tenant, query: str, unit: str
) -> None:
    answer = ask(house, query)
    assert (units(answer), reasons(answer)) == ([unit], [])


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("HH-STD-0042 3.1.9", "3.1.9 does not exist in standard.md; 3.1 has 3.1.1 and 3.1.2."),
        (
            "clause 3.1.9 of HH-STD-0042",
            "Clause 3.1.9 does not exist in standard.md; 3.1 has 3.1.1 and 3.1.2.",
        ),
        ("clause 3.1.9", "Clause 3.1.9 does not exist in standard.md; 3.1 has 3.1.1 and 3.1.2."),
        ("Annex A.9", "Annex A.9 does not exist in standard.md; Annex A has A.1."),
        ("Annex C of HH-STD-0042", "Annex C does not exist in standard.md; it has Annex A."),
        ("Annex C of the Cold Chain Standard", "Annex C does not exist in standard.md; it has Annex A."),
        ("Schedule B of Bylaw 7741", "Schedule B does not exist in consolidated.txt; it has Schedule A."),
    ],
)
def test_what_is_missing_is_missed_in_the_document_that_comes_nearest(
    house: Tenant, query: str, reason: str
) -> None:
    answer = ask(house, query)
    assert (units(answer), reasons(answer)) == ([], [reason])


@pytest.mark.parametrize(
    "query", ["Cold Chain Standard 2019", "HH-STD-0042 2019", "Bylaw 7741 2015", "the Storage Rules 2018"]
)
def test_a_year_behind_a_name_is_no_unit_that_is_missing(house: Tenant, query: str) -> None:
    answer = ask(house, query)
    assert (units(answer), reasons(answer)) == ([], [])


def test_a_number_behind_a_name_is_missing_if_it_is_no_year(house: Tenant) -> None:
    assert reasons(ask(house, "HH-STD-0042 99")) == ["99 does not exist in standard.md."]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Rule 2004", ["rule 2004"]),
        ("Rules 2004", ["rule 2004"]),
        ("Rules 4 and 5", ["rule 4", "rule 5"]),
        ("Storage Rules 2018", ["§ 2018"]),  # Bound to a document that is called so.
        ("Storage Rules 2018, rule 4", ["storage rules 2018 rule 4"]),
    ],
)
def test_a_year_is_no_rule(query: str, expected: list[str]) -> None:
    assert cited(query) == expected


def test_a_word_beside_a_name_is_a_question_and_no_invented_citation(house: Tenant) -> None:
    """ "Annex C" may be anything there: what is not sure is not said to be missing."""
    assert reasons(ask(house, "calibration Annex C of HH-STD-0042")) == []


def test_where_a_level_was_left_out_what_is_deeper_is_listed(harbour: Tenant, place: Collection) -> None:
    missing = ask(harbour, "section 203(3) Harbour Safety Act").missing[0]
    assert missing.existing == ("Section 203(a)(3)",)


def test_what_exists_instead_is_listed(harbour: Tenant, place: Collection) -> None:
    missing = ask(harbour, "203(a)(9)").missing[0]
    assert missing.existing == tuple(f"Section 203(a)({number})" for number in (1, 2, 3, 4))
    assert missing.document is not None
    assert missing.document.name == "act.md"


@pytest.mark.parametrize(
    "query",
    [
        "version 3.2 of the software",
        "COVID-19",
        "boats in 7.4 of 10 cases",
        "GDPR 17",
        "part 9 of the story is lost",
    ],
)
def test_an_ordinary_question_is_told_nothing(harbour: Tenant, place: Collection, query: str) -> None:
    assert ask(harbour, query) == Citations()


def test_a_list_may_be_there_in_part(harbour: Tenant, place: Collection) -> None:
    answer = ask(harbour, "sections 204 and 205 of the Harbour Safety Act")
    assert units(answer) == ["act.md Section 204"]
    assert [one.place.text for one in answer.missing] == ["205 of the Harbour Safety Act"]


def test_only_the_versions_given_are_looked_at(harbour: Tenant, place: Collection) -> None:
    changed = ACT.replace("(4) a bell.", "(4) a bell;\n\n(5) a horn.")
    add(place, "act.md", changed)
    old = Version.objects.for_tenant(harbour).filter(document__name="act.md", number=1)
    assert units(ask(harbour, "203(a)(5)")) == ["act.md Section 203(a)(5)"]
    assert units(ask(harbour, "203(a)(5)", old)) == []
    before = ask(harbour, "section 203(a)(4) of the Harbour Safety Act", old)
    assert [one.section.version.number for one in before.units] == [1]
    assert units(ask(harbour, "section 204", Version.objects.for_tenant(harbour).none())) == []


def test_nothing_of_another_tenant_is_found(harbour: Tenant, meridian: Tenant, place: Collection) -> None:
    assert units(ask(harbour, "Harbour Safety Act, section 204")) == ["act.md Section 204"]
    answer = ask(meridian, "Harbour Safety Act, section 204")
    assert (units(answer), reasons(answer)) == ([], ["No document here is called “harbour safety act”."])
    with tenant_scope(meridian.pk):
        versions = Version.objects.all()
        assert resolve_citations(find_citations("203(a)(1)"), versions).units == ()


def test_names_are_said_where_the_query_has_them(harbour: Tenant, place: Collection) -> None:
    query = "fees in article 2 pr"
    answer = ask(harbour, query)
    assert [query[start:end] for start, end in answer.names] == ["pr"]


def test_a_unit_comes_with_its_document_and_without_the_text(harbour: Tenant, place: Collection) -> None:
    unit = ask(harbour, "203(a)(1)").units[0]
    assert {"text", "pages"} <= unit.section.version.get_deferred_fields()
    with CaptureQueriesContext(connection) as queries:
        assert unit.section.version.document.name == "act.md"
    assert len(queries) == 0


@pytest.mark.parametrize(
    ("query", "most"), [("section 203(a) of the Harbour Safety Act", 3), ("203(a)(1)", 4)]
)
def test_what_is_known_is_not_loaded_again(harbour: Tenant, place: Collection, query: str, most: int) -> None:
    ask(harbour, query)
    with tenant_scope(harbour.pk), CaptureQueriesContext(connection) as queries:
        resolve_citations(find_citations(query), Version.objects.for_tenant(harbour).head())
    assert len(queries) <= most


def test_what_is_cited_again_is_not_looked_up_again(harbour: Tenant, place: Collection) -> None:
    counts = []
    for query in ("203(a)(1)", "203(a)(1), " * 50):
        with tenant_scope(harbour.pk), CaptureQueriesContext(connection) as queries:
            resolve_citations(find_citations(query), Version.objects.for_tenant(harbour).head())
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_outlines_are_kept_up_to_a_limit(harbour: Tenant, place: Collection) -> None:
    cache = OutlineCache(most=10)
    with tenant_scope(harbour.pk):
        versions = list(Version.objects.for_tenant(harbour).head())
        sizes = [len(cache.get(version.pk).units) for version in versions]
    assert sum(sizes) > 10
    assert list(cache.kept) == [versions[-1].pk]
    assert cache.size == sizes[-1]
    assert CACHE.most > cache.most


# --- What the outline must know for it. ---

LISTED = (
    "Article 1 Transfers\n\n1. A transfer needs:\n\n(a) consent; or\n\n(b) a contract with the subject.\n\n"
    "Where neither is given, the transfer must be reported at once.\n\n2. Reports are public.\n"
)


def test_a_sentence_behind_a_list_belongs_to_what_the_list_stands_in() -> None:
    outline = parse_outline(LISTED, is_markdown=False)
    spans = {unit.label: LISTED[unit.start : unit.end] for unit in outline.units}
    assert spans["Article 1(1)(b)"] == "(b) a contract with the subject.\n\n"
    assert spans["Article 1(1)"].endswith("must be reported at once.\n\n")


@pytest.mark.parametrize("max_tokens", [10, 20, 400])
def test_chunks_hold_the_sentence_behind_a_list(max_tokens: int) -> None:
    outline = parse_outline(LISTED, is_markdown=False)
    pieces = chunk_outline(LISTED, outline, max_tokens=max_tokens, overlap=0)
    assert "".join(LISTED[piece.start : piece.end] for piece in pieces) == LISTED


@pytest.mark.parametrize(
    "end", ["(b) a contract.\n\nIt binds.\n", "(b) a contract;\n\nwhere it binds the subject for long.\n"]
)
def test_what_may_be_part_of_the_last_item_stays_with_it(end: str) -> None:
    text = f"Article 1 Transfers\n\n1. A transfer needs:\n\n(a) consent; or\n\n{end}"
    assert text[parse_outline(text, is_markdown=False).units[-1].start :] == end


@pytest.mark.parametrize("line", ["1. Paragraph 4(a)(2)", "1. *Paragraph 4(a)(2)*"])
def test_a_number_that_got_before_a_heading_is_none(line: str) -> None:
    text = (
        "# Part 7\n\n## § 7.4 Loans\n\n(a) Loans.\n\n(1) Small ones.\n\n(2) Large ones.\n\n"
        "## Supplement I\n\n### Section 7.4—Loans\n\n#### Paragraph 4(a)(1)\n\n1. First.\n\n"
        f"{line}\n\n1. Second.\n"
    )
    labels = [unit.label for unit in parse_outline(text, is_markdown=True).units]
    assert labels[-2:] == ["Supplement I/Section 7.4(a)(2)", "Supplement I/Section 7.4(a)(2)-1"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("comment 4(a)(1)-1 of part 70", ["part70.md Supplement I/Section 70.4(a)(1)-1"]),
        ("official interpretation 4(a)(1)-1 (Part 70)", ["part70.md Supplement I/Section 70.4(a)(1)-1"]),
        ("comment 4(a)(1)-1", ["part70.md Supplement I/Section 70.4(a)(1)-1"]),
        ("12 CFR 70.4(a)(2)", ["part70.md § 70.4(a)(2)"]),
        ("supplement i to part 70", ["part70.md Supplement I"]),
        ("comment 4(a)(1)-2 of part 70", []),
        ("comment 4(a)-1 of part 70", []),
        ("appendix a to part 70", []),
    ],
)
def test_a_part_of_a_code_is_known_by_its_first_line(
    harbour: Tenant, query: str, expected: list[str]
) -> None:
    text = (
        "# Part 70—Lending\n\n## § 70.4 Loans\n\n(a) Loans.\n\n(1) Small ones.\n\n(2) Large ones.\n\n"
        "## § 70.5 Fees\n\nNone.\n\n## Supplement I to Part 70\n\n### Section 70.4—Loans\n\n"
        "#### Paragraph 4(a)(1)\n\n1. First.\n"
    )
    add(factories.collection(harbour), "part70.md", text)
    answer = ask(harbour, query)
    assert units(answer) == expected
    assert len(answer.missing) == (not expected)
