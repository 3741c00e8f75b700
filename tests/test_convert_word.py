"""Word and its relatives become Markdown with every number as printed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from documents.convert.doc import convert_doc
from documents.convert.docx import convert_docx
from documents.convert.docx.numerals import write_letters, write_number, write_positional
from documents.convert.docx.symbols import read_symbol
from documents.convert.odt import convert_odt
from documents.convert.rtf import convert_rtf
from documents.errors import ConversionError, Encrypted, NoText, OverLimit, Unreadable, Unsupported
from documents.roman import write_roman
from tests.processes import DATA
from tests.wordfiles import (
    cell,
    definition,
    doc,
    docx,
    instance,
    item,
    level,
    numbered,
    odt,
    ole,
    paragraph,
    restart,
    run,
    style,
    table,
    zipped,
)  # fmt: skip

NASTY = DATA / "nasty"
needs_data = pytest.mark.skipif(not NASTY.exists(), reason="The test data is not here.")
CLAUSES = definition(
    0, [level(0, "decimal", "%1."), level(1, "decimal", "%1.%2"), level(2, "lowerLetter", "(%3)")]
)
HEADINGS = style("H1", "heading 1", numbered(1)) + style("H2", "heading 2", numbered(1, 1))


def read(body: str, **parts: str) -> list[str]:
    return convert_docx(docx(body, **parts), "a.docx").text.split("\n\n")


def outline(levels: str, numbering: str, num_ids: str = "") -> list[str]:
    """Number one paragraph per digit of `levels` and return the numbers alone."""
    lists = map(int, num_ids or "1" * len(levels))
    body = "".join(item("x", num_id, int(digit)) for num_id, digit in zip(lists, levels, strict=True))
    return [block.removesuffix("x").strip() for block in read(body, numbering=numbering)]


def field(instruction: str, result: str) -> str:
    def mark(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    told = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
    return f"{mark('begin')}{told}{mark('separate')}{result}{mark('end')}"


class TestNumbers:
    @pytest.mark.parametrize(
        ("written", "value", "expected"),
        [
            ("lowerLetter", 26, "z"), ("lowerLetter", 27, "aa"), ("lowerLetter", 28, "bb"),
            ("upperLetter", 53, "AAA"), ("lowerRoman", 4, "iv"), ("upperRoman", 1999, "MCMXCIX"),
            ("ordinal", 1, "1st"), ("ordinal", 11, "11th"), ("ordinal", 22, "22nd"),
            ("ordinal", 113, "113th"),
            ("decimalZero", 9, "09"), ("decimalZero", 10, "10"), ("cardinalText", 21, "Twenty-one"),
            ("cardinalText", 101, "One hundred one"), ("ordinalText", 12, "Twelfth"),
            ("ordinalText", 20, "Twentieth"), ("ordinalText", 21, "Twenty-first"), ("none", 3, ""),
            ("chineseCountingThousand", 10, "十"), ("chineseCountingThousand", 21, "二十一"),
            ("chineseCountingThousand", 101, "一百零一"), ("chineseCountingThousand", 111, "一百一十一"),
            ("japaneseCounting", 110, "百十"), ("chineseLegalSimplified", 15, "壹拾伍"), ("ganada", 15, "가"),
            ("decimalEnclosedCircle", 20, "⑳"), ("decimalEnclosedCircle", 21, "21"), ("hebrew1", 15, "טו"),
            ("russianLower", 3, "в"), ("decimalFullWidth", 10, "１０"), ("thaiNumbers", 12, "๑๒"),
            ("somethingNew", 7, "7"), ("lowerLetter", 0, ""), ("decimal", 0, "0"), ("lowerRoman", -1, "-1"),
        ],
    )  # fmt: skip
    def test_are_written_as_word_prints_them(self, written: str, value: int, expected: str) -> None:
        assert write_number(value, written) == expected

    @given(st.integers(1, 3999))
    def test_roman_numerals_add_up(self, value: int) -> None:
        worth = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
        digits = [worth[letter] for letter in write_roman(value)]
        signs = [-1 if digit < max(digits[n:]) else 1 for n, digit in enumerate(digits)]
        assert sum(sign * digit for sign, digit in zip(signs, digits, strict=True)) == value

    @given(st.integers(1, 700))
    def test_letters_differ_after_z_between_word_and_opendocument(self, value: int) -> None:
        assert len(set(write_letters(value))) == 1
        assert (write_letters(value) == write_positional(value)) == (value <= 27)


class TestCounting:
    def test_levels_restart_after_a_higher_one(self) -> None:
        numbers = outline("0112012", CLAUSES + instance(1, 0))
        assert numbers == ["1.", "1.1", "1.2", "(a)", "2.", "2.1", "(a)"]

    def test_a_skipped_level_counts_as_begun(self) -> None:
        assert outline("02010", CLAUSES + instance(1, 0)) == ["1.", "(a)", "2.", "2.1", "3."]
        assert outline("110", CLAUSES + instance(1, 0)) == ["1.1", "1.2", "2."]
        assert outline("021", CLAUSES + instance(1, 0)) == ["1.", "(a)", "1.2"]

    def test_lists_of_one_definition_count_on(self) -> None:
        assert outline("00110", CLAUSES + instance(1, 0) + instance(2, 0), "12211") == [
            "1.",
            "2.",
            "2.1",
            "2.2",
            "3.",
        ]

    def test_lists_of_two_definitions_count_apart(self) -> None:
        other = definition(1, [level(0, "upperRoman", "%1)")])
        assert outline("0000", CLAUSES + other + instance(1, 0) + instance(2, 1), "1221") == [
            "1.",
            "I)",
            "II)",
            "2.",
        ]

    def test_an_override_restarts_once_and_the_list_resumes_from_there(self) -> None:
        numbering = CLAUSES + instance(1, 0) + instance(2, 0, restart(0, 5))
        assert outline("00000", numbering, "11221") == ["1.", "2.", "5.", "6.", "7."]

    def test_an_override_can_bring_its_own_level(self) -> None:
        own = f'<w:lvlOverride w:ilvl="0">{level(0, "upperLetter", "%1)", start=4)}</w:lvlOverride>'
        assert outline("000", CLAUSES + instance(1, 0) + instance(2, 0, own), "121") == ["1.", "B)", "3."]

    def test_a_level_can_count_through_or_restart_after_the_first_only(self) -> None:
        through = level(1, "decimal", "%1.%2", more='<w:lvlRestart w:val="0"/>')
        first = level(2, "lowerLetter", "(%3)", more='<w:lvlRestart w:val="1"/>')
        numbering = definition(0, [level(0, "decimal", "%1."), through, first]) + instance(1, 0)
        assert outline("0121201", numbering) == ["1.", "1.1", "(a)", "1.2", "(b)", "2.", "2.3"]

    def test_legal_levels_are_decimal_throughout(self) -> None:
        legal = level(1, "decimal", "Section %1.%2", more="<w:isLgl/>")
        numbering = definition(0, [level(0, "upperRoman", "Article %1."), legal]) + instance(1, 0)
        assert outline("0101", numbering) == ["Article I.", "Section 1.1", "Article II.", "Section 2.1"]

    def test_start_values_hold_at_every_restart(self) -> None:
        numbering = definition(
            0, [level(0, "decimal", "%1", start=0), level(1, "lowerLetter", "%1%2", start=3)]
        )
        assert outline("01101", numbering + instance(1, 0)) == ["0", "0c", "0d", "1", "1c"]

    def test_a_list_may_name_the_style_that_defines_it(self) -> None:
        linked = definition(0, [level(0, "decimal", "%1)")], '<w:styleLink w:val="L"/>')
        link = definition(1, [], '<w:numStyleLink w:val="L"/>')
        blocks = read(
            item("a", 2) + item("b", 2),
            numbering=linked + link + instance(1, 0) + instance(2, 1),
            styles=style("L", "L", numbered(1), kind="numbering"),
        )
        assert blocks == ["1) a", "2) b"]

    def test_a_style_that_links_to_itself_leaves_no_number(self) -> None:
        link = definition(0, [], '<w:numStyleLink w:val="L"/>')
        styles = style("L", "L", numbered(1), kind="numbering")
        assert read(item("a"), numbering=link + instance(1, 0), styles=styles) == ["a"]

    def test_padded_numbers_are_read_from_the_newer_branch(self) -> None:
        padded = (
            '<w:lvl w:ilvl="0"><w:start w:val="7"/><mc:AlternateContent><mc:Choice Requires="w14">'
            '<w:numFmt w:val="custom" w:format="001, 002, 003, ..."/></mc:Choice><mc:Fallback>'
            '<w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent><w:lvlText w:val="R-%1"/></w:lvl>'
        )
        assert outline("00", definition(0, [padded]) + instance(1, 0)) == ["R-007", "R-008"]

    def test_what_follows_a_number_is_a_space_or_nothing(self) -> None:
        close = definition(0, [level(0, "decimal", "第%1条", more='<w:suff w:val="nothing"/>')])
        assert read(item("目的"), numbering=close + instance(1, 0)) == ["第1条目的"]

    def test_signs_become_bullets_and_words_stay(self) -> None:
        signs = definition(
            0, [level(0, "bullet", "\uf0b7"), level(1, "bullet", "NOTE"), level(2, "none", "Zu %1")]
        )
        body = item("a") + item("b", level=1) + item("c", level=2)
        assert read(body, numbering=signs + instance(1, 0)) == ["- a", "NOTE b", "Zu c"]

    def test_an_empty_numbered_paragraph_is_printed_and_an_empty_bullet_is_not(self) -> None:
        bullets = definition(1, [level(0, "bullet", "•")]) + instance(2, 1)
        body = item("a") + item("") + item("", 2) + item("b")
        assert read(body, numbering=CLAUSES + instance(1, 0) + bullets) == ["1. a", "2.", "3. b"]

    @given(st.lists(st.integers(0, 2), min_size=1, max_size=30))
    @hypothesis_settings(max_examples=40)
    def test_numbers_of_a_level_rise_by_one_until_a_higher_level_comes(self, levels: list[int]) -> None:
        numbers = outline("".join(map(str, levels)), CLAUSES + instance(1, 0))
        last: dict[int, str] = {}
        for depth, number in zip(levels, numbers, strict=True):
            own = int(number.strip(".").split(".")[-1]) if depth < 2 else ord(number[1]) - 96
            last = {known: value for known, value in last.items() if known <= depth}
            assert own >= 1
            assert depth not in last or own == int(last[depth]) + 1
            last[depth] = str(own)


class TestStyles:
    def test_headings_print_the_numbers_of_their_styles(self) -> None:
        linked = definition(
            0,
            [
                level(0, "decimal", "%1", more='<w:pStyle w:val="H1"/>'),
                level(1, "decimal", "%1.%2", more='<w:pStyle w:val="H2"/>'),
            ],
        )
        body = paragraph("Scope", style="H1") + paragraph("Terms", style="H2") + paragraph("Text.")
        blocks = read(body, styles=HEADINGS, numbering=linked + instance(1, 0))
        assert blocks == ["# 1 Scope", "## 1.1 Terms", "Text."]

    def test_numbering_is_inherited_and_can_be_switched_off(self) -> None:
        styles = (
            HEADINGS + style("Own", "Own", based_on="H2") + style("Off", "Off", numbered(0), based_on="H1")
        )
        body = (
            paragraph("a", style="H1") + paragraph("b", style="Own") + paragraph("c", style="Off")
            + paragraph("d", style="H1", properties=numbered(0)) + paragraph("e", style="H1")
        )  # fmt: skip
        blocks = read(body, styles=styles, numbering=CLAUSES + instance(1, 0))
        assert blocks == ["# 1. a", "## 1.1 b", "# c", "# d", "# 2. e"]

    def test_outline_levels_make_headings_whatever_the_style_is_called(self) -> None:
        styles = style("berschrift1", "Rubrik", '<w:outlineLvl w:val="0"/>') + style(
            "B", "B", based_on="berschrift1"
        )
        body = paragraph("a", style="B") + paragraph("b", properties='<w:outlineLvl w:val="8"/>')
        body += paragraph("c", style="B", properties='<w:outlineLvl w:val="9"/>')
        assert read(body, styles=styles) == ["# a", "###### b", "c"]

    @pytest.mark.parametrize(("length", "is_heading"), [(250, True), (251, False)])
    def test_a_clause_in_a_heading_style_is_a_paragraph(self, length: int, is_heading: bool) -> None:
        blocks = read(paragraph("x" * length, style="H"), styles=style("H", "heading 3"))
        assert blocks == [("### " if is_heading else "") + "x" * length]

    def test_the_title_is_a_heading_and_the_properties_name_it_first(self) -> None:
        body, styles = paragraph("The Act", style="T") + paragraph("x"), style("T", "Title")
        assert convert_docx(docx(body, styles=styles), "").title == "The Act"
        assert convert_docx(docx(body, styles=styles, title="Act 5"), "").title == "Act 5"
        assert read(body, styles=styles) == ["# The Act", "x"]

    def test_styles_based_on_each_other_end(self) -> None:
        styles = style("A", "A", based_on="B") + style("B", "B", based_on="A")
        assert read(paragraph("x", style="A"), styles=styles) == ["x"]


class TestText:
    def test_hidden_and_deleted_text_is_left_out_and_inserted_text_kept(self) -> None:
        body = paragraph(
            run("a")
            + run("b", "<w:vanish/>")
            + f"<w:ins>{run('c')}</w:ins><w:del><w:r><w:delText>d</w:delText></w:r>"
            f"</w:del><w:moveFrom>{run('e')}</w:moveFrom><w:moveTo>{run('f')}</w:moveTo>"
            + run("g", '<w:vanish w:val="0"/>')
        )
        assert read(body) == ["acfg"]

    def test_deleted_and_hidden_paragraphs_do_not_count(self) -> None:
        deleted = f"{numbered(1, 0)}<w:rPr><w:del/></w:rPr>"
        hidden = f"{numbered(1, 0)}<w:rPr><w:vanish/></w:rPr>"
        body = item("a") + paragraph(f"<w:del>{run('b')}</w:del>", properties=deleted)
        body += paragraph(run("c", "<w:vanish/>"), properties=hidden) + item("d")
        assert read(body, numbering=CLAUSES + instance(1, 0)) == ["1. a", "2. d"]

    def test_a_paragraph_whose_end_was_deleted_runs_into_the_next(self) -> None:
        body = paragraph("one ", properties="<w:rPr><w:del/></w:rPr>") + paragraph("two")
        assert read(body) == ["one two"]

    def test_special_characters_are_printed(self) -> None:
        inside = (
            "<w:t>a</w:t><w:tab/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t><w:softHyphen/><w:t>d\u00ade</w:t><w:br/>"
            '<w:t>f</w:t><w:br w:type="page"/><w:sym w:font="Wingdings" w:char="F0FE"/><w:t>\u00a0g</w:t>'
        )
        assert read(paragraph(f"<w:r>{inside}</w:r>")) == ["a b-cde\nf ☑ g"]

    @pytest.mark.parametrize(
        ("font", "code", "expected"),
        [("Symbol", "F061", "α"), ("Symbol", "F031", "1"), ("Wingdings", "F0E0", "→"),
         ("Wingdings", "F001", ""), ("Arial", "00A7", "§"), ("Arial", "F0A7", ""), ("Arial", "x", ""),
         ("Arial", "D800", "")],
    )  # fmt: skip
    def test_symbols_become_characters(self, font: str, code: str, expected: str) -> None:
        assert read_symbol(font, code) == expected

    def test_fields_show_results_but_neither_instructions_nor_page_numbers(self) -> None:
        body = paragraph(
            run("See ") + field("REF a \\h", run("Section 2")) + run(" on ") + field("PAGEREF a", run("9"))
        )
        body += paragraph(f'<w:fldSimple w:instr="SEQ Table">{run("7")}</w:fldSimple>')
        body += paragraph(f'{run("p")}<w:fldSimple w:instr=" PAGE ">{run("3")}</w:fldSimple>')
        assert read(body) == ["See Section 2 on", "7", "p"]

    def test_a_field_that_never_ends_swallows_one_paragraph_only(self) -> None:
        begun = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>'
        assert read(paragraph(begun + run("a")) + paragraph("b")) == ["b"]

    def test_tables_of_contents_are_left_out(self) -> None:
        gallery = (
            '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
        )
        body = f"<w:sdt>{gallery}<w:sdtContent>{paragraph('Contents')}</w:sdtContent></w:sdt>"
        body += (
            paragraph("1 Scope 3", style="V1") + paragraph(field("TOC", run("2 Terms 4"))) + paragraph("x")
        )
        assert read(body, styles=style("V1", "toc 1")) == ["x"]

    def test_wrappers_are_seen_through_and_one_alternative_is_taken(self) -> None:
        link = f"<w:hyperlink>{run('a')}</w:hyperlink><w:smartTag>{run('b')}</w:smartTag>"
        control = f"<w:sdt><w:sdtContent>{run('c')}</w:sdtContent></w:sdt>"
        branches = f"<mc:Choice Requires='wps'>{run('d')}</mc:Choice><mc:Fallback>{run('e')}</mc:Fallback>"
        ruby = f"<w:r><w:ruby><w:rt>{run('f')}</w:rt><w:rubyBase>{run('g')}</w:rubyBase></w:ruby></w:r>"
        inside = link + control + f"<mc:AlternateContent>{branches}</mc:AlternateContent>" + ruby
        assert read(paragraph(inside) + '<w:altChunk r:id="r9"/>') == ["abcdg"]

    def test_formulas_are_written_on_one_line(self) -> None:
        part = "<m:r><m:t>{}</m:t></m:r>"
        fraction = f"<m:f><m:num>{part.format('a')}</m:num><m:den>{part.format('b')}</m:den></m:f>"
        assert read(paragraph(f"<m:oMath>{fraction}</m:oMath>")) == ["a/b"]

    def test_text_boxes_follow_their_paragraph(self) -> None:
        box = f"<w:r><w:pict><w:txbxContent>{paragraph('in the box')}</w:txbxContent></w:pict></w:r>"
        assert read(paragraph(box + run("beside it"))) == ["beside it", "in the box"]

    def test_text_that_looks_like_markup_is_escaped(self) -> None:
        assert read(paragraph("# 1") + paragraph("> 2") + paragraph("a # b")) == ["\\# 1", "\\> 2", "a # b"]

    def test_notes_are_referred_to_in_order_and_stand_at_the_end(self) -> None:
        def refer(kind: str, note_id: int) -> str:
            return f'<w:r><w:{kind}Reference w:id="{note_id}"/></w:r>'

        body = paragraph(run("a") + refer("footnote", 5) + refer("endnote", 2) + refer("footnote", 3))
        footnotes = f'<w:footnote w:id="3">{paragraph("three")}</w:footnote>'
        footnotes += f'<w:footnote w:id="5">{paragraph("five")}{paragraph("more")}</w:footnote>'
        endnotes = f'<w:endnote w:id="2">{table(["x", "y"])}</w:endnote>'
        blocks = read(body, footnotes=footnotes, endnotes=endnotes)
        assert blocks == ["a[^1][^e1][^2]", "[^1]: five more", "[^2]: three", "[^e1]: x y"]


class TestTables:
    def test_the_first_row_is_the_header(self) -> None:
        assert read(table(["A", "B"], ["1", "2|3"])) == ["| A | B |\n|---|---|\n| 1 | 2\\|3 |"]

    def test_several_heading_rows_become_one(self) -> None:
        rows = read(table(["Fee", "Fee"], ["net", "gross"], ["1", "2"], heading_rows=2))
        assert rows == ["| Fee net | Fee gross |\n|---|---|\n| 1 | 2 |"]

    def test_merged_cells_repeat_downwards_and_stay_empty_sideways(self) -> None:
        begins, goes_on = cell("A", '<w:vMerge w:val="restart"/>'), cell("", "<w:vMerge/>")
        wide = cell("all", '<w:gridSpan w:val="2"/>')
        rows = read(table(["h", "i"], [begins, "1"], [goes_on, "2"], [wide]))
        assert rows == ["| h | i |\n|---|---|\n| A | 1 |\n| A | 2 |\n| all |  |"]

    def test_inner_tables_are_flattened_and_numbers_printed(self) -> None:
        inner = cell(table(["x", "y"], ["z", "w"]) + paragraph())
        rows = read(table(["No.", "What"], [item(""), inner]), numbering=CLAUSES + instance(1, 0))
        assert rows == ["| No. | What |\n|---|---|\n| 1. | x y z w |"]

    def test_a_frame_of_one_column_is_no_table(self) -> None:
        assert read(table([paragraph("a") + paragraph("b")], ["c"])) == ["a", "b", "c"]
        inner = cell(table(["d", "e"]) + paragraph("f"))
        assert read(table([inner])) == ["| d | e |\n|---|---|", "f"]

    def test_deleted_rows_are_left_out(self) -> None:
        rows = table(["a", "b"], ["c", "d"]).replace("<w:tr>", "<w:tr><w:trPr><w:del/></w:trPr>", 1)
        assert read(rows + table(["e", "f"])) == ["| c | d |\n|---|---|", "| e | f |\n|---|---|"]


class TestRefusals:
    def test_a_file_under_a_password(self) -> None:
        with pytest.raises(Encrypted, match="Remove the password"):
            convert_docx(ole({"EncryptionInfo": b"", "EncryptedPackage": b"x"}), "")
        with pytest.raises(Encrypted, match="Remove the password"):
            convert_doc(doc("x\r", flags=0x0100), "")
        space = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
        data = f'<m:manifest xmlns:m="{space}"><m:encryption-data/></m:manifest>'
        with pytest.raises(Encrypted, match="Remove the password"):
            convert_odt(odt("", **{"META-INF__manifest": data}), "")

    def test_a_file_that_is_cut_short(self) -> None:
        whole = docx(paragraph("x" * 500))
        for content in (whole[:200], whole[: len(whole) // 2], b"PK\x03\x04", b""):
            with pytest.raises(Unreadable, match="damaged or cut short"):
                convert_docx(content, "")

    def test_a_file_that_is_something_else(self) -> None:
        workbook = zipped({"_rels/.rels": "<r/>", "xl/workbook.xml": "<w/>"})
        for convert in (convert_docx, convert_odt):
            with pytest.raises(Unreadable, match="not a"):
                convert(workbook, "")
        with pytest.raises(Unreadable, match=r"ending \.doc"):
            convert_docx(ole({"WordDocument": b""}), "")
        with pytest.raises(Unreadable, match="not a Word document"):
            convert_doc(ole({"Workbook": b""}), "")
        with pytest.raises(Unreadable, match="not RTF"):
            convert_rtf(b"plain", "")

    def test_a_word_before_1997(self) -> None:
        with pytest.raises(Unsupported, match="Save it as DOCX"):
            convert_doc(doc("x\r", magic=0xA5DC), "")

    def test_a_file_without_text(self) -> None:
        for convert, content in (
            (convert_docx, docx(paragraph())), (convert_odt, odt("")), (convert_rtf, b"{\\rtf1 }"),
            (convert_doc, doc("\r\r")),
        ):  # fmt: skip
            with pytest.raises(NoText, match="no text"):
                convert(content, "")

    def test_entities(self) -> None:
        evil = '<!DOCTYPE w:document [<!ENTITY a "b">]><w:document xmlns:w="x">&a;</w:document>'
        files = {"_rels/.rels": '<R xmlns="p"><S Type="x/officeDocument" Target="d.xml"/></R>', "d.xml": evil}
        with pytest.raises(Unreadable, match="entities"):
            convert_docx(zipped(files), "")

    def test_padding_made_to_fill_the_memory(self) -> None:
        with pytest.raises(OverLimit, match="unpacks to more"):
            convert_docx(zipped({"word/document.xml": b" " * (11 * 1024 * 1024)}), "")

    @given(st.binary(max_size=40), st.integers(0, 2000), st.sampled_from(["docx", "odt", "doc", "rtf"]))
    @hypothesis_settings(max_examples=150)
    def test_damage_is_refused_or_read_and_nothing_else(self, noise: bytes, place: int, kind: str) -> None:
        convert, whole = WHOLE[kind]
        place %= len(whole)
        try:
            converted = convert(whole[:place] + noise + whole[place + len(noise) :], "")
        except ConversionError:
            return
        assert converted.text


WHOLE = {
    "docx": (convert_docx, docx(item("text") + table(["a", "b"]), numbering=CLAUSES + instance(1, 0))),
    "odt": (convert_odt, odt("<text:p>text</text:p>")),
    "doc": (convert_doc, doc("text\x02\rmore\r", footnotes="\x02note\r", marks=[4])),
    "rtf": (convert_rtf, b"{\\rtf1{\\fonttbl{\\f0\\fcharset128 A;}}{\\listtext 1.}\\u8364?\\'93\\'fa\\cell}"),
}  # fmt: skip


@needs_data
@pytest.mark.parametrize("kind", ["docx", "doc", "rtf", "odt"])
def test_every_office_file_gives_what_its_manifest_expects(kind: str) -> None:
    convert = {"docx": convert_docx, "doc": convert_doc, "rtf": convert_rtf, "odt": convert_odt}[kind]
    entries = map(json.loads, (NASTY / "manifest.jsonl").read_text().splitlines())
    for entry in (e for e in entries if e["file"].startswith("office/") and e["file"].endswith(f".{kind}")):
        content = (NASTY / entry["file"]).read_bytes()
        if entry["expect"] == "reject":
            with pytest.raises((Encrypted, Unreadable)):
                convert(content, entry["file"])
        else:
            assert any(map(str.isalpha, convert(content, entry["file"]).text)), entry["file"]


@needs_data
def test_numbered_headings_are_printed_as_libreoffice_shows_them() -> None:
    content = (NASTY / "office/docling_unit_test_headers_numbered.docx").read_bytes()
    blocks = convert_docx(content, "").text.split("\n\n")
    numbers = [block.lstrip("# ").split(" ")[0] for block in blocks if block.lstrip("# ")[:1].isdigit()]
    assert numbers == [
        "1.", "1.1.", "1.2.", "1.2.1.", "2.", "2.1.1.", "2.2.", "1.", "1.1.", "1.1.1.", "2.3.1.", "2.3.2.",
        "2.3.3.", "2.3.4.", "2.3.5.", "2.3.6.", "2.3.7.", "2.3.8.", "2.3.8.1.", "2.3.8.2.", "2.3.8.3.",
    ]  # fmt: skip


def test_zip_archives_under_a_password_are_told_apart() -> None:
    content = bytearray(docx(paragraph("x")))
    for signature, shift in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = -1
        while (place := content.find(signature, place + 1)) >= 0:
            content[place + shift] |= 1
    with pytest.raises(Encrypted, match="Remove the password"):
        convert_docx(bytes(content), "")
