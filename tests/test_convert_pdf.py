"""Reading PDFs: text in order, structure, pages, and what cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from documents.convert.pdf import convert_pdf
from documents.convert.pdf.columns import free_intervals, intersect
from documents.convert.pdf.contents import has_leaders
from documents.convert.pdf.furniture import drop_furniture
from documents.convert.pdf.hyphens import Vocabulary, join_lines, learn_words
from documents.convert.pdf.numbering import ends_whole, find_mark, mark_follows
from documents.convert.pdf.rows import group_rows, spell_row
from documents.convert.pdf.words import Word
from documents.errors import ConversionError, Encrypted, NoText, Unreadable
from tests.processes import DATA

NASTY = DATA / "nasty"
WIDTH, HEIGHT = A4
LEFT, TOP, LEADING = 72, 760, 14
FULL = "The operator shall keep a record of every test that is carried out under this standard"

Draw = Callable[[Canvas], None]


def make_pdf(*pages: Draw, **options: Any) -> bytes:
    """Return a PDF with one page for each function."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4, **options)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def write(
    canvas: Canvas, *lines: str, x: float = LEFT, y: float = TOP, font: str = "Times-Roman", size: float = 10
) -> None:
    """Write lines under each other."""
    canvas.setFont(font, size)
    for number, line in enumerate(lines):
        canvas.drawString(x, y - number * LEADING, line)


def add_bookmark(canvas: Canvas, title: str, level: int) -> None:
    """Add an entry to the outline that leads to this page."""
    canvas.bookmarkPage(title)
    canvas.addOutlineEntry(title, title, level=level)


def page_of(*lines: str, **options: Any) -> Draw:
    """Return a page with these lines."""
    return lambda canvas: write(canvas, *lines, **options)


def convert(*pages: Draw, **options: Any) -> str:
    """Return the text of a PDF with these pages."""
    return convert_pdf(make_pdf(*pages, **options), "test.pdf").text


def word(text: str, x: float, y: float = 0, size: float = 10) -> Word:
    """Return a word whose letters are half as wide as high."""
    return Word(text, x, x + len(text) * size / 2, y, size, bold=False)


class TestParagraphs:
    def test_lines_are_joined(self) -> None:
        assert convert(page_of(FULL, "and keep it for ten years.")) == f"{FULL} and keep it for ten years.\n"

    def test_word_cut_at_line_end_is_joined(self) -> None:
        text = convert(page_of(FULL + " regu-", "lation and under any other."))
        assert text == f"{FULL} regulation and under any other.\n"

    def test_compound_that_occurs_elsewhere_keeps_its_hyphen(self) -> None:
        text = convert(page_of(FULL + " cross-", "border rule, and a cross-border rule is one."))
        assert text == f"{FULL} cross-border rule, and a cross-border rule is one.\n"

    def test_wide_gap_parts_paragraphs(self) -> None:
        def draw(canvas: Canvas) -> None:
            write(canvas, FULL, FULL, FULL)
            write(canvas, FULL, y=TOP - 5 * LEADING)

        assert convert(draw) == f"{FULL} {FULL} {FULL}\n\n{FULL}\n"

    def test_printed_numbering_starts_a_paragraph(self) -> None:
        text = convert(page_of(FULL + ":", "(a) one thing;", "(b) another thing; and", "(c) a third."))
        assert text == f"{FULL}:\n\n(a) one thing;\n\n(b) another thing; and\n\n(c) a third.\n"

    def test_reference_at_the_start_of_a_line_does_not(self) -> None:
        text = convert(page_of(FULL, f"{FULL[:66]} under paragraph", "(b) of this section or"))
        assert text == f"{FULL} {FULL[:66]} under paragraph (b) of this section or\n"

    def test_bullets_become_list_items(self) -> None:
        assert convert(page_of("• one thing", "• another thing")) == "- one thing\n\n- another thing\n"

    def test_start_that_markdown_would_read_is_escaped(self) -> None:
        assert convert(page_of("# no heading")) == "\\# no heading\n"

    def test_paragraph_goes_on_over_a_page_break(self) -> None:
        converted = convert_pdf(make_pdf(page_of(FULL, FULL), page_of("and never lose it.", "The last.")), "")
        assert converted.text == f"{FULL} {FULL} and never lose it.\n\nThe last.\n"
        assert [converted.text[at : at + 9] for at in converted.pages] == ["The opera", "and never"]

    def test_note_at_the_foot_does_not_stop_it(self) -> None:
        def first(canvas: Canvas) -> None:
            write(canvas, FULL, FULL)
            write(canvas, "1 See the annex.", y=60, size=7)

        text = convert(first, page_of("and never lose it."))
        assert text == f"{FULL} {FULL} and never lose it.\n\n1 See the annex.\n"

    def test_raised_mark_of_a_note_stays_at_its_word(self) -> None:
        def draw(canvas: Canvas) -> None:
            write(canvas, "The Act", FULL)
            write(canvas, "12", x=LEFT + canvas.stringWidth("The Act", "Times-Roman", 10), y=TOP + 4, size=6)

        assert convert(draw).startswith("The Act¹²")

    def test_short_lines_are_not_joined(self) -> None:
        text = convert(page_of("token = one", "field = two", FULL, FULL))
        assert text == f"token = one\n\nfield = two\n\n{FULL} {FULL}\n"

    def test_quotation_set_in_on_both_sides_is_one_paragraph(self) -> None:
        quotation = ["a record that was not kept", "is no record, whatever it", "may say of itself in turn"]

        def draw(canvas: Canvas) -> None:
            write(canvas, FULL, FULL + ":")
            write(canvas, *quotation, x=LEFT + 30, y=TOP - 3 * LEADING)

        assert convert(draw).split("\n\n")[1] == " ".join(quotation) + "\n"

    def test_words_from_right_to_left_come_in_the_order_of_reading(self) -> None:
        row = [word("סוף", 0), word("12", 40), word("(3)", 55), word("תחילה", 80)]
        assert spell_row(row) == "תחילה 12 (3) סוף"


