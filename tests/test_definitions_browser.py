"""The administration of definitions and references in a real browser, under the strict policy for scripts."""

# ruff: noqa: F401, F811 (Fixtures are imported, and then asked for by name.)

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.test_browser import chromium, context, log_in, page, product, pytestmark

pytestmark = [*pytestmark, pytest.mark.usefixtures("is_read")]
SECONDS = 60_000


def open_list(page: Page, model: str) -> None:
    page.goto(f"/admin/definitions/{model}/")
    expect(page.locator("#result_list tbody tr").first).to_be_visible()


def test_a_definition_is_opened_and_corrected(page: Page) -> None:
    log_in(page, "operator@example.org")
    open_list(page, "definition")
    page.locator("#result_list tbody th a").first.click()
    page.get_by_role("link", name="Correct", exact=True).click()
    page.get_by_label("Variants").fill("by hand")
    page.get_by_role("button", name="Correct").click()
    expect(page.locator(".messagelist .success")).to_have_text(
        "The correction holds now, and for the versions to come."
    )
    page.goto("/admin/definitions/definition/?is_corrected__exact=1")
    expect(page.locator("#result_list tbody tr")).to_have_count(1)


def test_a_document_is_chosen_by_typing(page: Page) -> None:
    log_in(page, "operator@example.org")
    open_list(page, "crossreference")
    page.goto("/admin/definitions/crossreference/add/")
    page.locator(".select2-selection").first.click()
    page.locator(".select2-search__field").fill("harbour")
    option = page.locator(".select2-results__option").filter(has_text="harbour-safety-act.md")
    option.first.click(timeout=SECONDS)
    expect(page.locator(".select2-selection__rendered").first).to_contain_text("harbour-safety-act.md")
