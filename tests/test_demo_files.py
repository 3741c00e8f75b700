"""The demo collection is complete, agrees with itself, and is what its sources say."""

# pypdfium2 has no types.
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

import itertools
import re
import zipfile
from xml.etree import ElementTree as ET

import pypdfium2 as pdfium
import pytest

from documents.demo import DEMO_FILES, FOLDER
from documents.demo.build import WRITERS, build_file
from documents.demo.read_licence import number_blocks, read_blocks

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
ACT, LICENCE, STANDARD, POLICY, NOTICE = DEMO_FILES
SECTION = re.compile(r"^### Section (\d+[A-Z]?)\. (.+)$", re.MULTILINE)
PLACE = r"\d+[A-Z]?\b(?:\([0-9a-z]+\))*"
REFERENCE = re.compile(rf"\b[Ss]ections? ({PLACE}(?:(?:, | and | or | to ){PLACE})*)")
TYPED_NUMBER = re.compile(r"\s*(?:Article|Clause|Schedule) \d|\s*\d+(?:\.\d+)*[.)]?\s|\s*\([a-z]+\)\s")


def sections_of_the_act() -> dict[str, str]:
    """Map the number of each section to its text."""
    _, *pieces = SECTION.split(ACT.read_text(encoding="utf-8").split("\n## SCHEDULE 1")[0])
    numbers, titles, bodies = pieces[::3], pieces[1::3], pieces[2::3]
    return {
        number: title + body.split("\n## ")[0]
        for number, title, body in zip(numbers, titles, bodies, strict=True)
    }


def cited_places(text: str) -> list[str]:
    """Return each section that a text cites, with the units below it: "15(a)(4)"."""
    lists = [re.findall(PLACE, found) for found in REFERENCE.findall(text)]
    return list(itertools.chain.from_iterable(lists))


def split_at(body: str, mark: str) -> tuple[str, str, str]:
    """Part a text at the first line that begins with "(mark)", or with another mark and then this one."""
    found = re.search(rf"^(?:\(\w+\))?\({mark}\)", body, re.MULTILINE)
    return (body[: found.start()], found[0], body[found.end() :]) if found else (body, "", "")


def exists_in_the_act(place: str, sections: dict[str, str]) -> bool:
    """Follow a place from its section down, unit by unit, each one inside the unit above it."""
    number, *units = re.findall(r"\w+", place)
    body = sections.get(number, "")
    for unit in units:
        _, _, body = split_at(body, unit)
        body, _, _ = split_at(body, str(int(unit) + 1) if unit.isdigit() else chr(ord(unit[-1]) + 1))
    return bool(body)


def paragraphs_of_the_licence() -> list[ET.Element]:
    """Return the paragraphs outside the table."""
    with zipfile.ZipFile(LICENCE) as archive:
        return ET.fromstring(archive.read("word/document.xml")).findall(f"{W}body/{W}p")  # noqa: S314


def text_of(paragraph: ET.Element) -> str:
    return "".join(node.text or "" for node in paragraph.iter(f"{W}t"))


def text_of_the_standard() -> str:
    document = pdfium.PdfDocument(STANDARD)
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def test_the_files_are_five_in_five_formats() -> None:
    assert [path.suffix for path in DEMO_FILES] == [".md", ".docx", ".pdf", ".html", ".txt"]
    assert all(path.is_file() for path in DEMO_FILES)


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_a_built_file_is_what_its_source_says_to_the_byte(name: str) -> None:
    assert build_file(name) == (FOLDER / name).read_bytes()


def test_the_act_counts_its_sections_without_a_gap() -> None:
    expected = [str(number) for number in range(1, 33)]
    expected.insert(12, "12A")
    assert list(sections_of_the_act()) == expected


def test_the_act_has_an_empty_repealed_and_an_empty_reserved_section() -> None:
    sections = sections_of_the_act()
    assert sections["18"].strip() == "[Repealed: 2021 No. 3, s. 6.]"
    assert sections["22"].strip() == "[Reserved.]"


def test_a_list_of_the_act_has_i_as_a_numeral_and_then_as_a_letter() -> None:
    marks = re.findall(r"^\((\w+)\)", sections_of_the_act()["6"], re.MULTILINE)
    assert marks == [*"abcdefgh", "1", "2", "i", "ii", "i", "j", "k"]


def test_every_reference_of_the_act_to_its_own_sections_leads_somewhere() -> None:
    sections = sections_of_the_act()
    cited = cited_places(ACT.read_text(encoding="utf-8"))
    assert len(cited) > 80
    assert [place for place in cited if not exists_in_the_act(place, sections)] == []


def test_every_schedule_that_the_act_cites_exists() -> None:
    text = ACT.read_text(encoding="utf-8")
    assert set(re.findall(r"Schedule (\d+)", text)) == {"1", "2", "3"}
    assert re.findall(r"^## SCHEDULE (\d+) —", text, re.MULTILINE) == ["1", "2", "3"]


@pytest.mark.parametrize("place", ["12", "12A(4)", "9(2)(b)", "10(a)", "15(b)(8)", "3(b)(4)"])
def test_a_place_that_is_there_is_found(place: str) -> None:
    assert exists_in_the_act(place, sections_of_the_act())