class TestColumns:
    def test_two_columns_are_read_one_after_the_other(self) -> None:
        left = [f"left {n} of the running text in a column" for n in range(6)]
        right = [f"right {n} of the running text in a column" for n in range(6)]

        def draw(canvas: Canvas) -> None:
            write(canvas, *left)
            write(canvas, *right, x=310)

        text = convert(draw)
        assert text == " ".join(left + right) + "\n"

    def test_title_over_both_columns_comes_first(self) -> None:
        def draw(canvas: Canvas) -> None:
            write(canvas, "A long title that goes over both of the columns of the page", y=TOP + 30, size=16)
            write(canvas, *["left text of the running text in a column"] * 5)
            write(canvas, *["right text of the running text in a column"] * 5, x=310)

        lines = convert(draw).split("\n\n")
        assert lines[0] == "# A long title that goes over both of the columns of the page"
        assert lines[1].startswith("left text")
        assert lines[1].rstrip().endswith("right text of the running text in a column")

    def test_numbering_with_hanging_text_is_no_column(self) -> None:
        def draw(canvas: Canvas) -> None:
            for n in range(6):
                y = TOP - n * 2 * LEADING
                write(canvas, f"({'abcdef'[n]})", y=y)
                write(
                    canvas,
                    "the operator shall keep it for as long as the",
                    "law says it must be kept;",
                    x=110,
                    y=y,
                )

        blocks = convert(draw).split("\n\n")
        assert blocks[0] == "(a) the operator shall keep it for as long as the law says it must be kept;"
        assert len(blocks) == 6

    @pytest.mark.parametrize("degrees", [90, 180, 270])
    def test_turned_page_reads_as_an_upright_one(self, degrees: int) -> None:
        def draw(canvas: Canvas) -> None:
            canvas.translate(300, 400)
            canvas.rotate(degrees)
            write(
                canvas, "The first line of the page is set here", "and the second line below it.", x=-150, y=0
            )

        assert convert(draw) == "The first line of the page is set here and the second line below it.\n"

    @given(
        st.lists(st.floats(0, 100), min_size=2, max_size=8),
        st.lists(st.floats(0, 100), min_size=2, max_size=8),
        st.floats(0.5, 10),
    )
    def test_shared_blanks_lie_in_both_rows(self, ones: list[float], twos: list[float], width: float) -> None:
        rows = [[Word("x", x, x + 1, 0, 10, bold=False) for x in sorted(xs)] for xs in (ones, twos)]
        free = [free_intervals(row, 0, 110, width) for row in rows]
        for low, high in intersect(free[0], free[1], width):
            assert high - low >= width
            assert all(any(a <= low and high <= b for a, b in gaps) for gaps in free)

    @given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 700)), max_size=40))
    def test_rows_lose_no_word(self, places: list[tuple[int, int]]) -> None:
        words = [word("ab", x, y) for x, y in places]
        assert sorted(w.text for row in group_rows(words) for w in row) == sorted(w.text for w in words)


