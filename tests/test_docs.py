"""The documents say what the code does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.processes import ROOT

READ = re.compile(r'env\.(?:text|required|flag|number|words|choice)\(\s*"([A-Z_]+)"')
TARGET = re.compile(r"(?:^|`)make ([a-z-]+)", re.MULTILINE)


def python_files() -> list[Path]:
    return [
        path
        for app in ("config", "tenants", "documents", "definitions", "search")
        for path in (ROOT / app).rglob("*.py")
    ]


def test_every_variable_that_is_read_is_documented() -> None:
    read = {name for path in python_files() for name in READ.findall(path.read_text())}
    documented = set(re.findall(r"`([A-Z_]+)`", (ROOT / "docs" / "settings.md").read_text()))
    assert len(read) > 8
    assert read - documented == set()


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_make_target_that_is_named_exists(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = set(TARGET.findall((ROOT / name).read_text()))
    assert named
    assert {target for target in named if not re.search(rf"^{target}:", makefile, re.MULTILINE)} == set()


def test_every_link_between_documents_leads_somewhere() -> None:
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text()):
            assert (path.parent / link).exists(), f"{path.name}: {link}"


def test_every_page_has_a_picture_that_is_shown() -> None:
    from tests.screenshots import FOLDER, PAGES

    shown = re.findall(r"\(images/pages/([a-z-]+)\.webp\)", (ROOT / "docs" / "pictures.md").read_text())
    assert sorted(shown) == sorted(PAGES)
    assert {path.stem for path in FOLDER.iterdir()} == set(PAGES)


def test_ci_runs_what_the_readme_says() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text()
    assert "make test" in (ROOT / "README.md").read_text()


def test_make_shows_its_targets_from_any_folder(tmp_path: Path) -> None:
    shown = subprocess.run(
        ["make", "-f", str(ROOT / "Makefile"), "help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(r"^up +Run everything", shown.stdout, re.MULTILINE)
