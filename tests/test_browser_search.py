"""The search page in a real browser: while somebody types, by keys, back and forth, and without scripts."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from tests.browsing import (
    check_pages,
    log_in,
    looks,
    open_context,
    open_page,
    pytestmark,  # noqa: F401  # For the whole module.
)
from tests.processes import Up

SEARCH = "/t/harbour/search/"
CITATION = "Section 12(b) of the Harbour Safety Act"
SECONDS = 90_000


@pytest.fixture
def search(page: Page, is_read: None) -> Page:
    """The page, before anything is asked."""
    log_in(page)
    page.goto(SEARCH)
    return page


def box(page: Page) -> Locator:
    return page.get_by_role("searchbox", name="Search")


def first(page: Page) -> Locator:
    return page.locator(".result h2").first


def found(page: Page, words: str) -> None:
    expect(first(page)).to_contain_text(words, timeout=SECONDS)


def test_a_citation_shows_the_words_of_the_unit(search: Page) -> None:
    box(search).fill(CITATION)
    box(search).press("Enter")
    found(search, "Section 12(b)")
    expect(search.locator(".words-shown").first).to_contain_text("The written report shall state")
    expect(search).to_have_url(re.compile(r"\?q=Section\+12%28b%29\+of\+the\+Harbour\+Safety\+Act$"))
    expect(search).to_have_title(f"{CITATION} · Search · Harbour Authority · Pandect")


def test_a_phrase_and_a_question_find_passages(search: Page) -> None:
    box(search).fill('"without delay"')
    box(search).press("Enter")
    expect(search.locator(".result .tag").first).to_have_text("word for word", timeout=SECONDS)
    box(search).fill("who has to report an incident?")
    box(search).press("Enter")
    expect(search.locator("mark").first).to_be_visible(timeout=SECONDS)
    expect(search.get_by_role("status").filter(has_text="10 results")).to_be_visible(timeout=SECONDS)


def test_results_come_while_somebody_types_and_the_box_keeps_the_focus(search: Page) -> None:
    box(search).press_sequentially("pilotage", delay=30)
    expect(search.locator(".result").first).to_be_visible(timeout=SECONDS)
    expect(search).to_have_url(re.compile(r"\?q=pilotage$"))
    expect(box(search)).to_be_focused()
    search.go_back()
    expect(search).to_have_url(re.compile(r"/search/$"))
    expect(search.get_by_role("heading", name="For example")).to_be_visible(timeout=SECONDS)
    expect(box(search)).to_have_value("")


def test_what_was_asked_before_does_not_replace_what_is_asked_now(search: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    search.route(re.compile(r"q=pilot&"), hold)
    box(search).fill("pilot")
    expect(search.locator("#results")).to_have_attribute("aria-busy", "true")
    search.wait_for_function("location.search === '?q=pilot'")
    box(search).fill(CITATION)
    found(search, "Section 12(b)")
    for route in held:
        route.abort()
    found(search, "Section 12(b)")
    expect(search.locator("#results")).not_to_have_attribute("aria-busy", "true")


def test_the_back_button_goes_through_the_searches(search: Page) -> None:
    for query, label in ((CITATION, "Section 12(b)"), ("Section 4 of the Harbour Safety Act", "Section 4")):
        box(search).fill("")
        box(search).press_sequentially(query, delay=5)
        box(search).press("Enter")
        found(search, label)
    search.go_back()
    found(search, "Section 12(b)")
    expect(box(search)).to_have_value(CITATION)
    search.go_forward()
    found(search, "Section 4")


def test_a_place_that_is_not_there_leads_to_those_that_are(search: Page) -> None:
    box(search).fill("Section 12(z) of the Harbour Safety Act")
    box(search).press("Enter")
    expect(search.locator(".missing")).to_contain_text("Section 12 has (a)–(f).", timeout=SECONDS)
    search.get_by_role("link", name="Section 12(c)", exact=True).click()
    found(search, "Section 12(c)")


def test_another_time_is_read_and_said(search: Page) -> None:
    search.goto(f"{SEARCH}?q=pilot")
    search.get_by_label("Read").select_option("recorded")
    expect(search.get_by_label("Day")).to_be_focused()
    search.get_by_label("Day").fill("2001-02-03")
    expect(search.locator(".read-banner")).to_contain_text(
        "what was here on 3 February 2001", timeout=SECONDS
    )
    expect(search.locator(".result")).to_have_count(0)
    expect(search).to_have_url(re.compile(r"read=recorded&day=2001-02-03"))
    search.get_by_role("link", name="Read what is current").first.click()
    expect(search.locator(".result").first).to_be_visible(timeout=SECONDS)
    expect(search.get_by_label("Read")).to_have_value("head")


def test_keys_are_enough(search: Page) -> None:
    search.goto(f"{SEARCH}?q=pilot")
    search.locator("#main").focus()
    search.keyboard.press("/")
    expect(box(search)).to_be_focused()
    links = search.locator("a[data-result]")
    search.keyboard.press("ArrowDown")
    expect(links.nth(0)).to_be_focused()
    search.keyboard.press("j")
    expect(links.nth(1)).to_be_focused()
    search.keyboard.press("ArrowDown")
    expect(links.nth(2)).to_be_focused()
    search.keyboard.press("k")
    expect(links.nth(1)).to_be_focused()
    search.keyboard.press("ArrowUp")
    search.keyboard.press("ArrowUp")
    expect(box(search)).to_be_focused()
    search.keyboard.press("ArrowDown")
    search.keyboard.press("Enter")
    expect(search).to_have_url(re.compile(r"/t/harbour/documents/"))


def test_keys_can_be_turned_off(search: Page) -> None:
    search.get_by_role("button", name="Turn keys off").click()
    search.locator("#main").focus()
    search.keyboard.press("/")
    expect(search.locator("#main")).to_be_focused()
    search.get_by_role("button", name="Turn keys on").click()
    search.locator("#main").focus()
    search.keyboard.press("/")
    expect(box(search)).to_be_focused()


def test_filters_narrow_at_once_and_keep_the_focus(search: Page) -> None:
    search.goto(f"{SEARCH}?q=pilot")
    choice = search.get_by_role("checkbox", name=re.compile("^MD"))
    choice.check()
    expect(search).to_have_url(re.compile(r"q=pilot&file=md$"))
    expect(search.get_by_role("link", name="Clear filters")).to_be_visible(timeout=SECONDS)
    expect(search.get_by_role("checkbox", name=re.compile("^MD"))).to_be_focused()
    expect(search.locator(".result-facts", has_text=".docx")).to_have_count(0)
    search.go_back()
    expect(search.get_by_role("checkbox", name=re.compile("^MD"))).not_to_be_checked(timeout=SECONDS)


def test_a_citation_is_copied(search: Page, context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    search.goto(f"{SEARCH}?q=Section+12(b)+of+the+Harbour+Safety+Act")
    search.get_by_role("button", name="Copy citation of Section 12(b)").click()
    expect(search.get_by_role("button", name="Copied")).to_be_visible()
    copied = search.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Section 12(b), harbour-safety-act.md, version 1, recorded ")
    assert "/t/harbour/cite/" in copied


def test_what_was_asked_is_remembered_here_until_it_is_forgotten(search: Page) -> None:
    box(search).fill("pilot boarding")
    box(search).press("Enter")
    expect(search.locator(".result").first).to_be_visible(timeout=SECONDS)
    search.goto(SEARCH)
    search.get_by_role("link", name="pilot boarding").click()
    expect(box(search)).to_have_value("pilot boarding")
    search.goto(SEARCH)
    search.get_by_role("button", name="Forget these").click()
    search.reload()
    expect(search.get_by_role("link", name="pilot boarding")).to_have_count(0)


def test_a_search_is_saved_and_found_again(search: Page) -> None:
    search.goto(f"{SEARCH}?q=pilot&mode=keyword")
    search.get_by_text("Save", exact=True).first.click()
    search.get_by_label("Save this search as").fill("About pilots")
    search.get_by_role("button", name="Save").click()
    expect(search.locator(".message")).to_have_text("“About pilots” is kept.")
    search.goto(SEARCH)
    search.get_by_role("link", name="About pilots").click()
    expect(search).to_have_url(re.compile(r"\?q=pilot&mode=keyword$"))
    search.goto("/t/harbour/searches/")
    row = search.get_by_role("row").filter(has_text="About pilots")
    row.get_by_text("Delete").first.click()
    row.get_by_role("button", name="Delete").click()
    expect(search.locator(".message")).to_have_text("“About pilots” is deleted.")


def test_everything_works_without_scripts(chromium: Browser, product: Up, is_read: None) -> None:
    bare = open_context(chromium, product, java_script_enabled=False)
    page = bare.new_page()
    log_in(page)
    page.goto("/t/harbour/")
    box(page).fill("pilot")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".result").first).to_be_visible()
    page.get_by_role("checkbox", name=re.compile("^MD")).check()
    page.get_by_role("button", name="Apply").last.click()
    expect(page).to_have_url(re.compile(r"file=md"))
    expect(page.locator(".result-facts", has_text=".docx")).to_have_count(0)
    page.get_by_label("Read").select_option("published")
    page.get_by_role("button", name="Apply").first.click()
    expect(page.locator(".message")).to_contain_text("Nothing is published here.")
    page.get_by_role("link", name="Read what is current").click()
    page.locator(".result .cite summary").first.click()
    expect(page.locator("#cite-1")).to_contain_text("(SHA-256 ")
    bare.close()


PAGES = {
    "front": SEARCH,
    "results": f"{SEARCH}?q=pilot&explain=1&read=2999-01-01",
    "explained": f"{SEARCH}?q=pilot+boarding&explain=1",
    "cited": f"{SEARCH}?q=Section+12(b)+of+the+Harbour+Safety+Act&group=1",
    "missing": f"{SEARCH}?q=Section+12(z)+of+the+Harbour+Safety+Act",
    "unsure": f"{SEARCH}?q=zebra+crossing+paint",
    "saved": "/t/harbour/searches/",
    "ask": "/t/harbour/ask/?q=who+has+to+report+an+incident",
    "overview": "/t/harbour/",
}


@looks
@pytest.mark.usefixtures("is_read")
def test_pages_are_accessible_and_fit(
    chromium: Browser, product: Up, width: int, theme: Literal["light", "dark"], subtests: pytest.Subtests
) -> None:
    page = open_page(chromium, product, width, theme)
    log_in(page)
    check_pages(page, PAGES, subtests, prepare=open_drawers)
    page.context.close()


def open_drawers(page: Page) -> None:
    for drawer in page.locator(".drawers summary").all()[:4]:
        drawer.click()