class TestFurniture:
    def test_running_lines_and_page_numbers_are_dropped(self) -> None:
        def page(number: int) -> Draw:
            def draw(canvas: Canvas) -> None:
                write(canvas, "Standard 4711 — Draft", y=800, size=8)
                write(canvas, f"Text of page {'abcd'[number]}.", y=TOP)
                write(canvas, f"Page {number + 1} of 4", y=30, size=8)

            return draw

        assert convert(*map(page, range(4))) == "\n\n".join(f"Text of page {c}." for c in "abcd") + "\n"

    def test_different_headings_at_the_top_of_pages_stay(self) -> None:
        pages = [page_of(f"Article {n * n + 3}", FULL, FULL) for n in range(5)]
        text = convert(*pages)
        assert [f"Article {n * n + 3}" in text for n in range(5)] == [True] * 5

    def test_one_page_keeps_everything(self) -> None:
        words = [word("Header", 0, 800), word("1", 0, 20)]
        assert drop_furniture([words], [(0, 842)]) == [words]

    def test_text_that_two_of_many_pages_share_stays(self) -> None:
        pages = [
            [word("Same" if n < 2 else f"Line{'abcdefgh'[n]}", 0, 800), word("x", 0, 400)] for n in range(8)
        ]
        assert drop_furniture(pages, [(0, 842)] * 8)[0][0].text == "Same"

    def test_text_repeated_away_from_the_edges_stays(self) -> None:
        page = page_of("Signature of the operator.", y=600)
        assert convert(page, page, page) == "\n\n".join(["Signature of the operator."] * 3) + "\n"


class TestHeadings:
    def test_larger_and_bold_lines_are_headings_by_rank(self) -> None:
        def draw(canvas: Canvas) -> None:
            write(canvas, "2 Requirements", y=TOP, font="Helvetica-Bold", size=16)
            write(canvas, "2.1 Scope", y=TOP - 30, font="Helvetica-Bold", size=12)
            write(canvas, FULL, FULL, y=TOP - 60)

        assert convert(draw) == f"# 2 Requirements\n\n## 2.1 Scope\n\n{FULL} {FULL}\n"

    def test_bold_line_at_text_size_is_a_heading_and_a_bold_sentence_is_not(self) -> None:
        def draw(canvas: Canvas) -> None:
            write(canvas, "Scope", font="Times-Bold")
            write(canvas, FULL, FULL, FULL, y=TOP - LEADING)
            write(canvas, "This sentence is printed in bold.", y=TOP - 5 * LEADING, font="Times-Bold")

        assert convert(draw) == f"# Scope\n\n{FULL} {FULL} {FULL}\n\nThis sentence is printed in bold.\n"

    def test_bookmark_makes_a_plain_line_a_heading_of_its_depth(self) -> None:
        def draw(canvas: Canvas) -> None:
            add_bookmark(canvas, "General", 0)
            add_bookmark(canvas, "Scope", 1)
            write(canvas, "1 General", "1.1 Scope", FULL, FULL)

        assert convert(draw) == f"# 1 General\n\n## 1.1 Scope\n\n{FULL} {FULL}\n"

    def test_line_above_that_looks_like_a_number_is_not_part_of_the_title(self) -> None:
        def draw(canvas: Canvas) -> None:
            add_bookmark(canvas, "1.1. Scope", 0)
            write(canvas, "Paragraph 1.2", "1.1. Scope", FULL, FULL)

        assert convert(draw) == f"Paragraph 1.2\n\n# 1.1. Scope\n\n{FULL} {FULL}\n"

    def test_number_above_its_title_is_one_heading_if_the_bookmark_says_so(self) -> None:
        def draw(canvas: Canvas) -> None:
            add_bookmark(canvas, "Article 5 – Scope", 0)
            write(canvas, "Article 5", "Scope", FULL, FULL)

        assert convert(draw) == f"# Article 5 Scope\n\n{FULL} {FULL}\n"

    def test_contents_are_left_out(self) -> None:
        entries = [f"{n} Chapter {'.' * 40} {n + 3}" for n in range(1, 6)]
        text = convert(page_of("Contents", *entries, font="Helvetica-Bold"), page_of(FULL, FULL))
        assert text == f"{FULL} {FULL}\n"

    def test_worksheet_with_leaders_is_no_contents(self) -> None:
        lines = [f"{n}. Enter the amount of the year {'.' * 30} {n}" for n in range(1, 6)]
        assert convert(page_of(*lines)).count("Enter the amount") == 5

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("1 Scope ......... 5", True),
            ("1 Scope . . . . . 5", True),
            ("Wait... 5", False),
            ("Sec. 1.2.3.4", False),
        ],
    )
    def test_leaders_are_four_dots_or_more(self, text: str, expected: bool) -> None:
        assert has_leaders(text) is expected


