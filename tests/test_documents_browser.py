"""Documents in a real browser: added, watched, deleted, restored; with scripts and without."""

# ruff: noqa: F401, F811 (Fixtures are imported, and then asked for by name.)

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import check_pages, looks, open_context, open_page
from tests.processes import Up
from tests.test_browser import chromium, context, log_in, page, product, pytestmark

pytestmark = [*pytestmark, pytest.mark.usefixtures("is_read")]
ACT = "# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n\n(b) A quay too.\n"
SECONDS = 120_000


def open_collection(page: Page) -> None:
    page.goto("/t/harbour/documents/")
    page.get_by_role("link", name="harbour-rules").click()


def test_the_demo_is_read_and_can_be_walked(page: Page) -> None:
    log_in(page)
    page.goto("/t/harbour/")
    page.get_by_role("link", name="Documents", exact=True).click()
    row = page.get_by_role("row").filter(has_text="harbour-rules")
    row.get_by_role("link", name="harbour-rules").click()
    expect(page.locator(".tag.ready")).to_have_count(5, timeout=SECONDS)
    row = page.get_by_role("row").filter(has_text="harbour-safety-act.md")
    row.get_by_role("link", name="Version 1").click()
    expect(page.get_by_role("heading", name="Outline")).to_be_visible()
    expect(page.locator(".outline li").filter(has_text="Section 12A").first).to_be_visible()


def test_a_folder_is_added_and_followed_until_it_is_read(page: Page, tmp_path: Path) -> None:
    for name in ("one/rules.md", "two/rules.md"):
        (tmp_path / "corpus" / name).parent.mkdir(parents=True)
        (tmp_path / "corpus" / name).write_text(f"{ACT}\n{name}\n")
    log_in(page, "edgar@example.org")
    open_collection(page)
    page.get_by_role("link", name="Add documents").click()
    page.get_by_label("Or a folder").set_input_files(tmp_path / "corpus")
    page.get_by_role("button", name="Upload").click()
    expect(page.locator(".message")).to_have_text("2 documents added.")
    for name in ("one/rules.md", "two/rules.md"):
        row = page.get_by_role("row").filter(has_text=name)
        expect(row.locator(".tag")).to_have_text("Ready", timeout=SECONDS)


def test_everything_works_without_scripts(chromium: Browser, product: Up, tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_text("")
    bare = open_context(chromium, product, java_script_enabled=False)
    page = bare.new_page()
    log_in(page, "edgar@example.org")
    open_collection(page)
    page.get_by_label("Files", exact=True).set_input_files(tmp_path / "bad.md")
    page.get_by_role("button", name="Upload").click()
    expect(page.locator(".message")).to_have_text("1 document added.")
    row = page.get_by_role("row").filter(has_text="bad.md")
    for _ in range(240):
        page.reload()
        if row.get_by_role("button", name="Try again").count():
            break
        page.wait_for_timeout(500)
    expect(row.locator(".reason")).to_contain_text("empty")
    row.get_by_text("Delete").first.click()
    row.get_by_role("button", name="Delete").click()
    expect(page.locator(".message")).to_have_text("bad.md is in the bin.")
    page.get_by_role("link", name="Bin").click()
    page.get_by_role("button", name="Restore bad.md").click()
    expect(page.locator(".message")).to_have_text("bad.md is back.")
    bare.close()


def test_an_estimate_keeps_what_was_chosen_for_the_upload(page: Page, tmp_path: Path) -> None:
    (tmp_path / "quoted.md").write_text(f"{ACT}\nQuoted.\n")
    log_in(page, "edgar@example.org")
    open_collection(page)
    page.get_by_role("button", name="Estimate cost").click()
    expect(page.locator("#quote")).to_have_text("Choose at least one file.", timeout=SECONDS)
    page.get_by_label("Files", exact=True).set_input_files(tmp_path / "quoted.md")
    page.get_by_role("button", name="Estimate cost").click()
    expect(page.locator("#quote")).to_contain_text("1 chunk", timeout=SECONDS)
    page.get_by_role("button", name="Upload").click()
    expect(page.locator(".message")).to_have_text("1 document added.")


def test_an_estimate_needs_no_scripts(chromium: Browser, product: Up, tmp_path: Path) -> None:
    (tmp_path / "bare.md").write_text(f"{ACT}\nBare.\n")
    bare = open_context(chromium, product, java_script_enabled=False)
    page = bare.new_page()
    log_in(page, "edgar@example.org")
    open_collection(page)
    page.get_by_label("Files", exact=True).set_input_files(tmp_path / "bare.md")
    page.get_by_role("button", name="Estimate cost").click()
    expect(page.locator("#quote")).to_contain_text("1 chunk", timeout=SECONDS)
    expect(page.get_by_role("row").filter(has_text="bare.md")).to_have_count(0)
    bare.close()


@looks
def test_pages_are_accessible_and_fit(
    chromium: Browser, product: Up, width: int, theme: Literal["light", "dark"], subtests: pytest.Subtests
) -> None:
    page = open_page(chromium, product, width, theme)
    log_in(page)
    pages = {"documents": "/t/harbour/documents/", "usage": "/t/harbour/usage/"}
    open_collection(page)
    pages["collection"] = page.url
    row = page.get_by_role("row").filter(has_text="mooring-standard.pdf")
    pages["document"] = str(row.get_by_role("link", name="Version").get_attribute("href"))
    check_pages(page, pages, subtests)
    page.context.close()


def test_the_administration_keeps_the_strict_policy(page: Page) -> None:
    page.goto("/admin/documents/version/?q=berth")
    page.get_by_label("Email address").fill("operator@example.org")
    page.get_by_label("Password").fill("pandect-demo")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="berth-licence.docx v1").click()
    page.get_by_role("link", name="Correct Article 1", exact=True).click()
    page.get_by_label("Title").fill("Meaning of words")
    page.get_by_role("button", name="Correct").click()
    expect(
        page.get_by_text("The corrected outline makes a new version of berth-licence.docx.")
    ).to_be_visible()
    page.goto("/admin/documents/collection/")
    page.get_by_role("link", name="harbour-rules").click()
    page.get_by_role("link", name="Add documents").click()
    expect(page.get_by_label("Or a folder")).to_be_visible()
