"""Mentions of other places are found as they are printed, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from definitions.extract.found import FoundReference
from definitions.extract.names import document_key, find_names
from definitions.extract.references import extract_references
from definitions.extract.references.cite import cite_target
from documents.parse import parse_outline
from tests.hostile import REFERRING, repeat


def read(text: str) -> tuple[FoundReference, ...]:
    return extract_references(text, parse_outline(text, is_markdown=False).units)


def cited(words: str) -> list[str]:
    return [cite_target(found.target) for found in read(f"Text {words}")]


@pytest.mark.parametrize(
    ("words", "expected"),
    [  # Each line is one mention in its words, and the places that it names.
        ("section 12(3)(b) of the Harbours Act 1964", ["harbours act 1964 § 12(3)(b)", "harbours act 1964"]),
        ("section 5 (interpretation) of this Act", ["§ 5 of this document"]),
        ("section 5 of the Act, and the Harbour Act 2014", ["act § 5", "harbour act 2014"]),
        ("Section 3.1-3.5 apply", ["§ 3.1", "§ 3.5"]),
        ("[Inserted: 2021 No. 3, s. 4.]", ["act 3 of 2021", "act 3 of 2021 § 4"]),
        ("S.I. 2004 No. 1769", ["si 2004/1769"]),
        (
            "paragraph (a) of the definition of “vessel” in section 1(1)",
            ["§ 1(1) definition vessel paragraph a", "§ 1(1)"],
        ),
        ("paragraph (b) of the definition vessel in section 2", ["§ 2 definition vessel paragraph b", "§ 2"]),
        ("subject to section 2, this Act applies", ["§ 2"]),
        ("§ 5(a)(1), (b) and (c)(2)", ["§ 5(a)(1)", "§ 5(b)", "§ 5(c)(2)"]),
        ("§§ 5 through 7", ["§ 5", "§ 7"]),
        (
            "Part IVA of the Trade Practices Act 1974",
            ["trade practices act 1974 part IVA", "trade practices act 1974"],
        ),
        (
            "clause (c) of sub-section (2) of section 4",
            ["§ 4 subsection 2 point c", "§ 4 subsection 2", "§ 4"],
        ),
        ("Section 2 of Article I", ["article I § 2", "article I"]),
        ("Article II, Section 1", ["article II § 1"]),
        ("Section 36.001, Water Code", ["water code § 36.001"]),
        ("section 552 of title 5", ["usc 5 § 552"]),
        ("Section 1094.5 of the Code of Civil Procedure", ["code of civil procedure § 1094.5"]),
        ("paragraph 1, point (a), of this Article", ["paragraph 1 point a of this article"]),
        (
            "Article 4, points (1) and (7), of Regulation (EU) 2016/679",
            [
                "regulation 2016/679 article 4 point 1",
                "regulation 2016/679 article 4 point 7",
                "regulation 2016/679",
            ],
        ),
        ("Section 5, paragraph 2 of Section 7", ["§ 5", "§ 7 paragraph 2", "§ 7"]),
        ("Articles 15 to 22 of the GDPR", ["gdpr article 15", "gdpr article 22"]),
        ("the second subparagraph of Article 9(2)", ["article 9(2) subparagraph 2", "article 9(2)"]),
        ("nach § 3 Abs. 2 Satz 1 Nr. 4 Buchst. a BGB", ["bgb § 3 paragraph 2 sentence 1 number 4 point a"]),
        ("nach § 3 des Bundesdatenschutzgesetzes", ["bundesdatenschutzgesetz § 3"]),
        ("gilt Satz 1 nicht", ["sentence 1"]),
        ("gemäß § 2 Abs. 1 Z 1 lit. b", ["§ 2 paragraph 1 number 1 point b"]),
        ("Art. 12 Abs. 3 und 4 OR", ["or article 12 paragraph 3", "or article 12 paragraph 4"]),
        ("au 2° du I de l'article L. 121-1", ["article L. 121-1 point I point 2", "article L. 121-1"]),
        ("à l'article 1er et à l'article 2, § 1er, 2°", ["article 1", "article 2 paragraph 1 point 2"]),
        ("l'article 1240 du code civil", ["code civil article 1240"]),
        ("la loi n° 78-17", ["loi 78-17"]),
        ("el artículo 5 de la Ley Orgánica 3/2018", ["ley orgánica 3/2018 article 5", "ley orgánica 3/2018"]),
        ("l'articolo 3 della legge 7 agosto 1990, n. 241", ["legge 241/1990 article 3", "legge 241/1990"]),
        ("artikel 2, eerste lid, onder b", ["article 2 paragraph 1 point b"]),
        (
            "alínea b) do n.º 1 do artigo 2.º",
            ["article 2 number 1 point b", "article 2 number 1", "article 2"],
        ),
        ("art. 2º, § 1º, inciso II", ["article 2 paragraph 1 item II"]),
        (
            "art. 6 ust. 1 lit. f rozporządzenia (UE) 2016/679",
            ["regulation 2016/679 article 6 paragraph 1 point f", "regulation 2016/679"],
        ),
        ("art. 1 i 3 stosuje", ["article 1", "article 3"]),
        ("§ 2 odst. 1 písm. b)", ["§ 2 paragraph 1 point b"]),
        ("2 kap. 3 § och 3–5 §§", ["chapter 2 § 3", "§ 3", "§ 5"]),
        ("3 § 2 mom.", ["§ 3 paragraph 2"]),
        ("§ 2-1 første ledd bokstav b", ["§ 2-1 paragraph 1 point b"]),
        ("第三条第一款第（二）项", ["article 3 subparagraph 1 point 2"]),
        ("第四条から第六条", ["article 4", "article 6"]),
        ("제3조제1항제2호", ["article 3 paragraph 1 point 2"]),
        ("ISO 9001:2015, 4.3.2", ["iso 9001", "iso 9001 § 4.3.2"]),
        ("Rule 12(b)(6) or 12(c)", ["rule 12(b)(6)", "rule 12(c)"]),
        ("Order 5 rule 3", ["order 5 rule 3"]),
    ],
)
def test_what_is_cited_is_read(words: str, expected: list[str]) -> None:
    assert cited(words) == expected


@pytest.mark.parametrize(
    "words",
    [
        "within 30 days of 5 May 2021",
        "part of 5 pounds",
        "as stated in section",
        "a fine of $2,000",
        "see page 12",
        "No. 5 of 2004",
        "Table 3 and Figure 2",
        "in order 5 pieces are kept",
        "at this point a server",
        "part 2 percent of it",
        "the alinéa précédent",
        "version 4.2.1 of it",
        "reference [1]",
        "4.2 mm to 5.1 mm",
        "may be cited as the Kites Act 2021",
        "Herr Z. 5",
        "Platz 3",
    ],
)
def test_other_numbers_are_no_mentions(words: str) -> None:
    assert cited(words) == []


def test_a_sentence_behind_the_number_of_its_unit_is_read() -> None:
    text = "Section 1. Dues. Dues are due under Section 2.\n\nSection 2. Fees to Part 9\n\nNone.\n"
    assert [text[found.start : found.end] for found in read(text)] == ["Section 2"]


def test_a_range_says_where_it_ends() -> None:
    first, last = read("See §§ 5(a)(1) through (4).")
    assert first.through == last.target
    assert cite_target(last.target) == "§ 5(a)(4)"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("12 CFR part 1026", "cfr 12 1026"),
        ("Règlement (UE) 2016/679", "regulation 2016/679"),
        ("Směrnice 95/46/ES", "directive 95/46"),
        ("The  Harbours Act 1964", "harbours act 1964"),
        ("Ontario Regulation 97/04", "o. reg. 97/04"),
        ("[RFC 7230]", "rfc 7230"),
        ("BGBl. I Nr. 51/1991", "bgbl. 51/1991"),
    ],
)
def test_names_are_compared_by_their_keys(name: str, key: str) -> None:
    assert document_key(name) == key


def test_a_document_is_known_by_its_title_and_by_what_it_calls_itself() -> None:
    text = "Kite Lending (Regulation KK)\n\nThis part may be cited as the Kite Rules.\n"
    assert find_names(text, title="Kite Lending (Regulation KK)", file_name="final.txt") == (
        "Kite Lending (Regulation KK)",
        "Regulation KK",
        "Kite Lending",
        "Kite Rules",
    )


def test_a_document_is_not_known_by_what_it_repeals() -> None:
    title = (
        "Regulation (EU) 2031/12 of 5 May 2031 on kites and repealing Directive 95/46/EC (Kite Regulation)"
    )
    assert find_names("", title=title, file_name="acts/KITE-1.1.md") == (
        title,
        "Regulation (EU) 2031/12",
        "Kite Regulation",
        "of 5 May 2031 on kites and repealing",
        "KITE-1.1",
        "KITE 1.1",
    )


def test_a_document_is_known_by_its_number_its_short_names_and_its_initials() -> None:
    title = "The Kite (Training) Regulations 2017"
    names = find_names(f"{title}\n\n2017 No. 612\n\nPART 1\n", title=title, file_name="kite2017.txt")
    assert names == (
        "The Kite (Training) Regulations 2017",
        "Training",
        "The Kite Regulations 2017",
        "2017 No. 612",
        "SI 2017/612",
        "TKTR",
        "TKTR 2017",
        "TKR",
        "TKR 2017",
        "kite2017",
        "kite 2017",
    )


@pytest.mark.parametrize(
    ("words", "printed", "targets"),
    [
        ('set out in Schedule "A".', ['Schedule "A"'], ["schedule A"]),
        ("(Exhibit “C-1”)", ["Exhibit “C-1”"], ["exhibit C-1"]),
        (
            'in Schedules "A", "B" and "C" hereto',
            ['Schedules "A"', '"B"', '"C"'],
            [f"schedule {one}" for one in "ABC"],
        ),
        (
            'Part "A" of Schedule "B"',
            ['Part "A"', 'Schedule "B"'],
            ["schedule B part A", "schedule B"],
        ),
        ('Schedule "Fees" and the word "A"', [], []),
        ('the schedule "A day at sea"', [], []),
    ],
)
def test_a_number_may_stand_in_quotation_marks(words: str, printed: list[str], targets: list[str]) -> None:
    text = f"Text {words}"
    assert [text[found.start : found.end] for found in read(text)] == printed
    assert cited(words) == targets


@pytest.mark.parametrize(
    ("title", "others"),
    [
        ("HR-POL-007 Leave of absence", ["HR-POL-007", "Leave of absence"]),
        ("HR-POL-007 Absence", ["HR-POL-007"]),
        ("SOP-12: Cleaning of tanks", ["SOP-12", "Cleaning of tanks"]),
        ("SOP-12 Cleaning of tanks", []),
        ("SOP-012 Cleaning of tanks", ["SOP-012", "Cleaning of tanks"]),
        ("SOP-112 Cleaning of tanks", ["SOP-112", "Cleaning of tanks"]),
        ("COVID-19 measures in ports", []),
    ],
)
def test_a_document_is_known_by_the_code_before_its_title(title: str, others: list[str]) -> None:
    assert find_names("", title=title, file_name="") == (title, *others)
    assert find_names("", title="", file_name=f"{title}.pdf")[: len(others) + 1] == (title, *others)


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("LEI Nº 9.123, DE 4 DE MAIO DE 2011", "lei 9.123"),
        ("DECRETO LEGISLATIVO 3 marzo 2015, n. 44", "decreto legislativo 44/2015"),
        ("Decreto Legislativo 3 marzo 2015, n. 44", "decreto legislativo 44/2015"),
        ("LEY 14/2019, DE 3 DE MAYO, DE ALMACENES", "ley 14/2019"),
    ],
)
def test_a_title_in_capitals_says_its_number(title: str, key: str) -> None:
    assert key in {document_key(name) for name in find_names("", title=title, file_name="")}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("da Lei 9.123", ["lei 9.123"]),
        ("da Lei nº 9.123", ["lei 9.123"]),
        ("do Decreto 44/2015", ["decreto 44/2015"]),
        ("a Lei 12 anos depois", []),
        ("a Lei 1.5 vezes", []),
    ],
)
def test_a_law_needs_no_sign_before_a_number_that_is_one(words: str, expected: list[str]) -> None:
    assert cited(words) == expected


@pytest.mark.parametrize("text", ["BYLAW NO. 7741\n\nStores\n", "TOWN OF HARROW\nBylaw No. 7741\n\nStores\n"])
def test_a_document_is_known_by_the_number_in_a_line_of_its_own(text: str) -> None:
    names = {document_key(name) for name in find_names(text, title="Stores", file_name="")}
    assert names >= {"bylaw 7741", "bylaw no. 7741", "bylaw no 7741"}


def test_a_number_in_a_sentence_is_not_that_of_the_document() -> None:
    names = find_names("Stores\n\nThis amends Bylaw No. 7741.\n", title="Stores", file_name="")
    assert names == ("Stores",)


def test_a_title_lists_short_names_in_brackets() -> None:
    title = "Bundesgesetz über die Drachen (Drachengesetz, DrG)"
    keys = {document_key(name) for name in find_names("", title=title, file_name="")}
    assert keys >= {"drachengesetz", "drg"}


TOKENS = st.sampled_from(
    [
        "Section",
        "§",
        "§§",
        "Article",
        "paragraph",
        "point",
        "Abs.",
        "Satz",
        "of",
        "this",
        "to",
        "and",
        "through",
        "Act",
        "1",
        "5.2",
        "(a)",
        "(ii)",
        "IV",
        "2°",
        "du",
        "I",
        "de l'article",
        "第五条",
        "第二項",
        "2 §",
        "mom.",
        "n.º",
        ",",
        "-",
        "Regulation (EU) 2016/679",
        "[RFC1]",
        "first",
        "subparagraph",
        "Schedule",
        "A",
        "\n",
        "\n\n",
        "GDPR",
        "30 days",
        "clause",
        "Z",
        "12 CFR 1026.2",
        "Companies Act 2006",
        "cited as the",
        "½",
        "①",
        "(",
        ")",
        "see 5.2",
        "AC-2(3)",
        "<x>",
    ]
)


@given(st.lists(TOKENS, max_size=40).map(" ".join))
@settings(max_examples=400, deadline=None)
def test_mentions_in_any_text_are_in_order_and_stand_in_their_units(text: str) -> None:
    units = parse_outline(text, is_markdown=False).units
    end = 0
    for found in extract_references(text, units):
        assert end <= found.start < found.end <= len(text)
        assert text[found.start : found.end].strip()
        end = found.end
        around = [index for index, unit in enumerate(units) if unit.start <= found.start < unit.end]
        assert found.unit == max(around, default=0)


LETTERS = st.sampled_from("abcdefgh")
PATHS = st.lists(st.tuples(LETTERS, st.integers(1, 9)), min_size=1, max_size=6, unique=True)


@given(PATHS, st.sampled_from(["and", "or"]), st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_list_that_is_printed_is_read_back(
    paths: list[tuple[str, int]], word: str, is_elliptic: bool
) -> None:
    printed, before = [], ""
    for letter, number in paths:
        printed.append(f"({number})" if is_elliptic and letter == before else f"({letter})({number})")
        before = letter
    *first, last = printed
    words = f"{', '.join(first)} {word} {last}" if first else last
    assert cited(f"§ 40{words} applies.") == [f"§ 40({letter})({number})" for letter, number in paths]


@pytest.mark.parametrize("piece", REFERRING)
def test_a_long_line_comes_to_an_end(piece: str) -> None:
    text, units = repeat(piece, 100_000)
    assert all(one.end <= len(text) for one in extract_references(text, units))