class TestTables:
    ROWS = (
        ("Class", "Load", "Result"),
        ("A", "10 kN", "passed"),
        ("B", "20 kN", "failed"),
        ("C", "30 kN", "passed"),
    )

    def draw_rows(self, canvas: Canvas, rows: tuple[tuple[str, ...], ...], y: float) -> None:
        for n, row in enumerate(rows):
            for column, cell in enumerate(row):
                write(canvas, cell, x=LEFT + 120 * column, y=y - n * 18)

    def test_aligned_cells_become_a_pipe_table(self) -> None:
        text = convert(lambda canvas: self.draw_rows(canvas, self.ROWS, TOP))
        assert text == (
            "| Class | Load | Result |\n|---|---|---|\n| A | 10 kN | passed |\n| B | 20 kN | failed |\n"
            "| C | 30 kN | passed |\n"
        )

    def test_ruled_rows_keep_wrapped_cells_together(self) -> None:
        def draw(canvas: Canvas) -> None:
            canvas.grid([LEFT - 5, 180, 480], [TOP + 14, TOP - 6, TOP - 40, TOP - 60])
            write(canvas, "Term")
            write(canvas, "Meaning", x=190)
            write(canvas, "operator", y=TOP - 18)
            write(canvas, "a person who runs a plant", "or owns one", x=190, y=TOP - 18)
            write(canvas, "plant", y=TOP - 52)
            write(canvas, "a | b", x=190, y=TOP - 52)

        assert convert(draw) == (
            "| Term | Meaning |\n|---|---|\n| operator | a person who runs a plant or owns one |\n"
            "| plant | a \\| b |\n"
        )

    def test_drawn_cells_are_kept_apart_however_close_their_words_are(self) -> None:
        def draw(canvas: Canvas) -> None:
            canvas.grid([LEFT - 2, LEFT + 40, 300], [TOP + 12, TOP - 4, TOP - 20])
            for n, (left, right) in enumerate([("Operator", "Duty"), ("Owner xx", "to keep it")]):
                write(canvas, left, y=TOP - 16 * n)
                write(canvas, right, x=LEFT + 43, y=TOP - 16 * n)

        assert convert(draw) == "| Operator | Duty |\n|---|---|\n| Owner xx | to keep it |\n"


class TestNumbering:
    @pytest.mark.parametrize(
        ("text", "mark"),
        [
            ("(a) text", "(a)"), ("(iv) text", "(iv)"), ("1.2 Scope", "1.2"), ("1.2.3. Scope", "1.2.3."),
            ("Article 5 Title", "Article 5"), ("§ 3 Begriffe", "§ 3"), ("iv. text", "iv."), ("2) text", "2)"),
            ("Artículo 12. Objeto", "Artículo 12."), (".1 The intent", ".1"), ("第三条 总则", "第三条"),
            ("• item", "•"), ("CHAPTER II", "CHAPTER II"), ("Art. 4º Esta Lei", "Art. 4º"),
            ("§ 2º Se", "§ 2º"),
            ("IV - a honra", "IV -"), ("§ 12.", "§ 12"),
            ("2007 was", ""), ("Articles of association", ""), ("(see above)", ""), ("A person", ""),
            ("", ""),
        ],
    )  # fmt: skip
    def test_mark_is_what_stands_before_the_text(self, text: str, mark: str) -> None:
        assert find_mark(text) == mark

    @pytest.mark.parametrize(
        ("mark", "before", "expected"),
        [("(b)", "(a)", True), ("(c)", "(a)", False), ("(ii)", "(i)", True), ("(v)", "(iv)", True),
         ("1.3", "1.2", True),
         ("2.3", "1.2", False), ("(b)", "a)", False), ("(j)", "(i)", True)],
    )  # fmt: skip
    def test_mark_follows_its_predecessor(self, mark: str, before: str, expected: bool) -> None:
        assert mark_follows(mark, before) is expected

    @pytest.mark.parametrize(
        ("text", "expected"), [("done.", True), ("one; and", True), ("if—", True), ("one and", False)]
    )
    def test_end_of_an_item(self, text: str, expected: bool) -> None:
        assert ends_whole(text) is expected


