"""OpenDocument, RTF and Word 97 become the same Markdown as Word does."""

from __future__ import annotations

from documents.convert.doc import NUMBERS_ARE_MISSING, convert_doc
from documents.convert.odt import convert_odt
from documents.convert.rtf import CUT_SHORT, convert_rtf
from tests.wordfiles import doc, flat_odt, odt


class TestOpenDocument:
    NUMBERED = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" '
        'style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" '
        'style:num-prefix="(" style:num-suffix=")"/></text:list-style>'
    )

    def read(self, body: str, styles: str = NUMBERED) -> list[str]:
        return convert_odt(odt(body, automatic=styles), "").text.split("\n\n")

    def listed(self, *items: str, more: str = 'text:style-name="L"') -> str:
        inside = "".join(f"<text:list-item>{content}</text:list-item>" for content in items)
        return f"<text:list {more}>{inside}</text:list>"

    def test_lists_are_numbered_by_their_style(self) -> None:
        inner = self.listed("<text:p>b</text:p><text:p>same item</text:p>", "<text:p>c</text:p>", more="")
        blocks = self.read(self.listed(f"<text:p>a</text:p>{inner}", "<text:p>d</text:p>"))
        assert blocks == ["1. a", "(a) b", "same item", "(b) c", "2. d"]

    def test_a_list_begins_anew_unless_it_continues(self) -> None:
        body = self.listed("<text:p>a</text:p>", more='text:style-name="L" xml:id="x"')
        body += self.listed("<text:p>b</text:p>")
        body += self.listed("<text:p>c</text:p>", more='text:style-name="L" text:continue-numbering="true"')
        body += self.listed("<text:p>d</text:p>", more='text:style-name="L" text:continue-list="x"')
        assert self.read(body) == ["1. a", "1. b", "2. c", "2. d"]

    def test_an_item_may_set_its_number_and_a_header_has_none(self) -> None:
        body = self.listed("<text:p>a</text:p>").replace(
            "<text:list-item>", '<text:list-item text:start-value="7">'
        )
        header = self.listed("<text:p>h</text:p>").replace("list-item", "list-header")
        assert self.read(body + header) == ["7. a", "h"]

    def test_headings_are_numbered_by_the_outline(self) -> None:
        levels = "".join(
            f'<text:outline-level-style text:level="{n}" style:num-format="1" text:display-levels="{n}"/>'
            for n in (1, 2)
        )
        body = "".join(
            f'<text:h text:outline-level="{n}">{t}</text:h>'
            for n, t in ((1, "a"), (2, "b"), (2, "c"), (1, "d"))
        )
        blocks = convert_odt(odt(body, styles=f"<text:outline-style>{levels}</text:outline-style>"), "").text
        assert blocks.split("\n\n") == ["# 1 a", "## 1.1 b", "## 1.2 c", "# 2 d"]

    def test_tables_notes_and_white_space(self) -> None:
        note = (
            '<text:note text:note-class="{}"><text:note-citation>1</text:note-citation><text:note-body>'
            "<text:p>{}</text:p></text:note-body></text:note>"
        )
        body = f"<text:p>a{note.format('footnote', 'foot')}\n b<text:s/><text:tab/>c<text:line-break/>"
        body += f"d{note.format('endnote', 'end')}</text:p>"
        cells = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>".format
        tall = ' table:number-rows-spanned="2"'
        rows = f"<table:table-row>{cells(tall, 'A')}{cells('', 'B')}</table:table-row>"
        rows += f"<table:table-row><table:covered-table-cell/>{cells('', 'C')}</table:table-row>"
        blocks = self.read(f"{body}<table:table>{rows}</table:table>")
        assert blocks == ["a[^1] b c\nd[^e1]", "| A | B |\n|---|---|\n| A | C |", "[^1]: foot", "[^e1]: end"]

    def test_letters_after_z_count_on_or_repeat_as_the_style_says(self) -> None:
        together = self.NUMBERED.replace(
            'style:num-format="1"', 'style:num-format="A" style:num-letter-sync="true"'
        )
        apart = self.NUMBERED.replace('style:num-format="1"', 'style:num-format="A"')
        body = self.listed("<text:p>x</text:p>").replace("-item>", '-item text:start-value="28">', 1)
        assert self.read(body, together) == ["BB. x"]
        assert self.read(body, apart) == ["AB. x"]

    def test_patterns_of_newer_files_and_bullets_are_printed(self) -> None:
        extension = "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"
        newer = (
            f'<text:list-style style:name="L" xmlns:loext="{extension}">'
            '<text:list-level-style-number text:level="1" style:num-format="I" '
            'loext:num-list-format="Art. %1%:">'
            "<style:list-level-properties>"
            '<style:list-level-label-alignment text:label-followed-by="nothing"/>'
            "</style:list-level-properties></text:list-level-style-number>"
            '<text:list-level-style-bullet text:level="2"/></text:list-style>'
        )
        inner = self.listed("<text:p>b</text:p>", "<text:p/>", more="")
        assert self.read(self.listed(f"<text:p>a</text:p>{inner}"), newer) == ["Art. I:a", "- b"]

    def test_an_outline_can_restart_and_a_heading_can_go_without_a_number(self) -> None:
        levels = '<text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/>'
        restarts = 'text:restart-numbering="true" text:start-value="5"'
        attributes = ("", 'text:is-list-header="true"', restarts, 'text:style-name="Plain"')
        body = "".join(f'<text:h text:outline-level="1" {more}>x</text:h>' for more in attributes)
        plain = '<style:style style:name="Plain" style:list-style-name=""/>'
        content = odt(body, styles=f"<text:outline-style>{levels}</text:outline-style>{plain}")
        assert convert_odt(content, "").text.split("\n\n") == ["# 1. x", "# x", "# 5. x", "# x"]

    def test_hidden_text_is_left_out_and_boxes_follow(self) -> None:
        hidden = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
        frame = "<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>"
        body = f'<text:p>a<text:span text:style-name="H">b</text:span>{frame}c</text:p>'
        body += '<text:p text:style-name="H">d</text:p>'
        body += "<text:table-of-content><text:p>e</text:p></text:table-of-content>"
        body += '<text:section text:display="none"><text:p>f</text:p></text:section>'
        assert self.read(body, hidden) == ["ac", "box"]

    def test_the_title_comes_from_the_properties_or_the_paragraph(self) -> None:
        body = '<text:p text:style-name="P1">The Act</text:p>'
        styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
        office = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
        dublin = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
        meta = f"<office:m {office} {dublin}><office:meta><dc:title>Act 5</dc:title></office:meta></office:m>"
        assert convert_odt(odt(body, automatic=styles), "").title == "The Act"
        assert convert_odt(odt(body, automatic=styles, meta=meta), "").title == "Act 5"
        assert self.read(body, styles) == ["# The Act"]

    def test_flat_files_are_read(self) -> None:
        assert convert_odt(flat_odt("<text:p>x</text:p>"), "").text == "x"


