"""The library in a real browser: files and folders are dropped, sent and followed until they are ready."""

# ruff: noqa: F401, F811 (Fixtures are imported, and then asked for by name.)

from __future__ import annotations

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import check_pages, looks, open_context, open_page
from tests.processes import Up
from tests.test_browser import chromium, context, log_in, page, product, pytestmark

SECONDS = 120_000
ACT = "# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n\n(b) See paragraph (a).\n"
DROP = """files => {
    const transfer = new DataTransfer();
    for (const [name, text] of files) transfer.items.add(new File([text], name, { type: "text/markdown" }));
    document.querySelector("main").dispatchEvent(
        new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer })
    );
}"""
# A folder cannot be put into a transfer by a script: it is told by the entries that a browser would tell.
DROP_FOLDER = """tree => {
    const entry = (name, node) => typeof node === "string"
        ? { name, isDirectory: false, file: (done) => done(new File([node], name)) }
        : {
            name,
            isDirectory: true,
            createReader: () => {
                const left = Object.entries(node).map(([below, one]) => entry(below, one));
                return { readEntries: (done) => done(left.splice(0, 1)) };  // One at a time: asked again.
            },
        };
    const items = Object.entries(tree).map(([name, node]) => ({ webkitGetAsEntry: () => entry(name, node) }));
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], items, files: [] } });
    document.querySelector("main").dispatchEvent(event);
}"""


def open_collection(page: Page, name: str) -> None:
    """Open a collection of its own, made by an admin: tests share one product."""
    log_in(page)
    page.goto("/t/harbour/documents/")
    page.locator("#id_name").fill(name)
    page.locator("#id_description").fill("For tests.")
    page.get_by_role("button", name="Create collection").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.get_by_text("Drop files and folders anywhere on this page.")).to_be_visible()


def test_dropped_files_are_sent_and_followed_until_they_are_ready(page: Page) -> None:
    open_collection(page, "dropped")
    page.evaluate(DROP, [["one.md", f"{ACT}One.\n"], ["two.md", f"{ACT}Two.\n"]])
    expect(page.locator(".message.upload")).to_have_text("2 documents added.")
    for name in ("one.md", "two.md"):
        row = page.get_by_role("row").filter(has_text=name)
        expect(row.locator(".tag")).to_have_text("Ready", timeout=SECONDS)
    expect(page.locator(".choices-bar").get_by_role("link", name="Ready 2")).to_be_visible()
    expect(page.locator("[data-sending]")).to_be_hidden()


def test_a_dropped_folder_keeps_its_paths_and_leaves_its_clutter(page: Page) -> None:
    open_collection(page, "folders")
    tree = {"corpus": {"a.md": ACT, "sub": {"a.md": f"{ACT}Sub.\n", ".DS_Store": "x"}, "Thumbs.db": "x"}}
    page.evaluate(DROP_FOLDER, tree)
    expect(page.locator(".message.upload")).to_have_text("2 documents added.")
    expect(page.get_by_role("link", name="sub/a.md")).to_be_visible()
    names = [*page.locator("td.name a").all_inner_texts()]
    assert names == ["a.md", "sub/a.md"]
    page.evaluate(DROP_FOLDER, {"x": {"a.md": f"{ACT}X.\n"}, "y": {"a.md": f"{ACT}Y.\n"}})
    expect(page.get_by_role("link", name="y/a.md")).to_be_visible()
    assert [*page.locator("td.name a").all_inner_texts()] == ["a.md", "sub/a.md", "x/a.md", "y/a.md"]


def test_many_files_go_in_portions_and_what_is_refused_says_why(page: Page) -> None:
    open_collection(page, "portions")
    sent: list[int] = []
    page.on(
        "request",
        lambda request: sent.append(1) if request.method == "POST" and "/upload/" in request.url else None,
    )
    files = [[f"{number:02}.md", f"{ACT}{number}\n"] for number in range(30)]
    page.evaluate(DROP, [*files, ["00.md", "The same name."]])
    expect(page.locator(".message.upload")).to_have_text(
        "30 documents added, 1 file was not taken.", timeout=SECONDS
    )
    assert len(sent) == 2
    expect(page.locator("[data-files] .said")).to_contain_text("has the same name")


