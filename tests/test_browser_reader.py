"""Reading in a real browser: terms, references, versions, a phone, and a document of a thousand pages."""

# ruff: noqa: F401, F811 (Fixtures are imported, and then asked for by name.)

from __future__ import annotations

import re
import subprocess
import sys
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browsing import check_pages, looks, open_context, open_page, peek_at
from tests.processes import ROOT, Up, environment
from tests.test_browser import chromium, context, log_in, page, product, pytestmark

pytestmark = [*pytestmark, pytest.mark.usefixtures("is_read")]
SECONDS = 120_000
REST = 1_000  # Milliseconds after which a page that was scrolled has said in its address where it is.
ACT = "harbour-safety-act.md"


@pytest.fixture(scope="module")
def long_document(product: Up) -> str:
    """The id of a document of a thousand pages."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.long_document", "--pages", "1000"],
        env=environment(product.home),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout.split()[-1]


def find_reader(page: Page, name: str = ACT) -> str:
    """Return the address at which a document of the demo is read, once it can be."""
    page.goto("/t/harbour/documents/")
    page.get_by_role("link", name="harbour-rules").click()
    row = page.get_by_role("row").filter(has_text=name)
    expect(row.locator(".tag.ready")).to_be_visible(timeout=SECONDS)
    return str(row.get_by_role("link", name=name).get_attribute("href"))


def at_of(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query)["at"][0]


def unit(label: str) -> str:
    return f'.unit[data-at="{label}"][id]'


def test_a_document_is_opened_from_its_collection(page: Page) -> None:
    log_in(page)
    page.goto(find_reader(page))
    expect(page.get_by_role("heading", level=1)).to_have_text("Harbour Safety Act 2014")
    page.get_by_role("navigation", name="Outline").get_by_role("link", name="Part III").click()
    expect(page.locator(unit("Part III"))).to_be_in_viewport(timeout=SECONDS)
    expect(page).to_have_url(re.compile(r"at=Part\+III"))
    page.get_by_role("button", name="Below Part III").click()
    page.get_by_role("navigation", name="Outline").get_by_role(
        "link", name="Section 12 ", exact=False
    ).first.click()
    expect(page.locator(unit("Section 12"))).to_be_in_viewport(timeout=SECONDS)
    expect(page.locator("[data-crumbs]")).to_contain_text("Section 12")


def test_the_outline_can_be_searched(page: Page) -> None:
    log_in(page)
    page.goto(find_reader(page))
    page.get_by_label("Find in the outline").fill("near miss")
    found = page.locator("[data-found] a")
    expect(found.first).to_contain_text("near misses")
    found.first.click()
    expect(page.locator(".unit.current").first).to_be_in_viewport(timeout=SECONDS)


def test_a_term_is_explained_to_the_mouse_and_to_the_keyboard(page: Page) -> None:
    log_in(page)
    page.goto(f"{find_reader(page)}?at=Section+12")
    term = page.locator(f"{unit('Section 12(a)')} .term", has_text="master").first
    peek = page.locator("#peek")
    peek_at(page, term, "means the person who has command or charge of a vessel")
    page.keyboard.press("Escape")
    expect(peek).to_be_hidden()
    page.mouse.move(0, 0)  # Lest it point at another word when the page scrolls.
    page.locator(f"{unit('Section 12')} .tools a").first.focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.term')"):
            break
    assert page.evaluate("document.activeElement.matches('.term')")
    expect(peek).to_be_visible()
    expect(peek).to_contain_text("Defined in Section 3")
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "peek"
    page.keyboard.press("Escape")
    expect(peek).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator(unit("Section 3(a)"))).to_be_in_viewport(timeout=SECONDS)


def test_a_reference_is_followed_and_left_again(page: Page) -> None:
    log_in(page)
    page.goto(f"{find_reader(page)}?at=Section+2")
    expect(page.locator(unit("Section 2"))).to_be_in_viewport(timeout=SECONDS)
    link = page.locator(f"{unit('Section 1(b)(1)')} .reference").first
    page.mouse.move(700, 500)
    page.mouse.wheel(0, -300)
    peek_at(page, link, "Harbour Authority continued.")
    link.click()
    expect(page.locator(unit("Section 5"))).to_be_in_viewport(timeout=SECONDS)
    expect(page).to_have_url(re.compile(r"at=Section\+5"))
    page.go_back()
    expect(page.locator(unit("Section 2"))).to_be_in_viewport(timeout=SECONDS)


def test_a_jump_ends_the_one_before_it(page: Page) -> None:
    log_in(page)
    page.goto(f"{find_reader(page)}?at=Section+2")
    expect(page.locator(unit("Section 2"))).to_be_in_viewport(timeout=SECONDS)
    page.evaluate(
        """async () => {
            const link = document.querySelector("[data-step=next]");
            for (const label of ["Section 12", "Section 5"]) {
                link.href = `?${new URLSearchParams({ at: label })}`;
                link.click();
                await new Promise(requestAnimationFrame);
            }
        }"""
    )
    page.wait_for_timeout(2000)  # Milliseconds: longer than either goes on.
    expect(page.locator(unit("Section 5"))).to_be_in_viewport(timeout=SECONDS)
    expect(page).to_have_url(re.compile(r"at=Section\+5"))


def test_the_address_of_a_unit_stays_though_it_cannot_come_to_the_top(page: Page) -> None:
    log_in(page)
    page.goto(find_reader(page, "berth-licence.docx"))
    expect(page.locator(".part")).to_have_count(1)
    last = str(page.locator(".unit[data-at][id]").last.get_attribute("data-at"))
    page.evaluate(
        """label => {
            const link = document.querySelector("[data-step=next]");
            link.href = `?${new URLSearchParams({ at: label })}`;
            link.click();
        }""",
        last,
    )
    expect(page.locator(f"{unit(last)}.current")).to_be_in_viewport(timeout=SECONDS)
    page.wait_for_timeout(REST)
    assert at_of(page) == last
    assert page.locator(unit(last)).evaluate("one => one.getBoundingClientRect().top") > 300
    expect(page.locator("[data-crumbs] [aria-current]")).to_have_text(last)
    page.reload()
    page.wait_for_timeout(REST)
    assert at_of(page) == last
    page.mouse.move(700, 500)
    page.mouse.wheel(0, -3000)
    page.wait_for_timeout(REST)
    assert at_of(page) != last


def test_a_copied_address_is_not_overtaken_by_what_was_scrolled_past(chromium: Browser, product: Up) -> None:
    own = open_context(chromium, product, permissions=["clipboard-read", "clipboard-write"])
    page = own.new_page()
    log_in(page)
    page.goto(f"{find_reader(page)}?at=Section+12")
    page.wait_for_timeout(REST)
    page.evaluate(
        """async label => {
            scrollBy(0, -150);
            for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
            document.querySelector(`.unit[data-at="${label}"][id] .tools .link`).click();
        }""",
        "Section 12(b)",
    )
    expect(page.locator("[data-said]")).to_have_text("Copied")
    page.wait_for_timeout(REST)
    assert at_of(page) == "Section 12(b)"
    own.close()


def test_whoever_was_logged_out_is_sent_to_the_login_and_not_shown_it_in_the_text(
    page: Page, context: BrowserContext, long_document: str
) -> None:
    log_in(page)
    act = find_reader(page)
    page.goto(f"{act}?at=Section+2")
    expect(page.locator(unit("Section 2"))).to_be_in_viewport(timeout=SECONDS)
    context.clear_cookies()
    page.locator(f"{unit('Section 1(b)(1)')} .reference").first.focus()
    page.get_by_label("Find in the outline").fill("near miss")
    expect(page).to_have_url(re.compile(r"/account/login/\?next=/t/harbour/"), timeout=SECONDS)
    log_in(page)
    page.goto(f"/t/harbour/documents/{long_document}/read/?at=%C2%A7+500")
    expect(page.locator(unit("§ 500"))).to_be_in_viewport(timeout=SECONDS)
    context.clear_cookies()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(page).to_have_url(re.compile(r"/account/login/\?next=/t/harbour/"), timeout=SECONDS)


def test_what_refers_to_a_unit_is_listed_below_it(page: Page) -> None:
    log_in(page)
    page.goto(f"{find_reader(page)}?at=Section+12")
    own = page.locator(unit("Section 12"))
    own.locator(".tools .mentions").click()
    expect(own.locator(".mentions-list a").first).to_be_visible()
    own.locator(".tools .mentions").click()
    expect(own.locator(".mentions-list")).to_have_count(0)


def test_a_unit_is_cited(chromium: Browser, product: Up) -> None:
    own = open_context(chromium, product, permissions=["clipboard-read", "clipboard-write"])
    page = own.new_page()
    log_in(page)
    page.goto(f"{find_reader(page)}?at=Section+12")
    page.locator(f"{unit('Section 12')} .tools .cite").click()
    expect(page.locator("[data-said]")).to_have_text("Copied")
    copied = str(page.evaluate("navigator.clipboard.readText()"))
    assert copied.startswith(f"Section 12, {ACT}, version ")
    page.goto(re.search(r"http\S+", copied)[0])  # type: ignore[index]
    expect(page.get_by_role("main")).to_contain_text("These words stand today")
    page.get_by_role("link", name="Read it in its place").click()
    expect(page.locator("#span")).to_be_in_viewport(timeout=SECONDS)
    own.close()


def test_a_page_of_a_pdf_is_shown_as_it_looks(page: Page) -> None:
    log_in(page)
    page.goto(find_reader(page, "mooring-standard.pdf"))
    page.get_by_role("link", name="Page 3", exact=True).click()
    picture = page.get_by_role("dialog").get_by_role("img", name="Page 3")
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("naturalWidth", 1200, timeout=SECONDS)
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_another_context_is_read(page: Page) -> None:
    log_in(page)
    page.goto(f"{find_reader(page)}?at=Section+12")
    page.locator(".read-context select").select_option("effective")
    page.locator(".read-context input[type=date]").fill("2001-01-01")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("There is nothing of it to read at that time.")).to_be_visible()
    page.get_by_role("link", name="Read what is current").click()
    expect(page.locator(unit("Section 12"))).to_be_in_viewport(timeout=SECONDS)


def test_on_a_phone_the_outline_is_a_drawer(chromium: Browser, product: Up) -> None:
    own = open_context(chromium, product, viewport={"width": 390, "height": 800}, has_touch=True)
    page = own.new_page()
    log_in(page)
    page.goto(find_reader(page))
    outline = page.get_by_role("navigation", name="Outline")
    expect(outline).to_be_hidden()
    page.get_by_role("button", name="Contents").click()
    expect(outline).to_be_visible()
    outline.get_by_role("link", name="Part II ", exact=False).first.click()
    expect(outline).to_be_hidden()
    expect(page.locator(unit("Part II"))).to_be_in_viewport(timeout=SECONDS)
    page.goto(f"{find_reader(page)}?at=Section+12")
    term = page.locator(f"{unit('Section 12(a)')} .term").first
    term.tap()
    expect(page.locator("#peek")).to_contain_text("Defined in")
    expect(page.locator(unit("Section 12"))).to_be_in_viewport(timeout=SECONDS)
    own.close()


def test_reading_needs_no_scripts(chromium: Browser, product: Up, long_document: str) -> None:
    own = open_context(chromium, product, java_script_enabled=False)
    page = own.new_page()
    log_in(page)
    page.goto(f"{find_reader(page)}?at=Section+12#u-Section_12")
    expect(page.locator(unit("Section 12"))).to_be_in_viewport(timeout=SECONDS)
    page.locator(f"{unit('Section 12(a)')} .term").first.click()
    expect(page.locator(unit("Section 3(a)"))).to_be_in_viewport(timeout=SECONDS)
    page.goto(f"/t/harbour/documents/{long_document}/read/")
    page.get_by_role("link", name="Read on").click()
    expect(page).to_have_url(re.compile(r"part=1$"))
    expect(page.locator(".part:not(.waiting)")).to_have_count(1)
    own.close()


def test_a_thousand_pages_open_anywhere_and_scroll(page: Page, long_document: str) -> None:
    log_in(page)
    page.goto(f"/t/harbour/documents/{long_document}/read/?at=%C2%A7+500")
    target = unit("§ 500")
    expect(page.locator(target)).to_be_in_viewport(timeout=SECONDS)
    shown = page.locator(".part:not(.waiting)")
    assert shown.count() < 8
    assert page.evaluate("document.documentElement.scrollHeight") > 500_000
    page.mouse.move(700, 500)
    for _ in range(30):
        page.mouse.wheel(0, 1500)
    expect(page.locator(unit("§ 502"))).to_be_attached(timeout=SECONDS)
    expect(shown.nth(2)).to_be_attached(timeout=SECONDS)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    last = page.locator(".part").last
    expect(last).not_to_have_class(re.compile("waiting"), timeout=SECONDS)
    page.goto(f"/t/harbour/documents/{long_document}/read/#u-%C2%A7_300")
    expect(page.locator(unit("§ 300"))).to_be_in_viewport(timeout=SECONDS)


@looks
def test_pages_are_accessible_and_fit(
    chromium: Browser, product: Up, width: int, theme: Literal["light", "dark"], subtests: pytest.Subtests
) -> None:
    page = open_page(chromium, product, width, theme)
    log_in(page)
    act, standard = find_reader(page), find_reader(page, "mooring-standard.pdf")
    pages = {
        "act": f"{act}?at=Section+12",
        "standard": standard,
        "mentions": f"{act}mentions/?at=Section+12",
        "corrections": f"{act.removesuffix('read/')}corrections/?at=Section+12",
    }
    check_pages(page, pages, subtests)
    page.context.close()


def test_what_is_printed_is_the_text(page: Page) -> None:
    log_in(page)
    page.goto(f"{find_reader(page)}?at=Section+12")
    page.emulate_media(media="print")
    expect(page.locator(".contents")).to_be_hidden()
    expect(page.locator(".tools").first).to_be_hidden()
    expect(page.locator("header.bar")).to_be_hidden()
    heading = page.locator(f"{unit('Section 12')} h4")
    assert heading.evaluate("one => getComputedStyle(one).breakAfter") == "avoid"
