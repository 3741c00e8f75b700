"""The pages in a real browser: usable, accessible, and nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, expect

from tenants.demo import OPERATOR
from tests import screenshots
from tests.browsing import (
    PASSWORD,
    check_page,
    check_pages,
    chromium,
    context,
    log_in,
    looks,
    open_context,
    open_page,
    page,
    pytestmark,
    start_product,
)
from tests.processes import Up, manage

__all__ = ["chromium", "context", "log_in", "page", "product", "pytestmark"]  # Other modules ask for these.


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One of its own: these tests change roles."""
    yield from start_product(tmp_path_factory)


def test_a_person_comes_in_works_and_leaves(page: Page) -> None:
    page.goto("/")
    page.get_by_role("main").get_by_role("link", name="Log in").click()
    expect(page.get_by_label("Email address")).to_be_visible()
    log_in(page)
    page.get_by_role("link", name="Harbour Authority").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Harbour Authority")

    page.get_by_role("link", name="API keys", exact=True).click()
    page.get_by_label("Name").fill("Nightly import")
    page.get_by_role("button", name="Create key").click()
    token = page.locator("#token").inner_text()
    assert token.startswith("pandect_")
    answer = page.request.get("/api/v1/tenant", headers={"Authorization": f"Bearer {token}"})
    assert answer.json()["slug"] == "harbour"

    page.get_by_role("link", name="I have stored it").click()
    row = page.get_by_role("row").filter(has_text="Nightly import")
    row.get_by_text("Revoke").first.click()
    row.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("status")).to_have_text("The key “Nightly import” no longer works.")
    refused = page.request.get("/api/v1/tenant", headers={"Authorization": f"Bearer {token}"})
    assert refused.status == 401

    page.get_by_text("Harbour Authority").first.click()
    page.get_by_role("link", name="Meridian Standards").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Meridian Standards")
    expect(page.get_by_role("link", name="API keys", exact=True)).to_have_count(0)

    page.get_by_text("Ada", exact=True).click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Find the paragraph")


@pytest.fixture(scope="module")
def addresses(chromium: Browser, product: Up) -> dict[str, str]:
    """Of all pages that there are pictures of, as they are after some weeks."""
    return screenshots.addresses_of(chromium, product)


LISTS = {  # Of the administration, with words that help to search.
    "admin-tenants": "/admin/tenants/tenant/?q=h",
    "admin-passages": "/admin/search/passage/",
    "admin-found": "/admin/documents/document/?q=act",
    "admin-terms": "/admin/definitions/definition/?q=vessel",
}


@looks
@pytest.mark.timeout(900)  # The demo is read and worked with first.
def test_pages_are_accessible_and_fit(
    *,
    chromium: Browser,
    product: Up,
    addresses: dict[str, str],
    width: int,
    theme: Literal["light", "dark"],
    subtests: pytest.Subtests,
) -> None:
    stranger, member, operator = (open_page(chromium, product, width, theme) for _ in range(3))
    log_in(member)
    log_in(operator, OPERATOR)
    whose = dict.fromkeys(screenshots.OF_STRANGERS, stranger)
    whose |= dict.fromkeys(screenshots.OF_OPERATORS, operator)
    for name, address in addresses.items():
        check_pages(whose.get(name, member), {name: address}, subtests)
    check_pages(operator, LISTS, subtests)
    with subtests.test(page="key created"):
        member.goto("/t/harbour/keys/")
        member.get_by_label("Name").fill(f"For {width} pixels")
        member.get_by_role("button", name="Create key").click()
        expect(member.locator("#token")).to_be_visible()
        check_page(member)
    body = render_to_string("500.html")
    stranger.route("**/fault/", lambda route: route.fulfill(status=500, body=body, content_type="text/html"))
    check_pages(stranger, {"fault": "/fault/"}, subtests)
    stranger.context.clear_cookies()
    log_in(stranger, "rosa@example.org")
    check_pages(stranger, {"not for you": "/t/harbour/keys/"}, subtests)
    for own in (stranger, member, operator):
        own.context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_names_as_long_as_they_may_be_stay_on_the_page(chromium: Browser, product: Up, width: int) -> None:
    slug = f"wide-{width}"
    made = manage(product.home, "create_tenant", slug, "W" * 200, "--admin", "mina@example.org")
    assert made.returncode == 0, made.stderr
    context = open_context(chromium, product, viewport={"width": width, "height": 800})
    page = context.new_page()

    def fits() -> bool:
        return bool(page.evaluate("document.documentElement.scrollWidth") <= width)

    log_in(page, "mina@example.org")
    assert fits()
    page.goto(f"/t/{slug}/keys/")
    page.get_by_label("Name").fill("W" * 100)
    page.get_by_role("button", name="Create key").click()
    expect(page.locator("#token")).to_be_visible()
    assert fits()
    for path in ("", "members/", "keys/", "activity/"):
        page.goto(f"/t/{slug}/{path}")
        assert fits(), path
    page.goto(f"/t/{slug}/keys/")
    scopes = page.locator("td[data-label=Scopes]")
    assert scopes.evaluate("cell => getComputedStyle(cell).overflowWrap") == (
        "normal" if width > 700 else "anywhere"
    )
    context.close()


def test_the_theme_can_be_chosen_and_stays(page: Page) -> None:
    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    page.goto("/")
    before = background()
    page.get_by_role("button", name="Switch to dark").click()
    assert background() != before
    page.goto("/account/login/")
    expect(page.get_by_role("button", name="Switch to light")).to_be_visible()
    assert background() != before


def test_the_keyboard_is_enough(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    log_in(page)
    page.goto("/t/harbour/")
    menu = page.locator("details.menu").first
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(menu.get_by_role("link")).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu.get_by_role("link")).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()


def test_everything_works_without_scripts(chromium: Browser, product: Up) -> None:
    context = open_context(chromium, product, java_script_enabled=False)
    page = context.new_page()
    log_in(page)
    page.goto("/t/harbour/members/")
    row = page.get_by_role("row").filter(has_text="edgar@example.org")
    row.get_by_label("Role of edgar@example.org").select_option("reader")
    row.get_by_role("button", name="Change").click()
    expect(page.get_by_role("status")).to_have_text("edgar@example.org is now reader.")
    row.get_by_text("Remove").first.click()
    expect(row.get_by_role("button", name="Remove")).to_be_visible()
    context.close()


def test_the_administration_keeps_the_strict_policy(page: Page) -> None:
    page.goto("/admin/")
    page.get_by_label("Email address").fill("operator@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Tenants", exact=True).last.click()
    page.get_by_role("link", name="Harbour Authority").click()
    expect(page.get_by_role("heading", name="Memberships")).to_be_visible()
    page.goto("/admin/tenants/apikey/add/")
    page.locator(".select2-selection").click()
    page.locator(".select2-search__field").fill("meri")
    page.get_by_role("option", name="Meridian Standards").click()
    expect(page.locator(".select2-selection__rendered")).to_contain_text("Meridian Standards")