def test_a_price_waits_for_a_yes(page: Page) -> None:
    """The page is told that contexts cost money; here they cost nothing, which is asked for all the same."""
    open_collection(page, "priced")
    tell = "section => { section.dataset.paid = 'yes'; section.dataset.askAbove = '-1'; }"
    page.locator("[data-upload]").evaluate(tell)
    page.evaluate(DROP, [["one.md", ACT]])
    expect(page.locator("[data-overall]")).to_contain_text("at most $0.00", timeout=SECONDS)
    page.get_by_role("button", name="Do not upload").click()
    expect(page.locator(".message.upload")).to_have_text("Stopped. What was sent is kept.")
    expect(page.locator("td.name")).to_have_count(0)
    page.evaluate(DROP, [["one.md", ACT]])
    page.get_by_role("button", name="Upload for at most $0.00").click(timeout=SECONDS)
    expect(page.locator(".message.upload")).to_have_text("1 document added.", timeout=SECONDS)


def test_ticked_documents_go_to_the_bin(page: Page) -> None:
    open_collection(page, "ticked")
    page.evaluate(DROP, [["one.md", f"{ACT}1\n"], ["two.md", f"{ACT}2\n"], ["three.md", f"{ACT}3\n"]])
    expect(page.locator(".tag.ready")).to_have_count(3, timeout=SECONDS)
    page.reload()
    expect(page.get_by_role("button", name="Move to the bin")).to_be_disabled()
    page.get_by_role("checkbox", name="Tick one.md").check()
    page.get_by_role("checkbox", name="Tick two.md").check()
    expect(page.get_by_text("2 ticked")).to_be_visible()
    page.get_by_role("button", name="Move to the bin").click()
    expect(page.locator(".message")).to_have_text("2 documents are in the bin.")
    page.get_by_role("link", name="Bin 2").click()  # Which has the same boxes to tick.
    expect(page.get_by_role("button", name="Restore", exact=True)).to_be_visible()
    page.get_by_role("checkbox", name="All on this page").check()
    page.get_by_role("button", name="Restore", exact=True).click()
    expect(page.locator(".message")).to_have_text("2 documents are back.")


def test_weights_are_weighed_while_they_are_typed(page: Page) -> None:
    open_collection(page, "weighed")
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Weight of meaning").fill("0.9")
    expect(page.locator("[data-weights]")).to_contain_text("The weights sum to 1.4, not to 1.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".message.warning").first).to_contain_text("The weights sum to 1.4, not to 1")
    expect(page.locator(".message.success")).to_have_text("semantic_weight: from the next search on.")


PAGES = {
    "collection": "",
    "nothing found": "?q=nothing",
    "settings": "settings/",
    "glossary": "glossary/",
    "term": "glossary/term/?term=vessel",
    "references": "references/",
    "point nowhere": "references/?show=waiting",
    "health": "/t/harbour/health/",
    "searches": "/t/harbour/queries/",
    "usage": "/t/harbour/usage/",
    "evaluations": "/t/harbour/evaluations/",
}


@looks
@pytest.mark.usefixtures("is_read")
def test_pages_are_accessible_and_fit(
    chromium: Browser, product: Up, width: int, theme: Literal["light", "dark"], subtests: pytest.Subtests
) -> None:
    page = open_page(chromium, product, width, theme)
    log_in(page)
    page.goto("/t/harbour/documents/")
    page.get_by_role("link", name="harbour-rules").click()
    expect(page.locator(".tag.ready")).to_have_count(5, timeout=SECONDS)
    base = page.url
    pages = {name: path if path.startswith("/") else base + path for name, path in PAGES.items()}
    page.goto(base + "references/")
    pages["units"] = (
        base + "references/" + str(page.locator("svg a[href*=document]").last.get_attribute("href"))
    )
    check_pages(page, pages, subtests)
    page.context.close()


def test_everything_is_read_without_scripts(chromium: Browser, product: Up, is_read: None) -> None:
    bare = open_context(chromium, product, java_script_enabled=False)
    page = bare.new_page()
    log_in(page)
    page.goto("/t/harbour/documents/")
    page.get_by_role("link", name="harbour-rules").click()
    page.get_by_role("searchbox", name="Name").fill("act")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("td.name")).to_have_count(1)
    page.get_by_role("link", name="Glossary").click()
    page.get_by_role("searchbox", name="Term").fill("vessel")
    page.get_by_role("button", name="Find").click()
    expect(page).to_have_url(re.compile(r"\?q=vessel$"))  # The page before it has the same link.
    page.get_by_role("link", name="Vessel", exact=True).click()
    expect(page.get_by_role("heading", name="Where it is used")).to_be_visible()
    bare.close()
