"""Web pages, XML, books, mail, sheets, slides and JSON become Markdown."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from email.message import EmailMessage

import openpyxl  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.etree import SubElement
from pptx import Presentation
from pptx.util import Inches

from documents.convert.blocks import is_marker, write_table
from documents.convert.eml import convert_eml
from documents.convert.epub import convert_epub
from documents.convert.hypertext import convert_html
from documents.convert.hypertext.number import write_number
from documents.convert.markup import convert_xml
from documents.convert.outlook import convert_msg, read_storage
from documents.convert.sheets import convert_csv, convert_xlsx
from documents.convert.slides import DRAWING, convert_pptx
from documents.convert.structured import convert_json
from documents.errors import Encrypted, NoText, Unreadable


def html(source: str) -> list[str]:
    """Return the blocks that a page becomes."""
    return convert_html(source.encode(), "a.html").text.split("\n\n")


PAGES = {
    "headings and paragraphs": ("<h1>Act</h1><h3>Part</h3><p>Text", ["# Act", "### Part", "Text"]),
    "a heading too long for one is a paragraph": (f"<h1>{'word ' * 60}</h1>", [("word " * 60).strip()]),
    "an act and its section are two headings": (
        "<h1>The Act<br>§ 8 Scope</h1>",
        ["# The Act", "# § 8 Scope"],
    ),
    "a heading on two lines is one": ("<h2>Part 1<br>Scope</h2>", ["## Part 1 Scope"]),
    "a break is a line": ("<p>CHAPTER I<br>SCOPE</p>", ["CHAPTER I\nSCOPE"]),
    "two breaks end a paragraph": ("one<br>&nbsp;<br>two", ["one", "two"]),
    "loose text is a paragraph": ("<div>one<p>two</p>three</div>", ["one", "two", "three"]),
    "white space is squeezed": ("<p>a\n \t&nbsp; b&shy;c&#8203;d</p>", ["a bcd"]),
    "text that looks like markup is escaped": ("<p># a</p><p>&gt; b<br>#c</p>", ["\\# a", "\\> b\n\\#c"]),
    "typewritten text keeps its lines": ("<pre>  SEC. 1.\n    (a) x\n\n  y</pre>", ["SEC. 1.\n  (a) x", "y"]),
    "an indent is no quotation": ("<blockquote>(a) text</blockquote>", ["(a) text"]),
    "a quotation is one": ("<blockquote>“text”</blockquote>", ["> “text”"]),
    "inline quotation": ("<p>the <q>term</q></p>", ["the “term”"]),
}
NUMBERS = {
    "in a span of its own": ("<div><span>1.1</span><span>Text</span></div>", ["1.1 Text"]),
    "in bold before another": ("<p><b>(a)</b>(1) Text</p>", ["(a)(1) Text"]),
    "in a paragraph of its own": ("<p>(a)</p><p>Text</p>", ["(a) Text"]),
    "before a heading": ("<div><p>1</p></div><div><h3>Scope</h3></div>", ["### 1 Scope"]),
    "a year is none": ("<p>2014</p><p>Text</p>", ["2014", "Text"]),
    "a dash is kept": ("<p>—</p><p>Text</p>", ["— Text"]),
    "a bullet is one": ("<p>•</p><p>Text</p>", ["- Text"]),
    "in a table cell": (
        "<table><tr><td>1.</td><td>One</td></tr><tr><td>2.</td><td>Two</table>",
        ["1. One", "2. Two"],
    ),
    "in nested tables": (
        "<table><tr><td>(a)</td><td><p>One</p><table><tr><td>(i)</td><td>Sub</td></tr></table></td></tr></table>",
        ["(a) One", "(i) Sub"],
    ),
    "in a definition list": ("<dl><dt>(1)</dt><dd>One</dd></dl>", ["(1) One"]),
    "raised": ("<p>Article 5<sup>1</sup>, 1<sup>st</sup></p>", ["Article 5¹, 1st"]),
    "raised at the start": ("<p><sup>1</sup>Der Bund<sup>2</sup></p>", ["1 Der Bund²"]),
    "in pieces": (
        "<p><b>1</b><b>2 months</b> and <b>4</b>th</p><p><b>3</b>rd</p>",
        ["12 months and 4th", "3rd"],
    ),
    "of brackets": ("<p><i>(</i>a<i>)</i><i>Data</i> format</p>", ["(a) Data format"]),
    "of a note": ("<p>law<sup><a href='#n'>12</a></sup></p>", ["law[12]"]),
    "raised in a table": (
        "<table><tr><th>5<sup>2</sup><th>x<tr><td>a<td>b</table>",
        ["| 5² | x |\n|---|---|\n| a | b |"],
    ),
}
LISTS = {
    "counted": ("<ol><li>a<li>b</ol>", ["1. a", "2. b"]),
    "lettered from c": ("<ol type=a start=3><li>x<li>y</ol>", ["c. x", "d. y"]),
    "roman by style": ("<ol style='list-style-type: upper-roman'><li>x<li>y</ol>", ["I. x", "II. y"]),
    "with a value": ("<ol><li>a<li value=7>b<li>c</ol>", ["1. a", "7. b", "8. c"]),
    "reversed": ("<ol reversed><li>a<li>b</ol>", ["2. a", "1. b"]),
    "of two paragraphs": ("<ol><li><p>a</p><p>b</p></ol>", ["1. a", "b"]),
    "with numbers in the text": (
        "<ol><li>(1) a<li>(1A) b<li>closing words</ol>",
        ["(1) a", "(1A) b", "closing words"],
    ),
    "with bullets": ("<ul><li>a<ul><li>b</ul><li>c</ul>", ["- a", "  - b", "- c"]),
    "without bullets": ("<ul style='list-style: none'><li>a</ul>", ["a"]),
    "of terms": (
        "<dl><dt>fee</dt><dd>means a sum</dd><dt>Fee</dt><dd>A sum</dd></dl>",
        ["fee means a sum", "Fee", "A sum"],
    ),
}
TABLES = {
    "without a header": ("<table><tr><td>A<td>B<tr><td>1<td>2</table>", ["| A | B |\n|---|---|\n| 1 | 2 |"]),
    "with a caption": (
        "<table><caption>Fees</caption><tr><th>A<th>B<tr><td>1|2<td>x<br>y</table>",
        ["Fees", "| A | B |\n|---|---|\n| 1\\|2 | x y |"],
    ),
    "with spans": (
        "<table><tr><th rowspan=2>C<th colspan=2>F<tr><th>I<th>II<tr><td rowspan=2>A<td>1<td>2<tr><td>3<td>4",
        ["| C | F / I | F / II |\n|---|---|---|\n| A | 1 | 2 |\n| A | 3 | 4 |"],
    ),
    "for layout": (
        "<table><tr><td><h1>Act</h1><p>Text</td><td>Side</td></tr></table>",
        ["# Act", "Text", "Side"],
    ),
    "of one column": ("<table><tr><td>One</td></tr><tr><td>Two</td></tr></table>", ["One", "Two"]),
}
SITES = {
    "navigation": ("<nav><a href=/>Home</a></nav><p>Law", ["Law"]),
    "by role": ("<div role=banner>Site</div><p>Law of the land.", ["Law of the land."]),
    "by class": ("<div class=breadcrumbs><a href=/>Home</a></div><p>Law of the land.", ["Law of the land."]),
    "scripts and forms": ("<script>x</script><style>y</style><button>Go</button><p>Law", ["Law"]),
    "a way to the top": ("<p>Law</p><p><a href='#top'>Back to top</a>", ["Law"]),
    "contents": (f"<ul>{'<li><a href=#1>A</a>' * 3}</ul><p>Law", ["Law"]),
    "hidden": ("<p hidden>x</p><p style='display:none'>y</p><p>Law<span class=sr-only>z</span>", ["Law"]),
    "title of the article": ("<main><header><h1>Act</h1></header><p>Law</p></main>", ["# Act", "Law"]),
    "prose of any name": (
        "<div class='nav menu'><p>The navigation of vessels in the harbour is as follows.</p></div>",
        ["The navigation of vessels in the harbour is as follows."],
    ),
    "a term that opens its definition": (
        "<p><button>Provisions</button> that are not yet in force appear in the text with a grey ground.</p>",
        ["Provisions that are not yet in force appear in the text with a grey ground."],
    ),
    "the main part": ("<div>Site</div><main><p>A law that is long enough to be most of the page.</p></main>",
                      ["A law that is long enough to be most of the page."]),
}  # fmt: skip


@pytest.mark.parametrize(("source", "blocks"), PAGES.values(), ids=PAGES)
def test_a_page_becomes_blocks(source: str, blocks: list[str]) -> None:
    assert html(source) == blocks


@pytest.mark.parametrize(("source", "blocks"), NUMBERS.values(), ids=NUMBERS)
def test_a_number_stands_before_its_text(source: str, blocks: list[str]) -> None:
    assert html(source) == blocks


@pytest.mark.parametrize(("source", "blocks"), LISTS.values(), ids=LISTS)
def test_a_list_is_printed_as_browsers_do(source: str, blocks: list[str]) -> None:
    assert html(source) == blocks


@pytest.mark.parametrize(("source", "blocks"), TABLES.values(), ids=TABLES)
def test_a_table_of_data_is_told_from_layout(source: str, blocks: list[str]) -> None:
    assert html(source) == blocks


@pytest.mark.parametrize(("source", "blocks"), SITES.values(), ids=SITES)
def test_the_site_around_the_document_is_left_out(source: str, blocks: list[str]) -> None:
    assert html(source) == blocks


def test_struck_out_text_is_left_out_and_counted() -> None:
    page = (
        "<style>.old{color:red;text-decoration:line-through}</style>"
        "<p>The fee is <del>1</del><ins>2</ins> <s><b>euro</b></s>pounds.</p>"
        "<p style='text-decoration: line-through'>Gone.</p><p class=old>Gone too.</p><s> </s>"
    )
    converted = convert_html(page.encode(), "a.html")
    assert converted.text == "The fee is 2 pounds."
    assert converted.warnings == ("4 struck-out passages were left out.",)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('<meta charset="iso-8859-1"><p>“Größe”'.encode("cp1252"), "“Größe”"),
        (
            b"<script>" + b" " * 50_000 + "</script><meta charset=windows-1251><p>Закон".encode("cp1251"),
            "Закон",
        ),
        ("<p>Größe".encode("utf-16"), "Größe"),
        ("<meta charset=unheard-of><p>Größe".encode(), "Größe"),
        ("<meta charset=utf-8><p>Die Größe der Fläche".encode("cp1252"), "Die Größe der Fläche"),
        ('<?xml version="1.0" encoding="koi8-r"?><html><p>Закон</p></html>'.encode("koi8-r"), "Закон"),
    ],
)
def test_a_page_is_decoded_by_its_declaration_or_its_looks(content: bytes, text: str) -> None:
    assert convert_html(content, "a.html").text == text


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("<title> The\n Act </title><p>x", "The Act"),
        ("<title>The Act - Laws of Here</title><h1>The Act</h1>", "The Act"),
        ("<title>L13709</title><h1>The Act</h1>", "L13709"),
        ("<h1>The Act</h1>", "The Act"),
        ("<p>x", ""),
    ],
)
def test_the_title_is_the_windows_or_the_first_heading(source: str, title: str) -> None:
    assert convert_html(source.encode(), "a.html").title == title


def test_a_page_without_text_is_no_text() -> None:
    with pytest.raises(NoText):
        convert_html(b"<html><script>x</script><img src=x>", "a.html")


def test_xhtml_keeps_what_follows_closed_tags() -> None:
    head = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
    page = f'{head}<body><p><a id="x"/>a&nbsp;b</p></body></html>'
    assert convert_html(page.encode(), "a.html").text == "a b"


PIECES = [
    "<p>",
    "<b>",
    "<ol><li>",
    "</li>",
    "</ol>",
    "<td>",
    "<table><tr>",
    "</table>",
    "x",
    "<br>",
    "<h2>",
    "(a)",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_nesting_of_tags_keeps_every_word(parts: list[str]) -> None:
    source = "".join(f"w{i}q " if part == "x" else part for i, part in enumerate(parts))
    text = convert_html(f"<html><body>{source}end".encode(), "a.html").text
    assert [f"w{i}q" for i, part in enumerate(parts) if part == "x" and f"w{i}q" not in text] == []


@pytest.mark.parametrize("text", ["(a)", "(12A)", "1.", "1)", "1.2.3", "iv)", "§ 7a", "(1)(a)", "5A.1", "12"])
def test_a_marker_is_one(text: str) -> None:
    assert is_marker(text)


@pytest.mark.parametrize("text", ["", "2014", "Part", "I", "a", "(see)(below) x", "1 of", "and."])
def test_other_words_are_no_marker(text: str) -> None:
    assert not is_marker(text)


@pytest.mark.parametrize(
    ("number", "kind", "shown"),
    [(1, "a", "a"), (26, "a", "z"), (27, "A", "AA"), (0, "a", "0"), (4, "i", "iv"), (1999, "I", "MCMXCIX"),
     (3999, "i", "mmmcmxcix"), (4000, "i", "4000"), (-3, "1", "-3")],
)  # fmt: skip
def test_numbers_are_written_as_their_list_asks(number: int, kind: str, shown: str) -> None:
    assert write_number(number, kind) == shown


def test_a_table_leaves_out_what_is_empty() -> None:
    assert write_table([["", "a", ""], ["", "", ""], ["", "b|c"]]) == "| a |\n|---|\n| b\\|c |"
    assert write_table([["", ""]]) == ""


# XML.

ACT = """<?xml version="1.0"?><l:act xmlns:l="urn:l"><l:title>Fees Act</l:title><l:content>
<l:part><l:num>1</l:num><l:text>General</l:text>
<l:section><l:marginalnote>Scope</l:marginalnote><l:num>1</l:num><l:text>This Act <l:i>binds</l:i>
 the Crown.</l:text></l:section>
