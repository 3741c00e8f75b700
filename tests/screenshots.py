"""Pictures of every page, wide and narrow, light and dark: `python -m tests.screenshots`.

Starts the product with its demo in a temporary folder, works in it a little, and writes one picture for each
page into `docs/images/pages/`: 1280 pixels light and dark, 390 pixels light and dark, side by side.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Literal
from urllib.parse import quote_plus

import django
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

django.setup()

from tenants.demo import OPERATOR  # noqa: E402
from tests.browsing import CHROMIUM, QUIET, log_in  # noqa: E402  They need the settings.
from tests.furnished import TENANT, furnish  # noqa: E402
from tests.processes import ROOT, Up, free_port  # noqa: E402

FOLDER = ROOT / "docs" / "images" / "pages"
VIEWS: tuple[tuple[int, Literal["light", "dark"]], ...] = (
    (1280, "light"),
    (1280, "dark"),
    (390, "light"),
    (390, "dark"),
)
HEIGHT, SHARE, GAP = 900, 0.4, 12
QUESTION = "When does the master have to report an incident?"
# Pages by their addresses; what stands in braces is found in the demo.
OF_STRANGERS = {"welcome": "/", "login": "/account/login/"}
OF_OPERATORS = {
    "admin": "/admin/",
    "admin-documents": "/admin/documents/document/",
    "admin-versions": "/admin/documents/version/",
    "admin-definitions": "/admin/definitions/definition/",
}
OF_MEMBERS = {
    "front": "/",
    "password": "/account/password/",
    "overview": TENANT,
    "search": f"{TENANT}search/",
    "results": f"{TENANT}search/?q={quote_plus(QUESTION)}",
    "citation-found": f"{TENANT}search/?q={quote_plus('Section 12(b) of the Harbour Safety Act')}",
    "citation-missing": f"{TENANT}search/?q={quote_plus('Section 4(z)')}",
    "ask": f"{TENANT}ask/?q={quote_plus(QUESTION)}",
    "reader": f"{TENANT}documents/{{act}}/read/?at=Section+12",
    "reader-then": f"{TENANT}documents/{{act}}/read/?at=Section+14%28e%29&read=published",
    "citation": "{citation}",
    "saved-searches": f"{TENANT}searches/",
    "reader-pdf": f"{TENANT}documents/{{standard}}/read/",
    "documents": f"{TENANT}documents/",
    "collection": f"{TENANT}collections/{{collection}}/",
    "collection-settings": f"{TENANT}collections/{{collection}}/settings/",
    "glossary": f"{TENANT}collections/{{collection}}/glossary/",
    "term": f"{TENANT}collections/{{collection}}/glossary/term/?term=vessel",
    "references": f"{TENANT}collections/{{collection}}/references/",
    "baselines": f"{TENANT}collections/{{collection}}/baselines/",
    "baseline": "{baseline}",
    "document": f"{TENANT}documents/{{act}}/",
    "compare": f"{TENANT}documents/{{act}}/compare/",
    "history": f"{TENANT}documents/{{act}}/history/?label=Section+14%28e%29",
    "corrections": f"{TENANT}documents/{{act}}/corrections/",
    "health": f"{TENANT}health/",
    "searches": f"{TENANT}queries/",
    "usage": f"{TENANT}usage/",
    "evaluations": f"{TENANT}evaluations/",
    "evaluation": "{evaluation}",
    "members": f"{TENANT}members/",
    "keys": f"{TENANT}keys/",
    "webhooks": f"{TENANT}webhooks/",
    "webhook": "{webhook}",
    "activity": f"{TENANT}activity/",
    "api": "/api/v1/",
    "not-found": f"{TENANT}nowhere/",
}
PAGES = OF_STRANGERS | OF_MEMBERS | OF_OPERATORS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "pages", nargs="*", default=list(PAGES), help="Names of pages; all of them if none is."
    )
    wanted = parser.parse_args().pages
    FOLDER.mkdir(parents=True, exist_ok=True)
    with running() as up, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        addresses = addresses_of(browser, up)
        pictures: dict[str, list[Image.Image]] = {name: [] for name in wanted}
        for width, theme in VIEWS:
            for name, picture in take(
                browser, up.url, width, theme, {name: addresses[name] for name in wanted}
            ):
                pictures[name].append(picture)
        for name, several in pictures.items():
            side_by_side(several).save(FOLDER / f"{name}.webp", quality=60, method=6)
        if {"results", "reader"} <= pictures.keys():
            wide, narrow = pictures["results"][0], pictures["reader"][-1]
            side_by_side([wide, narrow], share=0.75).save(
                FOLDER.parent / "pandect.webp", quality=75, method=6
            )
        browser.close()


@contextmanager
def running() -> Iterator[Up]:
    with tempfile.TemporaryDirectory(prefix="pandect-pictures-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        up = Up(home, free_port())
        try:
            up.await_welcome()
            yield up
        finally:
            up.end()


def addresses_of(browser: Browser, up: Up) -> dict[str, str]:
    page = browser.new_context(base_url=up.url).new_page()
    log_in(page)
    found = furnish(page, up.home)
    return {name: address.format(**found) for name, address in PAGES.items()}


def take(
    browser: Browser, url: str, width: int, theme: Literal["light", "dark"], addresses: dict[str, str]
) -> Iterator[tuple[str, Image.Image]]:
    size = {"width": width, "height": HEIGHT}
    stranger, member, operator = (
        browser.new_context(base_url=url, viewport=size, color_scheme=theme).new_page()  # type: ignore[arg-type]
        for _ in range(3)
    )
    log_in(member)
    log_in(operator, OPERATOR)
    for name, address in addresses.items():
        page = stranger if name in OF_STRANGERS else operator if name in OF_OPERATORS else member
        page.goto(address)
        page.wait_for_load_state("networkidle")
        yield name, Image.open(BytesIO(page.screenshot()))


def side_by_side(pictures: list[Image.Image], share: float = SHARE) -> Image.Image:
    small = [one.resize((round(one.width * share), round(one.height * share))) for one in pictures]
    width = sum(one.width for one in small) + GAP * (len(small) - 1)
    sheet = Image.new("RGB", (width, small[0].height), "#888888")
    left = 0
    for one in small:
        sheet.paste(one, (left, 0))
        left += one.width + GAP
    return sheet


if __name__ == "__main__":
    main()