class TestHyphens:
    def test_halves_that_are_words_keep_the_hyphen_unless_the_whole_is_one(self) -> None:
        known = learn_words(["the long term and the text", "a whole longterm"])
        assert join_lines("a long-", "term", learn_words(["x long term text"])) == "a long-term"
        assert join_lines("a long-", "term", known) == "a longterm"

    def test_shared_ending_and_numbers_keep_it(self) -> None:
        none = Vocabulary(frozenset())
        assert join_lines("pre-", "and post-trade", none) == "pre- and post-trade"
        assert join_lines("in 2020-", "2021", none) == "in 2020-2021"
        assert join_lines("Anglo-", "American", none) == "Anglo-American"

    @given(st.text("abc -", min_size=1), st.text("abc -", min_size=1))
    def test_no_letter_is_lost(self, before: str, after: str) -> None:
        joined = join_lines(before, after, Vocabulary(frozenset()))
        assert [c for c in joined if c.isalpha()] == [c for c in before + after if c.isalpha()]


class TestRefusals:
    def test_password_is_named_with_the_cure(self) -> None:
        with pytest.raises(
            Encrypted,
            match=r"^The PDF is protected by a password\. Remove the password and upload it again\.$",
        ):
            convert(page_of(FULL), encrypt=StandardEncryption("secret", "owner"))

    def test_broken_file_after_a_locked_one_is_not_taken_for_locked(self) -> None:
        with pytest.raises(Encrypted):
            convert(page_of(FULL), encrypt=StandardEncryption("secret", "owner"))
        with pytest.raises(Unreadable):
            convert_pdf(b"%PDF-1.7\n", "x.pdf")

    def test_empty_password_opens(self) -> None:
        assert convert(page_of(FULL), encrypt=StandardEncryption("", "owner")) == f"{FULL}\n"

    @pytest.mark.parametrize("content", [b"", b"%PDF-1.7\n", b"no pdf at all", make_pdf(page_of("x"))[:200]])
    def test_broken_file_is_unreadable(self, content: bytes) -> None:
        with pytest.raises(Unreadable, match="upload the new file"):
            convert_pdf(content, "x.pdf")

    def test_blank_page_has_no_text(self) -> None:
        with pytest.raises(NoText, match="OCR"):
            convert(lambda canvas: canvas.rect(10, 10, 50, 50))

    def test_scan_has_no_text_even_with_a_stamp_on_it(self) -> None:
        def draw(canvas: Canvas) -> None:
            scan(canvas)
            write(canvas, "scanned", y=20)

        with pytest.raises(
            NoText, match=r"^The PDF holds pictures of pages and no text\. Run it through OCR"
        ):
            convert(draw)

    def test_scanned_page_among_others_is_told(self) -> None:
        converted = convert_pdf(make_pdf(page_of(FULL), scan, scan, page_of(FULL)), "x.pdf")
        assert converted.warnings == (
            "Pages 2–3: a picture without text. Run it through OCR and upload the result.",
        )
        assert len(converted.pages) == 4

    def test_page_without_text_begins_where_the_next_does(self) -> None:
        converted = convert_pdf(make_pdf(page_of("First."), lambda canvas: None, page_of("Third.")), "x.pdf")
        assert converted.pages == (0, 8, 8)


def scan(canvas: Canvas) -> None:
    """Cover a page with a picture of one grey pixel."""
    pixel = b"q %d 0 0 %d 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q" % (int(WIDTH), int(HEIGHT))
    canvas._code.append(pixel.decode("latin-1"))


class TestTitle:
    @pytest.mark.parametrize(
        ("title", "expected"),
        [
            ("Standard on Records", "Standard on Records"), ("Microsoft Word - act.doc", ""),
            ("act_final.docx", ""),
            ("untitled", ""), ("L13709", ""), ("  ", ""), ("Act on doc.pdf files", "Act on doc.pdf files"),
        ],
    )  # fmt: skip
    def test_title_is_kept_when_a_person_wrote_it(self, title: str, expected: str) -> None:
        def draw(canvas: Canvas) -> None:
            canvas.setTitle(title)
            write(canvas, FULL)

        assert convert_pdf(make_pdf(draw), "x.pdf").title == expected