<l:section><l:num>2</l:num><l:subsection><l:num>1</l:num><l:text>A fee is</l:text>
<l:paragraph><l:num>a</l:num><l:text>due;</l:text></l:paragraph></l:subsection></l:section>
</l:part></l:content></l:act>"""


def test_xml_of_a_statute_is_read_by_the_names_of_its_elements() -> None:
    converted = convert_xml(ACT.encode(), "a.xml")
    assert converted.title == "Fees Act"
    assert converted.text.split("\n\n") == [
        "# Fees Act", "## Part 1 General", "### 1 Scope", "This Act binds the Crown.",
        "2 (1) A fee is", "(a) due;",
    ]  # fmt: skip


def test_xml_with_printed_numbers_keeps_them() -> None:
    article = b"<num>Article 5</num><heading>Scope</heading><p>Text<note><p>n</p></note> end.</p>"
    assert (
        convert_xml(b"<article>%b</article>" % article, "a.xml").text
        == "# Article 5 Scope\n\nText\n\nn\n\nend."
    )


def test_xml_may_call_a_division_a_title() -> None:
    section = "<section><num>§ 1.</num><heading>Words</heading><content>Text</content></section>"
    source = f"<main><title><num>Title 1</num><heading>General</heading>{section}</title></main>"
    assert convert_xml(source.encode(), "a.xml").text == "# Title 1 General\n\n## § 1. Words\n\nText"


def test_xml_tables_are_tables() -> None:
    rows = b"<row><entry>A</entry><entry>B</entry></row><row><entry>1</entry><entry>2</entry></row>"
    assert (
        convert_xml(b"<t><tgroup>%b</tgroup></t>" % rows, "a.xml").text == "| A | B |\n|---|---|\n| 1 | 2 |"
    )


def test_xml_lists_inside_a_sentence_keep_their_numbers() -> None:
    source = (
        b"<P>(1) Wer<DL><DT>1.</DT><DD><LA>eins,</LA></DD><DT>2.</DT><DD><LA>zwei,</LA></DD></DL>muss.</P>"
    )
    assert convert_xml(source, "a.xml").text == "(1) Wer\n\n1. eins,\n\n2. zwei,\n\nmuss."


def test_xml_entities_are_not_expanded() -> None:
    source = (
        b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname"><!ENTITY f "inner">]><a>text &e;&f;&#233;</a>'
    )
    assert convert_xml(source, "a.xml").text == "text é"


def test_xml_knows_the_names_of_characters() -> None:
    assert convert_xml(b"<a>caf&eacute;&nbsp;&amp; co</a>", "a.xml").text == "café & co"


def test_broken_xml_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="not well formed"):
        convert_xml(b"<a><b></a>", "a.xml")


# Books.


def book(**changes: str) -> bytes:
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfile full-path="O/c.opf"/></container>',
        "O/c.opf": (
            '<package xmlns:dc="urn:dc"><metadata><dc:title>The Book</dc:title></metadata><manifest>'
            '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
            '<item id="a" href="one%201.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="b" href="two.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="n"/><itemref idref="b"/><itemref idref="a"/></spine></package>'
        ),
        "O/nav.xhtml": "<html><p>Contents</p></html>",
        "O/one 1.xhtml": "<html><h1>One</h1><p>First.</p></html>",
        "O/two.xhtml": "<html><h1>Two</h1></html>",
    } | changes
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    converted = convert_epub(book(), "a.epub")
    assert (converted.title, converted.text) == ("The Book", "# Two\n\n# One\n\nFirst.")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"META-INF/container.xml": "<container/>"}, Unreadable),
        ({"O/c.opf": "<package/>"}, NoText),
        (
            {"META-INF/encryption.xml": '<e><EncryptionMethod Algorithm="http://www.w3.org/aes"/></e>'},
            Encrypted,
        ),
    ],
)
def test_a_book_that_cannot_be_read_says_why(changes: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(error):
        convert_epub(book(**changes), "a.epub")


def test_a_book_with_scrambled_fonts_is_read() -> None:
    method = '<e><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/></e>'
    assert convert_epub(book(**{"META-INF/encryption.xml": method}), "a.epub").title == "The Book"


# Mail.


def mail() -> EmailMessage:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Größe", "Ann <a@b.c>", "d@e.f"
    return message


def test_a_message_shows_its_headers_text_and_inner_messages() -> None:
    inner, message = mail(), mail()
    inner.replace_header("Subject", "Inner")
    inner.set_content("inner text")
    message.set_content("Dear all,\n\n# no heading\n> quoted\n")
    message.add_alternative("<p>other</p>", subtype="html")
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="deed.pdf")
    message.add_attachment(inner)
    converted = convert_eml(message.as_bytes(), "a.eml")
    people = "From: Ann <a@b.c>\nTo: d@e.f"
    assert converted.text == (
        f"# Größe\n\n{people}\n\nDear all,\n\n\\# no heading\n> quoted\n\n## Inner\n\n{people}\n\ninner text"
    )
    assert converted.title == "Größe"
    assert converted.warnings == ("Attachments were not read: deed.pdf. Upload them separately.",)


def test_a_message_without_plain_text_is_read_from_its_page() -> None:
    message = mail()
    message.set_content("<h2>Title</h2><p>größer</p>", subtype="html", charset="cp1252")
    assert convert_eml(message.as_bytes(), "a.eml").text.endswith("## Title\n\ngrößer")


def test_a_message_of_an_unknown_charset_is_read_all_the_same() -> None:
    content = b"From: a@b.c\nContent-Type: text/plain; charset=nonsense\n\n" + "größer".encode("cp1252")
    assert convert_eml(content, "a.eml").text == "From: a@b.c\n\ngrößer"


def test_a_page_saved_as_mail_is_read_as_a_page() -> None:
    content = (
        b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"
        b"--x\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<h1>Act</h1><p>a=3Db\n"
        b"--x\nContent-Type: text/css\n\np{}\n--x--\n"
    )
    assert convert_eml(content, "a.mht").text == "# Act\n\na=b"


@pytest.mark.parametrize(("content", "error"), [(b"no headers here", Unreadable), (b"X-A: b\n\n", NoText)])
def test_mail_that_cannot_be_read_says_why(content: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        convert_eml(content, "a.eml")


class Storage:
    """Stands in for the OLE file of a message."""

    def __init__(self, **streams: bytes) -> None:
        self.streams = streams

    def exists(self, path: str) -> bool:
        return path in self.streams

    def openstream(self, path: str) -> io.BytesIO:
        return io.BytesIO(self.streams[path])

    def listdir(self, *, streams: bool, storages: bool) -> list[list[str]]:
        return [["__attach_version1.0_#00000000"], ["__recip"]]


def test_an_outlook_message_is_read_from_its_properties() -> None:
    storage = Storage(**{
        "__substg1.0_0037001F": "Größe".encode("utf-16-le"),
        "__substg1.0_0C1A001E": "Käthe".encode("cp1252"),
        "__substg1.0_10130102": b"<p>body</p>",
        "__attach_version1.0_#00000000/__substg1.0_3704001F": "deed.pdf".encode("utf-16-le"),
    })  # fmt: skip
    converted = read_storage(storage)
    assert converted.text == "# Größe\n\nFrom: Käthe\n\nbody"
    assert converted.warnings == ("Attachments were not read: deed.pdf. Upload them separately.",)


def test_an_empty_outlook_message_is_no_text() -> None:
    with pytest.raises(NoText):
        read_storage(Storage())


def test_a_broken_outlook_message_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        convert_msg(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.msg")


# Sheets.


def workbook() -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Fees"
    for row in (
        ["Schedule"], [], [None, "Class", "Fee", "From"], [None, "A", 10.5, dt.date(2024, 1, 31)],
        [None, None, 0.05, dt.datetime(2024, 2, 1, 14, 30, tzinfo=None)], [None, "B|C", "=1+1", True],  # noqa: DTZ001
    ):  # fmt: skip
        sheet.append(row)
    sheet["C5"].number_format = "0%"
    sheet.merge_cells("B4:B5")
    book.create_sheet("Empty")
    hidden = book.create_sheet("Hidden")
    hidden.sheet_state = "hidden"
    hidden.append(["x"])
    return book


def saved(document: openpyxl.Workbook) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_each_sheet_is_a_table_under_its_name() -> None:
    converted = convert_xlsx(saved(workbook()), "a.xlsx")
    assert converted.text == (
        "## Fees\n\nSchedule\n\n| Class | Fee | From |\n|---|---|---|\n| A | 10.5 | 2024-01-31 |\n"
        "| A | 5% | 2024-02-01 14:30 |\n| B\\|C |  | TRUE |"
    )
    assert converted.warnings == (
        "1 formulas in “Fees” have no stored result and were left empty.",
        "The hidden sheet “Hidden” was left out.",
    )


def test_an_empty_workbook_is_no_text() -> None:
    with pytest.raises(NoText):
        convert_xlsx(saved(openpyxl.Workbook()), "a.xlsx")


def test_a_workbook_without_its_parts_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        convert_xlsx(book(), "a.xlsx")


@pytest.mark.parametrize(
    ("content", "table"),
    [
        (b"a,b\n1,2\n", "| a | b |\n|---|---|\n| 1 | 2 |"),
        (b'a;b\r\n"1;x";2,5\r\n', "| a | b |\n|---|---|\n| 1;x | 2,5 |"),
        (b"a\tb\n1\t2", "| a | b |\n|---|---|\n| 1 | 2 |"),
        (b"sep=|\na|b\n1|2", "| a | b |\n|---|---|\n| 1 | 2 |"),
        (b"one\ntwo", "| one |\n|---|\n| two |"),
        ("名前,年齢\r\n佐藤太郎,30\r\n".encode("cp932"), "| 名前 | 年齢 |\n|---|---|\n| 佐藤太郎 | 30 |"),
        (b'a,b\n"two\nlines",x', "| a | b |\n|---|---|\n| two lines | x |"),
    ],
)
def test_text_with_a_delimiter_is_a_table(content: bytes, table: str) -> None:
    assert convert_csv(content, "a.csv").text == table


def test_a_cell_may_be_long() -> None:
    assert len(convert_csv(b"a,b\n" + b"x" * 300_000 + b",1", "a.csv").text) > 300_000


# Slides.


def test_slides_are_pages_with_their_notes() -> None:
    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Retention"
    first.placeholders[1].text_frame.text = "Keep logs"
    paragraph = first.placeholders[1].text_frame.add_paragraph()
    paragraph.text, paragraph.level = "400 days", 1
    first.notes_slide.notes_text_frame.text = "Say why."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    table = second.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(1), Inches(1)).table
    for i, text in enumerate("AB12"):
        table.cell(i // 2, i % 2).text = text
    buffer = io.BytesIO()
    deck.save(buffer)
    converted = convert_pptx(buffer.getvalue(), "a.pptx")
    pages = (
        "## Retention\n\nKeep logs\n\n  - 400 days\n\nNotes:\n\nSay why.",
        "## Slide 2\n\n| A | B |\n|---|---|\n| 1 | 2 |",
    )
    assert converted.text == "\n\n".join(pages)
    assert converted.pages == (0, len(pages[0]) + 2)


def test_slides_print_the_numbers_that_they_count() -> None:
    deck, buffer = Presentation(), io.BytesIO()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    frame = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(1), Inches(1)).text_frame
    for text, level, scheme in (
        ("x", 0, "arabicPeriod"),
        ("y", 1, "alphaLcParenBoth"),
        ("z", 0, "arabicPeriod"),
    ):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
        SubElement(paragraph._p.get_or_add_pPr(), f"{DRAWING}buAutoNum", type=scheme)
    deck.save(buffer)
    text = convert_pptx(buffer.getvalue(), "a.pptx").text
    assert text.split("\n\n") == ["## Slide 1", "1. x", "(a) y", "2. z"]


def test_damaged_slides_are_unreadable() -> None:
    with pytest.raises(Unreadable):
        convert_pptx(book(), "a.pptx")


def test_slides_without_text_are_no_text() -> None:
    deck, buffer = Presentation(), io.BytesIO()
    deck.slides.add_slide(deck.slide_layouts[6])
    deck.save(buffer)
    with pytest.raises(NoText):
        convert_pptx(buffer.getvalue(), "a.pptx")


# JSON.


def test_json_is_an_outline() -> None:
    source = (
        '{"title": "Policy", "version": 1.10, "owner": {"name": "Ann", "tags": ["a", "b"], '
        '"deep": {"x": {"y": [1, {"z": null}]}}}, "rules": [{"id": 1, "text": "must"}, {"id": 2}], '
        '"sections": [{"name": "Scope", "body": "one\\ntwo"}, ["x"]]}'
    )
    converted = convert_json(source.encode(), "a.json")
    assert converted.title == "Policy"
    assert converted.text.split("\n\n") == [
        "title: Policy", "version: 1.10", "# owner", "name: Ann", "## tags", "- a", "- b", "## deep", "### x",
        "- y:", "  - 1", "  - z:", "# rules", "| id | text |\n|---|---|\n| 1 | must |\n| 2 |  |",
        "# sections", "## Scope", "name: Scope", "body:", "one\ntwo", "## sections 2", "- x",
    ]  # fmt: skip


def test_json_lines_are_rows() -> None:
    assert convert_json(b'{"a": 1}\n\n{"a": 2}\n', "a.jsonl").text == "| a |\n|---|\n| 1 |\n| 2 |"


def test_broken_json_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="line 2"):
        convert_json(b'{"a": 1,\n"b"', "a.json")


def test_json_nested_too_deeply_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="nested too deeply"):
        convert_json(b"[" * 100_000, "a.json")


def test_empty_json_is_no_text() -> None:
    with pytest.raises(NoText):
        convert_json(b"{}", "a.json")
