"""The whole way of a person: in, upload, find, read, follow, look back, compare, out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browsing import (  # The mark is for the whole module.
    log_in,
    peek_at,
    pytestmark,  # noqa: F401
    start_product,
)
from tests.processes import Up

BEFORE = """# Lantern Keeping Act 2020

## Section 1. Definitions

(a) In this Act, “keeper” means the person who tends a lantern.

## Section 2. Duties

(a) A keeper shall trim the wick of each lantern before sunset.

(b) A keeper who cannot comply with section 3(a) shall hoist a black pennant.

## Section 3. Oil

(a) No lantern shall burn anything but colza oil.

(b) Oil shall be drawn on Mondays.
"""
AFTER = BEFORE.replace("before sunset", "an hour before sunset").replace("colza oil", "rapeseed oil")
PATIENCE = 180_000


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    yield from start_product(tmp_path_factory)


def upload(page: Page, folder: Path, text: str, applies_from: str) -> None:
    """Send a text as the Act, and watch until its newest version is ready."""
    file = folder / "lantern-act.md"
    file.write_text(text)
    page.get_by_label("Files").set_input_files(file)
    page.get_by_label("Applies from").fill(applies_from)
    page.get_by_role("button", name="Upload").click()


def ask(page: Page, query: str) -> None:
    page.goto("/t/harbour/search/")
    page.get_by_role("searchbox", name="Search").fill(query)
    page.get_by_role("searchbox", name="Search").press("Enter")


def unit(label: str) -> str:
    return f'.unit[data-at="{label}"][id]'


def test_a_person_comes_uploads_finds_reads_compares_and_leaves(page: Page, tmp_path: Path) -> None:
    log_in(page)
    page.goto("/t/harbour/documents/")
    page.locator("#id_name").fill("lanterns")
    page.locator("#id_description").fill("What keepers keep to.")
    page.get_by_role("button", name="Create collection").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("lanterns")
    collection = page.url
    row = page.get_by_role("row").filter(has_text="lantern-act.md")
    for number, (text, day) in enumerate([(BEFORE, "2020-01-01"), (AFTER, "2024-01-01")], 1):
        upload(page, tmp_path, text, day)
        expect(row.get_by_role("cell", name=f"Version {number}")).to_be_visible(timeout=PATIENCE)
        expect(row.locator(".tag")).to_have_text("Ready", timeout=PATIENCE)

    ask(page, "Section 2(a) of the Lantern Keeping Act 2020")
    expect(page.locator(".result h2").first).to_contain_text("Section 2(a)", timeout=PATIENCE)
    expect(page.locator(".result").first).to_contain_text("an hour before sunset")
    ask(page, '"nothing but rapeseed oil"')
    expect(page.locator(".result").filter(has_text="Lantern")).to_have_count(0, timeout=PATIENCE)
    ask(page, '"anything but rapeseed oil"')
    expect(page.locator(".result").first).to_contain_text("rapeseed", timeout=PATIENCE)
    ask(page, "when does a lantern have to be trimmed?")
    hit = page.locator(".result").filter(has_text="Lantern Keeping Act").first
    expect(hit).to_be_visible(timeout=PATIENCE)

    hit.get_by_role("heading").get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Lantern Keeping Act 2020")
    keeper = page.locator(f"{unit('Section 2(a)')} .term", has_text="keeper").first
    peek_at(page, keeper, "the person who tends a lantern")
    page.keyboard.press("Escape")
    page.locator(f"{unit('Section 2(b)')} .reference").first.click()
    expect(page.locator(unit("Section 3(a)"))).to_be_in_viewport(timeout=PATIENCE)
    expect(page).to_have_url(re.compile(r"at=Section\+3%28a%29"))
    page.go_back()
    expect(page.locator(unit("Section 2(b)"))).to_be_in_viewport(timeout=PATIENCE)

    expect(page.locator(unit("Section 3(a)"))).to_contain_text("rapeseed oil")
    page.get_by_label("Read", exact=True).select_option(label="what applies on")
    page.get_by_label("Day").fill("2021-06-01")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(unit("Section 3(a)"))).to_contain_text("colza oil", timeout=PATIENCE)

    page.goto(collection)
    row.get_by_role("cell", name="Version 2").get_by_role("link").click()
    page.get_by_role("link", name="Compare versions").click()
    expect(page.locator("del").filter(has_text="colza")).to_be_visible(timeout=PATIENCE)
    expect(page.locator("ins").filter(has_text="rapeseed")).to_be_visible()

    page.locator("header .menu").last.locator("summary").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Find the paragraph")
    page.goto(collection)
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