class TestStandard:
    """A standard of twelve pages as such documents are."""

    @staticmethod
    def draw(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            write(canvas, "STANDARD ON RECORDS 4711:2026", y=805, size=8)
            write(canvas, f"{number + 1}", x=300, y=30, size=8)
            add_bookmark(canvas, f"{number + 1} Chapter", 0)
            add_bookmark(canvas, f"{number + 1}.1 Records", 1)
            write(canvas, f"{number + 1} Chapter", font="Helvetica-Bold", size=14)
            write(canvas, f"{number + 1}.1 Records", y=TOP - 24, font="Helvetica-Bold", size=11)
            lines = (
                f"{number + 1}.1.1 {FULL}",
                FULL[:70] + " and under any regu-",
                "lation by the law:",
            )
            write(canvas, *lines, y=TOP - 44)
            write(canvas, "(a) one record; and", "(b) another.", x=90, y=TOP - 44 - 3 * LEADING)
            if number in (4, 5):
                draw_table(canvas, number)

        return draw

    def test_every_part_is_found(self) -> None:
        converted = convert_pdf(make_pdf(*map(self.draw, range(12))), "standard.pdf")
        blocks = converted.text.rstrip("\n").split("\n\n")
        expected = [
            "# 1 Chapter",
            "## 1.1 Records",
            f"1.1.1 {FULL} {FULL[:70]} and under any regulation by the law:",
            "(a) one record; and",
            "(b) another.",
        ]
        assert blocks[:5] == expected
        assert [block for block in blocks if block.startswith("# ")] == [
            f"# {n} Chapter" for n in range(1, 13)
        ]
        assert [block for block in blocks if block.startswith("## ")] == [
            f"## {n}.1 Records" for n in range(1, 13)
        ]
        assert "STANDARD ON RECORDS" not in converted.text
        assert [converted.text[at:].split("\n")[0] for at in converted.pages] == [
            f"# {n} Chapter" for n in range(1, 13)
        ]
        assert "| Class | Load |\n|---|---|\n| A40 | 10 kN |" in converted.text


def draw_table(canvas: Canvas, number: int) -> None:
    """Draw a table of four rows."""
    rows = [("Class", "Load"), *((f"A{number}{n}", f"{n + 1}0 kN") for n in range(3))]
    for n, row in enumerate(rows):
        for column, cell in enumerate(row):
            write(canvas, cell, x=LEFT + 150 * column, y=500 - n * 18)


class TestContinuedTable:
    def test_table_over_a_page_break_is_one_with_one_header(self) -> None:
        header = ("Class", "Load")

        def page(number: int) -> Draw:
            def draw(canvas: Canvas) -> None:
                for n, row in enumerate([header, *((f"A{number}{n}", f"{n + 1}0 kN") for n in range(3))]):
                    for column, cell in enumerate(row):
                        write(canvas, cell, x=LEFT + 150 * column, y=500 - number * 40 - n * 18)

            return draw

        converted = convert_pdf(make_pdf(page(0), page(1)), "x.pdf")
        assert converted.text.splitlines() == [
            "| Class | Load |", "|---|---|", "| A00 | 10 kN |", "| A01 | 20 kN |", "| A02 | 30 kN |",
            "| A10 | 10 kN |", "| A11 | 20 kN |", "| A12 | 30 kN |",
        ]  # fmt: skip
        assert converted.text[converted.pages[1] :].startswith("| A10")


def read_manifest() -> list[dict[str, Any]]:
    """Return what the collection of difficult files says about its PDFs."""
    manifest = NASTY / "manifest.jsonl"
    lines = manifest.read_text().splitlines() if manifest.exists() else []
    return [entry for entry in map(json.loads, lines) if entry["file"].startswith("pdf/")]


@pytest.mark.skipif(not NASTY.exists(), reason="the difficult files are not here")
@pytest.mark.parametrize("entry", read_manifest(), ids=lambda entry: Path(entry["file"]).name)
def test_difficult_file_does_what_is_expected(entry: dict[str, Any]) -> None:
    content = (NASTY / entry["file"]).read_bytes()
    if entry["expect"] == "reject_or_password":
        with pytest.raises(Encrypted):
            convert_pdf(content, entry["file"])
    elif entry["expect"] in {"text", "text_if_possible"}:
        converted = convert_pdf(content, entry["file"])
        assert len(converted.text) >= 0.93 * entry["reference"]["chars"]
        assert len(converted.pages) == entry["reference"]["pages"]
        assert list(converted.pages) == sorted(converted.pages)
    else:
        with suppress(ConversionError):
            assert convert_pdf(content, entry["file"]).text.strip()