class TestRichText:
    def read(self, inside: str) -> list[str]:
        return convert_rtf(b"{\\rtf1\\ansi\\ansicpg1252 " + inside.encode("latin-1") + b"}", "").text.split(
            "\n\n"
        )

    def test_printed_numbers_are_kept_and_signs_become_bullets(self) -> None:
        body = "{\\listtext\\pard\\plain (a)\\tab}\\ls1 one\\par{\\pntext\\f1\\'b7\\tab}two\\par"
        assert self.read(body) == ["(a) one", "- two"]

    def test_bytes_are_read_in_the_encoding_of_their_font(self) -> None:
        fonts = "{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset128 B;}{\\f2\\fcharset204 C;}}"
        assert self.read(fonts + "\\f0 \\'e4\\f1 \\'93\\'fa\\'8eq\\f2 \\'e4") == ["ä日子д"]

    def test_unicode_takes_the_place_of_its_fallback(self) -> None:
        assert self.read("\\uc1\\u8364?x{\\uc2\\u26085\\'93\\'fa}\\u-10179?\\u-8704?y\\u-10179?") == [
            "€x日😀y"
        ]

    def test_headings_come_from_styles_and_outline_levels(self) -> None:
        styles = (
            "{\\stylesheet{\\s1 heading 1;}{\\s2\\outlinelevel1 Clause;}{\\s3\\sbasedon2 Mine;}{\\s4 toc 1;}}"
        )
        body = "\\pard\\s1 a\\par\\pard\\s2 b\\par\\pard\\s3 c\\par\\pard\\s4 d 4\\par"
        body += "\\pard\\outlinelevel2 e\\par\\pard f"
        assert self.read(styles + body) == ["# a", "## b", "## c", "### e", "f"]

    def test_what_is_not_printed_is_left_out(self) -> None:
        body = (
            "{\\info{\\author X}}{\\header h}{\\*\\generator g;}{\\v hidden}{\\deleted gone}{\\pict 00ff}"
            "\\bin3 \\}{"
            "{\\field{\\*\\fldinst PAGE}{\\fldrslt 3}}{\\field{\\*\\fldinst REF x}{\\fldrslt kept}}"
        )
        assert self.read(body) == ["kept"]

    def test_tables_and_notes(self) -> None:
        body = "\\trowd\\intbl a\\cell b\\cell\\row\\intbl c\\par d\\cell e\\cell\\row"
        body += "\\pard x{\\super\\chftn}{\\*\\footnote n}{\\footnote\\ftnalt m}"
        assert self.read(body) == ["| a | b |\n|---|---|\n| c d | e |", "x[^1][^e1]", "[^1]: n", "[^e1]: m"]

    def test_symbols_are_read_by_their_font_and_titles_from_the_properties(self) -> None:
        fonts = "{\\fonttbl{\\f0 A;}{\\f1\\fcharset2 Symbol;}}{\\info{\\title The \\u916?}}"
        converted = convert_rtf(f"{{\\rtf1\\mac{fonts}\\f1 a\\f0 \\'8a\\line b\\par}}".encode(), "")
        assert (converted.title, converted.text) == ("The Δ", "αä\nb")

    def test_text_boxes_and_unicode_alternatives_are_read_once(self) -> None:
        box = "{\\shp{\\*\\shpinst{\\sp{\\sn a}{\\sv b}}{\\shptxt in the box\\par}}}"
        assert self.read(box + "{\\upr{old}{\\*\\ud{new}}}") == ["in the box", "new"]
        assert self.read("{\\header " + box + "}x") == ["x"]

    def test_a_file_that_ends_early_says_so(self) -> None:
        assert convert_rtf(b"{\\rtf1 a", "").warnings == (CUT_SHORT,)


