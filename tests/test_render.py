"""Texts as they are shown: every character in its place, and none of them markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.parse import parse_outline
from documents.render import Mark, PageMark, ShownUnit, Wrap, read_blocks, read_inline, write_text

WHOLE = ShownUnit(start=0)
TAG = re.compile(r"<[^>]*>")
# What may be left out of Markdown: its signs, blanks, and the addresses of links.
SIGNS = frozenset("#>|-:*_`~=[]()\\+• \t\n")


def shown(
    text: str, *, is_markdown: bool = True, units: Sequence[ShownUnit] = (WHOLE,), **more: object
) -> str:
    return write_text(text, units=units, is_markdown=is_markdown, **more)  # type: ignore[arg-type]


def words(html: str) -> str:
    return unescape(TAG.sub("", html))


def inner(html: str) -> str:
    """Return what is inside the only unit."""
    return re.sub(r'^<div class="unit[^>]*>|</div>$', "", html)


class Tags(HTMLParser):
    """Reads HTML as a browser does, and keeps its tags and its text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag != "hr":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)


def read_html(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert tags.open == []
    return tags


class TestBlocks:
    @pytest.mark.parametrize(
        ("text", "html"),
        [
            ("## Pilots", "<h3>Pilots</h3>"),
            ("Pilots\n===", "<h3>Pilots</h3>"),
            ("Pilots\n---\n\nText", "<h3>Pilots</h3><p>Text</p>"),
            ("One\ntwo.\n\nThree", "<p>One\ntwo.</p><p>Three</p>"),
            ("- one\n- two", '<ul><li class="depth-1">one</li><li class="depth-1">two</li></ul>'),
            ("- one\n  - two", '<ul><li class="depth-1">one</li><li class="depth-2">two</li></ul>'),
            ("> quoted\n> words", "<blockquote><p>quoted\nwords</p></blockquote>"),
            ("\\# no heading", "<p># no heading</p>"),
            ("***\n\nText", "<hr><p>Text</p>"),
            ("1. one\n\n2. two", "<p>1. one</p><p>2. two</p>"),
            ("#hash\n\n####### seven", "<p>#hash</p><p>####### seven</p>"),
        ],
    )
    def test_of_markdown(self, text: str, html: str) -> None:
        assert inner(shown(text, units=[ShownUnit(start=0, is_rest=True)])) == html

    def test_a_table_is_a_table(self) -> None:
        html = shown("| Fee | Due |\n|---|:-:|\n| a \\| b | 5 |\n| c |")
        assert "<table><thead><tr>" in html
        assert '<th scope="col">Fee</th><th scope="col">Due</th></tr></thead>' in html
        assert "<tbody><tr><td>a | b</td><td>5</td></tr><tr><td>c</td></tr></tbody>" in html

    def test_rows_without_a_header_are_a_table_too(self) -> None:
        assert "<tbody><tr><td>a</td><td></td><td>b</td></tr></tbody>" in shown("| a | | b |")

    def test_what_is_fenced_is_shown_as_it_is(self) -> None:
        html = shown("```\n# no heading\n  **no**\n```\n\n**yes**")
        assert 'aria-label="Table"># no heading\n  **no**</pre>' in html
        assert "<p><strong>yes</strong></p>" in html

    def test_plain_text_has_no_signs(self) -> None:
        text = "# Dues\n\n| a | b |\n\n**five** crowns"
        assert inner(shown(text, is_markdown=False)) == "<p># Dues</p><p>| a | b |</p><p>**five** crowns</p>"

    def test_columns_that_somebody_typed_stay_columns(self) -> None:
        text = "Ship        Fee     Day\nbarge       5       1\ntug         6       2\n"
        assert f">{text.rstrip()}</pre>" in shown(text, is_markdown=False)

    def test_lines_that_a_page_has_ended_flow(self) -> None:
        text = f"{'The master of a vessel shall report it at once ' * 2}\nto the harbour master.\n"
        assert "<p>The master" in shown(text, is_markdown=False)
        short = f"{text}\nHarbour Office\nQuay 5\nAldmere\n"
        assert '<p class="lines">Harbour Office\nQuay 5\nAldmere</p>' in shown(short, is_markdown=False)


class TestInline:
    @pytest.mark.parametrize(
        ("text", "html"),
        [
            ("a **b** c", "a <strong>b</strong> c"),
            ("a *b* _c_ `d`", "a <em>b</em> <em>c</em> <code>d</code>"),
            ("**a *b* c**", "<strong>a </strong><strong><em>b</em></strong><strong> c</strong>"),
            ("5 * 3 * 2", "5 * 3 * 2"),
            ("snake_case_name", "snake_case_name"),
            ("2*3*4", "2*3*4"),
            ("a ** b ** c", "a ** b ** c"),
            ("`a * b` and *c*", "<code>a * b</code> and <em>c</em>"),
        ],
    )
    def test_emphasis_is_what_is_beyond_doubt(self, text: str, html: str) -> None:
        assert inner(shown(text)) == f"<p>{html}</p>"

    def test_an_address_of_the_web_is_a_link(self) -> None:
        html = shown("see [the act](https://example.org/a?b=1&c=2).")
        link = 'href="https://example.org/a?b=1&amp;c=2" rel="noopener noreferrer nofollow"'
        assert f'see <a {link} class="out">the act</a>.' in html

    @pytest.mark.parametrize(
        "address",
        [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "//example.org",
            "/t/harbour/",
            "vbscript:x",
        ],
    )
    def test_any_other_address_is_text(self, address: str) -> None:
        text = f"see [the act]({address})."
        html = shown(text)
        assert words(html) == text
        assert {tag for tag, _ in read_html(html).seen} == {"div", "p"}


class TestUnits:
    def test_the_heading_of_a_unit_is_one_whatever_the_text_is(self) -> None:
        unit = ShownUnit(
            start=0,
            anchor="u-1",
            label="Section 1",
            kind="section",
            marker="Section 1",
            title="Pilots",
            heading=4,
        )
        assert "<h4>Section 1. Pilots</h4><p>A pilot boards.</p>" in shown(
            "Section 1. Pilots\n\nA pilot boards.", is_markdown=False, units=[unit]
        )
        assert "<h4>Section 1\nPilots</h4>" in shown(
            "Section 1\nPilots\n\nA pilot boards.", is_markdown=False, units=[unit]
        )

    def test_a_caption_before_other_words_is_no_heading(self) -> None:
        unit = ShownUnit(start=0, anchor="u-a", kind="paragraph", marker="(a)", title="Scope")
        html = inner(shown("(a) Scope. This part applies.", units=[unit]))
        assert html == '<p class="hang"><span class="marker">(a)</span> <b>Scope</b>. This part applies.</p>'

    def test_numbers_on_one_line_are_one_marker(self) -> None:
        units = [
            ShownUnit(start=0, anchor="u-a", kind="paragraph", marker="(a)"),
            ShownUnit(start=0, anchor="u-a1", kind="paragraph", marker="(1)"),
        ]
        html = shown("(a)(1) A pilot boards.", units=units)
        assert '<div class="unit indent-0" data-at="" data-level="0" id="u-a"></div>' in html
        assert '<span class="marker">(a)(1)</span> A pilot boards.' in html

    def test_marks_wraps_and_pages_stand_where_they_belong(self) -> None:
        text = "The master of a vessel reports."
        html = shown(
            text,
            wraps=[Wrap(4, 10, "a", {"href": '"?x'}), Wrap(6, 12, "a", {"href": "overlaps"})],
            marks=[Mark(8, 15, anchor="span")],
            pages=[PageMark(11, 2)],
        )
        assert inner(html) == (
            '<p>The <a href="&quot;?x">mast<mark id="span">er</mark></a><mark> </mark>'
            '<span class="page" data-page="2"></span><mark>of a</mark> vessel reports.</p>'
        )

    def test_a_page_that_begins_inside_a_link_is_a_link_of_its_own(self) -> None:
        html = shown(
            "See section 5 of it.", wraps=[Wrap(4, 13, "a", {"href": "?"})], pages=[PageMark(12, 3, "3.png")]
        )
        page = '<a class="page" data-page="3" href="3.png" aria-label="Page 3"></a>'
        assert inner(html) == f'<p>See <a href="?">section </a>{page}<a href="?">5</a> of it.</p>'

    def test_a_page_that_begins_between_blocks_is_said_before_the_next_words(self) -> None:
        assert '<p><span class="page" data-page="2"></span>Two</p>' in shown(
            "One\n\nTwo", pages=[PageMark(4, 2)]
        )
        assert shown("One\n", pages=[PageMark(4, 2)]).endswith('<span class="page" data-page="2"></span>')


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "<!-- --><style>*{display:none}</style>",
    "| <b>a | <td> |\n|---|---|\n| </table> | x |",
    "# <h1 onclick=x>",
    "**<b>** *</em>* `</code><script>`",
    '[<img src=x>](https://example.org/"onmouseover=alert(1))',
    "[x](https://example.org/'onmouseover='alert(1))",
    "```\n</pre><script>alert(1)</script>\n```",
    "> </blockquote><iframe>",
    "&lt;script&gt; &amp;amp; &#60;",
    "{{ 7|add:7 }} {% debug %}",
    "\u202e<script>\u202c \u0000 \ufffd",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("is_markdown", [True, False])
def test_what_a_document_says_is_never_markup(text: str, is_markdown: bool) -> None:
    unit = ShownUnit(start=0, anchor=f"u-{text}", label=text, kind="section", title=text[:20])
    html = shown(text, is_markdown=is_markdown, units=[unit])
    read = read_html(html)
    allowed = {
        "div",
        "p",
        "h2",
        "h3",
        "ul",
        "li",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "pre",
        "blockquote",
    }
    assert {tag for tag, _ in read.seen} <= allowed | {"strong", "em", "code", "a", "b", "span", "hr"}
    for _, attributes in read.seen:
        assert set(attributes) <= {
            "class", "data-at", "data-level", "id", "href", "rel", "scope", "tabindex", "role", "aria-label",
        }  # fmt: skip
        assert (attributes.get("href") or "https://").startswith(("https://", "mailto:"))


def hidden_of(text: str, *, is_markdown: bool) -> str:
    """Return the characters that the blocks of a text leave out, in their order."""
    visible: set[int] = set()
    for block in read_blocks(text, (0, len(text)), is_markdown=is_markdown, width=80):
        for runs in [block.runs, *(cell for row in block.rows for cell in row)]:
            for start, end in runs:
                visible.update(range(start, end))
    return "".join(char for place, char in enumerate(text) if place not in visible)


LINES = st.one_of(
    st.text(alphabet="ab *_`[](){}<>&|#-=\\\"'.:;~+•>/1i§\t", max_size=40),
    st.sampled_from(
        [
            "",
            "# One",
            "## (a) Two",
            "| a | b |",
            "|---|---|",
            "| x \\| y |",
            "- item",
            "  - deeper",
            "> quoted",
            "```",
            "~~~",
            "***",
            "===",
            "---",
            "(a) first",
            "(1) second",
            "**bold** and *it*",
            "[x](https://e.org/a)",
            "Ship     Fee     Day",
            "\\# escaped",
            "The master shall report it.",
        ]
    ),
)
TEXTS = st.lists(LINES, max_size=25).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, is_markdown=st.booleans())
def test_the_characters_that_are_shown_are_those_of_the_text_in_their_order(
    text: str, is_markdown: bool
) -> None:
    read = read_html(shown(text, is_markdown=is_markdown))
    rest = iter(text)
    assert all(char in rest for char in "".join(read.text))  # A subsequence: nothing added, nothing moved.
    assert set(hidden_of(text, is_markdown=is_markdown)) <= (SIGNS if is_markdown else set(" \t\n"))