@pytest.mark.parametrize("place", ["33", "12B", "12(g)", "9(6)", "4(d)", "14(b)(3)", "15(a)(6)"])
def test_a_place_that_is_not_there_is_missed(place: str) -> None:
    assert not exists_in_the_act(place, sections_of_the_act())


def test_every_section_of_the_act_that_the_other_documents_cite_exists() -> None:
    sections = sections_of_the_act()
    # The policy has numbered parts of its own, to which it refers by a link.
    policy = re.sub(r"<a .+?</a>", "", POLICY.read_text(encoding="utf-8"))
    licence = "\n".join(map(text_of, paragraphs_of_the_licence()))
    notice = " ".join(NOTICE.read_text(encoding="utf-8").split())
    for text, least in ((licence, 15), (text_of_the_standard(), 6), (policy, 9), (notice, 1)):
        cited = cited_places(" ".join(text.split()))
        assert len(cited) >= least
        assert [place for place in cited if not exists_in_the_act(place, sections)] == []


def test_no_paragraph_of_the_licence_begins_with_a_typed_number() -> None:
    texts = [text_of(paragraph) for paragraph in paragraphs_of_the_licence()]
    assert len(texts) > 130
    assert [text for text in texts if TYPED_NUMBER.match(text)] == []


def test_the_licence_is_numbered_in_two_lists_of_which_one_starts_again() -> None:
    blocks = tuple(read_blocks((FOLDER / "sources" / "berth-licence.txt").read_text(encoding="utf-8")))
    numbers = [number for number in number_blocks(blocks) if number]
    assert [number for number in numbers if number.startswith("Article")] == [
        f"Article {number}." for number in range(1, 11)
    ]
    schedules = numbers[numbers.index("Schedule 1") :]
    assert " ".join(schedules) == (
        "Schedule 1 1. 2. 3. 4. (a) (b) (i) (ii) Schedule 2 1. (a) (b) (c) (d) 2. 3. (a) (b) (c)"
    )


def test_each_field_of_the_licence_shows_the_number_of_the_paragraph_it_points_to() -> None:
    blocks = tuple(read_blocks((FOLDER / "sources" / "berth-licence.txt").read_text(encoding="utf-8")))
    numbers = dict(zip([block.text for block in blocks], number_blocks(blocks), strict=True))
    with zipfile.ZipFile(LICENCE) as archive:
        document = archive.read("word/document.xml").decode()
    targets = {
        name: re.sub(r"<[^>]+>", "", content)
        for name, content in re.findall(
            r'<w:bookmarkStart [^>]*w:name="(\w+)"/>(.+?)<w:bookmarkEnd', document
        )
    }
    fields = re.findall(r" REF (\w+) \\r \\h .+?<w:t [^>]+>(.+?)</w:t>", document)
    assert len(fields) > 15
    plain = {name: text for name, text in targets.items() if text in numbers}
    checked = [(numbers[plain[name]].rstrip("."), shown) for name, shown in fields if name in plain]
    assert len(checked) > 15
    assert [pair for pair in checked if pair[0] != pair[1]] == []


def test_the_licence_has_one_footnote_and_a_table_with_a_header_row() -> None:
    with zipfile.ZipFile(LICENCE) as archive:
        document = archive.read("word/document.xml").decode()
        footnotes = archive.read("word/footnotes.xml").decode()
    assert document.count("<w:footnoteReference ") == 1
    assert "It is fixed for the Term" in footnotes
    assert document.count("<w:tbl>") == document.count("<w:tblHeader/>") == 1


def test_the_standard_has_bookmarks_and_printed_headings_that_agree() -> None:
    source = (FOLDER / "sources" / "mooring-standard.md").read_text(encoding="utf-8")
    headings = [(len(marks) - 1, text) for marks, text in re.findall(r"^(#+) (.+)$", source, re.MULTILINE)]
    document = pdfium.PdfDocument(STANDARD)
    assert [(mark.level, mark.get_title()) for mark in document.get_toc()] == headings
    assert len(document) == 14


def test_the_standard_parts_words_at_the_ends_of_lines_and_of_a_page() -> None:
    pages = [page.get_textpage().get_text_range().strip() for page in pdfium.PdfDocument(STANDARD)]
    # pdfium writes a hyphen at the end of a line as U+FFFE.
    assert sum(page.count("\ufffe") for page in pages) >= 10
    assert [number for number, page in enumerate(pages, start=1) if re.search(r"[a-z]-$", page)] == [5]


def test_the_notice_is_flat_text_of_at_most_eighty_columns() -> None:
    lines = NOTICE.read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if re.match(r"#|\(?\w{1,3}[.)] ", line)] == []


def test_the_fees_of_the_act_are_those_of_the_licence_and_of_the_notice() -> None:
    act = ACT.read_text(encoding="utf-8")
    fees = dict(re.findall(r"^\| (\d) \|.+\| ([\d,]+) \|$", act, re.MULTILINE))
    licence = "\n".join(map(text_of, paragraphs_of_the_licence()))
    notice = " ".join(NOTICE.read_text(encoding="utf-8").split())
    assert f"application fee of {fees['1']} crowns" in licence
    assert f"item 4 of Schedule 2 to the Act, being {fees['4']} crowns" in licence
    assert f"{fees['5']} crowns for each movement of a vessel of less than 120 metres" in notice
    assert f"{fees['6']} crowns for each movement of a vessel of 120 metres or more" in notice
