"""The demo after some weeks: with a baseline, an amendment, evaluations, a key, a webhook, and searches."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import quote_plus

from playwright.sync_api import Page, expect

from tests.processes import ROOT, manage

TENANT = "/t/harbour/"
COLLECTION = ("--tenant", "harbour", "--collection", "harbour-rules")
ACT = "harbour-safety-act.md"
AMENDMENTS = [
    ("48 hours in any period", "36 hours in any period"),
    ("within 90 days after it receives", "within 60 days after it receives"),
]
PATIENCE = 180_000
CITED = "Section 14(e) of the Harbour Safety Act"
SEARCHES = ["pilotage exemption", "who may exceed the speed limit?", CITED, "quantum chromodynamics"]


def furnish(page: Page, home: Path) -> dict[str, str]:
    """Do what people do in some weeks, as an admin who is logged in; return ids and addresses by name."""
    page.goto(f"{TENANT}documents/")
    page.get_by_role("link", name="harbour-rules").click()
    expect(page.locator(".tag.ready")).to_have_count(5, timeout=PATIENCE)
    page.reload()
    found = {
        "collection": page.url.rstrip("/").rpartition("/")[2],
        "act": id_of(page, ACT),
        "standard": id_of(page, "mooring-standard.pdf"),
    }
    found["baseline"] = keep_baseline(page, found["collection"])
    found["citation"] = cite(page)
    amend_act(home)
    evaluate_twice(home)
    found["evaluation"] = first_address(page, f"{TENANT}evaluations/", "main td a")
    create_key(page)
    found["webhook"] = create_webhook(page)
    search_and_save(page)
    return found


def id_of(page: Page, name: str) -> str:
    address = page.get_by_role("link", name=name, exact=True).get_attribute("href") or ""
    return address.split("/documents/")[1].split("/")[0]


def first_address(page: Page, where: str, selector: str) -> str:
    page.goto(where)
    return page.locator(selector).first.get_attribute("href") or ""


def keep_baseline(page: Page, collection: str) -> str:
    address = f"{TENANT}collections/{collection}/baselines/"
    page.goto(address)
    page.locator("#id_name").fill("Spring edition")
    page.locator("#id_description").fill("What was printed for the pilots.")
    page.get_by_role("button", name="Keep").click()
    page.goto(address)
    page.get_by_role("button", name="Publish").click()
    return first_address(page, address, "main td a")


def amend_act(home: Path) -> None:
    """Read a next version of the act, in which two numbers are others."""
    text = (ROOT / "documents" / "demo" / ACT).read_text(encoding="utf-8")
    for before, after in AMENDMENTS:
        assert before in text
        text = text.replace(before, after)
    folder = home.parent / "amended"
    folder.mkdir()
    (folder / ACT).write_text(text, encoding="utf-8")
    run(home, "ingest", str(folder / ACT), *COLLECTION)
    shutil.rmtree(folder)


def evaluate_twice(home: Path) -> None:
    queries = home.parent / "what-pilots-ask" / "golden.yaml"
    queries.parent.mkdir()
    queries.write_text(run(home, "golden", *COLLECTION, "--count", "40"), encoding="utf-8")
    for _ in range(2):
        run(home, "evaluate", str(queries), *COLLECTION)


def run(home: Path, *arguments: str) -> str:
    finished = manage(home, *arguments)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def create_key(page: Page) -> None:
    page.goto(f"{TENANT}keys/")
    page.locator("#id_name").fill("Nightly import")
    page.get_by_role("button", name="Create key").click()


def create_webhook(page: Page) -> str:
    page.goto(f"{TENANT}webhooks/")
    page.locator("#id_url").fill("https://register.example.org/pandect")
    page.locator("#id_description").fill("Contract register")
    page.get_by_role("button", name="Add webhook").click()
    return first_address(page, f"{TENANT}webhooks/", "main td a")


def search_and_save(page: Page) -> None:
    for query in SEARCHES:
        page.goto(f"{TENANT}search/")
        page.get_by_role("searchbox", name="Search").fill(query)
        page.get_by_role("searchbox", name="Search").press("Enter")
        page.wait_for_load_state("networkidle")
    page.goto(f"{TENANT}search/?q=pilotage+exemption")
    page.locator("details.save summary").click()
    page.locator("details.save input[name=name]").fill("Exemptions of pilots")
    page.locator("details.save input[type=submit]").click()


def cite(page: Page) -> str:
    """Return the permalink of a unit before the amendment changes it."""
    return first_address(page, f"{TENANT}search/?q={quote_plus(CITED)}", "main a[href*='/cite/']")
