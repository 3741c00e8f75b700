"""A browser, and the product that it looks at: started once for all modules that change nothing for others.

`conftest.py` has these fixtures. A module whose tests change roles or documents of the demo has a `product`
of its own, and the others follow it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from tests.processes import Up, free_port

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.system,
    pytest.mark.timeout(1200),  # Seconds: the first to ask waits for the product and for its demo.
    pytest.mark.skipif(
        CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"
    ),
]
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PASSWORD = "pandect-demo"
# Wide in one theme and narrow in the other: what is wrong in one of the two is seen.
looks = pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
PATIENCE = 60_000  # Milliseconds. Nothing here asks how fast it is.
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    yield from start_product(tmp_path_factory)


def start_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    home = tmp_path_factory.mktemp("browser") / "home"
    home.mkdir()
    up = Up(home, free_port())
    try:
        up.await_welcome()
        yield up
    finally:
        up.end()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Of one module: while it runs, this thread has an event loop, and others must not ask the database."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def is_read(chromium: Browser, product: Up) -> None:
    """The demo is there, to its last document."""
    own = open_context(chromium, product)
    page = own.new_page()
    log_in(page)
    page.goto("/t/harbour/documents/")
    page.get_by_role("link", name="harbour-rules").click()
    expect(page.locator(".tag.ready")).to_have_count(5, timeout=300_000)
    own.close()


@pytest.fixture
def context(chromium: Browser, product: Up) -> Iterator[BrowserContext]:
    context = open_context(chromium, product)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, product: Up) -> Iterator[Page]:
    """A page on which any complaint of the browser, and any request to elsewhere, is a failure."""
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url.startswith(product.url) else complaints.append(request.url),
    )
    yield page
    assert complaints == []


def open_context(chromium: Browser, product: Up, **options: Any) -> BrowserContext:
    """Return a context of its own, which whoever asked closes."""
    context = chromium.new_context(base_url=product.url, **options)
    context.set_default_timeout(PATIENCE)
    return context


def log_in(page: Page, email: str = "ada@example.org") -> None:
    page.goto("/account/login/")
    page.get_by_label("Email address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("Log out")).to_be_attached()


def peek_at(page: Page, word: Locator, said: str) -> None:
    """Point at a word until it is explained: a page that still scrolls takes it from under the pointer."""
    peek = page.locator("#peek")
    for _ in range(9):
        page.mouse.move(0, 0)
        word.hover()
        with suppress(AssertionError):
            expect(peek).to_contain_text(said, timeout=2_000)
            return
    page.mouse.move(0, 0)
    word.hover()
    expect(peek).to_contain_text(said)


def open_page(chromium: Browser, product: Up, width: int, theme: Literal["light", "dark"]) -> Page:
    """Return a page in a context of its own, which whoever asked closes."""
    size = {"width": width, "height": 800}
    return open_context(chromium, product, color_scheme=theme, viewport=size).new_page()


def check_pages(
    page: Page,
    addresses: Mapping[str, str],
    subtests: pytest.Subtests,
    *,
    prepare: Callable[[Page], object] = lambda page: None,
) -> None:
    """Hold that each page is accessible, as far as axe can tell, and no wider than the window."""
    for name, address in addresses.items():
        with subtests.test(page=name):
            page.goto(address)
            page.wait_for_load_state("networkidle")
            prepare(page)
            check_page(page)


def check_page(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert [(one["id"], node["html"]) for one in found for node in one["nodes"]] == []
    assert page.viewport_size is not None
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