class TestBinaryWord:
    def test_text_is_read_from_pieces_of_both_widths(self) -> None:
        converted = convert_doc(doc("Größe eins.\rZwei – \u65e5\u672c\r"), "")
        assert converted.text == "Größe eins.\n\nZwei – 日本"
        assert converted.warnings == ()

    def test_fields_show_their_results(self) -> None:
        text = "a \x13 REF x \x14b\x15 c\x13 PAGE \x14 4\x15\x0bd\x1ee\r"
        assert convert_doc(doc(text), "").text == "a b c\nd-e"

    def test_notes_stand_where_they_are_referred_to(self) -> None:
        assert (
            convert_doc(doc("ab\x02c\r", footnotes="\x02 note\r", marks=[2]), "").text
            == "ab[^1]c\n\n[^1]: note"
        )

    def test_cells_are_told_from_paragraphs(self) -> None:
        assert convert_doc(doc("a\x07b\x07c\r"), "").text == "| a | b |\n|---|---|\n\nc"

    def test_headings_rows_and_numbers_are_known_by_their_properties(self) -> None:
        in_table, ends_row = b"\0\0\x16\x24\1", b"\0\0\x16\x24\1\x17\x24\1"
        styles = [(0, 0xFFF), (2, 0), (0xFFE, 1), (19, 0)]
        numbered_top = [b"\0\0\x0b\x46\1\0", b"\0\0\x40\x26\0"]
        paragraphs = [b"\2\0", in_table, in_table, ends_row, b"\3\0", *numbered_top]
        text = "head\ra\x07b\x07\x07contents 3\rnumbered\rtop\r"
        converted = convert_doc(doc(text, paragraphs=paragraphs, styles=styles), "")
        assert converted.text == "## head\n\n| a | b |\n|---|---|\n\nnumbered\n\n# top"
        assert converted.warnings == (NUMBERS_ARE_MISSING,)