@settings(max_examples=200, deadline=None)
@given(text=TEXTS)
def test_nothing_but_signs_of_markdown_is_left_out(text: str) -> None:
    """Count characters: what the text has and the page has not are signs, or addresses of links."""
    plain = re.sub(r"\]\(https://e\.org/a\)", "", text)
    for char in set(plain) - SIGNS:
        assert "".join(read_html(shown(plain)).text).count(char) == plain.count(char), char


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, data=st.data())
def test_units_links_marks_and_pages_add_no_character(text: str, data: st.DataObject) -> None:
    outline = parse_outline(text, is_markdown=True)
    units = [
        ShownUnit(
            start=unit.start,
            anchor=f"u-{index}",
            label=unit.label,
            kind=unit.kind,
            marker=unit.marker,
            title=unit.title,
        )
        for index, unit in enumerate(outline.units)
    ]
    place = st.integers(0, max(1, len(text)))
    spans = data.draw(st.lists(st.tuples(place, place).map(sorted), max_size=6))
    html = shown(
        text,
        units=units,
        wraps=[Wrap(start, end, "a", {"href": "?"}) for start, end in spans[:3]],
        marks=[Mark(start, end) for start, end in spans[3:]],
        pages=[
            PageMark(start, number)
            for number, start in enumerate(sorted(data.draw(st.lists(place, max_size=3))), 1)
        ],
    )
    read = read_html(html)
    rest = iter(text)
    assert all(char in rest for char in "".join(read.text))
    assert [attributes["id"] for _, attributes in read.seen if "id" in attributes] == [
        unit.anchor for unit in units
    ]
    links = [tag for tag in read.seen if tag[0] == "a"]
    assert len({id(link) for link in links}) == len(links)


@pytest.mark.parametrize(
    "text",
    [
        "*" * 40_000,
        "**a " * 10_000,
        "[" * 40_000,
        "[a](" * 8_000,
        "|" * 40_000,
        "- " * 20_000,
        "> " * 20_000,
        "`" * 40_000,
        "*a* " * 8_000,
        "a\n" * 20_000,
        "_ " * 20_000,
        "(a) " * 10_000,
    ],
    ids=lambda text: repr(text[:4]),
)
def test_hostile_texts_take_no_longer_than_others(text: str) -> None:
    """By what is written: a part of this length has at most some dozen pieces for each of its signs."""
    html = shown(text)
    assert len(html) < 60 * len(text)
    read_html(html)


def test_inline_pairs_are_as_far_apart_as_they_may_be() -> None:
    assert len(read_inline(f"**{'a' * 500}**", (0, 504)).styles) == 1
    assert read_inline(f"**{'a' * 501}**", (0, 505)).styles == ()
